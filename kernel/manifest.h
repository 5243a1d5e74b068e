/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The list of objects that the firmware folder of this kernel has blobs for, so
 * that nothing is asked for in vain: the firmware loader tells of every miss.
 * Text, a line an object: its name, a space, its build-id in hex.
 */
#ifndef BTF_EXTRA_MANIFEST_H
#define BTF_EXTRA_MANIFEST_H

#include <linux/types.h>

struct manifest {
	char *text;		/* with NULs where names end */
	const char **names;	/* in bytewise order */
	u32 nr_names;
};

/* Of any bytes. 0, -EINVAL: a line that is not one, with its number in *line, -ENOMEM. */
int manifest_parse(struct manifest *manifest, const void *data, size_t size, u32 *line);
void manifest_free(struct manifest *manifest);

bool manifest_has(const struct manifest *manifest, const char *name);

#endif
