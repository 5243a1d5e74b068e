// SPDX-License-Identifier: GPL-2.0
#include <kunit/test.h>
#include <linux/kallsyms.h>
#include <linux/module.h>

#include "objects/kernel_symbol.h"

static void kernel_symbol_test(struct kunit *test)
{
	char symbol[KSYM_SYMBOL_LEN];
	unsigned long address = (unsigned long)&register_module_notifier;

	KUNIT_EXPECT_TRUE(test, kernel_symbol_at(address, symbol));
	KUNIT_EXPECT_STREQ(test, symbol, "register_module_notifier");
	KUNIT_EXPECT_FALSE(test, kernel_symbol_at(address + 1, symbol));
	KUNIT_EXPECT_FALSE(test, kernel_symbol_at(1, symbol));
}

static struct kunit_case symbol_cases[] = {
	KUNIT_CASE(kernel_symbol_test),
	{ }
};

static struct kunit_suite symbol_suite = {
	.name = "btf_extra_symbols",
	.test_cases = symbol_cases,
};

kunit_test_suite(symbol_suite);
