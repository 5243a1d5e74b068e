// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
/*
 * Prints the processes that tasks.bpf.c finds. As root, with the data module loaded:
 *
 *	./tasks tasks.bpf.o
 */
#include <stdio.h>
#include <sys/mman.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

/* tasks.bpf.c declares it, too. */
struct task {
	int tgid;
	char comm[16];
};

int main(int argc, char **argv)
{
	LIBBPF_OPTS(bpf_test_run_opts, run);
	struct bpf_object *object;
	const struct bpf_map *map;
	const struct task *tasks;
	unsigned int i;

	if (argc != 2) {
		fprintf(stderr, "usage: %s tasks.bpf.o\n", argv[0]);
		return 2;
	}
	object = bpf_object__open_file(argv[1], NULL);
	if (!object || bpf_object__load(object) ||
	    bpf_prog_test_run_opts(bpf_program__fd(bpf_object__next_program(object, NULL)), &run)) {
		perror(argv[1]);
		return 1;
	}
	map = bpf_object__find_map_by_name(object, ".data.tasks");
	tasks = mmap(NULL, bpf_map__value_size(map), PROT_READ, MAP_SHARED, bpf_map__fd(map), 0);
	if (tasks == MAP_FAILED) {
		perror("mmap");
		return 1;
	}
	for (i = 0; i < run.retval; i++)
		printf("%7d %s\n", tasks[i].tgid, tasks[i].comm);
	return 0;
}
