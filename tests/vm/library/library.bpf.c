// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
/* Records the arguments of the kernel's lseek(), inlined in the system call and out of line. */
#include <linux/bpf.h>
#include <linux/ptrace.h>

#include "userspace/bpf/btf_loc.bpf.h"
#include "tests/vm/library/seen.h"

struct seen inlined, body;
int only_pid;

static __always_inline void note(void *ctx, struct seen *seen, __u32 fd, __s64 offset, __u32 whence)
{
	if (bpf_get_current_pid_tgid() >> 32 != only_pid)
		return;
	seen->calls++;
	seen->fd = fd;
	seen->offset = offset;
	seen->whence = whence;
	seen->site = bpf_loc_ip(ctx);
	seen->cookie = bpf_loc_cookie(ctx);
	seen->narrow = 0x77;
	seen->error = bpf_loc_arg(ctx, 2, &seen->narrow);
	seen->beyond = bpf_loc_arg(ctx, 3, &seen->nothing);
}

SEC("kloc/vmlinux:__do_sys_lseek")
int BPF_KLOC(on_inlined, unsigned int fd, long offset, unsigned int whence)
{
	note(ctx, &inlined, fd, offset, whence);
	return 0;
}

SEC("kloc/vmlinux:ksys_lseek")
int BPF_KLOC(on_body, unsigned int fd, long offset, unsigned int whence)
{
	note(ctx, &body, fd, offset, whence);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
