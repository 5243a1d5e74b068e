/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What blobs.S takes in: ELF sections that do not change at run time. Weak, for in a
 * kernel's own build they are linked in after modpost has looked for them.
 */
#ifndef BTF_EXTRA_BLOBS_H
#define BTF_EXTRA_BLOBS_H

#include <linux/compiler.h>
#include <linux/types.h>

extern const u8 __weak btf_extra_types[], btf_extra_types_end[];
extern const u8 __weak btf_extra_image[], btf_extra_image_end[];

#endif
