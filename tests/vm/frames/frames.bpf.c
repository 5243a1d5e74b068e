// SPDX-License-Identifier: GPL-2.0
/* Asks bpf_btf_extra_frames_at(), in a program that userspace runs and in one of a kprobe. */
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

#include "tests/vm/frames/frames_state.h"

extern int bpf_btf_extra_frames_at(__u64 address, struct btf_extra_chain_frame *frames,
				   __u32 frames__sz) __ksym;

struct frames_state state;

static __always_inline int ask(void)
{
	state.runs++;
	state.of_none = bpf_btf_extra_frames_at(state.address, state.frames,
						sizeof(state.frames[0]) - 1);
	state.total = bpf_btf_extra_frames_at(state.address, state.frames, sizeof(state.frames));
	return 0;
}

SEC("syscall")
int on_demand(void *ctx)
{
	return ask();
}

SEC("kprobe/" FRAMES_STATE_TARGET)
int at_kprobe(void *ctx)
{
	return bpf_get_current_pid_tgid() >> 32 == state.pid ? ask() : 0;
}

char LICENSE[] SEC("license") = "GPL";
