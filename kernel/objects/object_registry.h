/* SPDX-License-Identifier: GPL-2.0 */
/*
 * All objects, and the object at an address. All of it is one state, published and replaced as a
 * whole under RCU: a reader inside rcu_read_lock() sees objects, addresses and generation of one
 * moment, takes no lock and never sleeps. Writers sleep and exclude each other.
 */
#ifndef BTF_EXTRA_OBJECT_REGISTRY_H
#define BTF_EXTRA_OBJECT_REGISTRY_H

#include "objects/extra_object.h"

/* The run-time addresses of a section, half open. */
struct address_range {
	unsigned long first, end;
	const struct extra_object *object;
	u32 section;
};

struct registry_state {
	u64 generation;
	u32 nr_objects;
	u32 nr_ranges;
	struct extra_object **objects;	/* in order of id */
	struct address_range *ranges;	/* in order of first; they do not overlap */
	struct rcu_head rcu;
};

/* Never NULL. Valid, with all objects in it, until rcu_read_unlock(). */
const struct registry_state *registry_state(void);

/* The section at an address; NULL: there is none. */
const struct address_range *registry_find(const struct registry_state *state,
					  unsigned long address);

/* The object of that name or id; NULL: there is none. */
const struct extra_object *registry_named(const struct registry_state *state, const char *name);
const struct extra_object *registry_object(const struct registry_state *state, u32 id);

/*
 * Gives the object its id and publishes it. -EEXIST: there is one of that name,
 * -ERANGE: its text would overlap that of another. The registry owns the object
 * only on success. Readers are not waited for.
 */
int registry_add(struct extra_object *object);

/*
 * The same, and takes out another one in the same step, unless that is NULL. Waits until it has no
 * reader left; the caller destroys it.
 */
int registry_replace(struct extra_object *before, struct extra_object *object);

/*
 * Takes out the object of that name and of that module, if there is one, and
 * waits until no reader is left. The caller destroys it. NULL: there is none.
 */
struct extra_object *registry_remove(const char *name, const struct module *module);

/*
 * Marks the init text of @module as freed, and publishes a new state if it had some. Readers are
 * not waited for, because the kernel does that before it frees the text.
 */
void registry_forget_init(const struct module *module);

/*
 * Calls changed() after each new state and when a module of an object lives, under a lock of the
 * registry; NULL: no more.
 */
void registry_watch(void (*changed)(void));

/* Frees what an empty registry still holds. */
void registry_exit(void);

#endif
