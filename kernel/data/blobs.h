/* SPDX-License-Identifier: GPL-2.0 */
/* What blobs.S takes in: ELF sections that do not change at run time. */
#ifndef BTF_EXTRA_BLOBS_H
#define BTF_EXTRA_BLOBS_H

#include <linux/types.h>

extern const u8 btf_extra_types[], btf_extra_types_end[];
extern const u8 btf_extra_image[], btf_extra_image_end[];

#endif
