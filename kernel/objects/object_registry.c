// SPDX-License-Identifier: GPL-2.0
/*
 * Two states of the same capacity alternate, so that removing an object never needs memory: the one
 * without readers is filled next.
 *
 * A grace period takes milliseconds, and loading a module waits for its notifiers. So only a writer
 * that removes an object waits for readers.
 */
#include <linux/mutex.h>
#include <linux/overflow.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/sort.h>

#include "core/range_search.h"
#include "objects/object_registry.h"
#include "objects/placement.h"

static const struct registry_state empty_state;
static const struct registry_state __rcu *current_state =
	(const struct registry_state __rcu *)&empty_state;

static DEFINE_MUTEX(registry_lock);

/* These are read and written under registry_lock. */
static struct registry_state *states[2];
static u32 in_use;		/* which of states is published, if any is */
static bool other_was_read;	/* the other one was published before */
static unsigned long published_at;	/* for cond_synchronize_rcu() */
static u64 generation;
static u32 last_id;
static void (*watcher)(void);

const struct registry_state *registry_state(void)
{
	return rcu_dereference(current_state);
}

static const struct registry_state *locked_state(void)
{
	return rcu_dereference_protected(current_state, lockdep_is_held(&registry_lock));
}

struct range_key {
	const struct address_range *ranges;
	unsigned long address;
};

static int compare_range(const void *key, u32 i)
{
	const struct range_key *wanted = key;
	const struct address_range *range = &wanted->ranges[i];

	return range->end <= wanted->address ? -1 : range->first > wanted->address;
}

const struct address_range *registry_find(const struct registry_state *state,
					  unsigned long address)
{
	const struct range_key key = { .ranges = state->ranges, .address = address };
	u32 at = lower_bound(0, state->nr_ranges, 0, compare_range, &key);

	return at < state->nr_ranges && !compare_range(&key, at) ? &state->ranges[at] : NULL;
}

const struct extra_object *registry_named(const struct registry_state *state, const char *name)
{
	u32 i;

	for (i = 0; i < state->nr_objects; i++)
		if (!strcmp(state->objects[i]->name, name))
			return state->objects[i];
	return NULL;
}

const struct extra_object *registry_object(const struct registry_state *state, u32 id)
{
	u32 i;

	for (i = 0; i < state->nr_objects; i++)
		if (state->objects[i]->id == id)
			return state->objects[i];
	return NULL;
}

/* ---- states ---- */

static struct registry_state *state_alloc(u32 nr_objects, u32 nr_ranges)
{
	struct registry_state *state;

	state = kvzalloc(size_add(sizeof(*state),
				  size_add(array_size(nr_objects, sizeof(*state->objects)),
					   array_size(nr_ranges, sizeof(*state->ranges)))),
			 GFP_KERNEL);
	if (!state)
		return NULL;
	state->ranges = (void *)(state + 1);
	state->objects = (void *)(state->ranges + nr_ranges);
	return state;
}

/* Allocates two states. The published one stays until another takes its place. */
static int registry_reserve(u32 nr_objects, u32 nr_ranges, struct registry_state *fresh[2])
{
	fresh[0] = state_alloc(nr_objects, nr_ranges);
	fresh[1] = state_alloc(nr_objects, nr_ranges);
	if (fresh[0] && fresh[1])
		return 0;
	kvfree(fresh[0]);
	kvfree(fresh[1]);
	return -ENOMEM;
}

static int compare_ranges(const void *a, const void *b)
{
	unsigned long left = ((const struct address_range *)a)->first;
	unsigned long right = ((const struct address_range *)b)->first;

	return (left > right) - (left < right);
}

static void add_ranges(struct registry_state *state, const struct extra_object *object)
{
	u32 i;

	for (i = 0; i < object->blobs.index.nr_elf_sections; i++) {
		const struct object_section *place = &object->sections[i];

		/* The freed text of a module may belong to another module by now. */
		if (!place->address || (place->freed && object->module))
			continue;
		state->ranges[state->nr_ranges++] = (struct address_range){
			.first = place->address,
			.end = place->address + place->size,
			.object = object,
			.section = i,
		};
	}
}

/* Copies the objects of the old state except @without, and adds @with. Both may be NULL. */
static void fill_state(struct registry_state *state, const struct registry_state *old,
		       const struct extra_object *without, struct extra_object *with)
{
	u32 i;

	state->nr_objects = 0;
	state->nr_ranges = 0;
	for (i = 0; i < old->nr_objects; i++)
		if (old->objects[i] != without)
			state->objects[state->nr_objects++] = old->objects[i];
	if (with)
		state->objects[state->nr_objects++] = with;
	for (i = 0; i < state->nr_objects; i++)
		add_ranges(state, state->objects[i]);
	sort(state->ranges, state->nr_ranges, sizeof(*state->ranges), compare_ranges, NULL);
}

static bool ranges_overlap(const struct registry_state *state)
{
	u32 i;

	for (i = 1; i < state->nr_ranges; i++)
		if (state->ranges[i].first < state->ranges[i - 1].end)
			return true;
	return false;
}

static void tell_watcher(void)
{
	if (watcher)
		watcher();
}

/* Publishes a state. The one before has readers until wait_for_readers() returns. */
static void registry_publish(struct registry_state *state)
{
	state->generation = ++generation;
	rcu_assign_pointer(current_state, (const struct registry_state __rcu *)state);
	published_at = get_state_synchronize_rcu();
	tell_watcher();
}

static void wait_for_readers(void)
{
	cond_synchronize_rcu(published_at);
}

/* ---- changes ---- */

void registry_watch(void (*changed)(void))
{
	mutex_lock(&registry_lock);
	watcher = changed;
	mutex_unlock(&registry_lock);
}

static int replace_locked(struct extra_object *before, struct extra_object *object)
{
	const struct registry_state *old = locked_state();
	const struct extra_object *named = registry_named(old, object->name);
	u32 nr_objects = old->nr_objects + 1;
	u32 nr_ranges = object->blobs.index.nr_elf_sections;
	struct registry_state *fresh[2];
	u32 i;
	int err;

	if (named && named != before)
		return -EEXIST;
	for (i = 0; i < old->nr_objects; i++)
		nr_ranges += old->objects[i]->blobs.index.nr_elf_sections;
	err = registry_reserve(nr_objects, nr_ranges, fresh);
	if (err)
		return err;
	object->id = last_id + 1;
	fill_state(fresh[0], old, before, object);
	if (ranges_overlap(fresh[0])) {
		kvfree(fresh[0]);
		kvfree(fresh[1]);
		return -ERANGE;
	}
	last_id++;
	registry_publish(fresh[0]);
	for (i = 0; i < ARRAY_SIZE(states); i++) {
		kvfree_rcu(states[i], rcu);
		states[i] = fresh[i];
	}
	in_use = 0;
	other_was_read = false;
	if (before)
		wait_for_readers();
	return 0;
}

int registry_replace(struct extra_object *before, struct extra_object *object)
{
	int err;

	mutex_lock(&registry_lock);
	err = replace_locked(before, object);
	mutex_unlock(&registry_lock);
	return err;
}

int registry_add(struct extra_object *object)
{
	return registry_replace(NULL, object);
}

/* Fills the other state, without one object, and publishes it. */
static void registry_turn(const struct extra_object *without)
{
	u32 next = !in_use;

	if (other_was_read)
		wait_for_readers();
	fill_state(states[next], locked_state(), without, NULL);
	registry_publish(states[next]);
	in_use = next;
	other_was_read = true;
}

struct extra_object *registry_remove(const char *name, const struct module *module)
{
	struct extra_object *found = NULL;
	const struct registry_state *state;
	u32 i;

	mutex_lock(&registry_lock);
	state = locked_state();
	for (i = 0; i < state->nr_objects; i++)
		if (!strcmp(state->objects[i]->name, name) &&
		    state->objects[i]->module == module)
			found = state->objects[i];
	if (found) {
		registry_turn(found);
		wait_for_readers();
	}
	mutex_unlock(&registry_lock);
	return found;
}

void registry_forget_init(const struct module *module)
{
	const struct registry_state *state;
	u32 i;

	mutex_lock(&registry_lock);
	state = locked_state();
	for (i = 0; i < state->nr_objects; i++) {
		if (state->objects[i]->module != module)
			continue;
		if (placement_forget_init(state->objects[i]))
			registry_turn(NULL);
		else
			tell_watcher();
		break;
	}
	mutex_unlock(&registry_lock);
}

void registry_exit(void)
{
	u32 i;

	RCU_INIT_POINTER(current_state, (const struct registry_state __rcu *)&empty_state);
	synchronize_rcu();
	for (i = 0; i < ARRAY_SIZE(states); i++) {
		kvfree(states[i]);
		states[i] = NULL;
	}
}
