/* SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause) */
/* How the calling convention of an architecture passes values of a type. */
#ifndef BTF_EXTRA_LOC_ARCH_ARGS_H
#define BTF_EXTRA_LOC_ARCH_ARGS_H

#include "btf_type_walk.h"
#include "loc_arch.h"

/*
 * The registers that an argument takes where next is the first argument register
 * that is left. 0: it is in memory, or in registers that are not for integers, or
 * that is not known of the architecture. No answer counts if the walk gives up.
 */
u32 loc_arch_argument(const struct loc_arch *arch, struct btf_type_walk *walk, u32 type_id,
		      u32 size, u32 next);

/* How many argument registers the caller needs to say where the result is to be. */
u32 loc_arch_result(const struct loc_arch *arch, struct btf_type_walk *walk, u32 type_id);

#endif
