/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Phantom functions in /sys/kernel/btf_extra/inlined: a file for each stub, whose lines say what it
 * does, and a file .MODULE with the table of each module of stubs.
 */
#ifndef BTF_EXTRA_PHANTOM_FILES_H
#define BTF_EXTRA_PHANTOM_FILES_H

#include <linux/module.h>
#include <linux/sysfs.h>

#include "phantoms/phantom_arming.h"

struct phantom_files {
	struct bin_attribute table;
	char name[MODULE_NAME_LEN + 1];
	struct phantom *phantoms;
	u32 nr;			/* how many have a file */
};

/* Both for the folder. */
int phantom_files_init(void);
void phantom_files_exit(void);

int phantom_files_add(struct phantom_files *files, const struct module *module,
		      const struct phantom_table *table, const struct phantom_set *set);
/* Waits until nobody reads them. */
void phantom_files_remove(struct phantom_files *files);

#endif
