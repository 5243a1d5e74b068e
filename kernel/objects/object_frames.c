// SPDX-License-Identifier: GPL-2.0
#define pr_fmt(fmt) "btf_extra: " fmt

#include <linux/moduleparam.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>

#include "objects/extra_object.h"
#include "objects/object_frames.h"

static bool wanted;
module_param_named(frames, wanted, bool, 0644);
MODULE_PARM_DESC(frames, "Keep inlined frames from now on, not only after the first request");

bool object_frames_wanted(void)
{
	return READ_ONCE(wanted);
}

void object_frames_want(void)
{
	WRITE_ONCE(wanted, true);
}

/*
 * A caller that adds or removes frames has exclusive access to the object, so the pointer does not
 * change.
 */
static struct object_frames *frames_of(const struct extra_object *object)
{
	return rcu_dereference_protected(object->frames, true);
}

static int copy_bytes(struct object_frames *frames)
{
	frames->copy = kvmalloc(frames->bytes.size, GFP_KERNEL);
	if (!frames->copy)
		return -ENOMEM;
	frames->bytes.data = memcpy(frames->copy, frames->bytes.data, frames->bytes.size);
	return 0;
}

static void frames_destroy(struct object_frames *frames)
{
	if (!frames)
		return;
	kvfree(frames->copy);
	kfree(frames);
}

int object_frames_add(struct extra_object *object, const struct extra_elf *elf, bool keep,
		      struct btf_fault *fault)
{
	const struct loc_index *index = &object->blobs.index;
	struct object_frames *frames;
	u32 i;
	int err = 0;

	frames = kzalloc(struct_size(frames, sections, index->nr_elf_sections), GFP_KERNEL);
	if (!frames)
		return -ENOMEM;
	frames->bytes = elf->frames;
	if (!keep)
		err = copy_bytes(frames);
	if (!err)
		err = inline_frames_open(&frames->parts, &frames->bytes, &object->blobs.func_info,
					 elf, fault);
	if (err) {
		frames_destroy(frames);
		return err;
	}
	for (i = 0; i < index->nr_elf_sections; i++)
		frames->sections[i] = inline_frames_find_section(&frames->parts,
								 index->elf_sections[i].name);
	rcu_assign_pointer(object->frames, frames);
	return 0;
}

static bool same_bytes(const struct btf_blob *blob, const struct extra_bytes *bytes)
{
	return bytes->data && bytes->size == blob->size &&
	       !memcmp(bytes->data, blob->data, blob->size);
}

/* The ids in the frames are those of the blobs in the same file. */
static bool is_of_object(const struct extra_object *object, const struct extra_elf *elf)
{
	return elf->build_id.size == object->build_id_size &&
	       !memcmp(elf->build_id.data, object->build_id, object->build_id_size) &&
	       same_bytes(&object->blobs.types, &elf->types) &&
	       same_bytes(&object->blobs.func_info, &elf->func_info);
}

int object_frames_take(struct extra_object *object, const void *file, size_t size)
{
	struct btf_fault fault;
	struct extra_elf elf;
	int err = extra_elf_open(&elf, file, size, &fault);

	if (!err && !is_of_object(object, &elf)) {
		pr_err("%s: no frames: the firmware file does not match\n", object->name);
		return -EINVAL;
	}
	if (!err && !elf.frames.data)
		return -ENOENT;
	if (!err)
		err = object_frames_add(object, &elf, false, &fault);
	if (err == -EINVAL)
		pr_err("%s: no frames: byte %u: %s\n", object->name, fault.offset,
		       btf_fault_text(fault.code));
	return err;
}

struct extra_bytes object_frames_bytes(const struct extra_object *object)
{
	const struct object_frames *frames;
	struct extra_bytes bytes = {};

	rcu_read_lock();
	frames = rcu_dereference(object->frames);
	if (frames)
		bytes = frames->bytes;
	rcu_read_unlock();
	return bytes;
}

void object_frames_destroy(struct extra_object *object)
{
	frames_destroy(frames_of(object));
	RCU_INIT_POINTER(object->frames, NULL);
}
