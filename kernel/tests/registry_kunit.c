// SPDX-License-Identifier: GPL-2.0
/*
 * Tests the registry and the files that show its objects. The registry is the module's real one,
 * and it is empty while tests run.
 */
#include <kunit/test.h>
#include <linux/btf_extra.h>
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/kobject.h>
#include <linux/kthread.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>

#include "objects/object_registry.h"
#include "objects/published_objects.h"
#include "objects/sysfs_bytes.h"
#include "phantoms/phantom_modules.h"
#include "tests/sample_objects.h"

static const struct extra_object *at(unsigned long address)
{
	const struct address_range *range;
	const struct extra_object *object;

	rcu_read_lock();
	range = registry_find(registry_state(), address);
	object = range ? range->object : NULL;
	rcu_read_unlock();
	return object;
}

static const struct extra_object *named(const char *name)
{
	const struct extra_object *object;

	rcu_read_lock();
	object = registry_named(registry_state(), name);
	rcu_read_unlock();
	return object;
}

static const struct extra_object *with_id(u32 id)
{
	const struct extra_object *object;

	rcu_read_lock();
	object = registry_object(registry_state(), id);
	rcu_read_unlock();
	return object;
}

static u64 generation(void)
{
	u64 value;

	rcu_read_lock();
	value = registry_state()->generation;
	rcu_read_unlock();
	return value;
}

static u32 nr_objects(void)
{
	u32 value;

	rcu_read_lock();
	value = registry_state()->nr_objects;
	rcu_read_unlock();
	return value;
}

static struct extra_object *add(struct kunit *test, const char *name, u32 slide)
{
	struct extra_object *object = sample_create(test->priv, name, slide);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, object);
	KUNIT_ASSERT_EQ(test, registry_add(object), 0);
	return object;
}

static void take(struct kunit *test, const char *name, struct extra_object *expected)
{
	struct extra_object *object = registry_remove(name, NULL);

	KUNIT_EXPECT_PTR_EQ(test, object, expected);
	extra_object_destroy(object);
}

static int registry_init(struct kunit *test)
{
	KUNIT_ASSERT_EQ_MSG(test, nr_objects(), 0, "the registry is in use");
	return sample_init(test);
}

/* Removes everything, even if a test has stopped half-way. */
static void registry_clean(struct kunit *test)
{
	static const char *const names[] = { "one", "two", "three", "four" };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		extra_object_destroy(registry_remove(names[i], NULL));
	sample_exit(test);
}

static void registry_empty_test(struct kunit *test)
{
	static const unsigned long addresses[] = { 0, 1, 0x1000, ULONG_MAX };
	u64 before = generation();
	u32 i;

	for (i = 0; i < ARRAY_SIZE(addresses); i++)
		KUNIT_EXPECT_NULL(test, at(addresses[i]));
	KUNIT_EXPECT_NULL(test, named("one"));
	KUNIT_EXPECT_NULL(test, named(""));
	KUNIT_EXPECT_NULL(test, with_id(0));
	KUNIT_EXPECT_NULL(test, with_id(1));
	KUNIT_EXPECT_NULL(test, registry_remove("one", NULL));
	KUNIT_EXPECT_EQ(test, generation(), before);
}

static void registry_find_test(struct kunit *test)
{
	/* not in order of address */
	struct extra_object *two = add(test, "two", 2);
	struct extra_object *one = add(test, "one", 1);
	const struct {
		unsigned long address;
		const struct extra_object *object;
	} rows[] = {
		{ 0, NULL },
		{ 0x100fff, NULL },
		{ 0x101000, one },		/* first byte of .text */
		{ 0x1010ff, one },		/* last byte */
		{ 0x101100, NULL },		/* one past */
		{ 0x103fff, NULL },		/* in the gap */
		{ 0x104000, one },		/* .init.text */
		{ 0x10407f, one },
		{ 0x104080, NULL },
		{ 0x200fff, NULL },
		{ 0x201000, two },
		{ 0x2010ff, two },
		{ 0x201100, NULL },
		{ 0x20407f, two },
		{ 0x204080, NULL },
		{ ULONG_MAX, NULL },
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		KUNIT_EXPECT_PTR_EQ_MSG(test, at(rows[i].address), rows[i].object, "%lx",
					rows[i].address);
	KUNIT_EXPECT_PTR_EQ(test, named("one"), (const struct extra_object *)one);
	KUNIT_EXPECT_PTR_EQ(test, named("two"), (const struct extra_object *)two);
	KUNIT_EXPECT_NULL(test, named("on"));
	KUNIT_EXPECT_PTR_EQ(test, with_id(one->id), (const struct extra_object *)one);
	KUNIT_EXPECT_PTR_EQ(test, with_id(two->id), (const struct extra_object *)two);
	KUNIT_EXPECT_NULL(test, with_id(0));
	take(test, "one", one);
	KUNIT_EXPECT_NULL(test, named("one"));
	KUNIT_EXPECT_NULL(test, at(0x101000));
	KUNIT_EXPECT_PTR_EQ(test, at(0x201000), (const struct extra_object *)two);
	take(test, "two", two);
	KUNIT_EXPECT_NULL(test, at(0x201000));
}

/* Ids are never used again, and every change makes the generation greater. */
static void registry_ids_test(struct kunit *test)
{
	u64 before = generation();
	u32 last_id = 0;
	u32 i;

	for (i = 0; i < 5; i++) {
		struct extra_object *object = add(test, "one", 1);

		KUNIT_EXPECT_GT(test, object->id, last_id);
		KUNIT_EXPECT_GT(test, generation(), before);
		before = generation();
		last_id = object->id;
		take(test, "one", object);
		KUNIT_EXPECT_NULL(test, with_id(last_id));
		KUNIT_EXPECT_GT(test, generation(), before);
		before = generation();
	}
}

/* A refused object changes nothing, and its maker keeps it. */
static void registry_refused_test(struct kunit *test)
{
	struct extra_object *one = add(test, "one", 1);
	const struct {
		const char *name;
		u32 slide;
		int error;
	} rows[] = {
		{ "one", 2, -EEXIST },
		{ "one", 1, -EEXIST },
		{ "two", 1, -ERANGE },
	};
	struct extra_object *object;
	u64 before = generation();
	u32 i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		object = sample_create(test->priv, rows[i].name, rows[i].slide);
		KUNIT_ASSERT_NOT_ERR_OR_NULL(test, object);
		KUNIT_EXPECT_EQ(test, registry_add(object), rows[i].error);
		extra_object_destroy(object);
		KUNIT_EXPECT_EQ(test, generation(), before);
		KUNIT_EXPECT_EQ(test, nr_objects(), 1);
		KUNIT_EXPECT_PTR_EQ(test, named("one"), (const struct extra_object *)one);
		KUNIT_EXPECT_NULL(test, named("two"));
		KUNIT_EXPECT_PTR_EQ(test, at(0x101000), (const struct extra_object *)one);
		KUNIT_EXPECT_NULL(test, at(0x201000));
	}
	/* The module is another one of that name. */
	KUNIT_EXPECT_NULL(test, registry_remove("one", THIS_MODULE));
	KUNIT_EXPECT_NULL(test, registry_remove("two", NULL));
	KUNIT_EXPECT_EQ(test, generation(), before);
	/* The refused objects have not used an id. */
	object = add(test, "two", 2);
	KUNIT_EXPECT_EQ(test, object->id, one->id + 1);
	take(test, "two", object);
	take(test, "one", one);
}

/* Ranges that touch do not overlap. One common byte, on either side, is an overlap. */
static void registry_touch_test(struct kunit *test)
{
	const struct {
		unsigned long text;
		int error;
	} rows[] = {
		{ 0x101100, 0 },
		{ 0x1010ff, -ERANGE },
		{ 0x100f00, 0 },
		{ 0x100f01, -ERANGE },
		{ 0x103f81, -ERANGE },
		{ 0x104080, 0 },
	};
	struct extra_object *one = add(test, "one", 1);
	u32 i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		struct extra_object *two = sample_create(test->priv, "two", 2);

		KUNIT_ASSERT_NOT_ERR_OR_NULL(test, two);
		two->sections[0].address = rows[i].text;
		KUNIT_EXPECT_EQ_MSG(test, registry_add(two), rows[i].error, "%lx", rows[i].text);
		if (!rows[i].error)
			registry_remove("two", NULL);
		extra_object_destroy(two);
	}
	take(test, "one", one);
}

/* Sections without an address are in no range and do not overlap with others. */
static void registry_nowhere_test(struct kunit *test)
{
	struct extra_object *one = add(test, "one", 0);
	struct extra_object *two = add(test, "two", 0);

	KUNIT_EXPECT_NULL(test, at(0));
	KUNIT_EXPECT_NULL(test, at(0x1000));
	KUNIT_EXPECT_PTR_EQ(test, named("two"), (const struct extra_object *)two);
	take(test, "one", one);
	take(test, "two", two);
}

/* Each allocation fails once. The test ends with the first try without a failure. */
static void registry_no_memory_test(struct kunit *test)
{
#ifdef CONFIG_FAILSLAB
	struct extra_object *one = add(test, "one", 1);
	struct extra_object *two = sample_create(test->priv, "two", 2);
	u64 before = generation();
	bool injected = true;
	u32 nr_failed = 0;
	u32 nth;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, two);
	for (nth = 1; injected && nth < 100; nth++) {
		int err;

		current->fail_nth = nth;
		err = registry_add(two);
		injected = !current->fail_nth;
		current->fail_nth = 0;
		if (!err) {
			/* Removing an object never needs memory. */
			current->fail_nth = 1;
			KUNIT_EXPECT_PTR_EQ(test, registry_remove("two", NULL), two);
			current->fail_nth = 0;
			before = generation();
			continue;
		}
		nr_failed++;
		KUNIT_EXPECT_EQ(test, err, -ENOMEM);
		KUNIT_EXPECT_EQ(test, generation(), before);
		KUNIT_EXPECT_EQ(test, nr_objects(), 1);
		KUNIT_EXPECT_NULL(test, named("two"));
		KUNIT_EXPECT_NULL(test, at(0x201000));
	}
	KUNIT_EXPECT_LT(test, nth, 100);
	KUNIT_EXPECT_EQ_MSG(test, nr_failed, 2, "a state and its twin");
	extra_object_destroy(two);
	take(test, "one", one);
#else
	kunit_skip(test, "no CONFIG_FAILSLAB");
#endif
}

/* ---- readers ---- */

/* A reader that ends after the given time, or as soon as it may stop. */
struct slow_reader {
	struct completion began;
	unsigned long most;	/* jiffies */
	bool may_stop;
	bool was_stopped;
};

static int read_slowly(void *data)
{
	struct slow_reader *reader = data;
	unsigned long end = jiffies + reader->most;

	rcu_read_lock();
	complete(&reader->began);
	while (!READ_ONCE(reader->may_stop) && time_before(jiffies, end))
		cpu_relax();
	reader->was_stopped = READ_ONCE(reader->may_stop);
	rcu_read_unlock();
	while (!kthread_should_stop())
		schedule_timeout_interruptible(1);
	return 0;
}

/*
 * The reader has a processor of its own, because a kernel without CONFIG_PREEMPT_RCU switches to no
 * other task.
 */
static struct task_struct *begin_reading(struct kunit *test, struct slow_reader *reader,
					 unsigned int cpu, unsigned long most)
{
	struct task_struct *task;

	*reader = (struct slow_reader){ .most = most };
	init_completion(&reader->began);
	task = kthread_create(read_slowly, reader, "btf_extra_slow");
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	kthread_bind(task, cpu);
	wake_up_process(task);
	wait_for_completion(&reader->began);
	return task;
}

static bool end_reading(struct task_struct *task, struct slow_reader *reader)
{
	WRITE_ONCE(reader->may_stop, true);
	kthread_stop(task);
	return reader->was_stopped;
}

/*
 * A module that is loaded waits while its object is added. Only to take one away waits for readers.
 */
static void registry_waits_test(struct kunit *test)
{
	struct slow_reader *reader = kunit_kzalloc(test, sizeof(*reader), GFP_KERNEL);
	struct extra_object *one = sample_create(test->priv, "one", 1);
	struct extra_object *two = sample_create(test->priv, "two", 2);
	struct task_struct *task;
	unsigned int cpu;

	KUNIT_ASSERT_NOT_NULL(test, reader);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, one);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, two);
	migrate_disable();
	cpu = cpumask_any_but(cpu_online_mask, smp_processor_id());
	KUNIT_EXPECT_LT_MSG(test, cpu, nr_cpu_ids, "a reader needs a second processor");
	if (cpu >= nr_cpu_ids)
		goto out;
	task = begin_reading(test, reader, cpu, 10 * HZ);
	KUNIT_EXPECT_EQ(test, registry_add(one), 0);
	KUNIT_EXPECT_EQ(test, registry_add(two), 0);
	KUNIT_EXPECT_TRUE_MSG(test, end_reading(task, reader), "adding waits for a reader");
	task = begin_reading(test, reader, cpu, HZ);
	KUNIT_EXPECT_PTR_EQ(test, registry_remove("one", NULL), one);
	KUNIT_EXPECT_FALSE_MSG(test, end_reading(task, reader),
			       "removing does not wait for a reader");
	extra_object_destroy(one);
	/* The state that is filled now is one that a reader may have had. */
	take(test, "two", two);
out:
	migrate_enable();
}

/* ---- files ---- */

static void expect_file(struct kunit *test, const char *name, const void *data, size_t size)
{
	struct sysfs_bytes bytes = {};

	KUNIT_ASSERT_EQ(test, sysfs_bytes_get(&bytes, kernel_kobj, "btf_extra", name, false), 0);
	KUNIT_EXPECT_EQ(test, bytes.size, size);
	if (bytes.size == size)
		KUNIT_EXPECT_MEMEQ(test, bytes.data, data, size);
	sysfs_bytes_put(&bytes);
}

static void expect_no_file(struct kunit *test, const char *name)
{
	struct sysfs_bytes bytes = {};

	KUNIT_EXPECT_EQ(test, sysfs_bytes_get(&bytes, kernel_kobj, "btf_extra", name, false),
			-ENOENT);
	KUNIT_EXPECT_NULL(test, bytes.data);
}

static int publish(const struct object_source *source)
{
	struct extra_object *object;

	published_lock();
	object = published_add(source, &sample_host);
	published_unlock();
	return PTR_ERR_OR_ZERO(object);
}

static bool withdraw(const char *name, const struct module *module)
{
	bool found;

	published_lock();
	found = published_remove(name, module);
	published_unlock();
	return found;
}

static void registry_files_test(struct kunit *test)
{
	struct sample_world *world = test->priv;
	const struct object_source source = {
		.name = "one", .image = world->file, .image_size = world->file_size
	};

	expect_no_file(test, "one");
	world->slide = 1;
	KUNIT_ASSERT_EQ(test, publish(&source), 0);
	expect_file(test, "one", world->blobs.func_info.data, 393);
	expect_file(test, "one.types", world->blobs.types.data, 172);
	/* A second object of that name leaves the files of the first. */
	KUNIT_EXPECT_EQ(test, publish(&source), -EEXIST);
	expect_file(test, "one", world->blobs.func_info.data, 393);
	KUNIT_EXPECT_EQ(test, nr_objects(), 1);
	KUNIT_EXPECT_FALSE(test, withdraw("one", THIS_MODULE));
	KUNIT_EXPECT_FALSE(test, withdraw("two", NULL));
	KUNIT_EXPECT_TRUE(test, withdraw("one", NULL));
	expect_no_file(test, "one");
	expect_no_file(test, "one.types");
	KUNIT_EXPECT_FALSE(test, withdraw("one", NULL));
}

/* An object that cannot be published leaves no file. */
static void registry_files_refused_test(struct kunit *test)
{
	struct sample_world *world = test->priv;
	const struct object_source source = {
		.name = "two", .image = world->file, .image_size = world->file_size
	};
	struct extra_object *one = add(test, "one", 1);

	world->slide = 1;
	KUNIT_EXPECT_EQ(test, publish(&source), -ERANGE);
	expect_no_file(test, "two");
	expect_no_file(test, "two.types");
	take(test, "one", one);
}

/* A module may have any name: a second file of one would be a stack trace in the kernel's log. */
static void registry_files_taken_test(struct kunit *test)
{
	struct sample_world *world = test->priv;
	struct object_source source = {
		.name = "one", .image = world->file, .image_size = world->file_size
	};

	world->slide = 1;
	KUNIT_ASSERT_EQ(test, publish(&source), 0);
	world->slide = 2;
	source.name = "one.types";
	KUNIT_EXPECT_EQ(test, publish(&source), -EEXIST);
	expect_file(test, "one.types", world->blobs.types.data, 172);
	/* The folder of phantom functions. */
	source.name = "inlined";
	KUNIT_EXPECT_EQ(test, publish(&source), -EEXIST);
	expect_no_file(test, "inlined.types");
	KUNIT_EXPECT_EQ(test, nr_objects(), 1);
	KUNIT_EXPECT_TRUE(test, withdraw("one", NULL));
	expect_no_file(test, "one.types");
}

static int replace(const struct object_source *source)
{
	struct extra_object *object;

	published_lock();
	object = published_replace(source, &sample_host);
	published_unlock();
	return PTR_ERR_OR_ZERO(object);
}

/* The tables that are there stay until others are accepted, and go in the same step. */
static void registry_replace_test(struct kunit *test)
{
	struct sample_world *world = test->priv;
	struct object_source source = {
		.name = "one", .image = world->file, .image_size = world->file_size
	};
	const struct object_source cut = {
		.name = "one", .image = world->file, .image_size = 100
	};
	struct extra_object *two = add(test, "two", 2);
	u64 before;

	world->slide = 1;
	KUNIT_ASSERT_EQ(test, publish(&source), 0);
	before = generation();
	KUNIT_EXPECT_EQ(test, replace(&cut), -EINVAL);
	expect_file(test, "one", world->blobs.func_info.data, 393);
	/* The other object exists. */
	world->slide = 2;
	KUNIT_EXPECT_EQ(test, replace(&source), -ERANGE);
	expect_file(test, "one", world->blobs.func_info.data, 393);
	expect_file(test, "one.types", world->blobs.types.data, 172);
	KUNIT_EXPECT_EQ(test, generation(), before);
	world->slide = 3;
	KUNIT_EXPECT_EQ(test, replace(&source), 0);
	KUNIT_EXPECT_EQ(test, generation(), before + 1);
	KUNIT_EXPECT_EQ(test, nr_objects(), 2);
	expect_file(test, "one", world->blobs.func_info.data, 393);
	/* The object of a module is not replaced. */
	source.module = THIS_MODULE;
	KUNIT_EXPECT_NE(test, replace(&source), 0);
	KUNIT_EXPECT_TRUE(test, withdraw("one", NULL));
	expect_no_file(test, "one");
	take(test, "two", two);
}

/* Any module with a GPL licence can call the exports, also one that has added nothing. */
static void registry_strangers_test(struct kunit *test)
{
	static const struct phantom_table template;
	static const unsigned long stubs[PHANTOM_STUBS];
	struct sample_world *world = test->priv;
	const struct object_source source = {
		.name = "vmlinux", .image = world->file, .image_size = world->file_size
	};

	btf_extra_remove_phantoms(THIS_MODULE);
	KUNIT_EXPECT_EQ(test, btf_extra_add_phantoms(THIS_MODULE, &template, stubs), -EINVAL);
	btf_extra_remove_phantoms(THIS_MODULE);
	/* An object from firmware is nobody's. */
	world->slide = 1;
	KUNIT_ASSERT_EQ(test, publish(&source), 0);
	btf_extra_del_vmlinux(NULL);
	expect_file(test, "vmlinux", world->blobs.func_info.data, 393);
	KUNIT_EXPECT_TRUE(test, withdraw("vmlinux", NULL));
}

static struct kunit_case registry_cases[] = {
	KUNIT_CASE(registry_empty_test),
	KUNIT_CASE(registry_find_test),
	KUNIT_CASE(registry_ids_test),
	KUNIT_CASE(registry_refused_test),
	KUNIT_CASE(registry_touch_test),
	KUNIT_CASE(registry_nowhere_test),
	KUNIT_CASE(registry_no_memory_test),
	KUNIT_CASE_SLOW(registry_waits_test),
	KUNIT_CASE(registry_files_test),
	KUNIT_CASE(registry_files_refused_test),
	KUNIT_CASE(registry_files_taken_test),
	KUNIT_CASE(registry_replace_test),
	KUNIT_CASE(registry_strangers_test),
	{ }
};

static struct kunit_suite registry_suite = {
	.name = "btf_extra_registry",
	.init = registry_init,
	.exit = registry_clean,
	.test_cases = registry_cases,
};

kunit_test_suite(registry_suite);
