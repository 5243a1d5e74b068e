// SPDX-License-Identifier: GPL-2.0
#include <linux/bits.h>
#include <linux/minmax.h>

#include "fentry/fentry_calls.h"
#include "kloc/kloc_args.h"
#include "kloc/tracing_program.h"
#include "query/site_query.h"

/* ---- which function ---- */

struct body_search {
	unsigned long address;
	u32 func_id;
	bool found;
};

static void keep_attached_body(const struct btf_extra_site *body, void *data)
{
	struct body_search *search = data;

	if (search->found || !search->address || body->address != search->address)
		return;
	search->found = true;
	search->func_id = body->func_id;
}

/* The verifier has the prototype of the id that was requested. */
static bool has_types_of(const struct extra_object *object, u32 func_id, u32 requested)
{
	const struct btf_type *ours = arg_prototype(&object->blobs.func_info, func_id);
	const struct btf_type *wanted = arg_prototype(&object->blobs.func_info, requested);

	return ours && wanted && tracing_same_types(object, wanted, ours);
}

/* ---- its calls ---- */

struct call_count {
	const struct extra_object *object;
	struct fentry_calls *calls;
	struct arg_place places[ARG_SLOTS_PARAMS];
};

static void count_lacking(struct call_count *count, u32 loc_proto)
{
	struct fentry_calls *calls = count->calls;
	const u64 located = kloc_args_located(count->object, loc_proto, count->places,
					      calls->nr_params);
	u32 i;

	for (i = 0; i < calls->nr_params; i++)
		calls->nr_lacking[i] += !(located & BIT_ULL(i));
}

static int count_call(const struct found_site *found, void *data)
{
	struct call_count *count = data;
	struct fentry_calls *calls = count->calls;
	const struct btf_extra_site site = site_query_describe(count->object, found);

	if (site.flags & BTF_EXTRA_SITE_PART)
		return 0;
	if (!site.address || site.flags & BTF_EXTRA_SITE_FREED) {
		calls->nr_freed++;
		return 0;
	}
	calls->nr++;
	if (site.flags & BTF_EXTRA_SITE_CLOSED)
		calls->nr_closed++;
	else if (site.flags & (BTF_EXTRA_SITE_LOOP_HEAD | BTF_EXTRA_SITE_NO_ENTRY))
		calls->nr_inexact++;
	else if (!calls->other_types)
		count_lacking(count, site.loc_proto);
	return 0;
}

bool fentry_calls_of(const struct extra_object *object, u32 func_id,
		     const struct fentry_target *target, struct fentry_calls *calls)
{
	struct call_count count = { .object = object, .calls = calls };
	struct body_search search = { .address = target->address };
	int nr;

	*calls = (struct fentry_calls){};
	fentry_walk_bodies(object, func_id, keep_attached_body, &search);
	if (!search.found)
		return false;
	calls->func_id = search.func_id;
	nr = arg_places_in_slots(loc_arch_running(), &object->blobs.func_info, search.func_id,
				 count.places, ARRAY_SIZE(count.places));
	calls->other_types = nr < 0 || !has_types_of(object, search.func_id, func_id);
	calls->nr_params = max(nr, 0);
	site_query_func(&object->tables, search.func_id, SITE_CLASS(LOC_CLASS_INLINE), count_call,
			&count);
	return true;
}
