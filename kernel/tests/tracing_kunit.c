// SPDX-License-Identifier: GPL-2.0
/* Tests what a tracing program is compared with, and what it may read. No program here runs. */
#include <kunit/test.h>
#include <linux/bpf.h>
#include <linux/btf.h>
#include <linux/filter.h>

#include "kloc/tracing_program.h"
#include "objects/object_registry.h"
#include "tests/rows_param.h"
#include "tests/sample_objects.h"

#define MAX_PARAMS 3
#define MAX_INSNS 4
#define ANY U32_MAX

static struct bpf_prog *make_prog(struct kunit *test)
{
	struct bpf_prog *prog = kunit_kzalloc(test, struct_size(prog, insnsi, MAX_INSNS),
					      GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, prog);
	prog->aux = kunit_kzalloc(test, sizeof(*prog->aux), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, prog->aux);
	return prog;
}

/* ---- what it reads ---- */

struct reads_row {
	const char *name;
	u32 max_ctx_offset;
	bool tail_call_reachable;
	struct bpf_insn insns[MAX_INSNS];
	u32 reads;
};

static const struct reads_row reads_rows[] = {
	{ "nothing", 0, false, { BPF_EXIT_INSN() }, 0 },
	{ "its first three words", 24, false, { BPF_EXIT_INSN() }, 24 },
	{ "an argument by number", 0, false,
	  { BPF_LDX_MEM(BPF_DW, BPF_REG_0, BPF_REG_1, -8),
	    BPF_JMP32_REG(BPF_JGE, BPF_REG_2, BPF_REG_0, 6) }, ANY },
	{ "an argument by number, on 7.x", 8, false,
	  { BPF_MOV64_IMM(BPF_REG_2, 3), BPF_LDX_MEM(BPF_DW, BPF_REG_0, BPF_REG_1, -8),
	    BPF_ALU64_IMM(BPF_AND, BPF_REG_0, 0xff) }, ANY },
	{ "the address of the function", 8, false,
	  { BPF_LDX_MEM(BPF_DW, BPF_REG_0, BPF_REG_1, -16) }, 8 },
	{ "its own stack", 8, false, { BPF_LDX_MEM(BPF_DW, BPF_REG_0, BPF_REG_10, -8) }, 8 },
	{ "a word before another pointer", 8, false,
	  { BPF_LDX_MEM(BPF_DW, BPF_REG_3, BPF_REG_1, -8) }, 8 },
	{ "half of that word", 8, false, { BPF_LDX_MEM(BPF_W, BPF_REG_0, BPF_REG_1, -8) }, 8 },
	{ "what a tail call leads to", 8, false,
	  { BPF_RAW_INSN(BPF_JMP | BPF_TAIL_CALL, 0, 0, 0, 0) }, ANY },
	{ "what a tail call of a function leads to", 8, true, { BPF_EXIT_INSN() }, ANY },
};

static void reads_row_test(struct kunit *test)
{
	const struct reads_row *row = test->param_value;
	struct bpf_prog *prog = make_prog(test);

	prog->len = MAX_INSNS;
	memcpy(prog->insnsi, row->insns, sizeof(row->insns));
	prog->aux->max_ctx_offset = row->max_ctx_offset;
	prog->aux->tail_call_reachable = row->tail_call_reachable;
	KUNIT_EXPECT_EQ(test, tracing_program_reads(prog), row->reads);
}

ROWS_PARAM(reads, struct reads_row, reads_rows, ARRAY_SIZE(reads_rows))

/* ---- which function ---- */

/* See sample_objects.h: apple (6) has a body at 0x10 of .text, and takes an int (1). */
struct function_row {
	const char *name;
	const char *func_name;		/* as the verifier knew it */
	u32 nr_params;
	u32 params[MAX_PARAMS];		/* likewise */
	u32 address;			/* where it is attached, in .text */
	u32 func_id;			/* what is asked for */
	u32 reads;
	int error;
	u64 required;
};

static const struct function_row function_rows[] = {
	{ "its function", "apple", 1, { 1 }, 0x10, 6, 8, 0, 1 },
	{ "half of its argument", "apple", 1, { 1 }, 0x10, 6, 4, 0, 1 },
	{ "it reads nothing", "apple", 1, { 1 }, 0x10, 6, 0, 0, 0 },
	{ "it may read all", "apple", 1, { 1 }, 0x10, 6, ANY, 0, 1 },
	{ "attached to another function", "apple", 1, { 1 }, 0x30, 6, 8, -EINVAL },
	{ "attached to an inlined site", "apple", 1, { 1 }, 0x20, 6, 8, -EINVAL },
	{ "attached to no function", "apple", 1, { 1 }, 0x11, 6, 8, -EINVAL },
	{ "another name at that address", "pear", 1, { 1 }, 0x10, 6, 8, -EINVAL },
	{ "another type", "apple", 1, { 2 }, 0x10, 6, 8, -EINVAL },
	{ "no parameter", "apple", 0, {}, 0x10, 6, 0, -EINVAL },
	{ "one more parameter", "apple", 2, { 1, 1 }, 0x10, 6, 8, -EINVAL },
	{ "another function of its name, without a body", "pear", 1, { 1 }, 0x30, 7, 8, -EINVAL },
	{ "what is no function", "apple", 1, { 1 }, 0x10, 4, 8, -EINVAL },
	{ "beyond all types", "apple", 1, { 1 }, 0x10, U32_MAX, 8, -EINVAL },
};

/* Here func_id is the function that is found by the address. */
static const struct function_row find_rows[] = {
	{ "its function", "apple", 1, { 1 }, 0x10, 6 },
	{ "the one of its name that has a body", "pear", 2, { 1, 0 }, 0x30, 8 },
	{ "another name at that address", "pear", 1, { 1 }, 0x10, .error = -ENOENT },
	{ "the body of another function", "apple", 1, { 1 }, 0x30, .error = -ENOENT },
	{ "an inlined site", "apple", 1, { 1 }, 0x20, .error = -ENOENT },
	{ "between sites", "apple", 1, { 1 }, 0x11, .error = -ENOENT },
	{ "after all text", "apple", 1, { 1 }, 0x80000, .error = -ENOENT },
	{ "another type", "apple", 1, { 2 }, 0x10, .error = -EINVAL },
	{ "one more parameter", "apple", 2, { 1, 1 }, 0x10, .error = -EINVAL },
};

static void set_function(struct kunit *test, struct bpf_prog *prog, const struct function_row *row)
{
	struct btf_type *proto = kunit_kzalloc(test, sizeof(*proto) +
					       MAX_PARAMS * sizeof(struct btf_param), GFP_KERNEL);
	struct btf_param *params = (void *)(proto + 1);
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, proto);
	proto->info = BTF_KIND_FUNC_PROTO << 24 | row->nr_params;
	for (i = 0; i < row->nr_params; i++)
		params[i].type = row->params[i];
	prog->aux->attach_func_proto = proto;
	prog->aux->attach_func_name = row->func_name;
	if (row->reads == ANY)
		prog->aux->tail_call_reachable = true;
	else
		prog->aux->max_ctx_offset = row->reads;
}

static void function_row_test(struct kunit *test)
{
	const struct function_row *row = test->param_value;
	struct extra_object *object = sample_create(test->priv, "sample", 1);
	struct kloc_request request = { .func_id = row->func_id, .inexact = true };
	struct kloc_program program = { .function = sample_text(1) + row->address };

	program.prog = make_prog(test);
	set_function(test, program.prog, row);
	KUNIT_ASSERT_FALSE(test, IS_ERR(object));
	KUNIT_ASSERT_EQ(test, registry_add(object), 0);
	rcu_read_lock();
	KUNIT_EXPECT_EQ(test, tracing_program_compare(&program, registry_state(), object, &request),
			row->error);
	rcu_read_unlock();
	extra_object_destroy(registry_remove("sample", NULL));
	KUNIT_EXPECT_EQ(test, request.required, row->required);
	KUNIT_EXPECT_EQ(test, request.slots, !row->error);
	if (row->error)
		return;
	KUNIT_EXPECT_FALSE(test, request.inexact);
	KUNIT_EXPECT_EQ(test, program.nr_slots, 1);
	KUNIT_EXPECT_EQ(test, program.readable, row->required ? BTF_EXTRA_ARGS_NONE : 0);
}

ROWS_PARAM(function, struct function_row, function_rows, ARRAY_SIZE(function_rows))

static void find_row_test(struct kunit *test)
{
	const struct function_row *row = test->param_value;
	struct extra_object *object = sample_create(test->priv, "sample", 1);
	struct kloc_program program = { .function = sample_text(1) + row->address };
	struct kloc_request request = {};

	program.prog = make_prog(test);
	set_function(test, program.prog, row);
	KUNIT_ASSERT_FALSE(test, IS_ERR(object));
	KUNIT_ASSERT_EQ(test, registry_add(object), 0);
	rcu_read_lock();
	KUNIT_EXPECT_EQ(test, tracing_program_find(&program, registry_state(), &request),
			row->error);
	rcu_read_unlock();
	KUNIT_EXPECT_EQ(test, request.object, row->error ? 0 : object->id);
	KUNIT_EXPECT_EQ(test, request.func_id, row->func_id);
	extra_object_destroy(registry_remove("sample", NULL));
}

ROWS_PARAM(find, struct function_row, find_rows, ARRAY_SIZE(find_rows))

/* A trampoline has the body, so a request for more than the inlined sites is none for us. */
static void classes_test(struct kunit *test)
{
	const u32 classes[] = { 0, BTF_EXTRA_BODY_ONLY };
	struct kloc_program program = { .prog = make_prog(test) };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(classes); i++) {
		struct kloc_request request = { .classes = classes[i], .object = U32_MAX };

		KUNIT_EXPECT_EQ(test, tracing_program_prepare(&program, &request), -EINVAL);
		request.classes = BTF_EXTRA_INLINE_ONLY;
		KUNIT_EXPECT_EQ(test, tracing_program_prepare(&program, &request), -ENOENT);
	}
}

/* ---- once ---- */

static void follow_test(struct kunit *test)
{
	struct bpf_prog *prog = make_prog(test);
	struct kloc_program one = { .prog = prog, .link_id = 1 };
	struct kloc_program again = one;
	struct kloc_program two = { .prog = prog, .link_id = 2 };
	struct kloc_program before = { .prog = prog };
	struct kloc_program other = { .prog = make_prog(test) };

	KUNIT_EXPECT_EQ(test, tracing_program_follow(&one), 0);
	KUNIT_EXPECT_EQ(test, tracing_program_follow(&again), -EEXIST);
	KUNIT_EXPECT_EQ(test, tracing_program_follow(&two), 0);
	tracing_program_unfollow(&one);
	KUNIT_EXPECT_EQ(test, tracing_program_follow(&again), 0);
	/* A program without a link has the link that comes. */
	KUNIT_EXPECT_EQ(test, tracing_program_follow(&before), -EEXIST);
	tracing_program_unfollow(&again);
	tracing_program_unfollow(&two);
	KUNIT_EXPECT_EQ(test, tracing_program_follow(&before), 0);
	KUNIT_EXPECT_EQ(test, tracing_program_follow(&one), -EEXIST);
	KUNIT_EXPECT_EQ(test, tracing_program_follow(&other), 0);
	tracing_program_unfollow(&other);
	tracing_program_unfollow(&before);
}

static struct kunit_case tracing_cases[] = {
	KUNIT_CASE_PARAM(reads_row_test, reads_gen_params),
	KUNIT_CASE_PARAM(function_row_test, function_gen_params),
	KUNIT_CASE_PARAM(find_row_test, find_gen_params),
	KUNIT_CASE(classes_test),
	KUNIT_CASE(follow_test),
	{ }
};

static struct kunit_suite tracing_suite = {
	.name = "btf_extra_tracing",
	.init = sample_init,
	.exit = sample_exit,
	.test_cases = tracing_cases,
};

kunit_test_suite(tracing_suite);
