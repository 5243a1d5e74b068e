// SPDX-License-Identifier: GPL-2.0
#include <linux/kernel.h>
#include <linux/string.h>

#include "fentry/fentry_target.h"
#include "objects/object_registry.h"
#include "query/site_query.h"

static bool is_own(const struct extra_object *object, u32 func_id)
{
	return func_id >= object->blobs.first_own_id;
}

const char *fentry_btf_name(const struct extra_object *object, u32 func_id)
{
	if (is_own(object, func_id))
		return object->types_module ? object->types_module->name : NULL;
	return object->name;
}

/* ---- the bodies that an id stands for ---- */

typedef void (*site_fn)(const struct btf_extra_site *site, void *data);

struct site_walk {
	const struct extra_object *object;
	site_fn fn;
	void *data;
	u32 nr;
};

static int target_visit_site(const struct found_site *found, void *data)
{
	struct site_walk *walk = data;
	const struct btf_extra_site site = site_query_describe(walk->object, found);

	walk->fn(&site, walk->data);
	walk->nr++;
	return 0;
}

static u32 target_walk_sites(const struct extra_object *object, u32 func_id, site_fn fn, void *data)
{
	struct site_walk walk = { .object = object, .fn = fn, .data = data };

	site_query_func(&object->tables, func_id, 0, target_visit_site, &walk);
	return walk.nr;
}

/*
 * An id of the base has all sites of its name, or none: if several functions have that name, or if
 * the base has other names of parameters, the types blob has an id for each.
 */
static void walk_sites_meant(const struct extra_object *object, u32 func_id, site_fn fn,
			     void *data)
{
	struct loc_range funcs;
	u32 i;

	if (target_walk_sites(object, func_id, fn, data) || is_own(object, func_id))
		return;
	funcs = loc_index_by_name(&object->blobs.index, extra_object_func_name(object, func_id));
	for (i = funcs.first; i < funcs.end; i++)
		target_walk_sites(object, object->blobs.index.funcs[i], fn, data);
}

struct body_walk {
	fentry_body_fn fn;
	void *data;
};

static bool is_body(const struct btf_extra_site *site)
{
	return site->site_class == BTF_EXTRA_CLASS_BODY && !(site->flags & BTF_EXTRA_SITE_PART);
}

static void visit_body(const struct btf_extra_site *site, void *data)
{
	const struct body_walk *walk = data;

	if (is_body(site))
		walk->fn(site, walk->data);
}

void fentry_walk_bodies(const struct extra_object *object, u32 func_id, fentry_body_fn fn,
			void *data)
{
	struct body_walk walk = { .fn = fn, .data = data };

	walk_sites_meant(object, func_id, visit_body, &walk);
}

/* ---- what becomes of it ---- */

struct judgement {
	struct fentry_query *query;
	struct fentry_target *target;
	const char *name;
	struct btf_extra_site only;	/* the last body */
	u32 nr_named;			/* bodies whose symbol is the very name */
};

static bool has_text(const struct btf_extra_site *site)
{
	return site->address && !(site->flags & BTF_EXTRA_SITE_FREED);
}

static void count_site(const struct btf_extra_site *site, void *data)
{
	struct judgement *judgement = data;
	struct fentry_target *target = judgement->target;

	if (is_body(site)) {
		target->nr_bodies++;
		judgement->only = *site;
	} else if (site->site_class == BTF_EXTRA_CLASS_BODY) {
		target->nr_parts++;
	} else if (!(site->flags & BTF_EXTRA_SITE_PART)) {
		target->nr_inlined++;
	}
}

/* Looking up symbols takes longest. It is done once per body, and for no more bodies than this. */
#define MAX_NAMED 256

static void find_named(const struct btf_extra_site *body, void *data)
{
	struct judgement *judgement = data;
	struct fentry_query *query = judgement->query;

	if (!has_text(body) || !query->symbol_at(body->address, query->symbol) ||
	    strcmp(query->symbol, judgement->name))
		return;
	judgement->nr_named++;
	judgement->target->address = body->address;
}

/* Decides by the symbol of the body: foo.isra.0 for foo, or for a FUNC foo.isra.0. */
static enum abi_promise promise_of(const struct judgement *judgement, bool has_symbol)
{
	if (judgement->only.flags & BTF_EXTRA_SITE_TRUE_SIGNATURE)
		return ABI_EXACT;
	return abi_promise_of_symbol(judgement->name, has_symbol ? judgement->query->symbol : NULL);
}

static void judge_only_body(struct judgement *judgement)
{
	struct fentry_query *query = judgement->query;
	struct fentry_target *target = judgement->target;
	const struct btf_extra_site *body = &judgement->only;
	bool has_symbol, by_name;

	if (!has_text(body)) {
		target->answer = FENTRY_NO_TEXT;
		return;
	}
	has_symbol = query->symbol_at(body->address, query->symbol);
	by_name = !target->own && has_symbol && !strcmp(query->symbol, judgement->name);
	if (by_name)
		target->address = body->address;
	if (!abi_check(loc_arch_running(), &query->object->blobs.func_info, body->func_id,
		       body->loc_proto, promise_of(judgement, has_symbol), &target->abi)) {
		target->answer = FENTRY_ABI;
		return;
	}
	/* The name may resolve to a symbol other than this one at the same address. */
	target->answer = by_name ? FENTRY_BY_NAME : FENTRY_ADDRESS;
	target->address = body->address;
}

/*
 * A stub has the parameters of the function, and no result. An id of the base may still have code
 * by its name that the tables do not know.
 */
static void judge_stub(struct fentry_query *query, u32 func_id, struct fentry_target *target)
{
	struct phantom_found stub;

	if (!query->stubs || !target->own || !target->nr_inlined ||
	    !query->stub_of(query->object, func_id, &stub) || !stub.whole)
		return;
	target->answer = FENTRY_STUB;
	target->address = stub.address;
	target->stub = stub;
}

void fentry_target_of(struct fentry_query *query, u32 func_id, struct fentry_target *target)
{
	struct judgement judgement = {
		.query = query,
		.target = target,
		.name = extra_object_func_name(query->object, func_id),
	};

	*target = (struct fentry_target){ .own = is_own(query->object, func_id) };
	if (!*judgement.name)
		return;
	walk_sites_meant(query->object, func_id, count_site, &judgement);
	if (target->nr_bodies == 1) {
		judge_only_body(&judgement);
	} else if (target->nr_bodies) {
		target->answer = FENTRY_SEVERAL;
		if (!target->own && target->nr_bodies <= MAX_NAMED)
			fentry_walk_bodies(query->object, func_id, find_named, &judgement);
		if (judgement.nr_named != 1)
			target->address = 0;
	} else if (target->own || target->nr_inlined || target->nr_parts) {
		target->answer = FENTRY_NO_BODY;
		judge_stub(query, func_id, target);
	}
}

bool fentry_target_accepted(const struct fentry_query *query, const struct fentry_target *target)
{
	switch (target->answer) {
	case FENTRY_BY_NAME:
	case FENTRY_ADDRESS:
	case FENTRY_STUB:
		return true;
	case FENTRY_SEVERAL:
		return !target->own && !query->strict;
	case FENTRY_ABI:
		/* Otherwise the name resolves to no body that is known to be wrong. */
		return !target->own && !query->strict && !target->address;
	default:
		/* The kernel uses the name, and itself reports that it is unknown. */
		return !target->own;
	}
}

/* ---- from a body to its id ---- */

static bool leads_to(struct fentry_query *query, u32 func_id, unsigned long address,
		     enum fentry_answer *answer)
{
	struct fentry_target target;

	fentry_target_of(query, func_id, &target);
	*answer = target.answer;
	return fentry_btf_name(query->object, func_id) && target.address == address &&
	       fentry_target_accepted(query, &target);
}

/* No more functions that share a body are tried. */
#define MAX_NAMESAKES 16

struct namesake {
	struct fentry_query *query;
	const struct btf_extra_site *body;
	u32 nr_tried;
};

/* The id, if another function of the same body resolves to it. */
static int try_function(const struct found_site *found, void *data)
{
	struct namesake *search = data;
	u32 func_id = found->section->sites[found->i].func;
	enum fentry_answer answer;

	if (func_id == search->body->func_id || search->nr_tried++ >= MAX_NAMESAKES ||
	    !leads_to(search->query, func_id, search->body->address, &answer))
		return 0;
	return func_id;
}

u32 fentry_id_of_body(struct fentry_query *query, const struct btf_extra_site *body,
		      enum fentry_answer *answer)
{
	struct namesake search = { .query = query, .body = body };

	if (!has_text(body)) {
		*answer = FENTRY_NO_TEXT;
		return 0;
	}
	if (leads_to(query, body->func_id, body->address, answer))
		return body->func_id;
	return site_query_address(&query->object->tables, body->address,
				  SITE_CLASS(LOC_CLASS_BODY), try_function, &search);
}
