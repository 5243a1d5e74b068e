// SPDX-License-Identifier: GPL-2.0
#include <linux/btf_extra.h>
#include <linux/export.h>

#include "objects/object_frames.h"
#include "objects/published_objects.h"
#include "objects/running_kernel.h"
#include "sources/firmware_source.h"
#include "sources/frames_source.h"
#include "sources/vmlinux_source.h"

#define VMLINUX "vmlinux"

/* The data module whose blobs are published; NULL: none. Under published_lock(). */
static const struct btf_extra_data *current_data;

void vmlinux_source_add_firmware(struct load_tally *tally)
{
	firmware_source_add(VMLINUX, NULL, tally);
}

/* The data module has precedence over firmware, because its types have ids of the kernel itself. */
static int replace_firmware(const struct btf_extra_data *data)
{
	const struct object_source source = {
		.name = VMLINUX,
		.image = data->image,
		.image_size = data->image_size,
		.types = { .data = data->types, .size = data->types_size },
		.types_module = data->owner,
		.keep = true,
	};
	struct load_tally tally = {};
	struct extra_object *object;

	if (current_data)
		return -EEXIST;
	object = published_replace(&source, &running_kernel);
	if (IS_ERR(object))
		return PTR_ERR(object);
	current_data = data;
	load_tally_count(&tally, object);
	load_tally_print(&tally);
	return 0;
}

int btf_extra_add_vmlinux(const struct btf_extra_data *data)
{
	int err;

	if (data->types_size > U32_MAX)
		return -EINVAL;
	published_lock();
	err = replace_firmware(data);
	published_unlock();
	/* It has no frames, but a firmware file with the same blobs may have some. */
	if (!err && object_frames_wanted())
		frames_source_load();
	return err;
}
EXPORT_SYMBOL_GPL(btf_extra_add_vmlinux);

void btf_extra_del_vmlinux(const struct btf_extra_data *data)
{
	published_lock();
	if (data && current_data == data) {
		published_remove(VMLINUX, NULL);
		current_data = NULL;
	}
	published_unlock();
}
EXPORT_SYMBOL_GPL(btf_extra_del_vmlinux);
