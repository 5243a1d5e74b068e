// SPDX-License-Identifier: GPL-2.0
/*
 * A module that tests load and unload. Its functions are inlined several times, or keep a body of
 * their own, or are used only by init and exit.
 */
#include <linux/init.h>
#include <linux/module.h>

static int sample_sum;

/* It is inlined wherever it is called. value is known at each site. */
static __always_inline int sample_inlined(int value, int factor)
{
	sample_sum += value * factor;
	barrier();
	return sample_sum;
}

/* It has a body of its own, with two inlined instances in it. */
noinline int sample_body(int value);
noinline int sample_body(int value)
{
	return sample_inlined(value, 3) + sample_inlined(value + 1, 5);
}
EXPORT_SYMBOL_GPL(sample_body);

noinline int sample_other(int value);
noinline int sample_other(int value)
{
	return sample_inlined(value, 7);
}
EXPORT_SYMBOL_GPL(sample_other);

static int __init sample_init(void)
{
	sample_inlined(1, 11);
	return sample_body(2) == sample_other(3);
}

static void __exit sample_exit(void)
{
	sample_inlined(4, 13);
}

module_init(sample_init);
module_exit(sample_exit);

MODULE_DESCRIPTION("Comes and goes in the tests of btf_extra");
MODULE_LICENSE("GPL");
