// SPDX-License-Identifier: GPL-2.0
/*
 * Calls /dev/btf_extra as the VFS does, with structs in user memory. Tests what is refused, and
 * reads one object in pages. See sample_objects.h.
 */
#include <kunit/test.h>
#include <linux/btf_extra.h>
#include <linux/fs.h>
#include <linux/mman.h>
#include <linux/uaccess.h>

#include "doors/query_device.h"
#include "objects/object_frames.h"
#include "objects/object_registry.h"
#include "tests/sample_objects.h"

#define USER_SIZE (4 * PAGE_SIZE)

/* Offsets in the user memory. */
#define AT_ARGUMENT 0
#define AT_OBJECT 0x200
#define AT_NAME 0x400
#define AT_FILE 0x600
#define AT_LONG 0x800		/* BTF_EXTRA_NAME_MAX bytes without a NUL, then one */
#define AT_RESULTS 0x2000
#define AT_FILES 0x3000

struct device_fixture {
	struct file *file;
	struct extra_object *one;
	unsigned long user;
	u32 object;		/* its id */
};

static struct device_fixture fixture;

static void put(struct kunit *test, unsigned long at, const void *data, size_t size)
{
	KUNIT_ASSERT_EQ(test, copy_to_user((void __user *)(fixture.user + at), data, size), 0);
}

static void get(struct kunit *test, unsigned long at, void *data, size_t size)
{
	KUNIT_ASSERT_EQ(test, copy_from_user(data, (void __user *)(fixture.user + at), size), 0);
}

static long call(unsigned int command)
{
	return query_device_operations.unlocked_ioctl(fixture.file, command,
						      fixture.user + AT_ARGUMENT);
}

static int device_test_init(struct kunit *test)
{
	char long_name[BTF_EXTRA_NAME_MAX + 1];
	struct extra_object *object;

	memset(&fixture, 0, sizeof(fixture));
	sample_init(test);
	/* A kernel thread does not see /dev. */
	fixture.file = kunit_kzalloc(test, sizeof(*fixture.file), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, fixture.file);
	KUNIT_ASSERT_EQ(test, query_device_operations.open(NULL, fixture.file), 0);
	fixture.user = kunit_vm_mmap(test, NULL, 0, USER_SIZE, PROT_READ | PROT_WRITE,
				     MAP_ANONYMOUS | MAP_PRIVATE, 0);
	KUNIT_ASSERT_NE(test, fixture.user, 0);
	KUNIT_ASSERT_LT(test, fixture.user, (unsigned long)TASK_SIZE);
	put(test, AT_OBJECT, "one", 4);
	put(test, AT_NAME, "pear", 5);
	put(test, AT_FILE, "b.c", 4);
	memset(long_name, 'n', sizeof(long_name));
	long_name[BTF_EXTRA_NAME_MAX] = '\0';
	put(test, AT_LONG, long_name, sizeof(long_name));
	object = sample_create(test->priv, "one", 1);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, object);
	KUNIT_ASSERT_EQ(test, registry_add(object), 0);
	fixture.one = object;
	fixture.object = object->id;
	return 0;
}

static void device_test_exit(struct kunit *test)
{
	extra_object_destroy(registry_remove("one", NULL));
	sample_exit(test);
}

struct lookup_row {
	const char *name;
	struct btf_extra_lookup lookup;	/* its pointers are offsets in the user memory */
	int error;
	u32 total, count;
	u32 first_number;		/* number of the first site that is written */
};

#define BAD_POINTER 0x7fff00000000ull
#define RESULTS .sites = AT_RESULTS, .capacity = 16
#define BY_ID .by = BTF_EXTRA_BY_ID
#define BY_NAME .by = BTF_EXTRA_BY_NAME
#define BY_ADDRESS .by = BTF_EXTRA_BY_ADDRESS

static const struct lookup_row lookup_rows[] = {
	{ "id", { BY_ID, .object = AT_OBJECT, .func_id = 6, RESULTS }, 0, 4, 4, 1 },
	{ "name", { BY_NAME, .name = AT_NAME, RESULTS }, 0, 3, 3, 3 },
	{ "name and file", { BY_NAME, .name = AT_NAME, .file = AT_FILE, RESULTS }, 0, 2, 2, 4 },
	{ "address", { BY_ADDRESS, .address = 0x101010, RESULTS }, 0, 4, 4, 0 },
	{ "room for no site", { BY_ID, .object = AT_OBJECT, .func_id = 6 }, 0, 4, 0 },
	{ "room for one site", { BY_ID, .object = AT_OBJECT, .func_id = 6, .sites = AT_RESULTS,
	  .capacity = 1 }, 0, 4, 1, 1 },
	{ "the third site and on", { BY_ID, .object = AT_OBJECT, .func_id = 6, .first = 2,
	  RESULTS }, 0, 4, 2, 5 },
	{ "one site from the second on", { BY_ID, .object = AT_OBJECT, .func_id = 6, .first = 1,
	  .sites = AT_RESULTS, .capacity = 1 }, 0, 4, 1, 2 },
	{ "after the last site", { BY_ID, .object = AT_OBJECT, .func_id = 6, .first = 4,
	  RESULTS }, 0, 4, 0 },
	{ "far after the last site", { BY_ID, .object = AT_OBJECT, .func_id = 6,
	  .first = U32_MAX, RESULTS }, 0, 4, 0 },
	{ "room for more than there can be", { BY_ID, .object = AT_OBJECT, .func_id = 6,
	  .sites = AT_RESULTS, .capacity = U32_MAX }, 0, 4, 4, 1 },
	{ "nothing of that id", { BY_ID, .object = AT_OBJECT, .func_id = 5, RESULTS }, -ENOENT },

	{ "first reserved field", { BY_NAME, .name = AT_NAME, .reserved = { 1 } }, -EINVAL },
	{ "second reserved field", { BY_NAME, .name = AT_NAME, .reserved = { 0, 1 } }, -EINVAL },
	{ "by nothing", { .object = AT_OBJECT }, -EINVAL },
	{ "by what later days know", { .by = 4, .object = AT_OBJECT }, -EINVAL },
	{ "a flag of later days", { BY_NAME, .name = AT_NAME, .flags = 4 }, -EINVAL },
	{ "both classes", { BY_NAME, .name = AT_NAME, .flags = 3 }, -EINVAL },
	{ "id without an object", { BY_ID, .func_id = 6 }, -EINVAL },
	{ "id and a name", { BY_ID, .object = AT_OBJECT, .func_id = 6, .name = AT_NAME },
	  -EINVAL },
	{ "id and a file", { BY_ID, .object = AT_OBJECT, .func_id = 6, .file = AT_FILE },
	  -EINVAL },
	{ "id and an address", { BY_ID, .object = AT_OBJECT, .func_id = 6, .address = 1 },
	  -EINVAL },
	{ "name and an id", { BY_NAME, .name = AT_NAME, .func_id = 6 }, -EINVAL },
	{ "name and an address", { BY_NAME, .name = AT_NAME, .address = 1 }, -EINVAL },
	{ "address and an id", { BY_ADDRESS, .address = 0x101010, .func_id = 6 }, -EINVAL },
	{ "address and a name", { BY_ADDRESS, .address = 0x101010, .name = AT_NAME }, -EINVAL },
	{ "address and a file", { BY_ADDRESS, .address = 0x101010, .file = AT_FILE }, -EINVAL },
	{ "no name", { BY_NAME }, -EINVAL },
	{ "a name that is too long", { BY_NAME, .name = AT_LONG }, -EINVAL },
	{ "the longest name", { BY_NAME, .name = AT_LONG + 1 }, -ENOENT },
	{ "an object whose name is too long", { BY_NAME, .name = AT_NAME, .object = AT_LONG },
	  -EINVAL },
	{ "name at no memory", { BY_NAME, .name = BAD_POINTER }, -EFAULT },
	{ "object at no memory", { BY_NAME, .name = AT_NAME, .object = BAD_POINTER }, -EFAULT },
	{ "file at no memory", { BY_NAME, .name = AT_NAME, .file = BAD_POINTER }, -EFAULT },
	{ "sites at no memory", { BY_NAME, .name = AT_NAME, .sites = BAD_POINTER,
	  .capacity = 1 }, -EFAULT },
	{ "sites at no memory, and no room", { BY_NAME, .name = AT_NAME,
	  .sites = BAD_POINTER }, 0, 3, 0 },
};

KUNIT_ARRAY_PARAM_DESC(lookup, lookup_rows, name);

/* Turns an offset into a user address. */
static u64 user_pointer(u64 place)
{
	return place && place != BAD_POINTER ? fixture.user + place : place;
}

static void device_lookup_test(struct kunit *test)
{
	const struct lookup_row *row = test->param_value;
	struct btf_extra_lookup lookup = row->lookup;
	struct btf_extra_lookup before;
	struct btf_extra_site site = {};

	lookup.object = user_pointer(lookup.object);
	lookup.name = user_pointer(lookup.name);
	lookup.file = user_pointer(lookup.file);
	lookup.sites = user_pointer(lookup.sites);
	lookup.count = 77;
	before = lookup;
	put(test, AT_ARGUMENT, &lookup, sizeof(lookup));
	KUNIT_EXPECT_EQ(test, call(BTF_EXTRA_IOC_LOOKUP), row->error);
	get(test, AT_ARGUMENT, &lookup, sizeof(lookup));
	if (row->error) {
		KUNIT_EXPECT_MEMEQ(test, &lookup, &before, sizeof(lookup));
		return;
	}
	KUNIT_EXPECT_EQ(test, lookup.total, row->total);
	KUNIT_EXPECT_EQ(test, lookup.count, row->count);
	KUNIT_EXPECT_EQ(test, lookup.result, 0);
	KUNIT_EXPECT_EQ(test, lookup.capacity, before.capacity);
	if (!lookup.count)
		return;
	get(test, AT_RESULTS, &site, sizeof(site));
	KUNIT_EXPECT_EQ(test, site.object, fixture.object);
	KUNIT_EXPECT_EQ(test, site.number, row->first_number);
	/* Nothing is written after the last site. */
	get(test, AT_RESULTS + lookup.count * sizeof(site), &site, sizeof(site));
	KUNIT_EXPECT_EQ(test, site.object, 0);
}

struct info_row {
	const char *name;
	struct btf_extra_info info;
	int error;
	u32 count;
};

static const struct info_row info_rows[] = {
	{ "the object", { .objects = AT_RESULTS, .capacity = 4 }, 0, 1 },
	{ "room for no object", { .objects = BAD_POINTER }, 0, 0 },
	{ "after the last object", { .objects = AT_RESULTS, .capacity = 4, .first = 1 }, 0, 0 },
	{ "far after the last object", { .objects = AT_RESULTS, .capacity = 4,
	  .first = U32_MAX }, 0, 0 },
	{ "room for more than there can be", { .objects = AT_RESULTS, .capacity = U32_MAX }, 0,
	  1 },
	{ "objects at no memory", { .objects = BAD_POINTER, .capacity = 1 }, -EFAULT },
	{ "first reserved field", { .reserved = { 1 } }, -EINVAL },
	{ "second reserved field", { .reserved = { 0, 1 } }, -EINVAL },
};

KUNIT_ARRAY_PARAM_DESC(info, info_rows, name);

static void device_info_test(struct kunit *test)
{
	const struct info_row *row = test->param_value;
	struct btf_extra_info info = row->info;
	struct btf_extra_object object = {};

	info.objects = user_pointer(info.objects);
	put(test, AT_ARGUMENT, &info, sizeof(info));
	KUNIT_EXPECT_EQ(test, call(BTF_EXTRA_IOC_INFO), row->error);
	if (row->error)
		return;
	get(test, AT_ARGUMENT, &info, sizeof(info));
	KUNIT_EXPECT_EQ(test, info.total, 1);
	KUNIT_EXPECT_EQ(test, info.count, row->count);
	KUNIT_EXPECT_EQ(test, info.version, 1);
	KUNIT_EXPECT_EQ(test, info.capacity, row->info.capacity);
	if (!info.count)
		return;
	get(test, AT_RESULTS, &object, sizeof(object));
	KUNIT_EXPECT_STREQ(test, object.name, "one");
	KUNIT_EXPECT_EQ(test, object.id, fixture.object);
	KUNIT_EXPECT_EQ(test, object.nr_funcs, SAMPLE_NR_FUNCS);
	KUNIT_EXPECT_EQ(test, object.nr_inline, 6);
	KUNIT_EXPECT_EQ(test, object.nr_bodies, 2);
	KUNIT_EXPECT_EQ(test, object.text, 0x101000);
	KUNIT_EXPECT_EQ(test, object.first_func_id, 4);
	KUNIT_EXPECT_EQ(test, object.build_id_len, 20);
	KUNIT_EXPECT_MEMEQ(test, object.build_id, "the running kernel.", 20);
	KUNIT_EXPECT_EQ(test, object.reserved, 0);
}

struct chain_row {
	const char *name;
	struct btf_extra_chain chain;	/* its pointers are offsets in the user memory */
	bool bare;			/* the object has no frames */
	int error;
	u32 total, count, files_total;
	const char *files;		/* what is written, and ... */
	u32 files_size;			/* ... its size */
};

#define CHAIN_ROOM .frames = AT_RESULTS, .capacity = 8, .files = AT_FILES, .files_size = 64

static const struct chain_row chain_rows[] = {
	{ "first byte of an instance", { .address = 0x101020, CHAIN_ROOM }, .total = 2, .count = 2,
	  .files_total = 7, .files = ".text\0", .files_size = 7 },
	{ "last byte of an instance", { .address = 0x101023, CHAIN_ROOM }, .total = 2, .count = 2,
	  .files_total = 7, .files = ".text\0", .files_size = 7 },
	{ "after an instance", { .address = 0x101024, CHAIN_ROOM }, .total = 1, .count = 1,
	  .files_total = 1, .files = "", .files_size = 1 },
	{ "last byte of a body", { .address = 0x10102f, CHAIN_ROOM }, .total = 1, .count = 1,
	  .files_total = 1, .files = "", .files_size = 1 },
	{ "after a body", { .address = 0x101030, CHAIN_ROOM }, .error = -ENOENT },
	{ "before a body", { .address = 0x10101f, CHAIN_ROOM }, .error = -ENOENT },
	{ "a section without frames", { .address = 0x104010, CHAIN_ROOM }, .error = -ENOENT },
	{ "no object", { .address = 0x201020, CHAIN_ROOM }, .error = -ENOENT },
	{ "address 0", { CHAIN_ROOM }, .error = -ENOENT },
	{ "the highest address", { .address = U64_MAX, CHAIN_ROOM }, .error = -ENOENT },
	{ "no frames", { .address = 0x101020, CHAIN_ROOM }, .bare = true, .error = -ENODATA },
	{ "no frames and no object", { .address = 0x201020, CHAIN_ROOM }, .bare = true,
	  .error = -ENOENT },

	{ "room for nothing", { .address = 0x101020 }, .total = 2 },
	{ "no room at no memory", { .address = 0x101020, .frames = BAD_POINTER,
	  .files = BAD_POINTER }, .total = 2 },
	{ "room for one function", { .address = 0x101020, .frames = AT_RESULTS, .capacity = 1,
	  .files = AT_FILES, .files_size = 64 }, .total = 2, .count = 1, .files_total = 6,
	  .files = ".text", .files_size = 6 },
	{ "room for more than there can be", { .address = 0x101020, .frames = AT_RESULTS,
	  .capacity = U32_MAX, .files = AT_FILES, .files_size = U32_MAX }, .total = 2, .count = 2,
	  .files_total = 7, .files = ".text\0", .files_size = 7 },
	{ "room for all files", { .address = 0x101020, .frames = AT_RESULTS, .capacity = 2,
	  .files = AT_FILES, .files_size = 7 }, .total = 2, .count = 2, .files_total = 7,
	  .files = ".text\0", .files_size = 7 },
	{ "room for the first file", { .address = 0x101020, .frames = AT_RESULTS, .capacity = 2,
	  .files = AT_FILES, .files_size = 6 }, .total = 2, .count = 2, .files_total = 7,
	  .files = ".text", .files_size = 6 },
	{ "room for half a file", { .address = 0x101020, .frames = AT_RESULTS, .capacity = 2,
	  .files = AT_FILES, .files_size = 5 }, .total = 2, .count = 2, .files_total = 7 },
	{ "room for files alone", { .address = 0x101020, .files = AT_FILES, .files_size = 64 },
	  .total = 2 },

	{ "frames at no memory", { .address = 0x101020, .frames = BAD_POINTER, .capacity = 1 },
	  .error = -EFAULT },
	{ "files at no memory", { .address = 0x101020, .frames = AT_RESULTS, .capacity = 1,
	  .files = BAD_POINTER, .files_size = 64 }, .error = -EFAULT },
	{ "first reserved field of a chain", { .address = 0x101020, .reserved = { 1 } },
	  .error = -EINVAL },
	{ "second reserved field of a chain", { .address = 0x101020, .reserved = { 0, 1 } },
	  .error = -EINVAL },
};

KUNIT_ARRAY_PARAM_DESC(chain, chain_rows, name);

static void give_frames(struct kunit *test)
{
	struct sample_world *world = test->priv;

	sample_write_frames(world);
	KUNIT_ASSERT_EQ(test, object_frames_take(fixture.one, world->file, world->file_size), 0);
}

static void device_chain_test(struct kunit *test)
{
	/* The instance, the body, and what was there before. */
	const struct btf_extra_chain_frame wanted[] = {
		{ fixture.object, 6, 1, 1 }, { fixture.object, 6 }, { ~0u, ~0u, ~0u, ~0u }
	};
	const struct chain_row *row = test->param_value;
	struct btf_extra_chain_frame frames[ARRAY_SIZE(wanted)];
	struct btf_extra_chain chain = row->chain;
	struct btf_extra_chain before;
	char files[64], untouched[64];

	if (!row->bare)
		give_frames(test);
	memset(frames, 0xff, sizeof(frames));
	memset(untouched, 0xff, sizeof(untouched));
	put(test, AT_RESULTS, frames, sizeof(frames));
	put(test, AT_FILES, untouched, sizeof(untouched));
	chain.frames = user_pointer(chain.frames);
	chain.files = user_pointer(chain.files);
	chain.count = 77;
	before = chain;
	put(test, AT_ARGUMENT, &chain, sizeof(chain));
	KUNIT_EXPECT_EQ(test, call(BTF_EXTRA_IOC_FRAMES), row->error);
	get(test, AT_ARGUMENT, &chain, sizeof(chain));
	if (row->error) {
		KUNIT_EXPECT_MEMEQ(test, &chain, &before, sizeof(chain));
		return;
	}
	KUNIT_EXPECT_EQ(test, chain.total, row->total);
	KUNIT_EXPECT_EQ(test, chain.count, row->count);
	KUNIT_EXPECT_EQ(test, chain.files_total, row->files_total);
	KUNIT_EXPECT_EQ(test, chain.result, 0);
	KUNIT_EXPECT_EQ(test, chain.capacity, before.capacity);
	get(test, AT_RESULTS, frames, sizeof(frames));
	KUNIT_EXPECT_MEMEQ(test, frames, &wanted[2 - row->total],
			   row->count * sizeof(frames[0]));
	KUNIT_EXPECT_MEMEQ(test, &frames[row->count], &wanted[2], sizeof(frames[0]));
	get(test, AT_FILES, files, sizeof(files));
	if (row->files_size)
		KUNIT_EXPECT_MEMEQ(test, files, row->files, row->files_size);
	KUNIT_EXPECT_MEMEQ(test, files + row->files_size, untouched,
			   sizeof(files) - row->files_size);
}

/* Someone who may not see addresses could try them out. */
static void device_chain_hidden_test(struct kunit *test)
{
	const struct btf_extra_chain chain = { .address = 0x101020 };

	give_frames(test);
	put(test, AT_ARGUMENT, &chain, sizeof(chain));
	KUNIT_EXPECT_EQ(test, call(BTF_EXTRA_IOC_FRAMES), 0);
	put(test, AT_ARGUMENT, &chain, sizeof(chain));
	fixture.file->private_data = NULL;
	KUNIT_EXPECT_EQ(test, call(BTF_EXTRA_IOC_FRAMES), -EPERM);
}

/* Text of vmlinux that is freed keeps its chain, and that of a module has none. */
static void device_chain_freed_test(struct kunit *test)
{
	struct btf_extra_chain_frame frames[2];
	struct btf_extra_chain chain = { .address = 0x101020 };

	give_frames(test);
	WRITE_ONCE(fixture.one->sections[0].freed, true);
	put(test, AT_ARGUMENT, &chain, sizeof(chain));
	KUNIT_EXPECT_EQ(test, call(BTF_EXTRA_IOC_FRAMES), 0);
	get(test, AT_ARGUMENT, &chain, sizeof(chain));
	KUNIT_EXPECT_EQ(test, chain.total, 2);
	KUNIT_EXPECT_EQ(test, chain.result, BTF_EXTRA_RESULT_FREED);
	KUNIT_EXPECT_EQ(test, btf_extra_frames_at(0x101020, frames, ARRAY_SIZE(frames)), 2);
	fixture.one->module = THIS_MODULE;
	KUNIT_EXPECT_EQ(test, btf_extra_frames_at(0x101020, frames, ARRAY_SIZE(frames)), -ENOENT);
	fixture.one->module = NULL;
}

static void device_command_test(struct kunit *test)
{
	const struct file_operations *operations = &query_device_operations;

	KUNIT_EXPECT_EQ(test, call(0), -ENOTTY);
	KUNIT_EXPECT_EQ(test, call(BTF_EXTRA_IOC_INFO + 0x10), -ENOTTY);
	/* A struct of another version has another size, and so another ioctl number. */
	KUNIT_EXPECT_EQ(test, call(BTF_EXTRA_IOC_LOOKUP + (8 << _IOC_SIZESHIFT)), -ENOTTY);
	KUNIT_EXPECT_EQ(test, operations->unlocked_ioctl(fixture.file, BTF_EXTRA_IOC_INFO,
							 BAD_POINTER), -EFAULT);
	KUNIT_EXPECT_EQ(test, operations->unlocked_ioctl(fixture.file, BTF_EXTRA_IOC_LOOKUP,
							 BAD_POINTER), -EFAULT);
}

/* A call returns one state, and every change makes another one. */
static void device_generation_test(struct kunit *test)
{
	struct btf_extra_lookup lookup = { BY_NAME };
	struct btf_extra_info info = {};
	u64 before;

	put(test, AT_ARGUMENT, &info, sizeof(info));
	KUNIT_ASSERT_EQ(test, call(BTF_EXTRA_IOC_INFO), 0);
	get(test, AT_ARGUMENT, &info, sizeof(info));
	before = info.generation;
	lookup.name = fixture.user + AT_NAME;
	put(test, AT_ARGUMENT, &lookup, sizeof(lookup));
	KUNIT_ASSERT_EQ(test, call(BTF_EXTRA_IOC_LOOKUP), 0);
	get(test, AT_ARGUMENT, &lookup, sizeof(lookup));
	KUNIT_EXPECT_EQ(test, lookup.generation, before);
	extra_object_destroy(registry_remove("one", NULL));
	put(test, AT_ARGUMENT, &info, sizeof(info));
	KUNIT_ASSERT_EQ(test, call(BTF_EXTRA_IOC_INFO), 0);
	get(test, AT_ARGUMENT, &info, sizeof(info));
	KUNIT_EXPECT_GT(test, info.generation, before);
	KUNIT_EXPECT_EQ(test, info.total, 0);
}

static struct kunit_case device_cases[] = {
	KUNIT_CASE_PARAM(device_lookup_test, lookup_gen_params),
	KUNIT_CASE_PARAM(device_info_test, info_gen_params),
	KUNIT_CASE_PARAM(device_chain_test, chain_gen_params),
	KUNIT_CASE(device_chain_hidden_test),
	KUNIT_CASE(device_chain_freed_test),
	KUNIT_CASE(device_command_test),
	KUNIT_CASE(device_generation_test),
	{ }
};

static struct kunit_suite device_suite = {
	.name = "btf_extra_device",
	.init = device_test_init,
	.exit = device_test_exit,
	.test_cases = device_cases,
};

kunit_test_suite(device_suite);
