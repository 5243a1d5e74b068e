/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The run-time addresses of an object's sections. They are computed from functions: a section
 * begins at the address of one of its functions, minus the offset of that function in the tables.
 * vmlinux exports some functions to modules, and those are used. A module has all of its symbols.
 * All results must agree.
 */
#ifndef BTF_EXTRA_PLACEMENT_H
#define BTF_EXTRA_PLACEMENT_H

#include "objects/extra_object.h"

/* Fills object->sections. 0, -EINVAL: results do not agree or are missing, -ENOMEM. */
int placement_find(struct extra_object *object, const struct extra_elf *elf);

/*
 * Marks the sections in the init text of the object's module as freed. Returns false if it has
 * none.
 */
bool placement_forget_init(struct extra_object *object);

#endif
