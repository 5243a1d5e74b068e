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

/* The kernel's bpf_prog_active; NULL: it has not been found. */
extern int __percpu *bpf_active;

/*
 * Finds it when the module starts. It is not exported, but BTF of vmlinux tells how far it is
 * from variables that are. Says in dmesg where it does not.
 */
void bpf_active_init(const struct btf_blob *vmlinux);

/*
 * Whether a program may run now; then bpf_active_leave() follows. Preemption is off,
 * and what interrupts in between leaves the count as it was.
 */
static __always_inline bool bpf_active_enter(int __percpu *active)
{
	if (unlikely(__this_cpu_read(*active)))
		return false;
	__this_cpu_inc(*active);
	return true;
}

static __always_inline void bpf_active_leave(int __percpu *active)
{
	__this_cpu_dec(*active);
}

#endif
