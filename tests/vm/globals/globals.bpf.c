// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
/* Reads variables of the kernel as any program of libbpf does. */
#include <linux/bpf.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
struct list_head {
	struct list_head *next;
};
struct new_utsname {
	char release[65];
};
struct uts_namespace {
	struct new_utsname name;
};
struct task_struct {
	struct list_head tasks;
	int tgid;
	char comm[16];
};
#pragma clang attribute pop

extern const struct task_struct init_task __ksym;
extern const struct uts_namespace init_uts_ns __ksym;
extern char *saved_command_line __ksym;

#define MAX_TASKS 4096

__u32 nr_tasks;
int tgids[MAX_TASKS];
char comm[16], release[65], command_line[256];

const struct list_head *at;

static const struct list_head *head(void)
{
	return (void *)&init_task + bpf_core_field_offset(struct task_struct, tasks);
}

static long take_task(__u64 i, void *unused)
{
	const struct task_struct *task;

	at = BPF_CORE_READ(at, next);
	if (!at || at == head() || i >= MAX_TASKS)
		return 1;
	task = (void *)at - bpf_core_field_offset(struct task_struct, tasks);
	tgids[i] = BPF_CORE_READ(task, tgid);
	nr_tasks = i + 1;
	return 0;
}

SEC("syscall")
int read_globals(void *ctx)
{
	__builtin_memcpy(comm, (const void *)init_task.comm, sizeof(comm));
	bpf_probe_read_kernel(release, sizeof(release), &init_uts_ns.name.release);
	bpf_probe_read_kernel_str(command_line, sizeof(command_line), saved_command_line);
	at = head();
	bpf_loop(MAX_TASKS, take_task, NULL, 0);
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
