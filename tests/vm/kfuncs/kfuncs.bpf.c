// SPDX-License-Identifier: GPL-2.0
/* Calls the kfuncs of btf_extra.ko, in a program that userspace runs and in one of a kprobe. */
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

#include "tests/vm/kfuncs/kfuncs_state.h"

extern int bpf_btf_extra_func_at(__u64 address) __ksym;
extern int bpf_btf_extra_inlined_at(__u64 address) __ksym;
extern int bpf_btf_extra_sites_at(__u64 address, void *sites, __u32 sites__sz) __ksym;

struct kfuncs_state state;

static __always_inline int ask(__u64 address)
{
	state.runs++;
	state.func = bpf_btf_extra_func_at(address);
	state.inlined = bpf_btf_extra_inlined_at(address);
	state.of_none = bpf_btf_extra_sites_at(address, state.sites, sizeof(state.sites[0]) - 1);
	state.count = bpf_btf_extra_sites_at(address, state.sites, sizeof(state.sites));
	return 0;
}

SEC("syscall")
int on_demand(void *ctx)
{
	return ask(state.address);
}

SEC("kprobe/" KFUNCS_STATE_TARGET)
int at_kprobe(void *ctx)
{
	if (bpf_get_current_pid_tgid() >> 32 != state.pid)
		return 0;
	return ask(state.own ? bpf_get_func_ip(ctx) : state.address);
}

char LICENSE[] SEC("license") = "GPL";
