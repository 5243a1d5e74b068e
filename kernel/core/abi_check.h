/* SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause) */
/*
 * Checks whether a body takes its parameters where its prototype passes them, because fentry and
 * programs that read struct pt_regs look for them there. Compilers that change a local function do
 * not change the prototype.
 */
#ifndef BTF_EXTRA_ABI_CHECK_H
#define BTF_EXTRA_ABI_CHECK_H

#include "arg_place.h"
#include "btf_blob.h"
#include "loc_location.h"

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
	ABI_FAULT_PROTOTYPE,	/* not at hand, or more parameters than a trampoline takes */
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

/*
 * Returns the promise of the symbol "foo.isra.0" for the function foo; NULL: the body has no
 * symbol. A FUNC that was made for the body has ABI_EXACT instead.
 */
enum abi_promise abi_promise_of_symbol(const char *func, const char *symbol);

/*
 * Looks from parameter number first on for one that is not where the prototype passes it, and after
 * the last one at the result. types: the blob that holds the LOC_PROTO, on all others. Returns
 * true, or false with the first fault in *fault.
 */
bool abi_check_from(const struct loc_arch *arch, const struct btf_blob *types, u32 func_id,
		    u32 loc_proto, enum abi_promise promise, u32 first, struct abi_fault *fault);

/* Checks all parameters. */
static inline bool abi_check(const struct loc_arch *arch, const struct btf_blob *types,
			     u32 func_id, u32 loc_proto, enum abi_promise promise,
			     struct abi_fault *fault)
{
	return abi_check_from(arch, types, func_id, loc_proto, promise, 0, fault);
}

#endif
