/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The bytes of an object can be read below /sys/kernel/btf_extra: <object> has its func_info blob,
 * <object>.types its types, <object>.marks the list of site_marks.h if the marks are known,
 * <object>.expressions the section of loc_expression.h if it exists, and <object>.frames the frames
 * of inline_frames.h, once they are kept.
 */
#ifndef BTF_EXTRA_BLOB_FILES_H
#define BTF_EXTRA_BLOB_FILES_H

#include "objects/extra_object.h"

int blob_files_init(void);
void blob_files_exit(void);

/* Returns /sys/kernel/btf_extra. */
struct kobject *blob_files_folder(void);

/* remove() waits until nobody reads the files. */
int blob_files_add(struct extra_object *object);
/* Adds the file of frames that have come later. Under the lock of add() and remove(). */
int blob_files_add_frames(struct extra_object *object);
void blob_files_remove(struct extra_object *object);

#endif
