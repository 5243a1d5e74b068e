/* SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause) */
/* Writes the files that the rows of the container change. */
#ifndef BTF_EXTRA_TESTS_CONTAINER_FILES_H
#define BTF_EXTRA_TESTS_CONTAINER_FILES_H

#include "../../kernel/core/extra_elf.h"
#include "core_rows.h"
#include "elf_writer.h"

/* 1025 section headers and some bytes. */
#define CONTAINER_MAX_SIZE 67072

/* The contents of the plain file. */
#define CONTAINER_TEXT 0x1000
#define CONTAINER_TEXT_SIZE 0x100
#define CONTAINER_INIT_TEXT 0x4000
#define CONTAINER_INIT_TEXT_SIZE 0x80
#define CONTAINER_BUILD_ID "the running kernel."	/* with its NUL */
#define CONTAINER_BUILD_ID_SIZE 20
#define CONTAINER_MACHINE 62				/* EM_X86_64 */

/* Names the level of base BTF that the blobs are over. */
struct extra_base container_base(const struct core_input *blobs);

/* Computes a CRC-32 bit by bit, apart from the kernel's and zlib's. */
u32 container_crc32(const u8 *data, size_t size);

/*
 * Each letter of parts is a section, in that order from header 2 on:
 *
 *	t  .BTF		l  .BTF.func_info	i  the build-id
 *	1, 2, 3		.btf_extra.base with the sum that many times
 *	m  three marks	o  .btf_extra.own_types, 4 bytes
 *	F  .btf_extra.frames, 104 bytes: a body in .text, and an instance in it
 *	x  .btf_extra.expressions, 28 bytes: one, of parameter 1 of the fifth site
 *	T  .text	I  .init.text		R  .rodata
 *	f  a section of the object that is named .BTF.func_info
 *	e  only empty sections of the object, up to the last header
 *
 * sum is that of container_base() where it is NULL.
 */
void container_put(struct elf_writer *w, const struct core_input *blobs,
		   const struct extra_base *sum, const char *parts);

/*
 * Writes a file of these parts and returns its size. nr_headers may be more than the parts need; 0
 * stands for what they need.
 */
u32 container_write(u8 *file, const struct core_input *blobs, const struct extra_base *sum,
		    const char *parts, u32 nr_headers);

/*
 * A file of vmlinux, with everything but the base: nine headers, the types in 172 bytes at 640, the
 * locations in 393 at 816, the build-id in 36 at 1216, the sum in 8 at 1256, and 91 bytes of names
 * at 1264, up to 1355. Their offsets in the names are 1 of .shstrtab, then 11, 16, 31, 50, 66, 72
 * and 83.
 */
#define CONTAINER_PLAIN "tli1TIR"

#endif
