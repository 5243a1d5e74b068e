/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The objects that others see, in the tables of the registry and in sysfs. Everything that changes
 * them is done under one lock. Files are read before it is taken: a disk may be slow.
 */
#ifndef BTF_EXTRA_PUBLISHED_OBJECTS_H
#define BTF_EXTRA_PUBLISHED_OBJECTS_H

#include "objects/extra_object.h"
#include "objects/load_tally.h"

void published_lock(void);
void published_unlock(void);

bool published_has(const char *name);

/*
 * Does published_add() for the running kernel, under the lock, unless there is an object of that
 * name. Counts what it adds.
 */
void published_count(const struct object_source *source, struct load_tally *tally);

/* ---- under the lock ---- */

/* Returns the object of that id, which stays while the lock is held; NULL: there is none. */
struct extra_object *published_object(u32 id);

/*
 * Checks an object, shows it in sysfs and publishes it. Returns ERR_PTR() if it is refused: then it
 * is freed, and a line in dmesg has the reason.
 */
struct extra_object *published_add(const struct object_source *source,
				   const struct object_host *host);

/*
 * The same, in place of the object of that name and module, if there is one. If it is refused, the
 * other stays.
 */
struct extra_object *published_replace(const struct object_source *source,
				       const struct object_host *host);

/*
 * Removes the object of that name and module, and waits for its readers. Returns false if there is
 * none.
 */
bool published_remove(const char *name, const struct module *module);

/* Removes all objects, and frees the memory of the registry. */
void published_clear(void);

#endif
