/* SPDX-License-Identifier: GPL-2.0 */
/* The build-ids of the running kernel and its modules. */
#ifndef BTF_EXTRA_BUILD_ID_H
#define BTF_EXTRA_BUILD_ID_H

#include <linux/types.h>

struct module;

/*
 * The id of a module, NULL: of vmlinux. @id has EXTRA_BUILD_ID_MAX bytes. Returns its size,
 * or a negative errno: -ENOENT where it has none.
 */
int build_id_get(const struct module *module, u8 *id);

#endif
