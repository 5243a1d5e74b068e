/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Checks whether a body takes its parameters where its prototype passes them, because fentry reads
 * them there. Compilers that change a local function do not change the prototype.
 */
#ifndef BTF_EXTRA_ABI_CHECK_H
#define BTF_EXTRA_ABI_CHECK_H

#include <linux/types.h>

#include "core/arg_place.h"
#include "core/btf_blob.h"
#include "core/loc_location.h"

/* This is known of a body besides its locations. */
enum abi_promise {
	ABI_KEPT,	/* nothing says otherwise; parameters without location are just not used */
	ABI_CHANGED,	/* its symbol says that the compiler has changed it: foo.isra.0 */
	ABI_EXACT,	/* its prototype was made for what it has become */
};

/* The first ones are about a parameter. */
enum abi_fault_code {
	ABI_FAULT_NONE,
	ABI_FAULT_IN_MEMORY,	/* the ABI passes it there, and nobody knows whether it did */
	ABI_FAULT_OPTIMIZED_OUT,
	ABI_FAULT_CONSTANT,	/* it is always the same, and not passed */
	ABI_FAULT_ELSEWHERE,	/* it is not in its registers */
	ABI_FAULT_RESULT,	/* there may be none any more */
	ABI_FAULT_PROTOTYPE,	/* not at hand, or too long to tell */
};

struct abi_fault {
	enum abi_fault_code code;
	u32 param;		/* its number from 0 */
	struct arg_place place;	/* where the ABI passes it */
	struct loc_location found;	/* ABI_FAULT_ELSEWHERE: where it is */
};

static inline bool abi_fault_of_parameter(const struct abi_fault *fault)
{
	return fault->code && fault->code < ABI_FAULT_RESULT;
}

/* types: the blob that holds the LOC_PROTO, on all others. false, with *fault filled: not so. */
bool abi_check(const struct btf_blob *types, u32 func_id, u32 loc_proto, enum abi_promise promise,
	       struct abi_fault *fault);

#endif
