/* SPDX-License-Identifier: GPL-2.0 */
/* Blobs that a module of a patched kernel carries in itself. */
#ifndef BTF_EXTRA_CARRIED_SOURCE_H
#define BTF_EXTRA_CARRIED_SOURCE_H

#include "extra_object.h"

/* false: it carries none. The bytes stay where they are as long as the module does. */
bool carried_source(const struct module *module, struct object_source *source);

#endif
