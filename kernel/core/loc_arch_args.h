/* SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause) */
/* How the calling convention of an architecture passes values of a type. */
#ifndef BTF_EXTRA_LOC_ARCH_ARGS_H
#define BTF_EXTRA_LOC_ARCH_ARGS_H

#include "btf_type_walk.h"
#include "loc_arch.h"

struct loc_arg_registers {
	u8 first;		/* number among the argument registers */
	u8 nr;			/* 0: the argument is in memory, or it is not known where */
	bool by_reference;	/* the register has the address of the value */
};

/*
 * Returns the registers of an argument, a value of type_id in size bytes. *used are the argument
 * registers that the arguments before it took; it is brought up to date. No answer counts if the
 * walk gives up.
 */
struct loc_arg_registers loc_arch_argument(const struct loc_arch *arch, struct btf_type_walk *walk,
					   u32 type_id, u32 size, u32 *used);

/* Returns the number of argument registers for the address of the result. */
u32 loc_arch_result(const struct loc_arch *arch, struct btf_type_walk *walk, u32 type_id);

#endif
