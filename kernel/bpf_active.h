/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel's count of what BPF does on each CPU: a program that a kprobe or
 * tracepoint runs, a system call that changes a map. A program that ran within
 * would find the map's locks held, or its lists half changed.
 */
#ifndef BTF_EXTRA_BPF_ACTIVE_H
#define BTF_EXTRA_BPF_ACTIVE_H

#include <linux/percpu.h>

#include "core/btf_blob.h"

/* The kernel's bpf_prog_active; of our own before bpf_active_learn() has found it. */
extern int __percpu *bpf_active;

/* bpf_prog_active is not exported: BTF of vmlinux tells where it is. */
void bpf_active_learn(const struct btf_blob *vmlinux);

/* Whether a program may run now; then bpf_active_leave() follows. Preemption is off. */
static __always_inline bool bpf_active_enter(void)
{
	if (likely(__this_cpu_inc_return(*bpf_active) == 1))
		return true;
	__this_cpu_dec(*bpf_active);
	return false;
}

static __always_inline void bpf_active_leave(void)
{
	__this_cpu_dec(*bpf_active);
}

#endif
