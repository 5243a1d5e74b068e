// SPDX-License-Identifier: GPL-2.0
#include <linux/crc32.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>

#include "arch/arch.h"
#include "objects/object_registry.h"
#include "objects/published_objects.h"
#include "phantoms/phantom.h"

static DEFINE_MUTEX(phantoms_mutex);

void phantoms_lock(void)
{
	mutex_lock(&phantoms_mutex);
}

void phantoms_unlock(void)
{
	mutex_unlock(&phantoms_mutex);
}

void phantoms_assert_locked(void)
{
	lockdep_assert_held(&phantoms_mutex);
}

/* ---- objects ---- */

static bool same_func_info(const struct extra_object *object, const struct phantom_object *wanted)
{
	const struct btf_blob *blob = &object->blobs.func_info;

	return blob->size == wanted->func_info_size &&
	       ~crc32_le(~0, blob->data, blob->size) == wanted->func_info_crc32;
}

static u32 present_id(const char *name)
{
	const struct extra_object *object;
	u32 id;

	rcu_read_lock();
	object = registry_named(registry_state(), name);
	id = object ? object->id : 0;
	rcu_read_unlock();
	return id;
}

/* The sum takes too long for a reader of RCU. */
static void phantom_compare(struct phantom_object_state *state)
{
	const struct extra_object *object;

	published_lock();
	rcu_read_lock();
	object = registry_named(registry_state(), state->name);
	rcu_read_unlock();
	/* The lock keeps the object alive. */
	WRITE_ONCE(state->fits, object && same_func_info(object, state->wanted) ? object->id : 0);
	WRITE_ONCE(state->seen, object ? object->id : 0);
	published_unlock();
}

bool phantom_object_compared(const struct phantom_object_state *state)
{
	u32 id = present_id(state->name);

	return !id || id == READ_ONCE(state->seen);
}

u32 phantom_object_id(struct phantom_object_state *state)
{
	u32 id = present_id(state->name);

	if (id && id != state->seen)
		phantom_compare(state);
	return id && id == state->fits ? id : 0;
}

/* ---- a function ---- */

/* A stub passes its arguments only in registers, and a bit of u32 stands for each. */
static const char *refused_places(const struct arg_place *places, int nr, u32 without)
{
	u32 i;

	if (nr < 0)
		return "unknown prototype";
	if (nr > 32)
		return "it has more than 32 parameters";
	for (i = 0; i < nr; i++)
		if (!(without & BIT(i)) && !places[i].nr_registers)
			return "an argument is not in registers";
	return NULL;
}

const char *phantom_refused(const struct phantom_func *func, u32 id)
{
	struct arg_place places[32];
	const struct extra_object *object;
	int nr = -ENOENT;

	rcu_read_lock();
	object = registry_object(registry_state(), id);
	if (object)
		nr = arg_places_of_stub(loc_arch_running(), &object->blobs.func_info, func->func_id,
					func->without, places, ARRAY_SIZE(places));
	rcu_read_unlock();
	return refused_places(places, nr, func->without);
}

static void note_site(const struct kloc_site *site, struct phantom_report *report)
{
	report->nr_sites++;
	report->left_out[site->reason]++;
	report->lacking |= site->missing;
}

/* Collects the sites and finds those that are left out. If that fails, nothing has to be freed. */
static int phantom_begin(struct phantom_func_state *state, const struct phantom_func *func,
			 u32 object, struct kloc_request *request, struct kloc_sites *sites)
{
	int err;

	*request = (struct kloc_request){
		.object = object,
		.func_id = func->func_id,
		.classes = BTF_EXTRA_INLINE_ONLY,
		.stub = true,
		.without = func->without,
		.best_effort = true,
	};
	err = kloc_probes_collect(&state->probes, sites, request);
	if (err)
		return err;
	if (sites->nr_params)
		request->required = GENMASK_ULL(sites->nr_params - 1, 0) & ~(u64)func->without;
	return 0;
}

static void phantom_end(struct phantom_func_state *state, struct kloc_sites *sites)
{
	u32 i;

	state->report = (struct phantom_report){};
	for (i = 0; i < sites->nr_sites; i++)
		note_site(&sites->sites[i], &state->report);
	kloc_sites_free(sites);
}

/* The misses of probes still count after the probes have gone. */
static void free_probes(struct phantom *phantom, struct phantom_func_state *state)
{
	phantom->missed += kloc_probes_missed(&state->probes);
	kloc_probes_free(&state->probes);
	state->object = 0;
}

static int arm_func(struct phantom *phantom, u32 i, u32 object, u32 *room)
{
	struct phantom_func_state *state = &phantom->states[i];
	struct kloc_request request;
	struct kloc_sites sites;
	int err;

	err = phantom_begin(state, &phantom->funcs[i], object, &request, &sites);
	/* The others stay armed while a module comes. Its sites are armed when it lives. */
	if (err == -EPROBE_DEFER)
		return 0;
	if (err)
		return err;
	err = sites.nr_sites > *room ? -ENOSPC :
		kloc_probes_attach(&state->probes, &sites, &request, phantom_hit,
				   &phantom->target);
	phantom_end(state, &sites);
	/* No site of this function can be armed. */
	if (err == -EOPNOTSUPP)
		err = 0;
	if (err) {
		free_probes(phantom, state);
		return err;
	}
	state->object = object;
	*room -= state->probes.nr;
	return 0;
}

/* ---- a stub ---- */

static u64 missed_by_probes(const struct phantom *phantom)
{
	u64 missed = 0;
	u32 i;

	for (i = 0; i < phantom->nr_funcs; i++)
		missed += kloc_probes_missed(&phantom->states[i].probes);
	return missed;
}

struct kloc_counts phantom_counts(const struct phantom *phantom)
{
	struct kloc_counts counts = kloc_counts_sum(phantom->target.counts);

	counts.missed += phantom->missed + missed_by_probes(phantom);
	return counts;
}

u32 phantom_nr_probes(const struct phantom *phantom)
{
	u32 nr = 0;
	u32 i;

	for (i = 0; i < phantom->nr_funcs; i++)
		nr += phantom->states[i].probes.nr;
	return nr;
}

static void phantom_disarm(struct phantom *phantom)
{
	u32 i;

	for (i = 0; i < phantom->nr_funcs; i++)
		free_probes(phantom, &phantom->states[i]);
	phantom->armed = false;
}

int phantom_arm(struct phantom *phantom, u32 room)
{
	u32 i;
	int err = 0;

	phantoms_assert_locked();
	for (i = 0; !err && i < phantom->nr_funcs; i++) {
		struct phantom_func_state *state = &phantom->states[i];
		u32 object = phantom_object_id(&phantom->objects[phantom->funcs[i].object]);

		if (state->object == object)
			continue;
		free_probes(phantom, state);
		if (object && !phantom_refused(&phantom->funcs[i], object))
			err = arm_func(phantom, i, object, &room);
	}
	/* All of its calls that can be seen, or none. */
	if (err)
		phantom_disarm(phantom);
	else
		phantom->armed = true;
	phantom->error = err;
	return err;
}

static u32 phantom_add_probes(struct phantom *phantom, struct kloc_probes **all, u32 nr)
{
	u32 i;

	for (i = 0; i < phantom->nr_funcs; i++)
		all[nr++] = &phantom->states[i].probes;
	return nr;
}

void phantom_disarm_all(struct list_head *phantoms)
{
	struct kloc_probes **all;
	struct phantom *phantom;
	u32 nr = 0;

	phantoms_assert_locked();
	list_for_each_entry(phantom, phantoms, gone)
		nr += phantom->nr_funcs;
	/* Without memory it takes longer, because the kernel waits for each function. */
	all = kvmalloc_array(nr, sizeof(*all), GFP_KERNEL);
	nr = 0;
	list_for_each_entry(phantom, phantoms, gone) {
		if (!all)
			break;
		phantom->missed += missed_by_probes(phantom);
		nr = phantom_add_probes(phantom, all, nr);
	}
	if (all)
		kloc_probes_free_all(all, nr);
	kvfree(all);
	list_for_each_entry(phantom, phantoms, gone)
		phantom_disarm(phantom);
}

/* Makes the report of arming without registering probes. */
static int try_func(struct phantom *phantom, u32 i)
{
	struct phantom_func_state *state = &phantom->states[i];
	u32 object = phantom_object_id(&phantom->objects[phantom->funcs[i].object]);
	struct kloc_request request;
	struct kloc_sites sites;
	int err;

	if (state->object)
		return 0;
	state->report = (struct phantom_report){};
	if (!object || phantom_refused(&phantom->funcs[i], object))
		return 0;
	err = phantom_begin(state, &phantom->funcs[i], object, &request, &sites);
	if (err)
		return err == -EPROBE_DEFER ? 0 : err;
	err = kloc_sites_leave_out(&sites, &request);
	phantom_end(state, &sites);
	kloc_probes_free(&state->probes);
	return err;
}

int phantom_report(struct phantom *phantom, struct phantom_report *report)
{
	u32 i, reason;
	int err = 0;

	phantoms_assert_locked();
	*report = (struct phantom_report){};
	for (i = 0; !err && i < phantom->nr_funcs; i++) {
		const struct phantom_report *part = &phantom->states[i].report;

		err = try_func(phantom, i);
		report->nr_sites += part->nr_sites;
		report->lacking |= part->lacking;
		for (reason = 0; reason < PHANTOM_REASONS; reason++)
			report->left_out[reason] += part->left_out[reason];
	}
	return err;
}

int phantom_attached(const struct phantom *phantom)
{
	unsigned long called;

	if (!arch_ftrace_entry(phantom->target.stub, &called))
		return -EAGAIN;
	return called != 0;
}
