// SPDX-License-Identifier: GPL-2.0
/*
 * Tests extra_object_create(): what it accepts, what it refuses, and that nothing is left after
 * that.
 */
#include <kunit/test.h>
#include <linux/sched.h>

#include "objects/object_frames.h"
#include "tests/rows_param.h"
#include "tests/sample_objects.h"

struct object_row {
	const char *name;
	/* what is another than in the plain sample: */
	u8 id_bit;			/* in the build-id of what runs */
	u32 id_size;
	int id_error;
	int base_error;
	struct extra_base sum_bit;	/* in the sum of the file */
	const char *parts;
	int place_error;

	int error;			/* 0: accepted */
	u32 nr_asked;			/* 1 if it came as far as the base, else 0 */
};

static const struct object_row object_rows[] = {
	{ "plain", .nr_asked = 1 },
	{ "another build-id", .id_bit = 1, .error = -ESTALE },
	{ "a shorter build-id", .id_size = 19, .error = -ESTALE },
	{ "no build-id of what runs", .id_error = -ENOENT, .error = -ENOENT },
	{ "no base", .base_error = -EIO, .error = -EIO, .nr_asked = 1 },
	{ "another sum of the base", .sum_bit.crc32 = 0x80000000, .error = -EINVAL,
	  .nr_asked = 1 },
	{ "another size of the base", .sum_bit.size = 1, .error = -EINVAL, .nr_asked = 1 },
	{ "two levels below vmlinux's", .parts = "tli2TIR", .error = -EINVAL, .nr_asked = 1 },
	{ "sections at no place", .place_error = -ERANGE, .error = -ERANGE, .nr_asked = 1 },
};

KUNIT_ARRAY_PARAM_DESC(object, object_rows, name);

static void object_row_test(struct kunit *test)
{
	const struct object_row *row = test->param_value;
	struct sample_world *world = test->priv;
	struct extra_object *object;

	world->build_id[19] ^= row->id_bit;
	if (row->id_size)
		world->build_id_size = row->id_size;
	world->build_id_error = row->id_error;
	world->base_error = row->base_error;
	world->base_sum.size ^= row->sum_bit.size;
	world->base_sum.crc32 ^= row->sum_bit.crc32;
	world->place_error = row->place_error;
	world->file_size = container_write(world->file, &world->blobs, &world->base_sum,
					   row->parts ? row->parts : CONTAINER_PLAIN, 0);
	object = sample_create(world, "kunit", 1);
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(object), row->error);
	KUNIT_EXPECT_EQ(test, world->nr_asked, row->nr_asked);
	extra_object_destroy(object);
}

/*
 * The kernel refuses the same files as the rows of the container, from the bytes of the file to its
 * blobs. The running object has the build-id of the file.
 */
static void object_container_test(struct kunit *test)
{
	const struct container_row *row = test->param_value;
	struct sample_world *world = test->priv;
	struct object_source source = { .name = "kunit" };
	struct extra_object *object;
	struct btf_fault fault;
	struct extra_elf elf;
	u32 size;

	size = container_row_file(row, &world->images, world->file);
	KUNIT_ASSERT_NE_MSG(test, size, 0, "the row itself is wrong");
	source.image = world->file + row->shift;
	source.image_size = row->cut == 0xffffffff ? 0 : size;
	if (!extra_elf_open(&elf, source.image, source.image_size, &fault)) {
		memcpy(world->build_id, elf.build_id.data, elf.build_id.size);
		world->build_id_size = elf.build_id.size;
	}
	world->slide = 1;
	object = extra_object_create(&source, &sample_host);
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(object), row->code || row->whole ? -EINVAL : 0);
	KUNIT_EXPECT_EQ(test, world->nr_asked, row->code ? 0 : 1);
	extra_object_destroy(object);
}

ROWS_PARAM(container, struct container_row, container_rows, container_nr_rows)

static void object_content_test(struct kunit *test)
{
	static const struct {
		u32 id;
		const char *name, *file;
	} funcs[] = {
		{ 3, "base_func" }, { 6, "apple" }, { 7, "pear", "a.c" }, { 8, "pear", "b.c" },
		{ 0, "" }, { 1, "" }, { 4, "" }, { 9, "" }, { 20, "" }, { U32_MAX, "" },
	};
	struct sample_world *world = test->priv;
	struct extra_object *object = sample_create(world, "kunit", 3);
	u32 i;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, object);
	KUNIT_EXPECT_STREQ(test, object->name, "kunit");
	KUNIT_EXPECT_NULL(test, object->module);
	KUNIT_EXPECT_EQ(test, object->build_id_size, 20);
	KUNIT_EXPECT_MEMEQ(test, object->build_id, "the running kernel.", 20);
	KUNIT_EXPECT_EQ(test, object->nr_sites[LOC_CLASS_INLINE], 6);
	KUNIT_EXPECT_EQ(test, object->nr_sites[LOC_CLASS_BODY], 2);
	KUNIT_EXPECT_EQ(test, object->blobs.index.nr_funcs, SAMPLE_NR_FUNCS);
	KUNIT_EXPECT_EQ(test, object->blobs.types.first_id, 4);
	KUNIT_ASSERT_EQ(test, object->blobs.index.nr_elf_sections, 2);
	KUNIT_EXPECT_EQ(test, object->sections[0].address, 0x301000);
	KUNIT_EXPECT_EQ(test, object->sections[0].size, 0x100);
	KUNIT_EXPECT_EQ(test, object->sections[1].address, 0x304000);
	KUNIT_EXPECT_EQ(test, object->sections[1].size, 0x80);
	/*
	 * The blobs have 172 and 393 bytes. There are tables by offset and by name, and two files.
	 */
	KUNIT_EXPECT_GE(test, object->bytes, 172 + 393 + 8 * 4 + 4 * 4 + 2 * 8);
	KUNIT_EXPECT_LT(test, object->bytes, 1024);

	for (i = 0; i < ARRAY_SIZE(funcs); i++) {
		KUNIT_EXPECT_STREQ(test, extra_object_func_name(object, funcs[i].id),
				   funcs[i].name);
		KUNIT_EXPECT_STREQ(test, extra_object_func_file(object, funcs[i].id) ?: "-",
				   funcs[i].file ?: "-");
	}

	/* The object has a copy of the bytes, so the originals may be freed. */
	memset(world->file, 0xff, world->file_size);
	KUNIT_EXPECT_STREQ(test, extra_object_func_name(object, 6), "apple");
	extra_object_destroy(object);
	extra_object_destroy(NULL);
}

static void object_keep_test(struct kunit *test)
{
	struct sample_world *world = test->priv;
	const struct object_source source = {
		.name = "kunit",
		.image = world->file,
		.image_size = world->file_size,
		.types = { world->blobs.types.data, world->blobs.types.size },
		.keep = true,
	};
	struct extra_object *object = extra_object_create(&source, &sample_host);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, object);
	KUNIT_EXPECT_PTR_EQ(test, object->blobs.types.data, (const u8 *)world->blobs.types.data);
	KUNIT_EXPECT_PTR_EQ(test, object->blobs.func_info.data, (const u8 *)world->file + 816);
	extra_object_destroy(object);
}

static void object_name_test(struct kunit *test)
{
	struct sample_world *world = test->priv;
	char name[BTF_EXTRA_OBJECT_NAME_LEN + 1];
	struct extra_object *object;

	memset(name, 'n', sizeof(name));
	name[BTF_EXTRA_OBJECT_NAME_LEN] = '\0';
	object = sample_create(world, name, 1);
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(object), -EINVAL);
	extra_object_destroy(object);
	object = sample_create(world, name + 1, 1);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, object);
	KUNIT_EXPECT_STREQ(test, object->name, name + 1);
	extra_object_destroy(object);
}

/* One module has BTF of its own (this one), and one has none. */
static void object_module_test(struct kunit *test)
{
	struct sample_world *world = test->priv;
	struct object_source source = {
		.name = "kunit",
		.module = THIS_MODULE,
		.image = world->file,
		.image_size = world->file_size,
	};
	struct extra_object *object = extra_object_create(&source, &sample_host);
	struct module *other;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, object);
	KUNIT_EXPECT_PTR_EQ(test, object->module, (const struct module *)THIS_MODULE);
	extra_object_destroy(object);

	source.image_size = container_write(world->file, &world->blobs, NULL, "tli2TIR", 0);
	object = extra_object_create(&source, &sample_host);
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(object), -EINVAL);

	other = kunit_kzalloc(test, sizeof(*other), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, other);
	strscpy(other->name, "no_such_module");
	source.module = other;
	object = extra_object_create(&source, &sample_host);
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(object), -ENOENT);

	source.image_size = container_write(world->file, &world->blobs, NULL, "tli3TIR", 0);
	object = extra_object_create(&source, &sample_host);
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(object), -EINVAL);
}

/* Frames come later, from a file that need not be the one that the object was made from. */
static void object_frames_test(struct kunit *test)
{
	struct sample_world *world = test->priv;
	struct extra_object *object = sample_create(world, "kunit", 1);
	struct extra_elf elf;
	struct btf_fault fault;
	size_t bytes;
	u32 i;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, object);
	bytes = extra_object_bytes(object);
	KUNIT_EXPECT_NULL(test, object_frames_bytes(object).data);
	KUNIT_EXPECT_EQ(test, object_frames_take(object, world->file, world->file_size), -ENOENT);
	KUNIT_EXPECT_EQ(test, object_frames_take(object, world->file, 8), -EINVAL);

	sample_write_frames(world);
	KUNIT_ASSERT_EQ(test, extra_elf_open(&elf, world->file, world->file_size, &fault), 0);
	for (i = 0; i < 4; i++) {
		/* The last byte of each: in the frames it is the size of the instance. */
		const struct extra_bytes parts[] = {
			elf.types, elf.func_info, elf.build_id, elf.frames
		};
		u8 *last = (u8 *)parts[i].data + parts[i].size - 1;

		*last ^= 0x40;
		KUNIT_EXPECT_EQ_MSG(test, object_frames_take(object, world->file, world->file_size),
				    -EINVAL, "part %u", i);
		*last ^= 0x40;
	}
	KUNIT_EXPECT_NULL(test, object_frames_bytes(object).data);

	KUNIT_EXPECT_EQ(test, object_frames_take(object, world->file, world->file_size), 0);
	KUNIT_EXPECT_EQ(test, object_frames_bytes(object).size, SAMPLE_FRAMES_SIZE);
	KUNIT_EXPECT_MEMEQ(test, object_frames_bytes(object).data, elf.frames.data,
			   SAMPLE_FRAMES_SIZE);
	/* It is a copy. */
	KUNIT_EXPECT_PTR_NE(test, object_frames_bytes(object).data, elf.frames.data);
	KUNIT_EXPECT_EQ(test, extra_object_bytes(object), bytes + SAMPLE_FRAMES_SIZE);
	extra_object_destroy(object);
}

/*
 * Each allocation fails once, until none is left to fail. kmemleak finds what is not freed: the
 * guest asks it after the run.
 */
/* The object keeps its own copy of the expressions. */
static void object_expressions_test(struct kunit *test)
{
	struct sample_world *world = test->priv;
	struct loc_expression expression;
	struct extra_object *object;
	size_t without;

	object = sample_create(world, "kunit", 3);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, object);
	KUNIT_EXPECT_NULL(test, object->blobs.expressions.section.data);
	without = extra_object_bytes(object);
	extra_object_destroy(object);
	world->file_size = container_write(world->file, &world->blobs, &world->base_sum,
					   "tli1TIx", 0);
	object = sample_create(world, "kunit", 3);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, object);
	memset(world->file, 'X', sizeof(world->file));
	KUNIT_EXPECT_EQ(test, object->blobs.expressions.section.size, 32);
	KUNIT_EXPECT_EQ(test, extra_object_bytes(object), without + 32);
	KUNIT_EXPECT_TRUE(test, loc_expressions_find(&object->blobs.expressions, 15, 1,
						     &expression));
	KUNIT_EXPECT_FALSE(test, loc_expressions_find(&object->blobs.expressions, 15, 0,
						      &expression));
	KUNIT_EXPECT_EQ(test, expression.nr_steps, 2);
	extra_object_destroy(object);
}

static void object_no_memory_test(struct kunit *test)
{
#ifdef CONFIG_FAILSLAB
	struct sample_world *world = test->priv;
	u32 nr_failed = 0;
	u32 nth;

	for (nth = 1; nth < 100; nth++) {
		struct extra_object *object;
		bool injected;

		current->fail_nth = nth;
		object = sample_create(world, "kunit", 1);
		injected = !current->fail_nth;
		current->fail_nth = 0;
		if (IS_ERR(object)) {
			KUNIT_EXPECT_EQ_MSG(test, PTR_ERR(object), -ENOMEM, "allocation %u", nth);
			KUNIT_EXPECT_TRUE(test, injected);
			nr_failed++;
		} else {
			KUNIT_EXPECT_EQ(test, object->blobs.index.nr_sites, SAMPLE_NR_SITES);
		}
		extra_object_destroy(object);
		if (!injected)
			break;
	}
	/*
	 * The allocations are copies and offsets of types and func_info, tables, sections and
	 * files. An allocation of more than a page falls back to vmalloc().
	 */
	KUNIT_EXPECT_GE_MSG(test, nr_failed, 7,
			    "failslab must take GFP_KERNEL: ignore-gfp-wait is N in debugfs");
	KUNIT_EXPECT_LT(test, nth, 100);
#else
	kunit_skip(test, "no CONFIG_FAILSLAB");
#endif
}

static struct kunit_case object_cases[] = {
	KUNIT_CASE_PARAM(object_row_test, object_gen_params),
	KUNIT_CASE_PARAM(object_container_test, container_gen_params),
	KUNIT_CASE(object_content_test),
	KUNIT_CASE(object_keep_test),
	KUNIT_CASE(object_name_test),
	KUNIT_CASE(object_module_test),
	KUNIT_CASE(object_frames_test),
	KUNIT_CASE(object_expressions_test),
	KUNIT_CASE(object_no_memory_test),
	{ }
};

static struct kunit_suite object_suite = {
	.name = "btf_extra_object",
	.init = sample_init,
	.exit = sample_exit,
	.test_cases = object_cases,
};

kunit_test_suite(object_suite);
