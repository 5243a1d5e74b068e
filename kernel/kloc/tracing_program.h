/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A tracing program (BPF_PROG_TYPE_TRACING, fentry) that is to run at the inlined sites of its
 * function as well. The verifier has let it trust its arguments, so a wrong one would crash the
 * kernel: the function must be the one that the program was checked for, and each parameter that
 * the program can read must have a location.
 */
#ifndef BTF_EXTRA_TRACING_PROGRAM_H
#define BTF_EXTRA_TRACING_PROGRAM_H

#include "kloc/kloc_program.h"
#include "kloc/kloc_request.h"
#include "objects/object_registry.h"

/*
 * Returns the program of a descriptor, or, with request->by_link or request->link, that of a BPF
 * link, and fills in the members of *program that both tell. The caller puts it. ERR_PTR(): -EBADF:
 * the descriptor is not open; -EINVAL: it is no such program or link, or the program may sleep, is
 * not compiled, is attached to another program, or was attached before and is given without its
 * link.
 */
struct bpf_prog *tracing_program_get(const struct kloc_request *request,
				     struct kloc_program *program);

/*
 * Compares program->prog with the function that is asked for, which tracing_program_find() finds
 * for request->link, and adds to @request what follows from the program: slots, and the parameters
 * that must have a location. -ENOENT: there is no such object or function; -EINVAL: @request is not
 * only for inlined sites, or this is another function than that of the program.
 */
int tracing_program_prepare(struct kloc_program *program, struct kloc_request *request);

/* The same for a function of @object, inside rcu_read_lock(). */
int tracing_program_compare(struct kloc_program *program, const struct registry_state *state,
			    const struct extra_object *object, struct kloc_request *request);

/*
 * Sets object and function of @request to those of program->prog, inside rcu_read_lock(). -ENOENT:
 * the function that it is attached to is in no table, or has no inlined call; -EINVAL: its
 * prototype is not that of the tables.
 */
int tracing_program_find(const struct kloc_program *program, const struct registry_state *state,
			 struct kloc_request *request);

/*
 * Returns true if the parameters of two prototypes have the same types, by id. @ours is a type of
 * @object.
 */
bool tracing_same_types(const struct extra_object *object, const struct btf_type *wanted,
			const struct btf_type *ours);

/*
 * A BPF link is followed once at a time, and so is a program that was attached to its sites before
 * it had a link. Returns -EEXIST if it is followed already; 0: end it.
 */
int tracing_program_follow(struct kloc_program *program);
void tracing_program_unfollow(struct kloc_program *program);

/*
 * Returns how many bytes of its context a program may read, U32_MAX: any. It is at least what it
 * does read.
 */
u32 tracing_program_reads(const struct bpf_prog *prog);

#endif
