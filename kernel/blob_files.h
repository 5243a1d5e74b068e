/* SPDX-License-Identifier: GPL-2.0 */
/* /sys/kernel/btf_extra/<object>: its func_info blob, <object>.types: its types. */
#ifndef BTF_EXTRA_BLOB_FILES_H
#define BTF_EXTRA_BLOB_FILES_H

#include "extra_object.h"

int blob_files_init(void);
void blob_files_exit(void);

/* remove() waits until nobody reads the files. */
int blob_files_add(struct extra_object *object);
void blob_files_remove(struct extra_object *object);

#endif
