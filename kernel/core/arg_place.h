/* SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause) */
/*
 * Computes where the ABI passes the parameters of a function, from its prototype in BTF, and where
 * a tracing program (fentry) finds them.
 */
#ifndef BTF_EXTRA_ARG_PLACE_H
#define BTF_EXTRA_ARG_PLACE_H

#include "btf_blob.h"
#include "loc_arch.h"

struct arg_place {
	u32 size;		/* of the parameter's type, in bytes; 0: not known */
	bool is_signed;
	u8 first_register;	/* number among the argument registers */
	u8 nr_registers;	/* 0: in memory, or in registers that are not for integers */
	bool by_reference;	/* the register has the address of the value */
	u8 first_slot;		/* number among the words of a tracing program's context */
	u8 nr_slots;		/* 0: the program does not look there, but where the ABI says */
};

/* Returns the FUNC_PROTO of a FUNC; NULL: it is not a function, or its prototype is missing. */
const struct btf_type *arg_prototype(const struct btf_blob *types, u32 func_id);

/*
 * The places of the first parameters of a FUNC, without the end of a variadic prototype. Returns
 * the number of parameters, even if it is more than capacity; -EINVAL: it is not a function, its
 * prototype is missing, or its types are nested deeper or wider than compilers do. arch NULL: no
 * parameter is known to be in registers.
 */
int arg_places(const struct loc_arch *arch, const struct btf_blob *types, u32 func_id,
	       struct arg_place *places, u32 capacity);

/*
 * The same for a stub that stands for the function. Its result is void, and it lacks the parameters
 * of @without (bit n: parameter n): the size of their place is 0.
 */
int arg_places_of_stub(const struct loc_arch *arch, const struct btf_blob *types, u32 func_id,
		       u32 without, struct arg_place *places, u32 capacity);

/* The kernel lets a function with more parameters not be traced. Each has one or two slots. */
#define ARG_SLOTS_PARAMS 12u
#define ARG_SLOTS_MAX (2 * ARG_SLOTS_PARAMS)

/*
 * The same for a tracing program, with slots. -EINVAL also: there are more than ARG_SLOTS_PARAMS
 * parameters, or one whose size is not known or more than 16 bytes.
 */
int arg_places_in_slots(const struct loc_arch *arch, const struct btf_blob *types, u32 func_id,
			struct arg_place *places, u32 capacity);

#endif
