// SPDX-License-Identifier: GPL-2.0
#include <linux/btf_extra.h>
#include <linux/capability.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "doors/query_device.h"
#include "kloc/kloc_file.h"
#include "objects/object_registry.h"
#include "query/address_view.h"
#include "query/frame_query.h"
#include "query/site_query.h"
#include "sources/frames_source.h"

/* One call gives no more results, which take some 2 MB. The caller asks again for the rest. */
#define MAX_RESULTS 65536u

/* It is decided for the opener of the device, as in /proc/kallsyms. */
static bool addresses_hidden(const struct file *file)
{
	return !file->private_data;
}

static int device_open(struct inode *inode, struct file *file)
{
	if (!perfmon_capable())
		return -EPERM;
	file->private_data = address_view_allowed() ? file : NULL;
	return stream_open(inode, file);
}

/* ---- objects ---- */

static void describe_object(const struct extra_object *object, bool hidden,
			    struct btf_extra_object *described)
{
	const struct object_section *text = extra_object_section(object, ".text");

	*described = (struct btf_extra_object){
		.id = object->id,
		.nr_funcs = object->blobs.index.nr_funcs,
		.nr_inline = object->nr_sites[LOC_CLASS_INLINE],
		.nr_bodies = object->nr_sites[LOC_CLASS_BODY],
		.bytes = extra_object_bytes(object),
		.load_ns = object->load_ns,
		.text = hidden || !text ? 0 : text->address,
		.first_func_id = object->blobs.types.first_id,
		.build_id_len = object->build_id_size,
	};
	strscpy(described->name, object->name, sizeof(described->name));
	memcpy(described->build_id, object->build_id, object->build_id_size);
}

static void collect_objects(struct btf_extra_info *info, bool hidden,
			    struct btf_extra_object *objects)
{
	const struct registry_state *state;
	u32 i;

	rcu_read_lock();
	state = registry_state();
	info->generation = state->generation;
	info->total = state->nr_objects;
	for (i = info->first; i < state->nr_objects && info->count < info->capacity; i++)
		describe_object(state->objects[i], hidden, &objects[info->count++]);
	rcu_read_unlock();
}

static int ioctl_info(const struct file *file, struct btf_extra_info __user *argument)
{
	struct btf_extra_object *objects;
	struct btf_extra_info info;
	u32 capacity;
	int err = 0;

	if (copy_from_user(&info, argument, sizeof(info)))
		return -EFAULT;
	if (info.reserved[0] || info.reserved[1])
		return -EINVAL;
	capacity = info.capacity;
	info.capacity = min(capacity, MAX_RESULTS / 4);
	objects = kvcalloc(info.capacity + 1, sizeof(*objects), GFP_KERNEL_ACCOUNT);
	if (!objects)
		return -ENOMEM;
	info.count = 0;
	info.version = BTF_EXTRA_ABI_VERSION;
	info.result = addresses_hidden(file) ? BTF_EXTRA_RESULT_HIDDEN : 0;
	collect_objects(&info, addresses_hidden(file), objects);
	info.capacity = capacity;
	if (copy_to_user(u64_to_user_ptr(info.objects), objects, info.count * sizeof(*objects)) ||
	    copy_to_user(argument, &info, sizeof(info)))
		err = -EFAULT;
	kvfree(objects);
	return err;
}

/* ---- look-ups ---- */

struct collection {
	struct btf_extra_site *sites;
	u32 capacity;
	u32 first;
	u32 seen;
	u32 count;
	bool hidden;
};

static int collect_site(const struct btf_extra_site *site, void *data)
{
	struct collection *collection = data;

	if (collection->seen++ < collection->first || collection->count == collection->capacity)
		return 0;
	collection->sites[collection->count] = *site;
	if (collection->hidden)
		collection->sites[collection->count].address = 0;
	collection->count++;
	return 0;
}

/* Copies a string of the caller; NULL for 0. ERR_PTR(-EINVAL): it is too long. */
static char *get_string(u64 pointer, size_t size)
{
	return pointer ? strndup_user(u64_to_user_ptr(pointer), size) : NULL;
}

static int get_query(const struct btf_extra_lookup *lookup, struct btf_extra_query *query)
{
	*query = (struct btf_extra_query){
		.by = lookup->by,
		.flags = lookup->flags,
		.func_id = lookup->func_id,
		.address = lookup->address,
	};
	query->object = get_string(lookup->object, BTF_EXTRA_OBJECT_NAME_LEN);
	if (IS_ERR(query->object))
		return PTR_ERR(query->object);
	query->name = get_string(lookup->name, BTF_EXTRA_NAME_MAX);
	if (IS_ERR(query->name))
		return PTR_ERR(query->name);
	query->file = get_string(lookup->file, BTF_EXTRA_PATH_MAX);
	return PTR_ERR_OR_ZERO(query->file);
}

static void put_query(struct btf_extra_query *query)
{
	if (!IS_ERR(query->object))
		kfree(query->object);
	if (!IS_ERR(query->name))
		kfree(query->name);
	if (!IS_ERR(query->file))
		kfree(query->file);
}

/* A field that does not belong to the kind of query must be zero. */
static bool lookup_makes_sense(const struct btf_extra_lookup *lookup)
{
	if (lookup->reserved[0] || lookup->reserved[1])
		return false;
	return (lookup->by == BTF_EXTRA_BY_ID || !lookup->func_id) &&
	       (lookup->by == BTF_EXTRA_BY_NAME || (!lookup->name && !lookup->file)) &&
	       (lookup->by == BTF_EXTRA_BY_ADDRESS || !lookup->address);
}

static int run_lookup(struct btf_extra_lookup *lookup, const struct btf_extra_query *query,
		      bool hidden)
{
	struct collection collection = {
		.capacity = min(lookup->capacity, MAX_RESULTS),
		.first = lookup->first,
		.hidden = hidden,
	};
	const struct registry_state *state;
	int err;

	collection.sites = kvcalloc(collection.capacity + 1, sizeof(*collection.sites),
				    GFP_KERNEL_ACCOUNT);
	if (!collection.sites)
		return -ENOMEM;
	rcu_read_lock();
	state = registry_state();
	lookup->generation = state->generation;
	err = site_query_walk(state, query, collect_site, &collection, &lookup->total);
	rcu_read_unlock();
	lookup->count = collection.count;
	lookup->result = hidden ? BTF_EXTRA_RESULT_HIDDEN : 0;
	if (!err && copy_to_user(u64_to_user_ptr(lookup->sites), collection.sites,
				 collection.count * sizeof(*collection.sites)))
		err = -EFAULT;
	kvfree(collection.sites);
	return err;
}

static int ioctl_lookup(const struct file *file, struct btf_extra_lookup __user *argument)
{
	struct btf_extra_lookup lookup;
	struct btf_extra_query query = {};
	int err;

	if (copy_from_user(&lookup, argument, sizeof(lookup)))
		return -EFAULT;
	if (!lookup_makes_sense(&lookup))
		return -EINVAL;
	/* Looking up arbitrary addresses would defeat KASLR. */
	if (lookup.by == BTF_EXTRA_BY_ADDRESS && addresses_hidden(file))
		return -EPERM;
	err = get_query(&lookup, &query);
	if (!err)
		err = run_lookup(&lookup, &query, addresses_hidden(file));
	put_query(&query);
	if (!err && copy_to_user(argument, &lookup, sizeof(lookup)))
		err = -EFAULT;
	return err;
}

/* ---- stack traces ---- */

struct chain_answer {
	struct btf_extra_chain_frame frames[BTF_EXTRA_CHAIN_MAX];
	u32 files_written;
	char files[];		/* [chain->files_size], or as much as can be needed */
};

/* Once a text has found no room, files_total is too high for all others. */
static void add_file(struct btf_extra_chain *chain, struct chain_answer *answer, const char *name)
{
	size_t size = strnlen(name, BTF_EXTRA_PATH_MAX) + 1;

	if (size > BTF_EXTRA_PATH_MAX) {
		name = "";
		size = 1;
	}
	if (size <= chain->files_size && chain->files_total <= chain->files_size - size) {
		memcpy(answer->files + chain->files_total, name, size);
		answer->files_written = chain->files_total + size;
	}
	chain->files_total += size;
}

static int find_chain(struct btf_extra_chain *chain, struct chain_answer *answer)
{
	const struct registry_state *state;
	const u32 capacity = min_t(u32, chain->capacity, BTF_EXTRA_CHAIN_MAX);
	struct frame_origin origin;
	u32 i;
	int nr;

	rcu_read_lock();
	state = registry_state();
	nr = frame_query_at(state, chain->address, answer->frames, capacity, &origin);
	if (nr > 0) {
		chain->generation = state->generation;
		chain->total = nr;
		chain->count = min(chain->total, capacity);
		chain->result = origin.freed ? BTF_EXTRA_RESULT_FREED : 0;
		chain->files_total = 0;
		answer->files_written = 0;
		for (i = 0; i < chain->count; i++) {
			u32 file = answer->frames[i].call_file;

			add_file(chain, answer,
				 file ? inline_frames_file(&origin.frames->parts, file) : "");
		}
	}
	rcu_read_unlock();
	return nr > 0 ? 0 : nr;
}

static int answer_chain(struct btf_extra_chain *chain, struct chain_answer *answer)
{
	int err = find_chain(chain, answer);

	if (err == -ENODATA) {
		err = frames_source_load();
		if (!err)
			err = find_chain(chain, answer);
	}
	if (!err && (copy_to_user(u64_to_user_ptr(chain->frames), answer->frames,
				  chain->count * sizeof(*answer->frames)) ||
		     copy_to_user(u64_to_user_ptr(chain->files), answer->files,
				  answer->files_written)))
		err = -EFAULT;
	return err;
}

static int ioctl_frames(const struct file *file, struct btf_extra_chain __user *argument)
{
	const size_t most = BTF_EXTRA_CHAIN_MAX * BTF_EXTRA_PATH_MAX;
	struct chain_answer *answer;
	struct btf_extra_chain chain;
	int err;

	if (copy_from_user(&chain, argument, sizeof(chain)))
		return -EFAULT;
	if (chain.reserved[0] || chain.reserved[1])
		return -EINVAL;
	/* The rule is that of a look-up by address. */
	if (addresses_hidden(file))
		return -EPERM;
	answer = kvmalloc(sizeof(*answer) + min_t(size_t, chain.files_size, most),
			  GFP_KERNEL_ACCOUNT);
	if (!answer)
		return -ENOMEM;
	err = answer_chain(&chain, answer);
	kvfree(answer);
	if (!err && copy_to_user(argument, &chain, sizeof(chain)))
		err = -EFAULT;
	return err;
}

static long device_ioctl(struct file *file, unsigned int command, unsigned long argument)
{
	switch (command) {
	case BTF_EXTRA_IOC_INFO:
		return ioctl_info(file, (void __user *)argument);
	case BTF_EXTRA_IOC_LOOKUP:
		return ioctl_lookup(file, (void __user *)argument);
	case BTF_EXTRA_IOC_ATTACH:
		return kloc_file_attach((void __user *)argument, addresses_hidden(file));
	case BTF_EXTRA_IOC_FRAMES:
		return ioctl_frames(file, (void __user *)argument);
	default:
		return -ENOTTY;
	}
}

const struct file_operations query_device_operations = {
	.owner = THIS_MODULE,
	.open = device_open,
	.unlocked_ioctl = device_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
};

static struct miscdevice device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "btf_extra",
	.mode = 0600,
	.fops = &query_device_operations,
};

int query_device_init(void)
{
	return misc_register(&device);
}

void query_device_exit(void)
{
	misc_deregister(&device);
}
