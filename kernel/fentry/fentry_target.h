/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Resolves the FUNC that a fentry, fexit or similar program requests to the code to which it
 * attaches. All of this is called inside rcu_read_lock(), and uses none of the kernel's own
 * structures.
 *
 * Ids are of two sorts. Ids of the base (vmlinux BTF, or a module's own BTF without the types blob)
 * attach by name, as without btf_extra, unless the program would see wrong arguments there. Ids of
 * a types blob are new: they attach to the one body that they name, or to none.
 */
#ifndef BTF_EXTRA_FENTRY_TARGET_H
#define BTF_EXTRA_FENTRY_TARGET_H

#include <linux/btf_extra.h>
#include <linux/kallsyms.h>

#include "core/abi_check.h"
#include "fentry/fentry_complete.h"
#include "objects/extra_object.h"
#include "phantoms/phantom_modules.h"

enum fentry_answer {
	FENTRY_BY_NAME,		/* nothing speaks against what the name leads to */
	FENTRY_ADDRESS,		/* goes to address */
	FENTRY_STUB,		/* inlined everywhere, and goes to the stub of its calls */
	FENTRY_SEVERAL,		/* bodies, of which the id says none */
	FENTRY_NO_BODY,		/* inlined everywhere */
	FENTRY_NO_TEXT,		/* its text is gone, or its place not known */
	FENTRY_ABI,		/* what it takes is not what its prototype says */
};

struct fentry_target {
	enum fentry_answer answer;
	bool own;			/* an id of our types */
	unsigned long address;		/* where it ends up, if that is known; by name included */
	u32 nr_bodies;
	u32 nr_parts;			/* rests of it that are out of line: foo.part.0 */
	u32 nr_inlined;			/* sites that such a program does not see */
	struct abi_fault abi;
	struct phantom_found stub;	/* for FENTRY_STUB */
};

/* Does what kernel_symbol_at() does. It is an argument so that tests may have their own symbols. */
typedef bool (*fentry_symbol_fn)(unsigned long address, char *symbol);

/* This is phantom_of_func(). Tests have their own. */
typedef bool (*fentry_stub_fn)(const struct extra_object *object, u32 func_id,
			       struct phantom_found *found);

/* A question. */
struct fentry_query {
	const struct extra_object *object;
	fentry_symbol_fn symbol_at;
	fentry_stub_fn stub_of;
	bool stubs;			/* a stub may be the answer, or else only a hint */
	bool strict;			/* refuses ids of the base as if they were ours */
	enum fentry_complete complete;	/* for the report: what becomes of inlined calls */
	char symbol[KSYM_SYMBOL_LEN];	/* scratch */
};

void fentry_target_of(struct fentry_query *query, u32 func_id, struct fentry_target *target);

/* Returns true if the program is attached: at target->address, or by name if that is 0. */
bool fentry_target_accepted(const struct fentry_query *query, const struct fentry_target *target);

/*
 * The id that attaches to exactly this body: preferably the one that the site has.
 * 0: none does, *answer says why that one does not.
 */
u32 fentry_id_of_body(struct fentry_query *query, const struct btf_extra_site *body,
		      enum fentry_answer *answer);

/* The BTF object of the kernel that has an id of the object; NULL: none has. */
const char *fentry_btf_name(const struct extra_object *object, u32 func_id);

/*
 * Calls fn() for each body of an id, without split parts. An id of the base without sites means all
 * functions of its name.
 */
typedef void (*fentry_body_fn)(const struct btf_extra_site *body, void *data);
void fentry_walk_bodies(const struct extra_object *object, u32 func_id, fentry_body_fn fn,
			void *data);

#endif
