// SPDX-License-Identifier: GPL-2.0
#include <linux/bsearch.h>
#include <linux/ctype.h>
#include <linux/errno.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/string.h>

#include "core/extra_elf.h"
#include "sources/manifest.h"

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static u32 count_lines(const char *text, size_t size)
{
	u32 nr = 0;

	for (; size; size--)
		nr += *text++ == '\n';
	return nr;
}

/* Cuts the name off a line. Returns false if the line is not a name and a build-id. */
static bool take_line(char *line)
{
	char *id = strchr(line, ' ');
	size_t nr_digits;

	if (!id || id == line)
		return false;
	*id++ = '\0';
	for (nr_digits = 0; isxdigit(id[nr_digits]); nr_digits++)
		;
	return !id[nr_digits] && nr_digits && nr_digits % 2 == 0 &&
	       nr_digits <= 2 * EXTRA_BUILD_ID_MAX;
}

static int take_lines(struct manifest *manifest, size_t size, u32 *line)
{
	char *at = manifest->text;

	if (size && (at[size - 1] != '\n' || strlen(at) != size))
		return -EINVAL;
	while (*at) {
		char *end = strchr(at, '\n');

		*end = '\0';
		++*line;
		if (!take_line(at))
			return -EINVAL;
		manifest->names[manifest->nr_names++] = at;
		at = end + 1;
	}
	return 0;
}

int manifest_parse(struct manifest *manifest, const void *data, size_t size, u32 *line)
{
	struct manifest parsed = {};
	int err;

	*line = 0;
	parsed.text = kvmalloc(size + 1, GFP_KERNEL);
	if (!parsed.text)
		return -ENOMEM;
	memcpy(parsed.text, data, size);
	parsed.text[size] = '\0';
	parsed.names = kvmalloc_array(count_lines(data, size) + 1, sizeof(*parsed.names),
				      GFP_KERNEL);
	err = parsed.names ? take_lines(&parsed, size, line) : -ENOMEM;
	if (err) {
		manifest_free(&parsed);
		return err;
	}
	sort(parsed.names, parsed.nr_names, sizeof(*parsed.names), compare_names, NULL);
	*manifest = parsed;
	return 0;
}

void manifest_free(struct manifest *manifest)
{
	kvfree(manifest->names);
	kvfree(manifest->text);
	*manifest = (struct manifest){};
}

bool manifest_has(const struct manifest *manifest, const char *name)
{
	return manifest->nr_names && bsearch(&name, manifest->names, manifest->nr_names,
					     sizeof(*manifest->names), compare_names);
}
