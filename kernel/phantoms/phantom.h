/* SPDX-License-Identifier: GPL-2.0 */
/* A stub, its functions, and the probes at their sites while it is armed. */
#ifndef BTF_EXTRA_PHANTOM_H
#define BTF_EXTRA_PHANTOM_H

#include <linux/sysfs.h>

#include "core/phantom_table.h"
#include "kloc/kloc_probes.h"
#include "phantoms/phantom_hit.h"

/* This is an object whose functions stubs stand for, as the tables have it. */
struct phantom_object_state {
	const struct phantom_object *wanted;
	const char *name;
	u32 seen;		/* id of the object that was compared last; 0: none */
	u32 fits;		/* the same if that one has the wanted func_info blob; or 0 */
};

#define PHANTOM_REASONS (BTF_EXTRA_REASON_NO_ENTRY + 1)

/* A report counts all sites of a stub. */
struct phantom_report {
	u32 nr_sites;
	u32 left_out[PHANTOM_REASONS];	/* by reason; [0]: not left out */
	u32 lacking;		/* parameters without a location at some site: bit n, parameter n */
};

struct phantom_func_state {
	struct kloc_probes probes;
	struct phantom_report report;
	u32 object;		/* id of the object that the probes are for; 0: it is not armed */
};

struct phantom {
	const char *name;
	struct phantom_target target;
	const struct phantom_func *funcs;
	struct phantom_func_state *states;	/* [nr_funcs] */
	struct phantom_object_state *objects;
	u32 nr_funcs;
	bool wanted;		/* something is attached, or it is held */
	bool held;		/* armed by hand */
	bool armed;
	bool waiting;		/* something is attached, but a limit is reached */
	int error;		/* of the last attempt to arm it */
	u64 missed;		/* by probes that are gone */
	struct kobj_attribute file;
	struct list_head gone;
};

/* The lock of all phantoms. It is taken before published_lock(). */
void phantoms_lock(void);
void phantoms_unlock(void);
void phantoms_assert_locked(void);

/*
 * Returns the id of the object in the tables, 0: there is none, or one for which the ids of the
 * stubs are not right.
 */
u32 phantom_object_id(struct phantom_object_state *object);

/* Returns false if another object has come that phantom_object_id() has not compared yet. */
bool phantom_object_compared(const struct phantom_object_state *object);

/* Returns NULL, or the reason why a stub cannot stand for the function of an object. */
const char *phantom_refused(const struct phantom_func *func, u32 object);

/* Returns the number of its probes, and of hits since it was loaded. */
u32 phantom_nr_probes(const struct phantom *phantom);
struct kloc_counts phantom_counts(const struct phantom *phantom);

/*
 * Arms the sites of existing objects that are not armed yet, and disarms those of objects that have
 * gone. No more than @room probes are added. Returns 0; -ENOSPC: there is not enough room; or
 * another errno.
 */
int phantom_arm(struct phantom *phantom, u32 room);

/* Takes all probes of the phantoms away that are in a list by their gone. */
void phantom_disarm_all(struct list_head *phantoms);

/*
 * Fills *report: what has a probe, or would get one if it were armed. Before a stub is armed, the
 * kernel's refusals of single probes are unknown.
 */
int phantom_report(struct phantom *phantom, struct phantom_report *report);

/* Returns true if something is attached to the stub; -EAGAIN: its code is being changed. */
int phantom_attached(const struct phantom *phantom);

#endif
