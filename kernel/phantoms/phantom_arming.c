// SPDX-License-Identifier: GPL-2.0
#include <linux/minmax.h>
#include <linux/moduleparam.h>
#include <linux/sched.h>
#include <linux/workqueue.h>

#include "objects/object_registry.h"
#include "phantoms/phantom.h"
#include "phantoms/phantom_arming.h"

/* A tracer that attaches to every function must not arm every site of every stub. */
static unsigned int max_phantoms = 512;
module_param(max_phantoms, uint, 0600);
MODULE_PARM_DESC(max_phantoms, "Maximum number of armed phantom functions");
static unsigned int max_phantom_probes = 16384;
module_param(max_phantom_probes, uint, 0600);
MODULE_PARM_DESC(max_phantom_probes, "Maximum number of all their probes");

static LIST_HEAD(sets);		/* under phantoms_lock() */
static struct workqueue_struct *workqueue;

/* The results of a pass over all phantoms, and the remaining room. */
struct phantom_pass {
	u32 phantoms, probes;	/* how many more of each may be armed */
	u32 nr_new;		/* wanted, and not armed yet */
	bool again;		/* some code is being changed */
	struct list_head gone;	/* to be disarmed */
};

static void pass_over_all(void (*fn)(struct phantom *phantom, struct phantom_pass *pass),
			  struct phantom_pass *pass)
{
	struct phantom_set *set;
	u32 i;

	list_for_each_entry(set, &sets, list)
		for (i = 0; i < set->nr_phantoms; i++)
			fn(&set->phantoms[i], pass);
}

static void look_if_wanted(struct phantom *phantom, struct phantom_pass *pass)
{
	int attached = phantom_attached(phantom);

	if (attached < 0)
		pass->again = true;
	else
		phantom->wanted = attached || phantom->held;
	pass->nr_new += phantom->wanted && !phantom->armed;
}

static void disarm_unwanted(struct phantom *phantom, struct phantom_pass *pass)
{
	if (phantom->wanted)
		return;
	phantom->waiting = false;
	if (phantom->armed)
		list_add_tail(&phantom->gone, &pass->gone);
}

static void take_room(struct phantom *phantom, struct phantom_pass *pass)
{
	if (!phantom->armed)
		return;
	pass->phantoms -= min(pass->phantoms, 1u);
	pass->probes -= min(pass->probes, phantom_nr_probes(phantom));
}

static void find_room(struct phantom_pass *pass)
{
	pass->phantoms = READ_ONCE(max_phantoms);
	pass->probes = READ_ONCE(max_phantom_probes);
	pass_over_all(take_room, pass);
}

/* New ones are armed if all of them are within the limit. The others may have new objects. */
static void arm_wanted(struct phantom *phantom, struct phantom_pass *pass)
{
	u32 before = phantom_nr_probes(phantom);
	u32 added;

	if (!phantom->wanted)
		return;
	if (!phantom->armed && pass->nr_new > pass->phantoms) {
		phantom->waiting = true;
		return;
	}
	phantom->waiting = phantom_arm(phantom, pass->probes) == -ENOSPC;
	added = max(phantom_nr_probes(phantom), before) - before;
	pass->probes -= min(pass->probes, added);
	cond_resched();
}

static void phantom_pass(struct work_struct *work)
{
	struct phantom_pass pass = { .gone = LIST_HEAD_INIT(pass.gone) };

	phantoms_lock();
	pass_over_all(look_if_wanted, &pass);
	pass_over_all(disarm_unwanted, &pass);
	phantom_disarm_all(&pass.gone);
	find_room(&pass);
	pass_over_all(arm_wanted, &pass);
	phantoms_unlock();
	if (pass.again)
		queue_delayed_work(workqueue, to_delayed_work(work), 1);
}

static DECLARE_DELAYED_WORK(pass_work, phantom_pass);

void phantom_arming_wake(void)
{
	mod_delayed_work(workqueue, &pass_work, 0);
}

int phantom_arming_hold(struct phantom *phantom, bool hold)
{
	struct phantom_pass pass;
	int err = 0;

	phantoms_lock();
	find_room(&pass);
	if (hold && !phantom->armed)
		err = pass.phantoms ? phantom_arm(phantom, pass.probes) : -ENOSPC;
	if (!err)
		phantom->held = hold;
	phantoms_unlock();
	phantom_arming_wake();
	return err;
}

void phantom_arming_add(struct phantom_set *set)
{
	phantoms_assert_locked();
	list_add_tail(&set->list, &sets);
}

void phantom_arming_remove(struct phantom_set *set)
{
	LIST_HEAD(gone);
	u32 i;

	phantoms_assert_locked();
	for (i = 0; i < set->nr_phantoms; i++)
		list_add_tail(&set->phantoms[i].gone, &gone);
	phantom_disarm_all(&gone);
	list_del(&set->list);
}

int phantom_arming_init(void)
{
	workqueue = alloc_workqueue("btf_extra", WQ_UNBOUND, 1);
	if (!workqueue)
		return -ENOMEM;
	registry_watch(phantom_arming_wake);
	return 0;
}

void phantom_arming_exit(void)
{
	registry_watch(NULL);
	cancel_delayed_work_sync(&pass_work);
	destroy_workqueue(workqueue);
}
