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
