// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "func_suffix.h"
#include "site_query.h"

struct walk {
	const struct site_tables *tables;
	const struct func_text *text;
	u32 classes;
	bool glob;		/* functions that are found may still have other names */
	bool by_symbol;		/* only bodies whose symbol is the text's name */
	struct loc_range signatures;	/* functions of that name; their bodies are found by it */
	found_site_fn fn;
	void *data;
};

static const struct loc_site *site_of(const struct found_site *found)
{
	return &found->section->sites[found->i];
}

const char *site_func_name(const struct site_tables *tables, u32 func)
{
	const struct btf_blob *blob = tables->index->func_info;
	const struct btf_type *type = btf_blob_type(blob, func);
	const char *name = NULL;

	if (type && loc_kind(type) == BTF_KIND_FUNC)
		name = btf_blob_string(blob, type->name_off);
	return name ? name : "";
}

static bool class_wanted(u32 classes, const struct loc_section *section)
{
	return !classes || classes & SITE_CLASS(section->loc_class);
}

struct found_site site_query_site(const struct site_tables *tables, u32 number)
{
	struct found_site found = {};
	const struct loc_site *site = loc_index_site(tables->index, number, &found.section);

	found.i = (u32)(site - found.section->sites);
	found.marks = site_marks_of(tables->index, found.section, found.i, tables->marks,
				    tables->marks_size);
	return found;
}

/* ---- at a place ---- */

int site_query_place(const struct site_tables *tables, u32 elf, u32 offset, u32 classes,
		     found_site_fn fn, void *data)
{
	const struct loc_index *index = tables->index;
	struct loc_range sites = loc_index_by_offset(index, elf, offset);
	u32 i;
	int ret = 0;

	for (i = sites.first; !ret && i < sites.end; i++) {
		const struct found_site found = site_query_site(tables, index->by_offset[i]);

		if (class_wanted(classes, found.section))
			ret = fn(&found, data);
	}
	return ret;
}

int site_query_address(const struct site_tables *tables, u64 address, u32 classes,
		       found_site_fn fn, void *data)
{
	u32 elf;
	int ret = 0;

	for (elf = 0; !ret && elf < tables->index->nr_elf_sections; elf++) {
		struct section_place place = tables->ops->place(tables, elf);
		u64 offset = address - place.address;

		if (place.address && address >= place.address && offset < place.size &&
		    offset <= 0xffffffff)
			ret = site_query_place(tables, elf, (u32)offset, classes, fn, data);
	}
	return ret;
}

/* ---- of a function ---- */

/* Some files may each have a symbol of that name. A blob with more of them costs no more time. */
#define MAX_SIGNATURES 64u

/* Returns true if a body has a true signature of that name. */
static bool has_signature(const struct walk *walk, const struct found_site *found)
{
	const struct loc_index *index = walk->tables->index;
	u32 section = (u32)(found->section - index->sections);
	u32 i;

	for (i = walk->signatures.first; i < walk->signatures.end; i++)
		if (i - walk->signatures.first == MAX_SIGNATURES ||
		    loc_index_begins(index, section, index->funcs[i], site_of(found)->offset))
			return true;
	return false;
}

static bool has_symbol(const struct walk *walk, const struct found_site *found)
{
	/* It was already found by name. */
	return found->section->loc_class == LOC_CLASS_BODY && !has_signature(walk, found) &&
	       walk->tables->ops->symbol_begins(walk->tables, found->section->elf,
						site_of(found)->offset, walk->text->name,
						walk->text->name_size);
}

/* Walks the sites of a function in one LOCSEC. */
static int walk_sites(struct walk *walk, const struct loc_section *section, u32 func,
		      struct loc_range sites)
{
	const struct site_tables *tables = walk->tables;
	struct site_marks_reader marks = site_marks_open(tables->marks, tables->marks_size);
	const u32 of_func = site_marks_of_func(tables->index, section, func);
	struct found_site found = { .section = section, .by_symbol = walk->by_symbol };
	bool wanted = true;
	int ret = 0;

	for (found.i = sites.first; !ret && found.i < sites.end; found.i++) {
		const struct loc_site *site = site_of(&found);

		if (walk->by_symbol && (found.i == sites.first || site[-1].offset != site->offset))
			wanted = has_symbol(walk, &found);
		if (!wanted)
			continue;
		found.marks = of_func | site_marks_next(&marks, section->first_site + found.i);
		ret = walk->fn(&found, walk->data);
	}
	return ret;
}

static int walk_func(struct walk *walk, u32 func)
{
	const struct loc_index *index = walk->tables->index;
	u32 i;
	int ret = 0;

	for (i = 0; !ret && i < index->nr_sections; i++) {
		struct loc_range sites;

		if (!class_wanted(walk->classes, &index->sections[i]))
			continue;
		sites = loc_index_by_func(index, i, func);
		if (sites.first != sites.end)
			ret = walk_sites(walk, &index->sections[i], func, sites);
	}
	return ret;
}

int site_query_func(const struct site_tables *tables, u32 func, u32 classes, found_site_fn fn,
		    void *data)
{
	struct walk walk = {
		.tables = tables, .classes = classes, .fn = fn, .data = data
	};

	return walk_func(&walk, func);
}

/* ---- of a text ---- */

static int walk_funcs(struct walk *walk, struct loc_range funcs)
{
	const struct site_tables *tables = walk->tables;
	u32 i;
	int ret = 0;

	for (i = funcs.first; !ret && i < funcs.end; i++) {
		u32 func = tables->index->funcs[i];

		if (walk->glob &&
		    !func_text_has_name(walk->text, site_func_name(tables, func)))
			continue;
		if (walk->text->file &&
		    !func_text_has_file(walk->text, tables->ops->func_file(tables, func)))
			continue;
		ret = walk_func(walk, func);
	}
	return ret;
}

int site_query_text(const struct site_tables *tables, const struct func_text *text, u32 classes,
		    found_site_fn fn, void *data)
{
	struct walk walk = {
		.tables = tables, .text = text, .classes = classes, .fn = fn, .data = data
	};
	const struct loc_index *index = tables->index;
	u32 literal, source;
	int ret;

	if (!text->name)
		return walk_func(&walk, text->id);
	literal = func_text_literal(text);
	walk.glob = literal < text->name_size;
	ret = walk_funcs(&walk, loc_index_by_prefix(index, text->name, literal,
						    !walk.glob));
	/* No source function is called foo.isra.0: find the bodies of foo that have this symbol. */
	source = func_suffix_strip_part(text->name, text->name_size);
	if (ret || walk.glob || source == text->name_size)
		return ret;
	walk.by_symbol = true;
	walk.signatures = loc_index_by_prefix(index, text->name, literal, true);
	return walk_funcs(&walk, loc_index_by_prefix(index, text->name, source, true));
}

/* ---- the description of a site ---- */

/* Classes and marks have the same numbers in the blobs and in the answer. */
_Static_assert((u32)LOC_CLASS_INLINE == (u32)BTF_EXTRA_CLASS_INLINE, "class");
_Static_assert((u32)LOC_CLASS_BODY == (u32)BTF_EXTRA_CLASS_BODY, "class");
_Static_assert(SITE_MARK_LOOP_HEAD == BTF_EXTRA_SITE_LOOP_HEAD, "mark");
_Static_assert(SITE_MARK_PART == BTF_EXTRA_SITE_PART, "mark");
_Static_assert(SITE_MARK_NO_ENTRY == BTF_EXTRA_SITE_NO_ENTRY, "mark");
_Static_assert(SITE_MARK_UNLISTED == BTF_EXTRA_SITE_UNLISTED, "mark");
_Static_assert(SITE_MARK_TRUE_SIGNATURE == BTF_EXTRA_SITE_TRUE_SIGNATURE, "mark");
_Static_assert(SITE_MARK_CLOSED == BTF_EXTRA_SITE_CLOSED, "mark");
_Static_assert(SITE_MARK_AFTER_KEY == BTF_EXTRA_SITE_AFTER_KEY, "mark");
_Static_assert(!(SITE_MARK_LISTED & BTF_EXTRA_SITE_FREED), "the flag that is no mark");

struct btf_extra_site site_describe(const struct site_tables *tables,
				    const struct found_site *found)
{
	const struct loc_section *section = found->section;
	const struct loc_site *site = site_of(found);
	const struct section_place place = tables->ops->place(tables, section->elf);
	struct btf_extra_site described = {
		.address = place.address ? place.address + site->offset : 0,
		.flags = found->marks,
		.func_id = site->func,
		.loc_proto = site->loc_proto,
		.number = section->first_site + found->i,
		.site_class = section->loc_class,
	};

	if (place.freed)
		described.flags |= BTF_EXTRA_SITE_FREED;
	return described;
}

/* ---- the place of a section ---- */

bool section_place_anchor(const struct loc_index *index, const char *name, u32 *elf, u32 *offset)
{
	struct loc_range funcs = loc_index_by_name(index, name);
	u32 nr = 0;
	u32 i;

	if (funcs.end - funcs.first != 1)
		return false;
	for (i = 0; i < index->nr_sections; i++) {
		const struct loc_section *section = &index->sections[i];
		struct loc_range sites;

		if (section->loc_class != LOC_CLASS_BODY)
			continue;
		sites = loc_index_by_func(index, i, index->funcs[funcs.first]);
		nr += sites.end - sites.first;
		if (sites.first == sites.end)
			continue;
		*elf = section->elf;
		*offset = section->sites[sites.first].offset;
	}
	return nr == 1;
}

static bool site_begins(const char *text, const char *begin)
{
	return !strncmp(text, begin, strlen(begin));
}

bool section_place_freed(const char *section, bool vmlinux)
{
	return site_begins(section, ".init.") ||
	       (vmlinux && (site_begins(section, ".exit.") || site_begins(section, ".altinstr_")));
}
