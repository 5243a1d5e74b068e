// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
/*
 * Records the arguments of two functions of the kernel: one that is inlined in its system call, and
 * one that is called there.
 */
#include <linux/bpf.h>
#include <linux/ptrace.h>

#include "userspace/bpf/btf_loc.bpf.h"
#include "tests/vm/library/seen.h"

struct seen inlined, body;
int only_pid;

static __always_inline void note(void *ctx, struct seen *seen, __u32 nr_args)
{
	if (bpf_get_current_pid_tgid() >> 32 != only_pid)
		return;
	seen->calls++;
	seen->site = bpf_loc_ip(ctx);
	seen->cookie = bpf_loc_cookie(ctx);
	seen->narrow = 0x77;
	seen->error = bpf_loc_arg(ctx, 0, &seen->narrow);
	seen->beyond = bpf_loc_arg(ctx, nr_args, &seen->nothing);
}

SEC("kloc/vmlinux:ksys_fallocate")
int BPF_KLOC(on_inlined, int fd, int mode, long offset, long len)
{
	note(ctx, &inlined, 4);
	inlined.args[0] = fd;
	inlined.args[1] = mode;
	inlined.args[2] = offset;
	inlined.args[3] = len;
	return 0;
}

SEC("kloc/vmlinux:ksys_write")
int BPF_KLOC(on_body, unsigned int fd, const char *buf, unsigned long count)
{
	note(ctx, &body, 3);
	body.args[0] = fd;
	body.args[1] = (long)buf;
	body.args[2] = count;
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
