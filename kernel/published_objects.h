/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The objects that others see, in the tables of the registry and in sysfs. Everything that changes
 * them is done under one lock, from reading a file to publishing its contents.
 */
#ifndef BTF_EXTRA_PUBLISHED_OBJECTS_H
#define BTF_EXTRA_PUBLISHED_OBJECTS_H

#include "extra_object.h"

void published_lock(void);
void published_unlock(void);

/* ---- under the lock ---- */

bool published_has(const char *name);

/*
 * Checks an object, shows it in sysfs and publishes it. Returns ERR_PTR() if it is refused: then
 * nothing is left of it, and a line in dmesg says why.
 */
struct extra_object *published_add(const struct object_source *source,
				   const struct object_host *host);

/*
 * Removes the object of that name and module, and waits for its readers. Returns false if there is
 * none.
 */
bool published_remove(const char *name, const struct module *module);

/* Removes all objects, and frees the memory of the registry. */
void published_clear(void);

#endif
