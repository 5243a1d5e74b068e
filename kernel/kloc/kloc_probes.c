// SPDX-License-Identifier: GPL-2.0
#include <linux/delay.h>
#include <linux/rculist.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/version.h>

#include "core/loc_arch_key.h"
#include "kloc/kloc_probes.h"

int kloc_probes_collect(struct kloc_probes *probes, struct kloc_sites *sites,
			const struct kloc_request *request)
{
	int err;

	*probes = (struct kloc_probes){};
	err = kloc_sites_collect(sites, &probes->args, request);
	if (err)
		return err;
	probes->in_module = sites->module;
	probes->probes = kvcalloc(sites->nr_sites, sizeof(*probes->probes), GFP_KERNEL_ACCOUNT);
	probes->kprobes = kvcalloc(sites->nr_sites, sizeof(*probes->kprobes), GFP_KERNEL_ACCOUNT);
	if (probes->probes && probes->kprobes)
		return 0;
	kloc_sites_free(sites);
	kloc_probes_free(probes);
	return -ENOMEM;
}

/* ---- the end ---- */

/* The number of disarmed probes that one call unregisters while it holds kprobe_mutex. */
#define BATCH 1024

/*
 * The kernel's optimizer has yet to restore the instruction that it replaced by a jump. The kernel
 * keeps a second probe for an optimized one, in the same ring.
 */
static bool is_being_restored(const struct kprobe *kprobe)
{
	const u32 flags = KPROBE_FLAG_OPTIMIZED | KPROBE_FLAG_DISABLED;
	const struct kprobe *other;
	bool found = false;

	rcu_read_lock();
	list_for_each_entry_rcu(other, &kprobe->list, list)
		found |= (READ_ONCE(other->flags) & flags) == flags;
	rcu_read_unlock();
	return found;
}

/*
 * If a module goes while the optimizer has a probe of it that is already unregistered, kernels 6.1
 * to 7.3 keep that probe for ever, because kill_optimized_kprobe() removes it from its list before
 * it tests whether it is on one. A later probe at that address is refused, with a warning in
 * reuse_unused_kprobe(). So these probes are unregistered when the optimizer is done with them.
 */
static void wait_for_optimizer(const struct kloc_probes *probes)
{
	u32 tries = 0;
	u32 i;

	for (i = 0; probes->in_module && i < probes->nr; i++)
		while (is_being_restored(probes->kprobes[i]) && tries++ < 50)
			msleep(20);
}

/*
 * The kernel unregisters armed probes with its locks held until all of them are changed. So each is
 * disarmed before, one by one.
 */
static void probes_disarm(struct kloc_probes *probes)
{
	u32 i;

	for (i = 0; i < probes->nr; i++) {
		disable_kprobe(probes->kprobes[i]);
		cond_resched();
	}
}

static void free_memory(struct kloc_probes *probes)
{
	kvfree(probes->kprobes);
	kvfree(probes->probes);
	kloc_args_free(&probes->args);
	*probes = (struct kloc_probes){};
}

/* Each call waits until none of its probes is running. */
static void probes_unregister(struct kprobe **kprobes, u32 nr)
{
	u32 i;

	for (i = 0; i < nr; i += BATCH)
		unregister_kprobes(&kprobes[i], min_t(u32, nr - i, BATCH));
}

void kloc_probes_free(struct kloc_probes *probes)
{
	kloc_probes_free_all(&probes, 1);
}

static struct kprobe **probes_join(struct kloc_probes *const *all, u32 nr, u32 *nr_joined)
{
	struct kprobe **joined;
	u32 i;

	*nr_joined = 0;
	for (i = 0; i < nr; i++)
		*nr_joined += all[i]->nr;
	joined = kvmalloc_array(*nr_joined, sizeof(*joined), GFP_KERNEL);
	*nr_joined = 0;
	for (i = 0; joined && i < nr; i++) {
		memcpy(&joined[*nr_joined], all[i]->kprobes, all[i]->nr * sizeof(*joined));
		*nr_joined += all[i]->nr;
	}
	return joined;
}

void kloc_probes_free_all(struct kloc_probes *const *all, u32 nr)
{
	struct kprobe **joined;
	u32 nr_joined;
	u32 i;

	for (i = 0; i < nr; i++)
		probes_disarm(all[i]);
	for (i = 0; i < nr; i++)
		wait_for_optimizer(all[i]);
	joined = nr > 1 ? probes_join(all, nr, &nr_joined) : NULL;
	if (joined)
		probes_unregister(joined, nr_joined);
	for (i = 0; i < nr; i++) {
		if (!joined)
			probes_unregister(all[i]->kprobes, all[i]->nr);
		free_memory(all[i]);
	}
	kvfree(joined);
}

/* ---- the beginning ---- */

/* See enum loc_call. An instruction has at most 15 bytes, and may be the last that is mapped. */
static bool returns_astray(unsigned long address)
{
	enum loc_call call;
	u32 size = 15;
	u8 code[15];

	while (size && copy_from_kernel_nofault(code, (const void *)address, size))
		size--;
	call = loc_arch_call(loc_arch_running(), code, size);
	if (LINUX_VERSION_CODE < KERNEL_VERSION(6, 1, 72) ||
	    (LINUX_VERSION_CODE >= KERNEL_VERSION(6, 2, 0) &&
	     LINUX_VERSION_CODE < KERNEL_VERSION(6, 6, 11)))
		return call != LOC_CALL_NONE;
	return call == LOC_CALL_PREFIXED;
}

/* Returns the address after the instruction of a static key; 0: it is another instruction. */
static unsigned long after_key(unsigned long address)
{
	u32 size = LOC_ARCH_KEY_MAX;
	u8 code[LOC_ARCH_KEY_MAX];

	while (size && copy_from_kernel_nofault(code, (const void *)address, size))
		size--;
	size = loc_arch_key_size(loc_arch_running(), code, size);
	return size ? address + size : 0;
}

/*
 * The kernel exchanges the instruction of a key under a breakpoint, which exists for a short time.
 */
#define KEY_TRIES 10

/* Returns the address of the probe of a site; 0: the tables contradict the code there. */
static unsigned long probe_address(const struct btf_extra_site *site)
{
	unsigned long address = 0;
	u32 i;

	if (!(site->flags & BTF_EXTRA_SITE_AFTER_KEY))
		return site->address;
	for (i = 0; !address && i < KEY_TRIES; i++) {
		if (i)
			usleep_range(100, 1000);
		address = after_key(site->address);
	}
	return address;
}

/* The probe is not armed yet, because its owner is called at all of its sites or at none. */
static int add_probe(struct kloc_probes *probes, const struct kloc_site *site,
		     kprobe_pre_handler_t hit, void *owner)
{
	struct kloc_probe *probe = &probes->probes[probes->nr];
	const unsigned long address = probe_address(&site->site);
	int err;

	if (!address || returns_astray(address))
		return -EOPNOTSUPP;
	*probe = (struct kloc_probe){
		.kprobe.addr = (kprobe_opcode_t *)address,
		.kprobe.pre_handler = hit,
		.kprobe.flags = KPROBE_FLAG_DISABLED,
		.owner = owner,
		.args = site->args,
		.site = site->site,
	};
	err = register_kprobe(&probe->kprobe);
	if (!err)
		probes->kprobes[probes->nr++] = &probe->kprobe;
	return err;
}

/* Tries every site, so that the report is complete. -EINTR: the caller is being killed. */
static int add_probes(struct kloc_probes *probes, struct kloc_sites *sites,
		      kprobe_pre_handler_t hit, void *owner)
{
	u32 i;

	for (i = 0; i < sites->nr_sites; i++) {
		struct kloc_site *site = &sites->sites[i];

		if (site->reason)
			continue;
		if (fatal_signal_pending(current))
			return -EINTR;
		site->error = add_probe(probes, site, hit, owner);
		if (site->error)
			site->reason = BTF_EXTRA_REASON_KPROBE;
		cond_resched();
	}
	return 0;
}

static int arm_probes(struct kloc_probes *probes)
{
	u32 i;
	int err = 0;

	for (i = 0; !err && i < probes->nr; i++) {
		err = fatal_signal_pending(current) ? -EINTR : enable_kprobe(probes->kprobes[i]);
		cond_resched();
	}
	return err;
}

int kloc_probes_attach(struct kloc_probes *probes, struct kloc_sites *sites,
		       const struct kloc_request *request, kprobe_pre_handler_t hit, void *owner)
{
	int err;

	if (sites->nr_params < 64 && request->required >> sites->nr_params)
		return -EINVAL;
	err = kloc_sites_leave_out(sites, request);
	if (err)
		return err;
	if (kloc_sites_lacking(sites, request))
		return -EOPNOTSUPP;
	err = add_probes(probes, sites, hit, owner);
	if (err)
		return err;
	if (!probes->nr || kloc_sites_lacking(sites, request))
		return -EOPNOTSUPP;
	/*
	 * The module is held now. If the tables are still the same, they match its text.
	 */
	if (kloc_sites_stale(sites))
		return -EAGAIN;
	return arm_probes(probes);
}

/* ---- counts ---- */

struct kloc_counts kloc_counts_sum(const struct kloc_counts __percpu *counts)
{
	struct kloc_counts total = {};
	int cpu;

	for_each_possible_cpu(cpu) {
		const struct kloc_counts *here = per_cpu_ptr(counts, cpu);

		total.hits += READ_ONCE(here->hits);
		total.missed += READ_ONCE(here->missed);
	}
	return total;
}

u64 kloc_probes_missed(const struct kloc_probes *probes)
{
	u64 missed = 0;
	u32 i;

	for (i = 0; i < probes->nr; i++)
		missed += READ_ONCE(probes->probes[i].kprobe.nmissed);
	return missed;
}
