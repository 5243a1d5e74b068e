/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The arguments of a function at all of its sites: a struct site_args for each LOC_PROTO, which
 * many sites may share. Probes point into it.
 */
#ifndef BTF_EXTRA_KLOC_ARGS_H
#define BTF_EXTRA_KLOC_ARGS_H

#include "kloc/kloc_request.h"
#include "kloc/site_args.h"
#include "objects/extra_object.h"

struct kloc_args {
	u32 *protos;		/* [nr] in ascending order */
	void *memory;		/* struct site_args [nr], size apart */
	size_t size;
	u32 nr;
	u32 nr_params;
	void *room;		/* for their expressions; NULL: they have none */
	size_t room_size, room_used;
};

/*
 * Allocates room for these LOC_PROTOs, each once. Takes ownership of @protos, also on failure:
 * -ENOMEM.
 */
int kloc_args_alloc(struct kloc_args *args, u32 *protos, u32 nr, u32 nr_params);
void kloc_args_free(struct kloc_args *args);

/*
 * Measures the expressions of some of them, from *done on, and adds their number to *done. Returns
 * 0. After all are measured, kloc_args_alloc_room() allocates the room: 0 or -ENOMEM.
 */
int kloc_args_measure(struct kloc_args *args, const struct extra_object *object,
		      const struct kloc_request *request, u32 *done);
int kloc_args_alloc_room(struct kloc_args *args);

/*
 * Computes some of them for the function of @object in the same way; @object is the one that they
 * were measured for. Returns 0, or -EINVAL: it has no prototype.
 */
int kloc_args_prepare(struct kloc_args *args, const struct extra_object *object,
		      const struct kloc_request *request, u32 *done);

/*
 * Returns which parameters of a function of @object have a location at a site, inside
 * rcu_read_lock(). places: those of the function, as arg_places_in_slots() finds them.
 */
u64 kloc_args_located(const struct extra_object *object, u32 loc_proto,
		      const struct arg_place *places, u32 nr_params);

/* Returns the arguments of a LOC_PROTO, one of those that *args was allocated for. */
const struct site_args *kloc_args_of(const struct kloc_args *args, u32 loc_proto);

#endif
