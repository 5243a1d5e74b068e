/* SPDX-License-Identifier: GPL-2.0 */
/* clang-format off */
/*
 * The names of functions in intree_test.ko do not say which code is meant: two share a name, some
 * were changed by the compiler, and some are also inlined. Its device calls the requested one.
 */
#ifndef BTF_EXTRA_INTREE_CALLS_H
#define BTF_EXTRA_INTREE_CALLS_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define INTREE_DEVICE "/dev/btf_extra_intree"

enum intree_which {
	INTREE_TWIN_HERE,	/* intree_twin(u64, u32) */
	INTREE_TWIN_THERE,	/* intree_twin(s8, u64, u64) of another file */
	INTREE_HALF_HERE,	/* intree_half(u64), a body */
	INTREE_HALF_THERE,	/* intree_half(u64, u64), inlined */
	INTREE_COPY_HERE,	/* intree_copy(u64), a static function of a header */
	INTREE_COPY_THERE,	/* the same of another file */
	INTREE_CROWD_HERE,	/* intree_crowd(u64), a static function of a header */
	INTREE_CROWD_THERE,	/* the same of another file */
	INTREE_CROWD_ELSE,	/* intree_crowd(u64, u64) of a third file */
	INTREE_UNUSED,		/* intree_unused(u64, u64): the compiler drops the first */
	INTREE_PIECE,		/* intree_piece(struct intree_pair, u64): only .b of the pair is passed */
	INTREE_FIXED,		/* intree_fixed(u64, u32): the second is a constant */
	INTREE_PART_INLINED,	/* intree_part(u64) where it is inlined, INTREE_PART_SITES times */
	INTREE_PART_CALLED,	/* intree_part(u64) where it is called */
	INTREE_INLINED,		/* intree_inlined(u64, u32, s8), which has no body */
	INTREE_WHICH_COUNT
};

#define INTREE_PART_SITES 3

struct intree_call {
	__u32 which;
	__u32 zero;
	__u64 args[3];
	__u64 returned;
};

#define INTREE_IOC_CALL _IOWR('i', 0x10, struct intree_call)

#endif
