/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The run-time addresses of an object's sections. They come from functions: a section
 * begins where one of its functions is found, less the offset that the tables have for that
 * function. For vmlinux we ask for functions that it exports to modules, for a module
 * for all symbols of its own. All answers must agree.
 */
#ifndef BTF_EXTRA_PLACEMENT_H
#define BTF_EXTRA_PLACEMENT_H

#include "objects/extra_object.h"

/* Fills object->sections. 0, -EINVAL: answers do not agree or are missing, -ENOMEM. */
int placement_find(struct extra_object *object, const struct extra_elf *elf);

/*
 * Marks the sections in the init text of the object's module as freed. Returns false if it has
 * none.
 */
bool placement_forget_init(struct extra_object *object);

#endif
