/* SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause) */
/*
 * The sections of frames that rows begin with. Each function can be frame_row.build.
 * frame_images.c says beside the code what is in a section, and where.
 */
#ifndef BTF_EXTRA_TESTS_FRAME_IMAGES_H
#define BTF_EXTRA_TESTS_FRAME_IMAGES_H

#include "frame_rows.h"

/* Two sections, five bodies and eight instances. */
u32 frame_image_plain(const struct frame_row *row, u8 *bytes);
/*
 * Ten bodies of 4 bytes, in turn of FUNC 6 and of FUNC 7: five in .text, at 0x10, 0x18, 0x20, 0x28
 * and 0x48, and five in .init.text, at 0x20, 0x28, 0x30, 0x38 and 0x3c.
 */
u32 frame_image_paged(const struct frame_row *row, u8 *bytes);
/* The records of the row. Its nr says how many bodies they have; 0: one. */
u32 frame_image_small(const struct frame_row *row, u8 *bytes);
/* nr bodies of 4 bytes in .text, 8 bytes from each other, in turn of FUNC 6 and of FUNC 7. */
u32 frame_image_many(const struct frame_row *row, u8 *bytes);
/*
 * nr bodies of 8 pieces, of a byte each, at every other byte of .text: first one of each body, then
 * the second ones, and so on. They are in turn of FUNC 6 and of FUNC 7.
 */
u32 frame_image_pieces(const struct frame_row *row, u8 *bytes);
/* A body of 2 bytes with nr instances in one another, of its first byte. */
u32 frame_image_deep(const struct frame_row *row, u8 *bytes);
/* A body of 2 bytes whose instances of its first byte take nr bytes. */
u32 frame_image_long(const struct frame_row *row, u8 *bytes);

#endif
