/* SPDX-License-Identifier: GPL-2.0 */
/* The differences, from kernel 6.1 on, in BPF programs and kfuncs. */
#ifndef BTF_EXTRA_BPF_COMPAT_H
#define BTF_EXTRA_BPF_COMPAT_H

#include <linux/bpf.h>
#include <linux/btf.h>
#include <linux/version.h>

/* 6.9 moved it. */
static inline bool bpf_prog_is_sleepable(const struct bpf_prog *prog)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 9, 0)
	return prog->sleepable;
#else
	return prog->aux->sleepable;
#endif
}

/* From 6.18 on programs may change the registers of uprobes. */
static inline bool bpf_prog_writes_registers(const struct bpf_prog *prog)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 18, 0)
	return prog->aux->kprobe_write_ctx;
#else
	return false;
#endif
}

/* 7.1 moved it. */
static inline u64 bpf_tracing_link_cookie(const struct bpf_tracing_link *link)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(7, 1, 0)
	return link->link.node.cookie;
#else
	return link->link.cookie;
#endif
}

/*
 * Returns true if a tracing program may run now: it does not run on this CPU already. Before 7.0
 * the kernel has no function for it. bpf_prog_leave() must follow in either case.
 */
static __always_inline bool bpf_prog_enter(struct bpf_prog *prog)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(7, 0, 0)
	return bpf_prog_get_recursion_context(prog);
#else
	return this_cpu_inc_return(*prog->active) == 1;
#endif
}

static __always_inline void bpf_prog_leave(struct bpf_prog *prog)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(7, 0, 0)
	bpf_prog_put_recursion_context(prog);
#else
	this_cpu_dec(*prog->active);
#endif
}

/* bpf_link_get_from_fd() is in this namespace since 6.12. 6.13 made its name a string. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
#define IMPORT_BPF_INTERNAL() MODULE_IMPORT_NS("BPF_INTERNAL")
#else
#define IMPORT_BPF_INTERNAL() MODULE_IMPORT_NS(BPF_INTERNAL)
#endif

/*
 * 6.7 put brackets around kfuncs, 6.3 marks each of them, and 6.9 separates them from other sets.
 */
#ifndef __bpf_kfunc
#define __bpf_kfunc __used noinline
#endif
#ifndef __bpf_kfunc_start_defs
#define __bpf_kfunc_start_defs()                                               \
	__diag_push();                                                         \
	__diag_ignore_all("-Wmissing-prototypes", "only BPF programs call kfuncs")
#define __bpf_kfunc_end_defs() __diag_pop()
#endif
#ifndef BTF_KFUNCS_START
#define BTF_KFUNCS_START(name) BTF_SET8_START(name)
#define BTF_KFUNCS_END(name) BTF_SET8_END(name)
#endif

/* Since 6.4 a module can refuse its kfuncs to a program when that is loaded. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 4, 0)
#define KFUNC_SETS_HAVE_FILTERS
#endif

#endif
