/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The inlined calls of the function that a program attaches to: at how many of them it could run.
 * The verifier asks before it knows which arguments the program reads.
 */
#ifndef BTF_EXTRA_FENTRY_CALLS_H
#define BTF_EXTRA_FENTRY_CALLS_H

#include "core/arg_place.h"
#include "fentry/fentry_target.h"

struct fentry_calls {
	u32 func_id;		/* of the body; the program's id may be another one */
	u32 nr;			/* in text that can still run */
	u32 nr_freed;		/* in other text */
	u32 nr_closed;		/* of nr: BTF_EXTRA_SITE_CLOSED */
	u32 nr_inexact;		/* of the others: BTF_EXTRA_SITE_LOOP_HEAD or _NO_ENTRY */
	bool other_types;	/* no call can be completed: see tracing_program_find() */
	u32 nr_params;
	u32 nr_lacking[ARG_SLOTS_PARAMS];	/* of the rest: without that parameter */
};

/*
 * Counts the calls for a program of @func_id, inside rcu_read_lock(). @target is what
 * fentry_target_of() said. Returns false if the function at its address is not known.
 */
bool fentry_calls_of(const struct extra_object *object, u32 func_id,
		     const struct fentry_target *target, struct fentry_calls *calls);

#endif
