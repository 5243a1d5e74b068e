// SPDX-License-Identifier: GPL-2.0
/*
 * Runs the kernel's selftests that the Makefile here takes, instead of their test_progs. Prints one
 * line "NAME ok", "NAME failed" or "NAME skipped" for each test and subtest. Their own output goes
 * to LOG.
 *
 *   selftests LOG
 *
 * It needs bpf_testmod.ko.
 */
#include <test_progs.h>
#include <network_helpers.h>
#include <test_kmods/bpf_testmod.h>

struct test_env env;

/* The tests that tests/vm/selftests/Makefile takes, in an order of their own. */
void test_fentry_test(void);
void test_fexit_test(void);
void test_fentry_fexit(void);
void test_modify_return(void);
void serial_test_fexit_bpf2bpf(void);
void test_tracing_multi_test(void);
void serial_test_tracing_multi_attach_rollback(void);

static const struct {
	const char *name;
	void (*run)(void);
} tests[] = {
	{ "fentry_test", test_fentry_test },
	{ "fexit_test", test_fexit_test },
	{ "fentry_fexit", test_fentry_fexit },
	{ "modify_return", test_modify_return },
	{ "fexit_bpf2bpf", serial_test_fexit_bpf2bpf },
	{ "tracing_multi", test_tracing_multi_test },
	{ "tracing_multi_rollback", serial_test_tracing_multi_attach_rollback },
};

/* The name of the running test and of its subtest. */
static const char *test_name;
static char subtest_name[128];
static unsigned int failures, subtest_failures;
static bool skipped;

static void report(const char *name, unsigned int failed)
{
	dprintf(env.stdout_saved ? fileno(env.stdout_saved) : 1, "%s%s%s %s\n", test_name,
		name ? "/" : "", name ? name : "", failed ? "failed" : skipped ? "skipped" : "ok");
	skipped = false;
}

void test__end_subtest(void)
{
	if (subtest_name[0])
		report(subtest_name, subtest_failures);
	subtest_name[0] = '\0';
	subtest_failures = 0;
}

bool test__start_subtest(const char *name)
{
	test__end_subtest();
	printf("---- %s/%s\n", test_name, name);
	snprintf(subtest_name, sizeof(subtest_name), "%s", name);
	return true;
}

bool test__start_subtest_with_desc(const char *name, const char *description)
{
	return test__start_subtest(name);
}

void test__fail(void)
{
	failures++;
	subtest_failures++;
}

void test__skip(void)
{
	skipped = true;
}

void test__force_log(void)
{
}

/* The guest has no control groups. */
int test__join_cgroup(const char *path)
{
	return -1;
}

void test_loader__run_subtests(struct test_loader *tester, const char *name, skel_elf_bytes_fn bytes)
{
	skipped = true;
}

void test_loader_fini(struct test_loader *tester)
{
}

int trigger_module_test_read(int size)
{
	int fd = open(BPF_TESTMOD_TEST_FILE, O_RDONLY);

	if (!ASSERT_GE(fd, 0, "testmod_file_open"))
		return -errno;
	read(fd, NULL, size);
	close(fd);
	return 0;
}

/* The limit of the vmlinux.h that everything is built with. */
int get_bpf_max_tramp_links(void)
{
	return MAX_TRAMP_LINKS;
}

struct ipv6_packet pkt_v6 = {
	.eth.h_proto = __bpf_constant_htons(ETH_P_IPV6),
	.iph.nexthdr = IPPROTO_TCP,
	.iph.payload_len = __bpf_constant_htons(60),
	.tcp.urg_ptr = 123,
	.tcp.doff = 5,
};

int main(int argc, char **argv)
{
	int fd = argc == 2 ? open(argv[1], O_WRONLY | O_CREAT | O_TRUNC, 0600) : -1;

	if (fd < 0)
		return 2;
	env.stdout_saved = fdopen(dup(1), "w");
	env.stderr_saved = fdopen(dup(2), "w");
	env.jit_enabled = true;
	env.has_testmod = true;
	env.nr_cpus = libbpf_num_possible_cpus();
	dup2(fd, 1);
	dup2(fd, 2);
	setvbuf(stdout, NULL, _IOLBF, 0);
	for (unsigned int i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
		test_name = tests[i].name;
		failures = 0;
		printf("==== %s\n", test_name);
		tests[i].run();
		test__end_subtest();
		report(NULL, failures);
	}
	return 0;
}
