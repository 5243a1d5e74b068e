/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The objects that others see: in the tables of the registry, and in sysfs. All that changes
 * them, from reading a file to publishing what it has, is done under one lock.
 */
#ifndef BTF_EXTRA_PUBLISHED_OBJECTS_H
#define BTF_EXTRA_PUBLISHED_OBJECTS_H

#include "extra_object.h"

void published_lock(void);
void published_unlock(void);

/* ---- under the lock ---- */

bool published_has(const char *name);

/*
 * Checks an object, shows it in sysfs and publishes it. ERR_PTR() where it is refused: then
 * nothing of it is left, and a line in dmesg says why.
 */
struct extra_object *published_add(const struct object_source *source,
				   const struct object_host *host);

/*
 * Takes the object of that name and module away, and waits for those who look at it. false:
 * there is none.
 */
bool published_remove(const char *name, const struct module *module);

/* Takes all objects away, and frees what the registry holds. */
void published_clear(void);

#endif
