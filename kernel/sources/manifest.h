/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The list of objects for which this kernel's firmware folder has blobs. It avoids useless
 * requests, because the firmware loader logs every miss. It is text with one line for each object:
 * its name, a space, its build-id in hex.
 */
#ifndef BTF_EXTRA_MANIFEST_H
#define BTF_EXTRA_MANIFEST_H

#include <linux/types.h>

struct manifest {
	char *text;		/* a NUL ends each name */
	const char **names;	/* in bytewise order */
	u32 nr_names;
};

/* Any bytes are safe. Returns 0; -EINVAL: a line is malformed, and *line is its number; -ENOMEM. */
int manifest_parse(struct manifest *manifest, const void *data, size_t size, u32 *line);
void manifest_free(struct manifest *manifest);

bool manifest_has(const struct manifest *manifest, const char *name);

#endif
