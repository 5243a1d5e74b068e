// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
/*
 * Walks the list of all processes, which begins at a variable of the kernel. The kernel's own BTF
 * does not have init_task; that of the data module btf_extra_vmlinux.ko does.
 */
#include <linux/bpf.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
struct list_head {
	struct list_head *next;
};
struct task_struct {
	struct list_head tasks;
	int tgid;
	char comm[16];
};
#pragma clang attribute pop

extern const struct task_struct init_task __ksym;

#define MAX_TASKS 4096

/* tasks.c declares it, too, and reads this section. */
struct task {
	int tgid;
	char comm[16];
} tasks[MAX_TASKS] SEC(".data.tasks");

const struct list_head *at;

/* clang 14 relocates no member at offset 0 of a variable, as tasks is here. */
static const struct list_head *head(void)
{
	return (void *)&init_task + bpf_core_field_offset(struct task_struct, tasks);
}

static long take(__u64 i, void *unused)
{
	const struct task_struct *task;

	at = BPF_CORE_READ(at, next);
	if (!at || at == head() || i >= MAX_TASKS)
		return 1;
	task = (void *)at - bpf_core_field_offset(struct task_struct, tasks);
	tasks[i].tgid = BPF_CORE_READ(task, tgid);
	BPF_CORE_READ_STR_INTO(&tasks[i].comm, task, comm);
	return 0;
}

/* Returns how many there are. */
SEC("syscall")
int list_tasks(void *ctx)
{
	at = head();
	return bpf_loop(MAX_TASKS, take, NULL, 0) - 1;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
