// SPDX-License-Identifier: GPL-2.0
/*
 * Readers ask all the time while objects come and go. An object that was removed is overwritten
 * before it is freed, so that a reader that still uses it notices.
 */
#include <kunit/test.h>
#include <linux/btf_extra.h>
#include <linux/kthread.h>
#include <linux/rcupdate.h>

#include "objects/object_frames.h"
#include "objects/object_registry.h"
#include "tests/sample_objects.h"

#define NR_READERS 3
#define NR_NAMES 4
#define RUN_MS 2000

static const char *const names[NR_NAMES] = { "one", "two", "three", "four" };

/* Counts what readers have seen. */
struct tally {
	atomic_t found, absent, chains, wrong;
	atomic_long_t first_wrong;	/* the line of the check */
};

static struct tally tally;

static void check(bool holds, long line)
{
	if (holds)
		return;
	atomic_inc(&tally.wrong);
	atomic_long_cmpxchg(&tally.first_wrong, 0, line);
}

#define CHECK(condition) check(condition, __LINE__)

/* Every object of a state is complete. */
static void read_state(u64 *generation)
{
	const struct registry_state *state;
	u32 last_id = 0;
	u32 i, k;

	rcu_read_lock();
	state = registry_state();
	CHECK(state->generation >= *generation);
	*generation = state->generation;
	CHECK(state->nr_objects <= NR_NAMES);
	CHECK(state->nr_ranges == 2 * state->nr_objects);
	for (i = 0; i < state->nr_objects; i++) {
		const struct extra_object *object = state->objects[i];

		CHECK(object->id > last_id);
		last_id = object->id;
		for (k = 0; k < NR_NAMES && strcmp(object->name, names[k]); k++)
			;
		CHECK(k < NR_NAMES);
		CHECK(k < NR_NAMES && object->sections[0].address == sample_text(k + 1));
		CHECK(registry_named(state, object->name) == object);
		CHECK(registry_object(state, object->id) == object);
		CHECK(registry_find(state, object->sections[0].address)->object == object);
		CHECK(!strcmp(extra_object_func_name(object, 6), "apple"));
	}
	rcu_read_unlock();
}

struct answer {
	unsigned long address;	/* the address that is asked for; 0: by name */
	u32 nr;
	u32 object;
};

static int read_site(const struct btf_extra_site *site, void *data)
{
	static const u32 funcs[SAMPLE_NR_SITES] = { 3, 6, 6, 7, 8, 6, 8, 6 };
	struct answer *answer = data;

	CHECK(site->number < SAMPLE_NR_SITES && site->func_id == funcs[site->number]);
	if (answer->address) {
		CHECK(site->address == answer->address);
		CHECK(!answer->nr || site->object == answer->object);
	}
	answer->object = site->object;
	answer->nr++;
	return 0;
}

static void ask(const struct btf_extra_query *query, u32 expected)
{
	struct answer answer = {
		.address = query->by == BTF_EXTRA_BY_ADDRESS ? query->address : 0
	};
	u32 total = 0;
	int ret = btf_extra_for_each_site(query, read_site, &answer, &total);

	CHECK(ret == 0 || ret == -ENOENT);
	CHECK(answer.nr == total);
	if (ret) {
		CHECK(!answer.nr);
		atomic_inc(&tally.absent);
		return;
	}
	CHECK(answer.nr == expected || (query->by == BTF_EXTRA_BY_NAME && !query->object &&
					answer.nr % expected == 0));
	atomic_inc(&tally.found);
}

/* Frames are added while the object exists, or never. */
static void ask_frames(u32 k)
{
	struct btf_extra_chain_frame frames[2] = {};
	int ret = btf_extra_frames_at(sample_text(k + 1) + 0x20, frames, ARRAY_SIZE(frames));

	CHECK(ret == 2 || ret == -ENOENT || ret == -ENODATA);
	if (ret != 2)
		return;
	CHECK(frames[0].object && frames[0].object == frames[1].object);
	CHECK(frames[0].func_id == 6 && frames[0].call_file == 1 && frames[0].call_line == 1);
	CHECK(frames[1].func_id == 6 && !frames[1].call_file && !frames[1].call_line);
	atomic_inc(&tally.chains);
}

static int reader(void *data)
{
	u64 generation = 0;
	u32 round = (unsigned long)data;

	while (!kthread_should_stop()) {
		u32 k = round++ % NR_NAMES;
		const struct btf_extra_query queries[] = {
			{ .by = BTF_EXTRA_BY_NAME, .name = "pear" },
			{ .by = BTF_EXTRA_BY_NAME, .name = "pear", .object = names[k] },
			{ .by = BTF_EXTRA_BY_ID, .func_id = 6, .object = names[k] },
			{ .by = BTF_EXTRA_BY_ADDRESS, .address = sample_text(k + 1) + 0x10 },
		};
		static const u32 expected[] = { 3, 3, 4, 4 };
		u32 i;

		read_state(&generation);
		for (i = 0; i < ARRAY_SIZE(queries); i++)
			ask(&queries[i], expected[i]);
		ask_frames(k);
		cond_resched();
	}
	return 0;
}

static void overwrite_and_destroy(struct extra_object *object)
{
	memset(object->name, 'X', sizeof(object->name) - 1);
	object->id = 0;
	memset(object->sections, 0xff,
	       object->blobs.index.nr_elf_sections * sizeof(*object->sections));
	if (object_frames_bytes(object).data)
		memset((void *)object_frames_bytes(object).data, 'X', SAMPLE_FRAMES_SIZE);
	memset(object->copies[0], 'X', object->blobs.types.size);
	memset(object->copies[1], 'X', object->blobs.func_info.size);
	extra_object_destroy(object);
}

static u32 change_objects(struct kunit *test)
{
	unsigned long end = jiffies + msecs_to_jiffies(RUN_MS);
	struct sample_world *world = test->priv;
	u32 nr_changes = 0;

	sample_write_frames(world);

	while (time_before(jiffies, end)) {
		u32 k = (nr_changes * 7 / 4) % NR_NAMES;
		struct extra_object *object = registry_remove(names[k], NULL);

		if (object) {
			overwrite_and_destroy(object);
		} else {
			object = sample_create(world, names[k], k + 1);
			if (IS_ERR(object) || registry_add(object)) {
				extra_object_destroy(object);
				break;
			}
			/* It has them from the beginning if another test has asked for frames. */
			if (!object_frames_bytes(object).data &&
			    object_frames_take(object, world->file, world->file_size))
				break;
		}
		nr_changes++;
	}
	return nr_changes;
}

static void lifetime_test(struct kunit *test)
{
	struct task_struct *readers[NR_READERS];
	u32 nr_readers, nr_changes, i;

	memset(&tally, 0, sizeof(tally));
	for (nr_readers = 0; nr_readers < NR_READERS; nr_readers++) {
		readers[nr_readers] = kthread_run(reader, (void *)(unsigned long)nr_readers,
						  "btf_extra_reader/%u", nr_readers);
		if (IS_ERR(readers[nr_readers]))
			break;
	}
	nr_changes = change_objects(test);
	for (i = 0; i < nr_readers; i++)
		kthread_stop(readers[i]);
	for (i = 0; i < NR_NAMES; i++)
		extra_object_destroy(registry_remove(names[i], NULL));

	KUNIT_EXPECT_EQ(test, nr_readers, NR_READERS);
	KUNIT_EXPECT_GT(test, nr_changes, 4 * NR_NAMES);
	KUNIT_EXPECT_GT(test, atomic_read(&tally.found), 0);
	KUNIT_EXPECT_GT(test, atomic_read(&tally.absent), 0);
	KUNIT_EXPECT_GT(test, atomic_read(&tally.chains), 0);
	KUNIT_EXPECT_EQ_MSG(test, atomic_read(&tally.wrong), 0, "first at line %ld",
			    atomic_long_read(&tally.first_wrong));
	kunit_info(test, "%u changes, %d answers, %d times nothing", nr_changes,
		   atomic_read(&tally.found), atomic_read(&tally.absent));
}

static struct kunit_case lifetime_cases[] = {
	KUNIT_CASE_SLOW(lifetime_test),
	{ }
};

static struct kunit_suite lifetime_suite = {
	.name = "btf_extra_lifetime",
	.init = sample_init,
	.exit = sample_exit,
	.test_cases = lifetime_cases,
};

kunit_test_suite(lifetime_suite);
