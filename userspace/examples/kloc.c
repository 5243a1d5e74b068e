// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
/* Prints calls of an inlined function for some seconds: kloc [SECONDS] */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <bpf/libbpf.h>
#include <btf_extra.h>

struct call {
	__u64 site;
	__u64 skb;
	__u32 len;
	__u32 known;
};

static int print_call(void *context, void *data, size_t size)
{
	const struct call *call = data;

	(void)context;
	(void)size;
	if (call->known)
		printf("%#llx: skb=%#llx skb->len=%u\n", call->site, call->skb, call->len);
	else
		printf("%#llx: skb=?\n", call->site);
	return 0;
}

int main(int argc, char **argv)
{
	const struct btf_extra_attach_opts opts = {
		.sz = sizeof(opts),
		.flags = BTF_EXTRA_BEST_EFFORT,
	};
	int seconds = argc > 1 ? atoi(argv[1]) : 10;
	struct ring_buffer *calls = NULL;
	struct bpf_object *object = NULL;
	struct bpf_program *program;
	struct bpf_link *link = NULL;
	int status = 1;
	time_t end;

	/*
	 * After this libbpf knows SEC("kloc/..."). Some sites of skb_headlen are in functions
	 * that tracing itself uses. Without this flag they would make the whole attachment fail.
	 */
	if (btf_extra_register_kloc(&opts) != 0)
		goto failed;
	object = bpf_object__open_file("kloc.bpf.o", NULL);
	if (!object || bpf_object__load(object) != 0) {
		fprintf(stderr, "kloc.bpf.o does not load\n");
		goto out;
	}
	program = bpf_object__find_program_by_name(object, "on_headlen");
	link = bpf_program__attach(program);
	if (!link)
		goto failed;
	calls = ring_buffer__new(bpf_object__find_map_fd_by_name(object, "calls"), print_call, NULL,
				 NULL);
	if (!calls)
		goto out;
	fprintf(stderr, "attached\n");
	end = time(NULL) + seconds;
	while (time(NULL) < end && ring_buffer__poll(calls, 100) >= 0)
		continue;
	status = 0;
	goto out;

failed:
	fprintf(stderr, "%s\n", btf_extra_last_error());
out:
	ring_buffer__free(calls);
	bpf_link__destroy(link);
	bpf_object__close(object);
	return status;
}
