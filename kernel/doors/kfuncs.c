// SPDX-License-Identifier: GPL-2.0
#define pr_fmt(fmt) "btf_extra: " fmt

/*
 * Programs of type SYSCALL may call these on every kernel. Tracing programs (kprobe, tracepoint,
 * perf event, fentry) may call them from 6.12 on: older kernels have no set of kfuncs for all of
 * them (commit bc638d8cb5be, "bpf: allow kfuncs within tracepoint and perf event programs").
 */
#include <linux/bpf.h>
#include <linux/btf.h>
#include <linux/btf_extra.h>
#include <linux/btf_ids.h>
#include <linux/capability.h>
#include <linux/module.h>

#include "arch/arch.h"
#include "compat/bpf_compat.h"
#include "doors/kfuncs.h"
#include "query/address_view.h"

struct found {
	struct btf_extra_site *sites;
	u32 capacity;
	u32 count;
};

/*
 * A body belongs to the source function, so sites of true signatures are left out. The walk ends at
 * the second site: it may be in NMI.
 */
static int keep_site_of_source(const struct btf_extra_site *site, void *data)
{
	struct found *found = data;

	if (site->flags & BTF_EXTRA_SITE_TRUE_SIGNATURE)
		return 0;
	if (found->count)
		return -ENOTUNIQ;
	*found->sites = *site;
	found->count = 1;
	return 0;
}

static int kfuncs_keep_site(const struct btf_extra_site *site, void *data)
{
	struct found *found = data;

	if (found->count < found->capacity)
		found->sites[found->count] = *site;
	found->count++;
	return 0;
}

/*
 * The rule of /dev/btf_extra: looking up arbitrary addresses would defeat KASLR. Before 6.4 only
 * programs of type SYSCALL can call these, which run in the calling process.
 */
static bool kfuncs_allowed(void)
{
	return perfmon_capable() && address_view_allowed();
}

#ifdef KFUNC_SETS_HAVE_FILTERS
static bool allowed_now(void)
{
	return true;
}
#else
#define allowed_now kfuncs_allowed
#endif

static int at_address(u64 address, u32 flags, btf_extra_site_fn fn, struct found *found)
{
	const struct btf_extra_query query = {
		.by = BTF_EXTRA_BY_ADDRESS,
		.flags = flags,
		.address = address,
	};

	return allowed_now() ? btf_extra_for_each_site(&query, fn, found, NULL) : -EPERM;
}

/* Returns the func id at an address if exactly one function of that class begins there. */
static int only_func_at(u64 address, u32 flags)
{
	struct btf_extra_site site;
	struct found found = { .sites = &site };
	int err = at_address(address, flags, keep_site_of_source, &found);

	if (err)
		return err;
	return found.count ? (int)site.func_id : -ENOENT;
}

__bpf_kfunc_start_defs();

/*
 * Returns the id of the function whose body begins at an address, or after the hook there, in the
 * BTF of its object. -ENOENT: none is known; -ENOTUNIQ: several functions share the body.
 */
__bpf_kfunc int bpf_btf_extra_func_at(u64 address)
{
	int func = only_func_at(address, BTF_EXTRA_BODY_ONLY);

	return func == -ENOENT ? only_func_at(arch_behind_hook(address), BTF_EXTRA_BODY_ONLY) :
				 func;
}

/*
 * Returns the id of the function of which an inlined instance begins at an address. -ENOTUNIQ:
 * several instances begin there. BTF does not say which of them is inside the others, and
 * bpf_btf_extra_sites_at() lists them.
 */
__bpf_kfunc int bpf_btf_extra_inlined_at(u64 address)
{
	return only_func_at(address, BTF_EXTRA_INLINE_ONLY);
}

/*
 * Writes as many struct btf_extra_site at an address as fit. Returns their number, or -ENOENT.
 */
__bpf_kfunc int bpf_btf_extra_sites_at(u64 address, void *sites, u32 sites__sz)
{
	struct found found = { .sites = sites, .capacity = sites__sz / sizeof(*found.sites) };
	int err = at_address(address, 0, kfuncs_keep_site, &found);

	return err ?: (int)found.count;
}

/*
 * Writes as many functions at an address as fit: the inlined ones, innermost first, and last the
 * one with the body. Returns their number; -ENOENT: none; -ENODATA: the object has no frames, or
 * they have not been read. Only BTF_EXTRA_IOC_FRAMES reads them.
 */
__bpf_kfunc int bpf_btf_extra_frames_at(u64 address, struct btf_extra_chain_frame *frames,
					u32 frames__sz)
{
	return allowed_now() ? btf_extra_frames_at(address, frames, frames__sz / sizeof(*frames)) :
			       -EPERM;
}

__bpf_kfunc_end_defs();

BTF_KFUNCS_START(btf_extra_kfuncs)
BTF_ID_FLAGS(func, bpf_btf_extra_func_at)
BTF_ID_FLAGS(func, bpf_btf_extra_inlined_at)
BTF_ID_FLAGS(func, bpf_btf_extra_sites_at)
BTF_ID_FLAGS(func, bpf_btf_extra_frames_at)
BTF_KFUNCS_END(btf_extra_kfuncs)

#ifdef KFUNC_SETS_HAVE_FILTERS
/*
 * The kernel calls this only for kfuncs of this module. The list does not show which, because on a
 * distilled base their ids differ in the kernel's copy of it.
 */
static int kfuncs_filter(const struct bpf_prog *prog, u32 kfunc_id)
{
	return kfuncs_allowed() ? 0 : -EACCES;
}
#endif

static const struct btf_kfunc_id_set kfunc_set = {
	.owner = THIS_MODULE,
	.set = &btf_extra_kfuncs,
#ifdef KFUNC_SETS_HAVE_FILTERS
	.filter = kfuncs_filter,
#endif
};

/* TRACING includes tracepoints and perf events. The kernel refuses a second set for those. */
static const enum bpf_prog_type program_types[] = {
	BPF_PROG_TYPE_SYSCALL,
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
	BPF_PROG_TYPE_KPROBE,
	BPF_PROG_TYPE_TRACING,
#endif
};

void kfuncs_init(void)
{
	u32 i;
	int err = 0;

	for (i = 0; !err && i < ARRAY_SIZE(program_types); i++)
		err = register_btf_kfunc_id_set(program_types[i], &kfunc_set);
	if (err)
		pr_warn_once("kfuncs are not available (%d)\n", err);
}
