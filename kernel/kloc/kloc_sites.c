// SPDX-License-Identifier: GPL-2.0
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "kloc/kloc_sites.h"
#include "kloc/traceable.h"
#include "objects/object_registry.h"
#include "query/site_query.h"

/* The number of attempts if the tables change meanwhile. */
#define MAX_TRIES 16

static int sites_walk(const struct registry_state *state, const struct extra_object *object,
		      const struct kloc_request *request, btf_extra_site_fn fn, void *data,
		      u32 *total)
{
	const struct btf_extra_query query = {
		.by = BTF_EXTRA_BY_ID,
		.flags = request->classes,
		.object = object->name,
		.func_id = request->func_id,
	};

	return site_query_walk(state, &query, fn, data, total);
}

static int keep_site(const struct btf_extra_site *site, void *data)
{
	struct kloc_sites *sites = data;

	/* The call began at another site. */
	if (site->flags & BTF_EXTRA_SITE_PART)
		return 0;
	sites->sites[sites->nr_sites++].site = *site;
	return 0;
}

/* Finds the requested object, inside rcu_read_lock(). */
static const struct extra_object *find_object(const struct registry_state *state,
					      const struct kloc_request *request)
{
	return registry_object(state, request->object);
}

/* Counts the sites, and takes a reference to the module. */
static int sites_begin(struct kloc_sites *sites, const struct kloc_request *request, u32 *capacity)
{
	const struct registry_state *state = registry_state();
	const struct extra_object *object = find_object(state, request);
	struct module *module;
	int nr_params;
	int err;

	if (!object)
		return -ENOENT;
	err = sites_walk(state, object, request, NULL, NULL, capacity);
	if (err)
		return err;
	nr_params = arg_places(loc_arch_running(), &object->blobs.func_info, request->func_id,
			       NULL, 0);
	if (nr_params < 0)
		return nr_params;
	sites->nr_params = nr_params;
	sites->generation = state->generation;
	/* A module that is in the tables cannot be freed before rcu_read_unlock(). */
	module = (struct module *)object->module;
	if (module && (module->state != MODULE_STATE_LIVE || !try_module_get(module)))
		return -EPROBE_DEFER;
	sites->module = module;
	return 0;
}

static int sites_fill(struct kloc_sites *sites, const struct kloc_request *request)
{
	const struct registry_state *state = registry_state();
	const struct extra_object *object = find_object(state, request);
	int err;

	if (state->generation != sites->generation)
		return -EAGAIN;
	err = sites_walk(state, object, request, keep_site, sites, NULL);
	return err ?: sites->nr_sites ? 0 : -ENOENT;
}

/* The LOC_PROTOs of all sites, to be freed; NULL: no memory. */
static u32 *protos_of(const struct kloc_sites *sites)
{
	u32 *protos = kvmalloc_array(sites->nr_sites, sizeof(*protos),
				     GFP_KERNEL_ACCOUNT);
	u32 i;

	for (i = 0; protos && i < sites->nr_sites; i++)
		protos[i] = sites->sites[i].site.loc_proto;
	return protos;
}

typedef int (*args_piece_fn)(struct kloc_args *args, const struct extra_object *object,
			     const struct kloc_request *request, u32 *done);

/* One piece of them; *done counts them. */
static int args_next_piece(const struct kloc_sites *sites, struct kloc_args *args,
			   const struct kloc_request *request, args_piece_fn piece, u32 *done)
{
	const struct registry_state *state = registry_state();

	if (state->generation != sites->generation)
		return -EAGAIN;
	return piece(args, find_object(state, request), request, done);
}

/* In pieces, so that no RCU section takes long. */
static int args_by_pieces(const struct kloc_sites *sites, struct kloc_args *args,
			  const struct kloc_request *request, args_piece_fn piece)
{
	u32 done = 0;
	int err = 0;

	while (!err && done < args->nr) {
		rcu_read_lock();
		err = args_next_piece(sites, args, request, piece, &done);
		rcu_read_unlock();
		cond_resched();
	}
	return err;
}

static int collect_args(struct kloc_sites *sites, struct kloc_args *args,
			const struct kloc_request *request)
{
	u32 *protos = protos_of(sites);
	u32 i;
	int err;

	if (!protos)
		return -ENOMEM;
	err = kloc_args_alloc(args, protos, sites->nr_sites, sites->nr_params);
	if (!err)
		err = args_by_pieces(sites, args, request, kloc_args_measure);
	if (!err)
		err = kloc_args_alloc_room(args);
	if (!err)
		err = args_by_pieces(sites, args, request, kloc_args_prepare);
	for (i = 0; !err && i < sites->nr_sites; i++)
		sites->sites[i].args = kloc_args_of(args, sites->sites[i].site.loc_proto);
	return err;
}

static int collect_once(struct kloc_sites *sites, struct kloc_args *args,
			const struct kloc_request *request)
{
	u32 capacity;
	int err;

	rcu_read_lock();
	err = sites_begin(sites, request, &capacity);
	rcu_read_unlock();
	if (err)
		return err;
	sites->sites = kvcalloc(capacity, sizeof(*sites->sites), GFP_KERNEL_ACCOUNT);
	if (!sites->sites)
		return -ENOMEM;
	rcu_read_lock();
	err = sites_fill(sites, request);
	rcu_read_unlock();
	return err ?: collect_args(sites, args, request);
}

int kloc_sites_collect(struct kloc_sites *sites, struct kloc_args *args,
		       const struct kloc_request *request)
{
	u32 i;
	int err = -EAGAIN;

	for (i = 0; err == -EAGAIN && i < MAX_TRIES; i++) {
		*sites = (struct kloc_sites){};
		*args = (struct kloc_args){};
		err = collect_once(sites, args, request);
		if (err) {
			kloc_sites_free(sites);
			kloc_args_free(args);
		}
	}
	return err;
}

void kloc_sites_free(struct kloc_sites *sites)
{
	module_put(sites->module);
	kvfree(sites->sites);
	*sites = (struct kloc_sites){};
}

/* Returns 0, a BTF_EXTRA_REASON_*, or -ENOMEM. */
static int reason_of(const struct kloc_site *site, const struct kloc_request *request,
		     struct traceable *traceable)
{
	int answer;

	if (!site->site.address || site->site.flags & BTF_EXTRA_SITE_FREED)
		return BTF_EXTRA_REASON_NO_TEXT;
	if (!request->inexact) {
		if (site->site.flags & BTF_EXTRA_SITE_LOOP_HEAD)
			return BTF_EXTRA_REASON_LOOP_HEAD;
		if (site->site.flags & BTF_EXTRA_SITE_NO_ENTRY)
			return BTF_EXTRA_REASON_NO_ENTRY;
	}
	if (request->required & ~site->args->located)
		return BTF_EXTRA_REASON_PARAMETER;
	if (request->with_notrace || site->site.flags & BTF_EXTRA_SITE_UNLISTED)
		return 0;
	answer = traceable_address(traceable, site->site.address);
	return answer < 0 ? answer : answer ? 0 : BTF_EXTRA_REASON_NOTRACE;
}

int kloc_sites_leave_out(struct kloc_sites *sites, const struct kloc_request *request)
{
	struct traceable traceable;
	int reason = traceable_begin(&traceable);
	u32 i;

	for (i = 0; reason >= 0 && i < sites->nr_sites; i++) {
		struct kloc_site *site = &sites->sites[i];

		reason = reason_of(site, request, &traceable);
		if (reason >= 0)
			site->reason = reason;
		if (reason == BTF_EXTRA_REASON_PARAMETER)
			site->missing = request->required & ~site->args->located;
		if (fatal_signal_pending(current))
			reason = -EINTR;
		cond_resched();
	}
	traceable_end(&traceable);
	return min(reason, 0);
}

static bool is_required(const struct btf_extra_site *site, const struct kloc_request *request)
{
	if (request->best_effort || site->flags & BTF_EXTRA_SITE_FREED)
		return false;
	return request->all || !(site->flags & BTF_EXTRA_SITE_CLOSED);
}

bool kloc_sites_lacking(const struct kloc_sites *sites, const struct kloc_request *request)
{
	u32 i;

	for (i = 0; i < sites->nr_sites; i++)
		if (sites->sites[i].reason && is_required(&sites->sites[i].site, request))
			return true;
	return false;
}

bool kloc_sites_stale(const struct kloc_sites *sites)
{
	bool stale = false;

	if (!sites->module)
		return false;
	rcu_read_lock();
	stale = registry_state()->generation != sites->generation;
	rcu_read_unlock();
	return stale;
}
