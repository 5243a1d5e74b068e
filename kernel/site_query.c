// SPDX-License-Identifier: GPL-2.0
/*
 * Look-ups through all objects: what <linux/btf_extra.h> exports. One walk
 * serves every kind of query; it ends in visit().
 */
#include <linux/btf_extra.h>
#include <linux/export.h>
#include <linux/kallsyms.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>

#include "core/func_suffix.h"
#include "object_registry.h"
#include "site_query.h"

struct walk {
	const struct btf_extra_query *query;
	const char *name;	/* of the source */
	const char *symbol;	/* only bodies of that symbol; NULL: all sites */
	btf_extra_site_fn fn;
	void *data;
	u32 total;
	char *buffer;		/* [KSYM_SYMBOL_LEN], where symbol is asked for */
};

void site_query_describe(const struct extra_object *object, const struct loc_section *section,
			 u32 i, struct btf_extra_site *described)
{
	const struct object_section *place = &object->sections[section->elf];
	const struct loc_site *site = &section->sites[i];
	bool freed = READ_ONCE(place->freed);
	u32 marks;

	*described = (struct btf_extra_site){
		.address = place->address + site->offset,
		.object = object->id,
		.func_id = site->func,
		.loc_proto = site->loc_proto,
		.number = section->first_site + i,
		.site_class = section->loc_class,
		.flags = freed ? BTF_EXTRA_SITE_FREED : 0,
	};
	marks = site_marks_of(object->marks, object->nr_marks, described->number);
	if (marks & SITE_MARK_LOOP_HEAD)
		described->flags |= BTF_EXTRA_SITE_LOOP_HEAD;
	if (marks & SITE_MARK_PART)
		described->flags |= BTF_EXTRA_SITE_PART;
	if (marks & SITE_MARK_NO_ENTRY)
		described->flags |= BTF_EXTRA_SITE_NO_ENTRY;
	if (section->loc_class == LOC_CLASS_BODY &&
	    strchr(extra_object_func_name(object, site->func), '.'))
		described->flags |= BTF_EXTRA_SITE_TRUE_SIGNATURE;
	if (!place->address || (freed && object->module))
		described->address = 0;
}

static bool class_wanted(const struct btf_extra_query *query, u32 loc_class)
{
	if (query->flags & BTF_EXTRA_INLINE_ONLY)
		return loc_class == LOC_CLASS_INLINE;
	if (query->flags & BTF_EXTRA_BODY_ONLY)
		return loc_class == LOC_CLASS_BODY;
	return true;
}

/* Whether a symbol of that very name begins at the address. */
static bool symbol_is(unsigned long address, const char *symbol, char *buffer)
{
	size_t length = strlen(symbol);

	sprint_symbol(buffer, address);
	return !strncmp(buffer, symbol, length) && strstarts(buffer + length, "+0x0/");
}

static int visit(struct walk *walk, const struct extra_object *object,
		 const struct loc_section *section, u32 i)
{
	struct btf_extra_site site;

	site_query_describe(object, section, i, &site);
	if (walk->symbol && (section->loc_class != LOC_CLASS_BODY || !site.address ||
			     !symbol_is(site.address, walk->symbol, walk->buffer)))
		return 0;
	walk->total++;
	return walk->fn ? walk->fn(&site, walk->data) : 0;
}

static int visit_func(struct walk *walk, const struct extra_object *object, u32 func_id)
{
	const struct loc_index *index = &object->index;
	u32 i, j;
	int ret;

	for (i = 0; i < index->nr_sections; i++) {
		struct loc_range sites;

		if (!class_wanted(walk->query, index->sections[i].loc_class))
			continue;
		sites = loc_index_by_func(index, i, func_id);
		for (j = sites.first; j < sites.end; j++) {
			ret = visit(walk, object, &index->sections[i], j);
			if (ret)
				return ret;
		}
	}
	return 0;
}

/* Whether a file is the one asked for: that path, or one that ends in it after a '/'. */
static bool file_matches(const char *path, const char *asked)
{
	size_t length = strlen(path);
	size_t end = strlen(asked);

	if (end > length || strcmp(path + length - end, asked))
		return false;
	return end == length || path[length - end - 1] == '/';
}

static int visit_name(struct walk *walk, const struct extra_object *object)
{
	struct loc_range funcs = loc_index_by_name(&object->index, walk->name);
	u32 i;
	int ret = 0;

	for (i = funcs.first; !ret && i < funcs.end; i++) {
		u32 func_id = object->index.funcs[i];

		if (walk->query->file) {
			const char *path = extra_object_func_file(object, func_id);

			if (!path || !file_matches(path, walk->query->file))
				continue;
		}
		ret = visit_func(walk, object, func_id);
	}
	return ret;
}

static int visit_objects(struct walk *walk, const struct registry_state *state,
			 int (*visit_object)(struct walk *walk, const struct extra_object *object))
{
	const char *wanted = walk->query->object;
	u32 i;
	int ret = 0;

	for (i = 0; !ret && i < state->nr_objects; i++)
		if (!wanted || !strcmp(state->objects[i]->name, wanted))
			ret = visit_object(walk, state->objects[i]);
	return ret;
}

static int visit_id(struct walk *walk, const struct extra_object *object)
{
	return visit_func(walk, object, walk->query->func_id);
}

/* "foo.isra.0" is no source name: the bodies of foo that have this symbol. */
static int visit_symbol(struct walk *walk, const struct registry_state *state)
{
	const char *symbol = walk->query->name;
	size_t length = func_suffix_strip(symbol);
	char *name;
	int ret;

	if (!symbol[length])
		return 0;
	name = kmemdup_nul(symbol, length, GFP_ATOMIC);
	walk->buffer = kmalloc(KSYM_SYMBOL_LEN, GFP_ATOMIC);
	walk->name = name;
	walk->symbol = symbol;
	ret = name && walk->buffer ? visit_objects(walk, state, visit_name) : -ENOMEM;
	kfree(walk->buffer);
	kfree(name);
	return ret;
}

static int visit_names(struct walk *walk, const struct registry_state *state)
{
	int ret;

	walk->name = walk->query->name;
	ret = visit_objects(walk, state, visit_name);
	if (ret || walk->total)
		return ret;
	return visit_symbol(walk, state);
}

static int visit_address(struct walk *walk, const struct registry_state *state)
{
	const struct address_range *range = registry_find(state, walk->query->address);
	const struct loc_section *section;
	const struct loc_index *index;
	struct loc_range sites;
	u32 i;
	int ret = 0;

	if (!range ||
	    (walk->query->object && strcmp(range->object->name, walk->query->object)))
		return 0;
	index = &range->object->index;
	sites = loc_index_by_offset(index, range->section, walk->query->address - range->first);
	for (i = sites.first; !ret && i < sites.end; i++) {
		const struct loc_site *site = loc_index_site(index, index->by_offset[i], &section);

		if (class_wanted(walk->query, section->loc_class))
			ret = visit(walk, range->object, section, site - section->sites);
	}
	return ret;
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
	struct walk walk = { .query = query, .fn = fn, .data = data };
	int ret;

	if (!query_makes_sense(query))
		return -EINVAL;
	switch (query->by) {
	case BTF_EXTRA_BY_ID:
		ret = visit_objects(&walk, state, visit_id);
		break;
	case BTF_EXTRA_BY_NAME:
		ret = visit_names(&walk, state);
		break;
	default:
		ret = visit_address(&walk, state);
		break;
	}
	if (ret)
		return ret;
	if (total)
		*total = walk.total;
	return walk.total ? 0 : -ENOENT;
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
