// SPDX-License-Identifier: GPL-2.0
#define pr_fmt(fmt) "btf_extra: " fmt

#include <linux/firmware.h>
#include <linux/kernel_read_file.h>
#include <linux/slab.h>
#include <linux/utsname.h>
#include <linux/vmalloc.h>

#include "objects/published_objects.h"
#include "sources/firmware_source.h"
#include "sources/manifest.h"

/* It does not change between open and close, once it is parsed. */
static struct manifest manifest;
static bool parsed;

/*
 * Requests the file of that name of this kernel with a NULL device, because the loader re-reads a
 * device's files on every suspend.
 */
static int firmware_get(const struct firmware **firmware, const char *name)
{
	char *path = kasprintf(GFP_KERNEL, "btf_extra/%s/%s", init_utsname()->release, name);
	int err;

	if (!path)
		return -ENOMEM;
	err = request_firmware_direct(firmware, path, NULL);
	kfree(path);
	return err;
}

/*
 * The folders that the firmware loader always searches. It logs each file that it does not find, so
 * this code looks for the manifest first. Only the loader knows the folder of firmware_class.path:
 * a link to it in one of these folders works.
 */
static const char *const firmware_folders[] = { "/lib/firmware/updates", "/lib/firmware" };

/*
 * The loader searches the root of init. The caller's may be another one: modprobe can run in a
 * chroot or in a container.
 */
static bool is_file_of_init(const char *path)
{
	void *data = NULL;
	bool found;

	found = kernel_read_file_from_path_initns(path, 0, &data, INT_MAX, NULL,
						  READING_FIRMWARE) >= 0;
	vfree(data);
	return found;
}

static bool manifest_exists(void)
{
	bool found = false;
	u32 i;

	for (i = 0; !found && i < ARRAY_SIZE(firmware_folders); i++) {
		char *path = kasprintf(GFP_KERNEL, "%s/btf_extra/%s/manifest",
				       firmware_folders[i], init_utsname()->release);

		found = path && is_file_of_init(path);
		kfree(path);
	}
	return found;
}

void firmware_source_open(void)
{
	const struct firmware *file;
	u32 line;

	/* This kernel may have no folder: its blobs may come from the data module. */
	if (!manifest_exists() || firmware_get(&file, "manifest"))
		return;
	if (manifest_parse(&manifest, file->data, file->size, &line))
		pr_err("manifest: line %u cannot be read; no firmware is requested\n", line);
	else
		/* A reader that sees it sees the manifest as well. */
		smp_store_release(&parsed, true);
	release_firmware(file);
}

void firmware_source_close(void)
{
	WRITE_ONCE(parsed, false);
	manifest_free(&manifest);
}

int firmware_source_read(const char *name, const struct firmware **file)
{
	char path[BTF_EXTRA_OBJECT_NAME_LEN + 16];
	int err;

	/*
	 * A query of the device may come before the manifest exists. Pairs with
	 * firmware_source_open().
	 */
	if (!smp_load_acquire(&parsed) || !manifest_has(&manifest, name))
		return -ENOENT;
	snprintf(path, sizeof(path), "%s.btf_extra", name);
	err = firmware_get(file, path);
	if (err)
		pr_err("%s: in the manifest, but its file cannot be read\n", name);
	/* -ENOENT is only for the manifest. */
	return err == -ENOENT ? -EIO : err;
}

void firmware_source_add(const char *name, const struct module *module, struct load_tally *tally)
{
	struct object_source source = { .name = name, .module = module };
	const struct firmware *file;

	if (published_has(name) || firmware_source_read(name, &file))
		return;
	source.image = file->data;
	source.image_size = file->size;
	published_count(&source, tally);
	release_firmware(file);
}
