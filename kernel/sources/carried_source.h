/* SPDX-License-Identifier: GPL-2.0 */
/* Finds blobs that a module of a patched kernel carries in itself. */
#ifndef BTF_EXTRA_CARRIED_SOURCE_H
#define BTF_EXTRA_CARRIED_SOURCE_H

#include "objects/extra_object.h"

/* Returns false if the module carries none. The bytes stay as long as the module. */
bool carried_source(const struct module *module, struct object_source *source);

#endif
