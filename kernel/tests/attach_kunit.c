// SPDX-License-Identifier: GPL-2.0
#include <kunit/test.h>
#include <linux/jump_label.h>
#include <linux/slab.h>

#include "core/loc_arch_key.h"
#include "kloc/kloc_probes.h"
#include "tests/rows_param.h"

/* ---- sites that an attach goes without ---- */

struct lacking_row {
	const char *name;
	u32 flags;		/* of the site that is left out */
	bool best_effort, all;
	bool lacking;
};

static const struct lacking_row lacking_rows[] = {
	{ "open code", 0, .lacking = true },
	{ "unlisted code", BTF_EXTRA_SITE_UNLISTED, .lacking = true },
	{ "a loop head", BTF_EXTRA_SITE_LOOP_HEAD, .lacking = true },
	{ "after a static key", BTF_EXTRA_SITE_AFTER_KEY, .lacking = true },
	{ "closed code", BTF_EXTRA_SITE_CLOSED },
	{ "a loop head in closed code", BTF_EXTRA_SITE_CLOSED | BTF_EXTRA_SITE_LOOP_HEAD },
	{ "freed text", BTF_EXTRA_SITE_FREED },
	{ "open code, all wanted", 0, .all = true, .lacking = true },
	{ "closed code, all wanted", BTF_EXTRA_SITE_CLOSED, .all = true, .lacking = true },
	{ "freed text, all wanted", BTF_EXTRA_SITE_FREED, .all = true },
	{ "freed closed code, all wanted", BTF_EXTRA_SITE_FREED | BTF_EXTRA_SITE_CLOSED,
	  .all = true },
	{ "open code, best effort", 0, .best_effort = true },
	{ "closed code, best effort", BTF_EXTRA_SITE_CLOSED, .best_effort = true, .all = true },
};

/* The same site with a probe is never lacking. */
static void lacking_row_test(struct kunit *test)
{
	const struct lacking_row *row = test->param_value;
	const struct kloc_request request = { .best_effort = row->best_effort, .all = row->all };
	struct kloc_site all[2] = { { .reason = 0 }, { .site.flags = row->flags } };
	const struct kloc_sites sites = { .sites = all, .nr_sites = ARRAY_SIZE(all) };

	KUNIT_EXPECT_FALSE(test, kloc_sites_lacking(&sites, &request));
	all[1].reason = BTF_EXTRA_REASON_KPROBE;
	KUNIT_EXPECT_EQ(test, kloc_sites_lacking(&sites, &request), row->lacking);
}

ROWS_PARAM(lacking, struct lacking_row, lacking_rows, ARRAY_SIZE(lacking_rows))

/* ---- the probe of a site after a static key ---- */

#ifdef CONFIG_JUMP_LABEL

static DEFINE_STATIC_KEY_FALSE(attach_key);
static int ran_with_key, ran;

/* The code after the key is too long for a compiler to copy it to the end of the other branch. */
static noinline void keyed(void)
{
	if (static_branch_unlikely(&attach_key))
		WRITE_ONCE(ran_with_key, ran_with_key + 1);
	asm volatile("nop\n\tnop\n\tnop\n\tnop\n\tnop" ::: "memory");
	asm volatile("nop\n\tnop\n\tnop\n\tnop\n\tnop" ::: "memory");
	WRITE_ONCE(ran, ran + 1);
}

/* The kernel lists where it changes code for a key. keyed() is the only user of this one. */
static unsigned long key_address(void)
{
	return jump_entry_code((const struct jump_entry *)(attach_key.key.type & ~JUMP_TYPE_MASK));
}

static int nr_hits;

static int count_hit(struct kprobe *kprobe, struct pt_regs *regs)
{
	nr_hits++;
	return 0;
}

static const struct site_args no_args;

struct one_site {
	struct kloc_site site;
	struct kloc_sites sites;
	struct kloc_probes probes;
};

static int attach_one(struct one_site *one, unsigned long address, u32 flags)
{
	/* ftrace need not know a function of this module. */
	const struct kloc_request request = { .with_notrace = true };

	*one = (struct one_site){
		.site = { .site = { .address = address, .flags = flags }, .args = &no_args },
		.sites = { .sites = &one->site, .nr_sites = 1 },
		.probes = {
			.probes = kvcalloc(1, sizeof(*one->probes.probes), GFP_KERNEL),
			.kprobes = kvcalloc(1, sizeof(*one->probes.kprobes), GFP_KERNEL),
			.in_module = true,
		},
	};
	if (!one->probes.probes || !one->probes.kprobes)
		return -ENOMEM;
	return kloc_probes_attach(&one->probes, &one->sites, &request, count_hit, NULL);
}

static void call_keyed(struct kunit *test, const char *key)
{
	u32 i;

	nr_hits = 0;
	for (i = 0; i < 10; i++)
		keyed();
	KUNIT_EXPECT_EQ_MSG(test, nr_hits, 10, "the key is %s", key);
}

/* One hit a call, whatever the key is, and the address is that of the site. */
static void after_key_test(struct kunit *test)
{
	const unsigned long address = key_address();
	struct one_site one;

	ran_with_key = 0;
	KUNIT_EXPECT_EQ(test, attach_one(&one, address, BTF_EXTRA_SITE_AFTER_KEY), 0);
	KUNIT_EXPECT_EQ(test, one.probes.nr, 1);
	if (one.probes.nr == 1) {
		const struct kloc_probe *probe = &one.probes.probes[0];
		const unsigned long stands = (unsigned long)probe->kprobe.addr;

		KUNIT_EXPECT_EQ(test, probe->site.address, address);
		KUNIT_EXPECT_TRUE(test, stands == address + 2 || stands == address + 4 ||
				  stands == address + 5);
		call_keyed(test, "off");
		static_branch_enable(&attach_key);
		call_keyed(test, "on");
		KUNIT_EXPECT_EQ(test, ran_with_key, 10);
	}
	kloc_probes_free(&one.probes);
	/* Now the code is a jump. */
	KUNIT_EXPECT_EQ(test, attach_one(&one, address, BTF_EXTRA_SITE_AFTER_KEY), 0);
	if (one.probes.nr == 1)
		call_keyed(test, "on from the beginning");
	kloc_probes_free(&one.probes);
	static_branch_disable(&attach_key);
}

/* The kernel takes no probe at the key, and we take no other instruction for one. */
static void no_key_test(struct kunit *test)
{
	const unsigned long address = key_address();
	struct one_site one;

	KUNIT_EXPECT_EQ(test, attach_one(&one, address, 0), -EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, one.site.error, -EINVAL);
	kloc_probes_free(&one.probes);
	/* The address of what is no code at all. */
	KUNIT_EXPECT_EQ(test, attach_one(&one, (unsigned long)&no_args, BTF_EXTRA_SITE_AFTER_KEY),
			-EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, one.site.reason, BTF_EXTRA_REASON_KPROBE);
	KUNIT_EXPECT_EQ(test, one.site.error, -EOPNOTSUPP);
	kloc_probes_free(&one.probes);
}

#endif

static struct kunit_case attach_cases[] = {
	KUNIT_CASE_PARAM(lacking_row_test, lacking_gen_params),
#ifdef CONFIG_JUMP_LABEL
	KUNIT_CASE(after_key_test),
	KUNIT_CASE(no_key_test),
#endif
	{ }
};

static struct kunit_suite attach_suite = {
	.name = "btf_extra_attach",
	.test_cases = attach_cases,
};

kunit_test_suite(attach_suite);
