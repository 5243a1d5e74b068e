/* SPDX-License-Identifier: GPL-2.0 */
/* An object of the running kernel as the queries of the core see it. */
#ifndef BTF_EXTRA_OBJECT_TABLES_H
#define BTF_EXTRA_OBJECT_TABLES_H

struct extra_object;

/* Fills object->tables; the rest of the object is complete by then. */
void object_tables_init(struct extra_object *object);

#endif
