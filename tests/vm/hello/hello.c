// SPDX-License-Identifier: GPL-2.0
/* The smallest module that a kernel can load. */
#include <linux/init.h>
#include <linux/module.h>

struct hello_greeting {
	const char *text;
	int times;
};

static struct hello_greeting greeting = { .text = "hello, guest", .times = 1 };
module_param_named(times, greeting.times, int, 0444);
MODULE_PARM_DESC(times, "how often it greets");

static int __init hello_init(void)
{
	int i;

	for (i = 0; i < greeting.times; i++)
		pr_info("%s\n", greeting.text);
	return 0;
}

static void __exit hello_exit(void)
{
}

module_init(hello_init);
module_exit(hello_exit);
MODULE_DESCRIPTION("Greets, for the tests of the virtual machines");
MODULE_LICENSE("GPL");
