// SPDX-License-Identifier: GPL-2.0
/*
 * Measures look-ups in btf_extra.ko, which has frames, and similar ones in kallsyms, in the same
 * boot. It runs while the module is being loaded. Each line that it logs is "lookup_bench: WHAT
 * look-ups=N ns=N sites=N". The keys are drawn at random, always the same, from the functions with
 * sites.
 */
#define pr_fmt(fmt) "lookup_bench: " fmt

#include <linux/btf_extra.h>
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/version.h>

static unsigned int keys = 4096;
module_param(keys, uint, 0444);
MODULE_PARM_DESC(keys, "how many look-ups of each kind");

static unsigned int last_id = 1U << 19;
module_param(last_id, uint, 0444);
MODULE_PARM_DESC(last_id, "functions with higher ids are not found");

struct bench {
	u32 *ids;			/* of all functions with sites */
	u32 nr_ids;
	u32 nr_sites;
	u32 random;
	u32 *func_keys;			/* [keys] */
	unsigned long *address_keys;	/* [keys] of sites */
	char (*name_keys)[KSYM_NAME_LEN]; /* [keys], which kallsyms has too */
	unsigned long (*lookup_name)(const char *name);
	int (*on_each_symbol)(void *fn, void *data);
};

/* ---- keys ---- */

static u32 draw(struct bench *bench, u32 below)
{
	bench->random = bench->random * 1664525 + 1013904223;
	return (u64)bench->random * below >> 32;
}

static int count_site(const struct btf_extra_site *site, void *data)
{
	++*(u32 *)data;
	return 0;
}

struct nth_site {
	u32 left;
	struct btf_extra_site site;
};

static int pick_site(const struct btf_extra_site *site, void *data)
{
	struct nth_site *nth = data;

	nth->site = *site;
	return !nth->left--;
}

static int list_funcs(struct bench *bench)
{
	struct btf_extra_query query = { .by = BTF_EXTRA_BY_ID, .object = "vmlinux" };
	u32 total;

	for (query.func_id = 1; query.func_id <= last_id; query.func_id++) {
		if (btf_extra_for_each_site(&query, NULL, NULL, &total))
			continue;
		bench->ids[bench->nr_ids++] = query.func_id;
		bench->nr_sites += total;
		cond_resched();
	}
	return bench->nr_ids ? 0 : -ENOENT;
}

/* Draws a site of a function whose text has not been freed. */
static bool draw_site(struct bench *bench, u32 func_id, u32 flags, struct btf_extra_site *site)
{
	struct btf_extra_query query = {
		.by = BTF_EXTRA_BY_ID,
		.flags = flags,
		.object = "vmlinux",
		.func_id = func_id,
	};
	struct nth_site nth;
	u32 total;

	if (btf_extra_for_each_site(&query, NULL, NULL, &total))
		return false;
	nth.left = draw(bench, total);
	btf_extra_for_each_site(&query, pick_site, &nth, NULL);
	*site = nth.site;
	return site->address && !(site->flags & BTF_EXTRA_SITE_FREED);
}

/* Draws the name if the symbol that kallsyms finds at the function's body is its own. */
static bool draw_name(struct bench *bench, u32 func_id, char *name)
{
	struct btf_extra_site site;
	char symbol[KSYM_SYMBOL_LEN];
	int length;

	if (!draw_site(bench, func_id, BTF_EXTRA_BODY_ONLY, &site))
		return false;
	length = btf_extra_func_name(site.object, func_id, name, KSYM_NAME_LEN);
	if (length <= 0)
		return false;
	sprint_symbol(symbol, site.address);
	return !strncmp(symbol, name, length) && symbol[length] == '+';
}

static int draw_keys(struct bench *bench)
{
	u32 tries = 64 * keys;
	struct btf_extra_site site;
	u32 i;

	for (i = 0; i < keys; i++)
		bench->func_keys[i] = bench->ids[draw(bench, bench->nr_ids)];
	for (i = 0; i < keys && tries; tries--) {
		u32 func_id = bench->ids[draw(bench, bench->nr_ids)];

		if (!draw_site(bench, func_id, 0, &site))
			continue;
		bench->address_keys[i++] = site.address;
	}
	for (i = 0; i < keys && tries; tries--) {
		u32 func_id = bench->ids[draw(bench, bench->nr_ids)];

		i += draw_name(bench, func_id, bench->name_keys[i]);
		cond_resched();
	}
	return tries ? 0 : -ENOENT;
}

/* ---- the measured look-ups: each adds the number of sites it was given, or fails ---- */

static int by_id(struct bench *bench, u32 i, u32 *sites)
{
	const struct btf_extra_query query = {
		.by = BTF_EXTRA_BY_ID,
		.object = "vmlinux",
		.func_id = bench->func_keys[i],
	};

	return btf_extra_for_each_site(&query, count_site, sites, NULL);
}

static int by_name(struct bench *bench, u32 i, u32 *sites)
{
	const struct btf_extra_query query = {
		.by = BTF_EXTRA_BY_NAME,
		.name = bench->name_keys[i],
	};

	return btf_extra_for_each_site(&query, count_site, sites, NULL);
}

/* Asks the question that kallsyms answers: where is the body of the function? */
static int body_by_name(struct bench *bench, u32 i, u32 *sites)
{
	const struct btf_extra_query query = {
		.by = BTF_EXTRA_BY_NAME,
		.flags = BTF_EXTRA_BODY_ONLY,
		.name = bench->name_keys[i],
	};

	return btf_extra_for_each_site(&query, count_site, sites, NULL);
}

static int by_address(struct bench *bench, u32 i, u32 *sites)
{
	const struct btf_extra_query query = {
		.by = BTF_EXTRA_BY_ADDRESS,
		.address = bench->address_keys[i],
	};

	return btf_extra_for_each_site(&query, count_site, sites, NULL);
}

/* Functions are counted instead of sites. Few sites are in code that is of no one body. */
static int frames(struct bench *bench, u32 i, u32 *sites)
{
	struct btf_extra_chain_frame found[16];
	int nr = btf_extra_frames_at(bench->address_keys[i], found, ARRAY_SIZE(found));

	if (nr > 0)
		*sites += nr;
	return nr == -ENODATA ? nr : 0;
}

static int kallsyms_name(struct bench *bench, u32 i, u32 *sites)
{
	return bench->lookup_name(bench->name_keys[i]) ? 0 : -ENOENT;
}

static int kallsyms_address(struct bench *bench, u32 i, u32 *sites)
{
	char symbol[KSYM_SYMBOL_LEN];

	return sprint_symbol(symbol, bench->address_keys[i]) > 0 ? 0 : -ENOENT;
}

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 4, 0)
static int count_symbol(void *data, const char *name, unsigned long address)
#else
static int count_symbol(void *data, const char *name, struct module *module,
			unsigned long address)
#endif
{
	++*(u32 *)data;
	return 0;
}

/* Makes one walk. Symbols are counted instead of sites. */
static int kallsyms_walk(struct bench *bench, u32 i, u32 *sites)
{
	return bench->on_each_symbol(count_symbol, sites);
}

static int measure(struct bench *bench, const char *what, u32 nr,
		   int (*look_up)(struct bench *bench, u32 i, u32 *sites))
{
	u64 begin = ktime_get_ns();
	u32 sites = 0;
	u32 i;
	int err = 0;

	for (i = 0; !err && i < nr; i++)
		err = look_up(bench, i, &sites);
	if (err)
		pr_err("%s: number %u: error %d\n", what, i - 1, err);
	else
		pr_info("%s look-ups=%u ns=%llu sites=%u\n", what, nr, ktime_get_ns() - begin,
			sites);
	return err;
}

/* ---- the run ---- */

/* Finds a function that is not exported. */
static void *address_of(const char *name)
{
	struct kprobe probe = { .symbol_name = name };
	int err = register_kprobe(&probe);
	void *address = probe.addr;

	if (err) {
		pr_err("%s: no kprobe on it (%d)\n", name, err);
		return NULL;
	}
	unregister_kprobe(&probe);
	return address;
}

static int run(struct bench *bench)
{
	int err;

	bench->random = 1;
	bench->lookup_name = address_of("kallsyms_lookup_name");
	bench->on_each_symbol = address_of("kallsyms_on_each_symbol");
	bench->ids = kvcalloc(last_id, sizeof(*bench->ids), GFP_KERNEL);
	bench->func_keys = kvcalloc(keys, sizeof(*bench->func_keys), GFP_KERNEL);
	bench->address_keys = kvcalloc(keys, sizeof(*bench->address_keys), GFP_KERNEL);
	bench->name_keys = kvcalloc(keys, sizeof(*bench->name_keys), GFP_KERNEL);
	if (!bench->lookup_name || !bench->on_each_symbol || !bench->ids || !bench->func_keys ||
	    !bench->address_keys || !bench->name_keys)
		return -ENOMEM;
	err = list_funcs(bench);
	if (err)
		return err;
	pr_info("functions look-ups=%u ns=0 sites=%u\n", bench->nr_ids, bench->nr_sites);
	err = draw_keys(bench);
	if (!err)
		err = measure(bench, "id", keys, by_id);
	if (!err)
		err = measure(bench, "name", keys, by_name);
	if (!err)
		err = measure(bench, "name_body", keys, body_by_name);
	if (!err)
		err = measure(bench, "address", keys, by_address);
	if (!err)
		err = measure(bench, "frames", keys, frames);
	if (!err)
		err = measure(bench, "kallsyms_name", keys, kallsyms_name);
	if (!err)
		err = measure(bench, "kallsyms_address", keys, kallsyms_address);
	if (!err)
		err = measure(bench, "kallsyms_walk", 1, kallsyms_walk);
	return err;
}

static int __init lookup_bench_init(void)
{
	struct bench *bench = kzalloc(sizeof(*bench), GFP_KERNEL);
	int err;

	if (!bench)
		return -ENOMEM;
	err = run(bench);
	kvfree(bench->ids);
	kvfree(bench->func_keys);
	kvfree(bench->address_keys);
	kvfree(bench->name_keys);
	kfree(bench);
	return err;
}

static void __exit lookup_bench_exit(void)
{
}

module_init(lookup_bench_init);
module_exit(lookup_bench_exit);
MODULE_DESCRIPTION("Measures look-ups of btf_extra against kallsyms");
MODULE_LICENSE("GPL");
