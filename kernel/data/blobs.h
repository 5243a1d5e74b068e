/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The blobs that blobs.S includes. Their ELF sections do not change at run time. They are weak,
 * because a build of the kernel itself links them after modpost has looked for them.
 */
#ifndef BTF_EXTRA_BLOBS_H
#define BTF_EXTRA_BLOBS_H

#include <linux/compiler.h>
#include <linux/types.h>

extern const u8 __weak btf_extra_types[], btf_extra_types_end[];
extern const u8 __weak btf_extra_image[], btf_extra_image_end[];

#endif
