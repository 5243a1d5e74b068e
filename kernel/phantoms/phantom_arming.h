/* SPDX-License-Identifier: GPL-2.0 */
/* Arms the phantoms to which something is attached, and disarms the others. */
#ifndef BTF_EXTRA_PHANTOM_ARMING_H
#define BTF_EXTRA_PHANTOM_ARMING_H

#include <linux/list.h>
#include <linux/types.h>

struct phantom;

/* The phantoms of one module of stubs. */
struct phantom_set {
	struct list_head list;
	struct phantom *phantoms;
	u32 nr_phantoms;
};

int phantom_arming_init(void);
/* All sets have gone by then. */
void phantom_arming_exit(void);

/* Schedules a pass over all stubs. May be called in atomic context. */
void phantom_arming_wake(void);

/* Both under phantoms_lock(). A set that goes is disarmed. */
void phantom_arming_add(struct phantom_set *set);
void phantom_arming_remove(struct phantom_set *set);

/*
 * Arms a phantom by hand, or gives it back to what is attached. Returns 0; -ENOSPC: a limit is
 * reached; or another errno. Takes phantoms_lock().
 */
int phantom_arming_hold(struct phantom *phantom, bool hold);

#endif
