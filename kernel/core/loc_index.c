// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
/*
 * Tables by address and by name, and all look-ups.
 */
#include "loc_index.h"
#include "byte_view.h"
#include "loc_validate.h"
#include "range_search.h"

static int compare_u64(u64 a, u64 b)
{
	return a < b ? -1 : a > b;
}

/* ---- names ---- */

#define SAMPLE_STEP 64u

/* Returns the first eight bytes of a name as a number that sorts in the same way. */
static u64 name_prefix(const char *name)
{
	u64 prefix = 0;
	u32 i;

	for (i = 0; i < 8 && name[i]; i++)
		prefix |= (u64)(u8)name[i] << (56 - 8 * i);
	return prefix;
}

/* Returns the name, or "" if it is in a base whose strings are not known. */
static const char *name_at(const struct btf_blob *blob, u32 offset)
{
	const char *name = btf_blob_string(blob, offset);

	return name ? name : "";
}

static u32 func_name_offset(const struct btf_blob *blob, u32 func)
{
	const struct btf_type *type = btf_blob_type(blob, func);

	return type ? type->name_off : 0;
}

/* ---- the LOCSECs of a blob ---- */

#define WINDOW_IDS 1024u

/*
 * Finds the distinct functions of all LOCSECs, one window of ids at a time. Each list of sites is
 * in order of func, so every list is read once, and no branch depends on the data.
 */
struct func_windows {
	const struct loc_site *at[LOC_INDEX_MAX_SECTIONS];
	const struct loc_site *end[LOC_INDEX_MAX_SECTIONS];
	u32 nr_lists;
	u32 nr_sites;
	u32 first;			/* id of the first bit */
	u64 seen[WINDOW_IDS / 64];
};

/* Returns false if there are too many LOCSECs. */
static bool windows_begin(struct func_windows *windows, const struct btf_blob *blob)
{
	const struct btf_type *type = NULL;
	u32 i;

	windows->nr_lists = 0;
	windows->nr_sites = 0;
	for (i = 0; i < blob->nr_types; i++) {
		type = i ? btf_blob_next(blob, type) : btf_blob_record(blob, 0);
		if (loc_kind(type) != LOC_KIND_SEC)
			continue;
		if (windows->nr_lists == LOC_INDEX_MAX_SECTIONS)
			return false;
		windows->at[windows->nr_lists] = loc_sec_sites(type);
		windows->end[windows->nr_lists++] = loc_sec_sites(type) + loc_vlen(type);
		windows->nr_sites += loc_vlen(type);
	}
	return true;
}

/*
 * Fills seen[] from the next id with sites on. Returns the number of ids it saw; 0: there are no
 * more.
 */
static u32 windows_next(struct func_windows *windows)
{
	bool any = false;
	u32 nr = 0;
	u32 i;

	for (i = 0; i < windows->nr_lists; i++) {
		if (windows->at[i] == windows->end[i])
			continue;
		if (!any || windows->at[i]->func < windows->first)
			windows->first = windows->at[i]->func;
		any = true;
	}
	memset(windows->seen, 0, sizeof(windows->seen));
	for (i = 0; i < windows->nr_lists; i++) {
		const struct loc_site *site = windows->at[i];

		for (; site < windows->end[i]; site++) {
			u32 bit = site->func - windows->first;
			u64 word;

			if (bit >= WINDOW_IDS)
				break;
			word = windows->seen[bit / 64];
			nr += !(word >> bit % 64 & 1);
			windows->seen[bit / 64] = word | 1ull << bit % 64;
		}
		windows->at[i] = site;
	}
	return nr;
}

/* ---- sizes ---- */

/*
 * The digits of a u32 offset. With 9 bits the places that a pass writes to stay in the TLB, and a
 * text of less than 128 MB takes three passes.
 */
#define RADIX_BITS 9
#define RADIX_SIZE (1u << RADIX_BITS)
#define RADIX_PASSES 4

struct keyed_site {
	u32 offset;
	u32 number;
};

/*
 * A function with the beginning of its name. That is enough for most comparisons, and avoids the
 * cache misses of reading the strings.
 */
struct named_func {
	u64 begin[2];	/* the first bytes of the name, from name_prefix() */
	u32 id;
	u32 name;	/* offset of its string */
};

struct sizes {
	u32 nr_sites, nr_funcs, nr_samples;
	u64 memory, scratch;
};

static bool index_measure(struct sizes *sizes, const struct btf_blob *blob)
{
	struct func_windows windows;
	u64 by_name;
	u32 nr;

	if (!windows_begin(&windows, blob))
		return false;
	sizes->nr_sites = windows.nr_sites;
	sizes->nr_funcs = 0;
	while ((nr = windows_next(&windows)))
		sizes->nr_funcs += nr;
	sizes->nr_samples = sizes->nr_funcs / SAMPLE_STEP + 1;
	sizes->memory = byte_array_size(sizes->nr_samples, sizeof(u64)) +
			byte_array_size(sizes->nr_sites, sizeof(u32)) +
			byte_array_size(sizes->nr_funcs, sizeof(u32));
	sizes->scratch = sizeof(u32) * RADIX_SIZE * RADIX_PASSES +
			 2 * byte_array_size(sizes->nr_sites, sizeof(struct keyed_site));
	by_name = 2 * byte_array_size(sizes->nr_funcs, sizeof(struct named_func));
	if (sizes->scratch < by_name)
		sizes->scratch = by_name;
	/* Only if size_t has 32 bits can a blob need too much. */
	return sizes->memory == (size_t)sizes->memory && sizes->scratch == (size_t)sizes->scratch;
}

bool loc_index_measure(const struct btf_blob *func_info, struct loc_index_room *room)
{
	struct sizes sizes;

	if (!index_measure(&sizes, func_info))
		return false;
	room->memory = (size_t)sizes.memory;
	room->scratch = (size_t)sizes.scratch;
	return true;
}

/* ---- building ---- */

static struct loc_elf_section *elf_section_of(struct loc_index *index, const char *name)
{
	struct loc_elf_section *elf;
	int found = loc_index_elf_section(index, name);

	if (found >= 0)
		return &index->elf_sections[found];
	elf = &index->elf_sections[index->nr_elf_sections++];
	elf->name = name;
	elf->nr_sites = 0;
	elf->sections[LOC_CLASS_INLINE] = LOC_INDEX_NONE;
	elf->sections[LOC_CLASS_BODY] = LOC_INDEX_NONE;
	return elf;
}

static void list_sections(struct loc_index *index)
{
	const struct btf_blob *blob = index->func_info;
	const struct btf_type *type = NULL;
	u32 first = 0;
	u32 i;

	index->nr_sites = 0;
	index->nr_sections = 0;
	index->nr_elf_sections = 0;
	for (i = 0; i < blob->nr_types; i++) {
		struct loc_section *section = &index->sections[index->nr_sections];
		struct loc_elf_section *elf;
		const char *name = "";

		type = i ? btf_blob_next(blob, type) : btf_blob_record(blob, 0);
		if (loc_kind(type) != LOC_KIND_SEC)
			continue;
		loc_section_name(name_at(blob, type->name_off), &section->loc_class, &name);
		elf = elf_section_of(index, name);
		elf->nr_sites += loc_vlen(type);
		elf->sections[section->loc_class] = index->nr_sections++;
		section->type_id = blob->first_id + i;
		section->elf = (u32)(elf - index->elf_sections);
		section->first_site = index->nr_sites;
		section->nr_sites = loc_vlen(type);
		section->sites = loc_sec_sites(type);
		index->nr_sites += section->nr_sites;
	}
	for (i = 0; i < index->nr_elf_sections; i++) {
		index->elf_sections[i].first = first;
		first += index->elf_sections[i].nr_sites;
	}
}

static u32 index_digit(u32 offset, u32 pass)
{
	return (offset >> pass * RADIX_BITS) % RADIX_SIZE;
}

/* Lists the sites of an ELF section in order of number, and counts each digit. */
static void list_sites(const struct loc_index *index, u32 elf, struct keyed_site *list,
		       u32 (*counts)[RADIX_SIZE])
{
	u32 i, j, pass;

	memset(counts, 0, sizeof(*counts) * RADIX_PASSES);
	for (i = 0; i < index->nr_sections; i++) {
		const struct loc_section *section = &index->sections[i];

		for (j = 0; section->elf == elf && j < section->nr_sites; j++, list++) {
			list->offset = section->sites[j].offset;
			list->number = section->first_site + j;
			for (pass = 0; pass < RADIX_PASSES; pass++)
				counts[pass][index_digit(list->offset, pass)]++;
		}
	}
}

/* Turns the count of each digit into the place of its first entry. */
static void counts_to_places(u32 *digits)
{
	u32 sum = 0;
	u32 i;

	for (i = 0; i < RADIX_SIZE; i++) {
		u32 count = digits[i];

		digits[i] = sum;
		sum += count;
	}
}

/*
 * Sorts by the least significant digit first. The sort is stable, so equal offsets stay in order of
 * number.
 */
static void sort_by_offset(struct loc_index *index, u32 elf, void *scratch)
{
	u32 (*places)[RADIX_SIZE] = scratch;
	u32 nr = index->elf_sections[elf].nr_sites;
	u32 *sorted = index->by_offset + index->elf_sections[elf].first;
	void *lists = places + RADIX_PASSES;
	struct keyed_site *from = lists;
	struct keyed_site *to = from + nr;
	u32 pass, i;

	list_sites(index, elf, from, places);
	for (pass = 0; nr && pass < RADIX_PASSES; pass++) {
		struct keyed_site *swap = from;

		if (places[pass][index_digit(from->offset, pass)] == nr)
			continue;	/* all have the same digit */
		counts_to_places(places[pass]);
		for (i = 0; i < nr; i++)
			to[places[pass][index_digit(from[i].offset, pass)]++] = from[i];
		from = to;
		to = swap;
	}
	for (i = 0; i < nr; i++)
		sorted[i] = from[i].number;
}

static bool name_after(const struct btf_blob *blob, const struct named_func *a,
		       const struct named_func *b)
{
	if (a->begin[0] != b->begin[0])
		return a->begin[0] > b->begin[0];
	if (a->begin[1] != b->begin[1])
		return a->begin[1] > b->begin[1];
	/* Names that end within these bytes are equal, and so are two uses of one string. */
	if (!(a->begin[1] & 0xff) || a->name == b->name)
		return false;
	return strcmp(name_at(blob, a->name) + 16, name_at(blob, b->name) + 16) > 0;
}

/* Merges list[0, half) and list[half, nr) into out. Equal names keep their order. */
static void merge_halves(const struct btf_blob *blob, const struct named_func *list, u32 half,
			 u32 nr, struct named_func *out)
{
	u32 a = 0, b = half;

	/* Much is in order as it comes: FUNCs of the types blob are numbered by name. */
	if (half >= nr || !name_after(blob, &list[half - 1], &list[half])) {
		memcpy(out, list, (size_t)nr * sizeof(*list));
		return;
	}
	while (a < half && b < nr)
		*out++ = name_after(blob, &list[a], &list[b]) ? list[b++] : list[a++];
	memcpy(out, list + a, (size_t)(half - a) * sizeof(*list));
	out += half - a;
	memcpy(out, list + b, (size_t)(nr - b) * sizeof(*list));
}

/* All functions that have sites, in order of id. */
static void list_funcs(const struct btf_blob *blob, struct named_func *list)
{
	struct func_windows windows;
	const char *name;
	u32 i;

	windows_begin(&windows, blob);
	while (windows_next(&windows)) {
		for (i = 0; i < WINDOW_IDS; i++) {
			if (!(windows.seen[i / 64] >> i % 64)) {
				i |= 63;	/* nothing more in this word */
				continue;
			}
			if (!(windows.seen[i / 64] >> i % 64 & 1))
				continue;
			list->id = windows.first + i;
			list->name = func_name_offset(blob, list->id);
			name = name_at(blob, list->name);
			list->begin[0] = name_prefix(name);
			list->begin[1] = list->begin[0] & 0xff ? name_prefix(name + 8) : 0;
			list++;
		}
	}
}

/* Bottom-up merge sort; stable, so equal names stay in order of id. */
static void sort_by_name(struct loc_index *index, u64 *samples, void *scratch)
{
	u32 nr = index->nr_funcs;
	struct named_func *from = scratch;
	struct named_func *to = from + nr;
	u64 width, at;
	u32 i;

	list_funcs(index->func_info, from);
	for (width = 1; width < nr; width *= 2) {
		struct named_func *swap = from;

		for (at = 0; at < nr; at += 2 * width) {
			u64 left = nr - at;

			merge_halves(index->func_info, from + at,
				     (u32)(width < left ? width : left),
				     (u32)(2 * width < left ? 2 * width : left), to + at);
		}
		from = to;
		to = swap;
	}
	for (i = 0; i < nr; i++) {
		index->funcs[i] = from[i].id;
		if (i % SAMPLE_STEP == 0)
			samples[i / SAMPLE_STEP] = from[i].begin[0];
	}
}

int loc_index_build(struct loc_index *index, const struct btf_blob *func_info, void *memory,
		    size_t memory_size, void *scratch, size_t scratch_size)
{
	struct sizes sizes;
	u64 *samples = memory;
	u32 i;

	if (!index_measure(&sizes, func_info))
		return -E2BIG;
	if (memory_size < sizes.memory || scratch_size < sizes.scratch)
		return -ENOMEM;

	index->func_info = func_info;
	list_sections(index);
	memory = samples + sizes.nr_samples;
	index->name_samples = samples;
	index->by_offset = memory;
	index->funcs = index->by_offset + sizes.nr_sites;
	index->nr_funcs = sizes.nr_funcs;
	for (i = 0; i < index->nr_elf_sections; i++)
		sort_by_offset(index, i, scratch);
	sort_by_name(index, samples, scratch);
	return 0;
}

/* ---- look-ups ---- */

struct name_key {
	const struct loc_index *index;
	const char *name;
	u32 size;
	bool whole;
	u64 begin, mask;	/* of the first eight bytes, as name_prefix() has them */
};

static int compare_sample(const void *key, u32 i)
{
	const struct name_key *wanted = key;

	return compare_u64(wanted->index->name_samples[i] & wanted->mask, wanted->begin);
}

static int compare_name(const void *key, u32 i)
{
	const struct name_key *wanted = key;
	const struct btf_blob *blob = wanted->index->func_info;
	const char *name = name_at(blob, func_name_offset(blob, wanted->index->funcs[i]));
	int order = strncmp(name, wanted->name, wanted->size);

	return !order && wanted->whole ? name[wanted->size] != 0 : order;
}

/* The samples narrow it down without touching a name; then the names decide. */
struct loc_range loc_index_by_prefix(const struct loc_index *index, const char *name, u32 size,
				     bool whole)
{
	struct name_key key = { .index = index, .name = name, .size = size, .whole = whole };
	u32 nr_samples = (index->nr_funcs + SAMPLE_STEP - 1) / SAMPLE_STEP;
	struct loc_range near;
	u32 first, end, i;

	for (i = 0; i < 8; i++) {
		u64 byte = i < size ? (u8)name[i] : 0;

		key.begin = key.begin << 8 | byte;
		key.mask = key.mask << 8 | (i < size || whole ? 0xff : 0);
	}
	near = equal_range(0, nr_samples, compare_sample, &key);
	first = near.first ? (near.first - 1) * SAMPLE_STEP : 0;
	end = near.end < nr_samples ? near.end * SAMPLE_STEP : index->nr_funcs;
	return equal_range(first, end, compare_name, &key);
}

struct loc_range loc_index_by_name(const struct loc_index *index, const char *name)
{
	return loc_index_by_prefix(index, name, (u32)strlen(name), true);
}

struct site_key {
	const struct loc_site *sites;
	u32 func;
	u32 offset;
};

static int compare_func(const void *key, u32 i)
{
	const struct site_key *wanted = key;

	return compare_u64(wanted->sites[i].func, wanted->func);
}

struct loc_range loc_index_by_func(const struct loc_index *index, u32 section, u32 func)
{
	struct site_key key = { .sites = index->sections[section].sites, .func = func };

	return equal_range(0, index->sections[section].nr_sites, compare_func, &key);
}

static int compare_site(const void *key, u32 i)
{
	const struct site_key *wanted = key;
	const struct loc_site *site = &wanted->sites[i];

	return compare_u64((u64)site->func << 32 | site->offset,
			   (u64)wanted->func << 32 | wanted->offset);
}

bool loc_index_begins(const struct loc_index *index, u32 section, u32 func, u32 offset)
{
	const struct loc_section *holder = &index->sections[section];
	struct site_key key = { .sites = holder->sites, .func = func, .offset = offset };
	u32 at = lower_bound(0, holder->nr_sites, 0, compare_site, &key);

	return at < holder->nr_sites && !compare_site(&key, at);
}

/* The LOCSECs of one ELF section, by class; an absent one has no sites. */
struct offset_key {
	const u32 *by_offset;
	const struct loc_site *sites[2];
	u32 first_site[2];
	u32 nr_sites[2];
	u32 offset;
};

static int compare_offset(const void *key, u32 i)
{
	const struct offset_key *wanted = key;
	u32 number = wanted->by_offset[i];
	u32 in_class = number - wanted->first_site[0] >= wanted->nr_sites[0];
	const struct loc_site *site =
		&wanted->sites[in_class][number - wanted->first_site[in_class]];

	return compare_u64(site->offset, wanted->offset);
}

struct loc_range loc_index_by_offset(const struct loc_index *index, u32 elf_section, u32 offset)
{
	const struct loc_elf_section *elf = &index->elf_sections[elf_section];
	struct offset_key key = { .by_offset = index->by_offset, .offset = offset };
	u32 i;

	for (i = 0; i < 2; i++) {
		const struct loc_section *section;

		if (elf->sections[i] == LOC_INDEX_NONE)
			continue;
		section = &index->sections[elf->sections[i]];
		key.sites[i] = section->sites;
		key.first_site[i] = section->first_site;
		key.nr_sites[i] = section->nr_sites;
	}
	return equal_range(elf->first, elf->first + elf->nr_sites, compare_offset, &key);
}

struct number_key {
	const struct loc_section *sections;
	u32 number;
};

static int compare_first_site(const void *key, u32 i)
{
	const struct number_key *wanted = key;

	return compare_u64(wanted->sections[i].first_site, wanted->number);
}

const struct loc_site *loc_index_site(const struct loc_index *index, u32 number,
				      const struct loc_section **section)
{
	struct number_key key = { .sections = index->sections, .number = number };
	const struct loc_section *holder;

	if (number >= index->nr_sites)
		return NULL;
	/* The last that begins at the number or before it: empty ones come before it. */
	holder = &index->sections[lower_bound(0, index->nr_sections, 1, compare_first_site, &key)];
	holder--;
	*section = holder;
	return &holder->sites[number - holder->first_site];
}

int loc_index_elf_section(const struct loc_index *index, const char *name)
{
	u32 i;

	for (i = 0; i < index->nr_elf_sections; i++)
		if (!strcmp(index->elf_sections[i].name, name))
			return (int)i;
	return -ENOENT;
}
