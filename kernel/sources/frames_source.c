// SPDX-License-Identifier: GPL-2.0
#define pr_fmt(fmt) "btf_extra: " fmt

#include <linux/firmware.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>

#include "objects/blob_files.h"
#include "objects/object_frames.h"
#include "objects/object_registry.h"
#include "objects/published_objects.h"
#include "sources/firmware_source.h"
#include "sources/frames_source.h"

/* One caller reads, the others wait for its result. */
static DEFINE_MUTEX(reading);

/* An object whose file is to be read. It may go at any moment. */
struct asked_object {
	u32 id;
	char name[BTF_EXTRA_OBJECT_NAME_LEN];
};

static bool lacks_frames(const struct extra_object *object)
{
	return !rcu_access_pointer(object->frames) && !READ_ONCE(object->no_frames);
}

/* Finds the first object without frames after that id. */
static bool next_object(u32 id, struct asked_object *next)
{
	const struct registry_state *state;
	bool found = false;
	u32 i;

	rcu_read_lock();
	state = registry_state();
	for (i = 0; !found && i < state->nr_objects; i++) {
		const struct extra_object *object = state->objects[i];

		if (object->id <= id || !lacks_frames(object))
			continue;
		next->id = object->id;
		strscpy(next->name, object->name, sizeof(next->name));
		found = true;
	}
	rcu_read_unlock();
	return found;
}

/* file NULL: there is none for that object. */
static int give_frames(struct extra_object *object, const struct firmware *file)
{
	int err = file ? object_frames_take(object, file->data, file->size) : -ENOENT;

	if (!err && blob_files_add_frames(object))
		pr_err("%s: its frames are not in sysfs\n", object->name);
	if (err && err != -ENOMEM)
		WRITE_ONCE(object->no_frames, true);
	return err == -ENOMEM ? err : 0;
}

static int read_frames(const struct asked_object *asked)
{
	const struct firmware *file = NULL;
	struct extra_object *object;
	int err = firmware_source_read(asked->name, &file);

	/* A file that could not be read now may be readable later. */
	if (err && err != -ENOENT)
		return err == -ENOMEM ? err : 0;
	published_lock();
	object = published_object(asked->id);
	err = object && lacks_frames(object) ? give_frames(object, file) : 0;
	published_unlock();
	release_firmware(file);
	return err;
}

int frames_source_load(void)
{
	struct asked_object asked = {};
	int err = 0;

	if (mutex_lock_killable(&reading))
		return -EINTR;
	published_lock();
	object_frames_want();
	published_unlock();
	while (!err && next_object(asked.id, &asked))
		err = read_frames(&asked);
	mutex_unlock(&reading);
	return err;
}
