/* SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause) */
/*
 * The instruction of a static key: a NOP or a jump, which the kernel exchanges while it runs. It
 * takes no kprobe there.
 */
#ifndef BTF_EXTRA_LOC_ARCH_KEY_H
#define BTF_EXTRA_LOC_ARCH_KEY_H

#include "loc_arch.h"

#define LOC_ARCH_KEY_MAX 5	/* bytes of the longest one */

/*
 * Returns the bytes of the instruction that the code begins with; 0: it is none of those that a
 * static key has, or size ends in it. arch may be NULL.
 */
u32 loc_arch_key_size(const struct loc_arch *arch, const u8 *code, u32 size);

#endif
