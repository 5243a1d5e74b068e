// SPDX-License-Identifier: GPL-2.0
/*
 * The template of a module with a stub for each function that btf-extra expose adds. It is built
 * with btf_extra.ko. The unchanged template has no names and is refused.
 */
#include <linux/module.h>

#include "core/version.h"
#include "inlined/stubs.h"
#include "phantoms/phantom_modules.h"

static int __init inlined_init(void)
{
	return btf_extra_add_phantoms(THIS_MODULE, &inlined_table, inlined_stubs);
}

static void __exit inlined_exit(void)
{
	btf_extra_remove_phantoms(THIS_MODULE);
}

module_init(inlined_init);
module_exit(inlined_exit);

MODULE_DESCRIPTION("Stubs of inlined functions, for tools that trace functions");
MODULE_LICENSE("GPL");
MODULE_VERSION(BTF_EXTRA_VERSION);
