// SPDX-License-Identifier: GPL-2.0
/* Looks up sites in all objects. <linux/btf_extra.h> exports this. */
#include <linux/btf_extra.h>
#include <linux/export.h>
#include <linux/rcupdate.h>

#include "objects/object_registry.h"
#include "query/site_query.h"

/* The flags of a query are the classes of the core. */
static_assert(BTF_EXTRA_INLINE_ONLY == SITE_CLASS(LOC_CLASS_INLINE));
static_assert(BTF_EXTRA_BODY_ONLY == SITE_CLASS(LOC_CLASS_BODY));

struct visit {
	const struct extra_object *object;
	btf_extra_site_fn fn;
	void *data;
	u32 total;
};

struct btf_extra_site site_query_describe(const struct extra_object *object,
					  const struct found_site *found)
{
	struct btf_extra_site site = site_describe(&object->tables, found);

	site.object = object->id;
	return site;
}

static int visit_site(const struct found_site *found, void *data)
{
	struct visit *visit = data;
	struct btf_extra_site site;

	visit->total++;
	if (!visit->fn)
		return 0;
	site = site_query_describe(visit->object, found);
	return visit->fn(&site, visit->data);
}

/* Names are literal here, because no C function has * or ? in its name. */
static struct func_text text_of(const struct btf_extra_query *query)
{
	struct func_text text = { .object = query->object };

	if (query->object)
		text.object_size = strlen(query->object);
	if (query->by == BTF_EXTRA_BY_ID) {
		text.id = query->func_id;
	} else {
		text.name = query->name;
		text.name_size = strlen(query->name);
		text.file = query->file;
	}
	return text;
}

static int walk_objects(const struct registry_state *state, const struct btf_extra_query *query,
			struct visit *visit)
{
	const struct func_text text = text_of(query);
	u32 i;
	int ret = 0;

	for (i = 0; !ret && i < state->nr_objects; i++) {
		visit->object = state->objects[i];
		if (func_text_has_object(&text, visit->object->name))
			ret = site_query_text(&visit->object->tables, &text, query->flags,
					      visit_site, visit);
	}
	return ret;
}

static int walk_address(const struct registry_state *state, const struct btf_extra_query *query,
			struct visit *visit)
{
	const struct address_range *range = registry_find(state, query->address);

	if (!range || (query->object && strcmp(range->object->name, query->object)))
		return 0;
	visit->object = range->object;
	return site_query_place(&range->object->tables, range->section,
				query->address - range->first, query->flags, visit_site, visit);
}

static bool query_makes_sense(const struct btf_extra_query *query)
{
	const u32 classes = BTF_EXTRA_INLINE_ONLY | BTF_EXTRA_BODY_ONLY;

	if (query->flags & ~classes || (query->flags & classes) == classes)
		return false;
	switch (query->by) {
	case BTF_EXTRA_BY_ID:
		return query->object;
	case BTF_EXTRA_BY_NAME:
		return query->name && query->name[0];
	case BTF_EXTRA_BY_ADDRESS:
		return true;
	}
	return false;
}

int site_query_walk(const struct registry_state *state, const struct btf_extra_query *query,
		    btf_extra_site_fn fn, void *data, u32 *total)
{
	struct visit visit = { .fn = fn, .data = data };
	int ret;

	if (!query_makes_sense(query))
		return -EINVAL;
	if (query->by == BTF_EXTRA_BY_ADDRESS)
		ret = walk_address(state, query, &visit);
	else
		ret = walk_objects(state, query, &visit);
	if (ret)
		return ret;
	if (total)
		*total = visit.total;
	return visit.total ? 0 : -ENOENT;
}

int btf_extra_for_each_site(const struct btf_extra_query *query, btf_extra_site_fn fn, void *data,
			    u32 *total)
{
	int ret;

	rcu_read_lock();
	ret = site_query_walk(registry_state(), query, fn, data, total);
	rcu_read_unlock();
	return ret;
}
EXPORT_SYMBOL_GPL(btf_extra_for_each_site);

int btf_extra_func_name(u32 object, u32 func_id, char *name, size_t size)
{
	const struct extra_object *holder;
	const char *found = "";
	int ret;

	rcu_read_lock();
	holder = registry_object(registry_state(), object);
	if (holder)
		found = extra_object_func_name(holder, func_id);
	ret = *found ? strscpy(name, found, size) : -ENOENT;
	rcu_read_unlock();
	return ret;
}
EXPORT_SYMBOL_GPL(btf_extra_func_name);
