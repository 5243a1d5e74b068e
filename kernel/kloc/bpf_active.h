/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel counts running BPF code on each CPU: programs of kprobes and tracepoints, and system
 * calls that change a map. A program that ran inside such code would find the map's locks held or
 * its lists half changed.
 */
#ifndef BTF_EXTRA_BPF_ACTIVE_H
#define BTF_EXTRA_BPF_ACTIVE_H

#include <linux/percpu.h>

#include "core/btf_blob.h"

/* The kernel's bpf_prog_active; NULL: it was not found. */
extern int __percpu *bpf_active;

/*
 * Finds it when the module starts. It is not exported, but vmlinux BTF contains its distance from
 * exported variables. If that is missing, one line is in dmesg.
 */
void bpf_active_init(const struct btf_blob *vmlinux);

/*
 * Returns true if a program may run now. Then bpf_active_leave() must follow. Preemption is off,
 * and an interrupt in between leaves the count as it was.
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
