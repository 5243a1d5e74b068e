// SPDX-License-Identifier: GPL-2.0
/*
 * Programs for any function. They report which function it is and its arguments. The loader sets
 * the id.
 */
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

#include "tests/vm/intree/seen.h"

struct intree_seen seen;

static __always_inline int look(void *ctx)
{
	if (bpf_get_current_pid_tgid() >> 32 != seen.pid)
		return 0;
	seen.runs++;
	seen.function = bpf_get_func_ip(ctx);
	seen.cookie = bpf_get_attach_cookie(ctx);
	seen.count = bpf_get_func_arg_cnt(ctx);
	for (int i = 0; i < SEEN_ARGS; i++) {
		seen.args[i] = 0;
		bpf_get_func_arg(ctx, i, &seen.args[i]);
	}
	return 1;
}

SEC("by_id/fentry")
int enter(void *ctx)
{
	look(ctx);
	return 0;
}

SEC("by_id/fexit")
int leave(void *ctx)
{
	if (look(ctx))
		bpf_get_func_ret(ctx, &seen.returned);
	return 0;
}

SEC("by_id/fmod_ret")
int modify(void *ctx)
{
	return 0;
}

/* libbpf finds any target by name. */
SEC("fentry")
int named(void *ctx)
{
	look(ctx);
	return 0;
}

SEC("syscall")
int peek(void *ctx)
{
	seen.text_error = bpf_probe_read_kernel(seen.text, sizeof(seen.text), (void *)seen.text_at);
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
