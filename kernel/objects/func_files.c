// SPDX-License-Identifier: GPL-2.0
#include <linux/btf.h>
#include <linux/slab.h>
#include <linux/sort.h>

#include "core/loc_entry.h"
#include "core/range_search.h"
#include "objects/func_files.h"

#define FILE_TAG "file:"

/* Returns the offset of the path that a record has for a function; 0: it has none. */
static u32 tagged_path(const struct btf_blob *types, const struct btf_type *type)
{
	const struct btf_decl_tag *tag = (const void *)(type + 1);
	const char *text;

	if (loc_kind(type) != BTF_KIND_DECL_TAG || tag->component_idx != -1)
		return 0;
	text = btf_blob_string(types, type->name_off);
	if (!text || strncmp(text, FILE_TAG, strlen(FILE_TAG)))
		return 0;
	return type->name_off + strlen(FILE_TAG);
}

/* Counts the tags from the i-th record on, and writes them unless files is NULL. */
static u32 list_tags(const struct btf_blob *types, u32 i, struct func_file *files)
{
	const struct btf_type *type = NULL;
	u32 nr = 0;

	for (; i < types->nr_types; i++) {
		u32 path;

		type = type ? btf_blob_next(types, type) : btf_blob_record(types, i);
		path = tagged_path(types, type);
		if (!path)
			continue;
		if (files)
			files[nr] = (struct func_file){ .func = type->type, .path = path };
		nr++;
	}
	return nr;
}

static int compare_files(const void *a, const void *b)
{
	u32 left = ((const struct func_file *)a)->func;
	u32 right = ((const struct func_file *)b)->func;

	return (left > right) - (left < right);
}

int func_files_open(struct func_files *files, const struct btf_blob *types, u32 first)
{
	/* If a module carries its blobs, the tags are in the base of an empty types blob. */
	const struct btf_blob *level = btf_blob_level(types, first);
	u32 nr = level ? list_tags(level, first - level->first_id, NULL) : 0;

	*files = (struct func_files){ .types = types };
	if (!nr)
		return 0;
	files->files = kvmalloc_array(nr, sizeof(*files->files), GFP_KERNEL);
	if (!files->files)
		return -ENOMEM;
	files->nr = list_tags(level, first - level->first_id, files->files);
	sort(files->files, nr, sizeof(*files->files), compare_files, NULL);
	return 0;
}

void func_files_close(struct func_files *files)
{
	kvfree(files->files);
}

struct func_key {
	const struct func_file *files;
	u32 func;
};

static int files_compare_func(const void *key, u32 i)
{
	const struct func_key *wanted = key;
	u32 func = wanted->files[i].func;

	return (func > wanted->func) - (func < wanted->func);
}

const char *func_files_path(const struct func_files *files, u32 func)
{
	const struct func_key key = { .files = files->files, .func = func };
	u32 at = lower_bound(0, files->nr, 0, files_compare_func, &key);

	if (at == files->nr || files->files[at].func != func)
		return NULL;
	return btf_blob_string(files->types, files->files[at].path);
}
