// SPDX-License-Identifier: GPL-2.0
/* A live patch replaces the stub of site_called() by a function that counts its calls. */
#include <linux/livepatch.h>
#include <linux/module.h>

static unsigned long calls;
module_param(calls, ulong, 0444);
static unsigned long last;
module_param(last, ulong, 0444);

static noinline void instead_of_stub(unsigned long value)
{
	calls++;
	last = value;
}

static struct klp_func funcs[] = {
	{ .old_name = "site_called", .new_func = instead_of_stub },
	{ },
};

static struct klp_object objects[] = {
	{ .name = "inlined", .funcs = funcs },
	{ },
};

static struct klp_patch patch = { .mod = THIS_MODULE, .objs = objects };

static int __init patch_init(void)
{
	return klp_enable_patch(&patch);
}

/* A patch that may be taken away has an exit. */
static void __exit patch_exit(void)
{
}

module_init(patch_init);
module_exit(patch_exit);

MODULE_INFO(livepatch, "Y");
MODULE_DESCRIPTION("A live patch, for the tests of btf_extra");
MODULE_LICENSE("GPL");
