// SPDX-License-Identifier: GPL-2.0
/* A live patch that replaces a function of a module by one that counts its calls. */
#include <linux/livepatch.h>
#include <linux/module.h>

static char *object;
module_param(object, charp, 0444);
static char *function;
module_param(function, charp, 0444);
static unsigned long calls;
module_param(calls, ulong, 0444);
static unsigned long last;
module_param(last, ulong, 0444);

static noinline void patched(unsigned long value)
{
	calls++;
	last = value;
}

static struct klp_func funcs[] = {
	{ .new_func = patched },
	{ },
};

static struct klp_object objects[] = {
	{ .funcs = funcs },
	{ },
};

static struct klp_patch patch = { .mod = THIS_MODULE, .objs = objects };

static int __init patch_init(void)
{
	funcs[0].old_name = function;
	objects[0].name = object;
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
