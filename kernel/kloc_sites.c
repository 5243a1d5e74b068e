// SPDX-License-Identifier: GPL-2.0
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/sort.h>

#include "kloc_sites.h"
#include "object_registry.h"
#include "site_query.h"
#include "traceable.h"

/* Tables that change under our eyes are asked again, so often. */
#define MAX_TRIES 16

static const u32 classes = BTF_EXTRA_INLINE_ONLY | BTF_EXTRA_BODY_ONLY;

static int walk(const struct registry_state *state, const struct extra_object *object,
		const struct btf_extra_attach *request, btf_extra_site_fn fn, void *data,
		u32 *total)
{
	const struct btf_extra_query query = {
		.by = BTF_EXTRA_BY_ID,
		.flags = request->flags & classes,
		.object = object->name,
		.func_id = request->func_id,
	};

	return site_query_walk(state, &query, fn, data, total);
}

static int keep_site(const struct btf_extra_site *site, void *data)
{
	struct kloc_sites *sites = data;

	/* Its call began at another one. */
	if (site->flags & BTF_EXTRA_SITE_PART)
		return 0;
	sites->sites[sites->nr_sites++].site = *site;
	return 0;
}

static int compare_u32(const void *a, const void *b)
{
	u32 left = *(const u32 *)a;
	u32 right = *(const u32 *)b;

	return (left > right) - (left < right);
}

static struct site_args *args_at(const struct kloc_sites *sites, u32 i)
{
	return sites->args + i * sites->args_size;
}

static struct site_args *args_of(const struct kloc_sites *sites, u32 loc_proto)
{
	u32 first = 0;
	u32 end = sites->nr_args;

	while (end - first > 1) {
		u32 middle = first + (end - first) / 2;

		if (sites->protos[middle] <= loc_proto)
			first = middle;
		else
			end = middle;
	}
	return args_at(sites, first);
}

/* The LOC_PROTOs of all sites, each once. */
static int list_protos(struct kloc_sites *sites)
{
	u32 i;

	sites->protos = kvmalloc_array(sites->nr_sites, sizeof(u32), GFP_KERNEL);
	if (!sites->protos)
		return -ENOMEM;
	for (i = 0; i < sites->nr_sites; i++)
		sites->protos[i] = sites->sites[i].site.loc_proto;
	sort(sites->protos, sites->nr_sites, sizeof(u32), compare_u32, NULL);
	for (i = 0; i < sites->nr_sites; i++)
		if (!sites->nr_args || sites->protos[i] != sites->protos[sites->nr_args - 1])
			sites->protos[sites->nr_args++] = sites->protos[i];
	sites->args_size = site_args_size(sites->nr_params);
	sites->args = kvcalloc(sites->nr_args, sites->args_size, GFP_KERNEL);
	return sites->args ? 0 : -ENOMEM;
}

/* The object that is asked for, inside rcu_read_lock(). */
static const struct extra_object *find_object(const struct registry_state *state,
					      const struct btf_extra_attach *request)
{
	return registry_object(state, request->object);
}

/* Counts, and holds the module. */
static int begin(struct kloc_sites *sites, const struct btf_extra_attach *request, u32 *capacity)
{
	const struct registry_state *state = registry_state();
	const struct extra_object *object = find_object(state, request);
	struct module *module;
	int nr_params;
	int err;

	if (!object)
		return -ENOENT;
	err = walk(state, object, request, NULL, NULL, capacity);
	if (err)
		return err;
	nr_params = arg_places(&object->func_info, request->func_id, NULL, 0);
	if (nr_params < 0)
		return nr_params;
	sites->nr_params = nr_params;
	sites->generation = state->generation;
	/* As long as it is in the tables it cannot be freed before rcu_read_unlock(). */
	module = (struct module *)object->module;
	if (module && (module->state != MODULE_STATE_LIVE || !try_module_get(module)))
		return -EAGAIN;
	sites->module = module;
	return 0;
}

static int fill(struct kloc_sites *sites, const struct btf_extra_attach *request)
{
	const struct registry_state *state = registry_state();
	const struct extra_object *object = find_object(state, request);
	int err;

	if (state->generation != sites->generation)
		return -EAGAIN;
	err = walk(state, object, request, keep_site, sites, NULL);
	return err ?: sites->nr_sites ? 0 : -ENOENT;
}

static unsigned long text_address(const struct extra_object *object)
{
	int text = loc_index_elf_section(&object->index, ".text");

	/* Only vmlinux moves as a whole. */
	return object->module || text < 0 ? 0 : object->sections[text].address;
}

static int prepare_args(struct kloc_sites *sites, const struct btf_extra_attach *request)
{
	struct arg_place places[BTF_EXTRA_ARGS_MAX];
	const struct registry_state *state = registry_state();
	const struct extra_object *object = find_object(state, request);
	int nr_params;
	u32 i;

	if (state->generation != sites->generation)
		return -EAGAIN;
	nr_params = arg_places(&object->func_info, request->func_id, places, ARRAY_SIZE(places));
	if (nr_params < 0)
		return nr_params;
	for (i = 0; i < sites->nr_args; i++)
		site_args_prepare(args_at(sites, i), &object->func_info, sites->protos[i], places,
				  nr_params, text_address(object));
	return 0;
}

static int collect_once(struct kloc_sites *sites, const struct btf_extra_attach *request)
{
	u32 capacity;
	u32 i;
	int err;

	*sites = (struct kloc_sites){};
	rcu_read_lock();
	err = begin(sites, request, &capacity);
	rcu_read_unlock();
	if (err)
		return err;
	sites->sites = kvcalloc(capacity, sizeof(*sites->sites), GFP_KERNEL);
	if (!sites->sites)
		return -ENOMEM;
	rcu_read_lock();
	err = fill(sites, request);
	rcu_read_unlock();
	if (!err)
		err = list_protos(sites);
	if (err)
		return err;
	rcu_read_lock();
	err = prepare_args(sites, request);
	rcu_read_unlock();
	for (i = 0; i < sites->nr_sites; i++)
		sites->sites[i].args = args_of(sites, sites->sites[i].site.loc_proto);
	return err;
}

int kloc_sites_collect(struct kloc_sites *sites, const struct btf_extra_attach *request)
{
	u32 i;
	int err = -EAGAIN;

	for (i = 0; err == -EAGAIN && i < MAX_TRIES; i++) {
		err = collect_once(sites, request);
		if (err)
			kloc_sites_free(sites);
	}
	return err;
}

static u32 reason_of(const struct kloc_site *site, const struct btf_extra_attach *request,
		     struct traceable *traceable)
{
	if (!site->site.address || site->site.flags & BTF_EXTRA_SITE_FREED)
		return BTF_EXTRA_REASON_NO_TEXT;
	if (!(request->flags & BTF_EXTRA_INEXACT)) {
		if (site->site.flags & BTF_EXTRA_SITE_LOOP_HEAD)
			return BTF_EXTRA_REASON_LOOP_HEAD;
		if (site->site.flags & BTF_EXTRA_SITE_NO_ENTRY)
			return BTF_EXTRA_REASON_NO_ENTRY;
	}
	if (request->required & ~site->args->located)
		return BTF_EXTRA_REASON_PARAMETER;
	if (!(request->flags & BTF_EXTRA_NOTRACE) &&
	    !traceable_address(traceable, site->site.address))
		return BTF_EXTRA_REASON_NOTRACE;
	return 0;
}

void kloc_sites_leave_out(struct kloc_sites *sites, const struct btf_extra_attach *request)
{
	struct traceable traceable;
	u32 i;

	traceable_begin(&traceable);
	for (i = 0; i < sites->nr_sites; i++)
		sites->sites[i].reason = reason_of(&sites->sites[i], request, &traceable);
	traceable_end(&traceable);
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

void kloc_sites_put_module(struct kloc_sites *sites)
{
	module_put(sites->module);
	sites->module = NULL;
}

void kloc_sites_keep_args(struct kloc_sites *sites)
{
	kloc_sites_put_module(sites);
	kvfree(sites->protos);
	kvfree(sites->sites);
	*sites = (struct kloc_sites){ .args = sites->args };
}

void kloc_sites_free(struct kloc_sites *sites)
{
	kloc_sites_keep_args(sites);
	kvfree(sites->args);
	sites->args = NULL;
}
