// SPDX-License-Identifier: GPL-2.0
/* See api_test.h. */
#include <linux/btf_extra.h>
#include <linux/fs.h>
#include <linux/irqflags.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "api_test.h"

struct seen {
	struct btf_extra_site *sites;
	u32 capacity;
	u32 count;
	u32 stop;
};

static int keep_site(const struct btf_extra_site *site, void *data)
{
	struct seen *seen = data;

	if (seen->count < seen->capacity)
		seen->sites[seen->count] = *site;
	return ++seen->count == seen->stop ? API_TEST_STOPPED : 0;
}

static int ask(struct btf_extra_lookup *lookup, const struct btf_extra_query *query,
	       struct seen *seen)
{
	u32 how = lookup->reserved[1];
	unsigned long flags = 0;
	int ret;

	if (how & API_TEST_IRQS_OFF)
		local_irq_save(flags);
	ret = btf_extra_for_each_site(query, how & API_TEST_NO_FN ? NULL : keep_site, seen,
				      how & API_TEST_NO_TOTAL ? NULL : &lookup->total);
	if (how & API_TEST_IRQS_OFF)
		local_irq_restore(flags);
	return ret;
}

static char *get_string(u64 pointer)
{
	return pointer ? strndup_user(u64_to_user_ptr(pointer), PAGE_SIZE) : NULL;
}

static long lookup_ioctl(struct btf_extra_lookup __user *argument)
{
	struct btf_extra_lookup lookup;
	struct btf_extra_query query;
	struct seen seen = {};
	long ret;

	if (copy_from_user(&lookup, argument, sizeof(lookup)))
		return -EFAULT;
	query = (struct btf_extra_query){
		.by = lookup.by,
		.flags = lookup.flags,
		.object = get_string(lookup.object),
		.func_id = lookup.func_id,
		.name = get_string(lookup.name),
		.file = get_string(lookup.file),
		.address = lookup.address,
	};
	seen.capacity = min(lookup.capacity, 1U << 16);
	seen.stop = lookup.reserved[0];
	seen.sites = kvcalloc(seen.capacity + 1, sizeof(*seen.sites), GFP_KERNEL);
	ret = -EFAULT;
	if (!seen.sites || IS_ERR(query.object) || IS_ERR(query.name) || IS_ERR(query.file))
		goto out;
	lookup.total = API_TEST_UNTOUCHED;
	ret = ask(&lookup, &query, &seen);
	lookup.count = min(seen.count, seen.capacity);
	if (copy_to_user(u64_to_user_ptr(lookup.sites), seen.sites,
			 lookup.count * sizeof(*seen.sites)) ||
	    copy_to_user(argument, &lookup, sizeof(lookup)))
		ret = -EFAULT;
out:
	kvfree(seen.sites);
	if (!IS_ERR(query.object))
		kfree(query.object);
	if (!IS_ERR(query.name))
		kfree(query.name);
	if (!IS_ERR(query.file))
		kfree(query.file);
	return ret;
}

static long func_name_ioctl(const struct api_test_func_name __user *argument)
{
	struct api_test_func_name request;
	char name[BTF_EXTRA_NAME_MAX];
	long ret;

	if (copy_from_user(&request, argument, sizeof(request)) || request.size > sizeof(name))
		return -EFAULT;
	ret = btf_extra_func_name(request.object, request.func_id, name, request.size);
	if (ret >= 0 && copy_to_user(u64_to_user_ptr(request.name), name, ret + 1))
		return -EFAULT;
	return ret;
}

static int ask_frames(struct btf_extra_chain *chain, struct btf_extra_chain_frame *frames)
{
	bool irqs_off = chain->reserved[1] & API_TEST_IRQS_OFF;
	unsigned long flags = 0;
	int ret;

	if (irqs_off)
		local_irq_save(flags);
	ret = btf_extra_frames_at(chain->address, frames, chain->capacity);
	if (irqs_off)
		local_irq_restore(flags);
	return ret;
}

static long frames_ioctl(struct btf_extra_chain __user *argument)
{
	struct btf_extra_chain_frame *frames;
	struct btf_extra_chain chain;
	long ret;

	if (copy_from_user(&chain, argument, sizeof(chain)) ||
	    chain.capacity > BTF_EXTRA_CHAIN_MAX)
		return -EFAULT;
	frames = kcalloc(chain.capacity + 1, sizeof(*frames), GFP_KERNEL);
	if (!frames)
		return -ENOMEM;
	ret = ask_frames(&chain, frames);
	if (ret >= 0) {
		chain.total = ret;
		chain.count = min(chain.total, chain.capacity);
		ret = 0;
	}
	if (!ret && (copy_to_user(u64_to_user_ptr(chain.frames), frames,
				  chain.count * sizeof(*frames)) ||
		     copy_to_user(argument, &chain, sizeof(chain))))
		ret = -EFAULT;
	kfree(frames);
	return ret;
}

static long api_ioctl(struct file *file, unsigned int command, unsigned long argument)
{
	switch (command) {
	case API_TEST_LOOKUP:
		return lookup_ioctl((void __user *)argument);
	case API_TEST_FRAMES:
		return frames_ioctl((void __user *)argument);
	case API_TEST_FUNC_NAME:
		return func_name_ioctl((void __user *)argument);
	default:
		return -ENOTTY;
	}
}

static const struct file_operations api_operations = {
	.owner = THIS_MODULE,
	.unlocked_ioctl = api_ioctl,
};

static struct miscdevice api_device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "btf_extra_api",
	.mode = 0600,
	.fops = &api_operations,
};

module_misc_device(api_device);
MODULE_DESCRIPTION("Asks the exported functions of btf_extra, for the tests");
MODULE_LICENSE("GPL");
