// SPDX-License-Identifier: GPL-2.0
#include <linux/crc32.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "objects/base_btf.h"

static u32 crc32_of(const void *data, size_t size)
{
	return ~crc32_le(~0, data, size);
}

static int index_base(struct base_btf *base, const struct btf_blob *below)
{
	struct btf_fault fault;
	int err;

	err = btf_blob_open(&base->blob, base->bytes.data, base->bytes.size, below, &fault);
	if (err)
		return err;
	base->type_offsets = kvmalloc_array(btf_blob_nr_offsets(&base->blob) + 1, sizeof(u32),
					    GFP_KERNEL);
	if (!base->type_offsets)
		return -ENOMEM;
	btf_blob_index(&base->blob, base->type_offsets);
	base->crc32 = crc32_of(base->bytes.data, base->bytes.size);
	return 0;
}

int base_btf_open_module(struct base_btf *base, const struct module *module,
			 const struct base_btf *vmlinux)
{
	struct base_btf opened = {};
	int err;

	/* This is a copy, because the kernel frees its own while the module is still going away. */
	err = sysfs_bytes_get(&opened.bytes, kernel_kobj, "btf", module->name, false);
	if (!err)
		err = index_base(&opened, &vmlinux->blob);
	if (err) {
		base_btf_close(&opened);
		return err;
	}
	*base = opened;
	return 0;
}

int base_btf_open_bytes(struct base_btf *base, const void *data, size_t size,
			const struct base_btf *below)
{
	struct base_btf opened = { .bytes = { .data = data, .size = size } };
	int err = index_base(&opened, below ? &below->blob : NULL);

	if (err) {
		base_btf_close(&opened);
		return err;
	}
	*base = opened;
	return 0;
}

void base_btf_close(struct base_btf *base)
{
	kvfree(base->type_offsets);
	base->type_offsets = NULL;
	sysfs_bytes_put(&base->bytes);
}

bool base_btf_is(const struct base_btf *base, const struct extra_base *sum)
{
	return base->bytes.size == sum->size && base->crc32 == sum->crc32;
}

size_t base_btf_memory(const struct base_btf *base)
{
	return (base->bytes.copy ? base->bytes.size : 0) +
	       btf_blob_nr_offsets(&base->blob) * sizeof(u32);
}

/* ---- the BTF of the running vmlinux ---- */

static struct base_btf vmlinux_base;

int vmlinux_btf_init(void)
{
	struct base_btf opened = {};
	int err;

	err = sysfs_bytes_get(&opened.bytes, kernel_kobj, "btf", "vmlinux", true);
	if (!err)
		err = index_base(&opened, NULL);
	if (err) {
		base_btf_close(&opened);
		return err;
	}
	vmlinux_base = opened;
	return 0;
}

void vmlinux_btf_exit(void)
{
	base_btf_close(&vmlinux_base);
}

const struct base_btf *vmlinux_btf(void)
{
	return &vmlinux_base;
}

/* If one byte of a page can be read, the whole page can. */
static bool image_readable(const void *at, size_t size)
{
	const u8 *page = PTR_ALIGN_DOWN((const u8 *)at, PAGE_SIZE);
	u8 byte;

	for (; page < (const u8 *)at + size; page += PAGE_SIZE)
		if (copy_from_kernel_nofault(&byte, page, sizeof(byte)))
			return false;
	return true;
}

/* Only addresses near some text of the kernel are in its image. */
static bool near_image(const void *at, size_t size)
{
	unsigned long here = (unsigned long)&register_module_notifier;
	unsigned long first = (unsigned long)at;

	return first % 4 == 0 && size < SZ_1G && first + SZ_1G > here &&
	       first < here + SZ_1G;
}

void vmlinux_btf_settle(const void *at)
{
	size_t size = vmlinux_base.bytes.size;

	if (!vmlinux_base.bytes.copy || !near_image(at, size) || !image_readable(at, size) ||
	    memcmp(at, vmlinux_base.bytes.copy, size))
		return;
	/* A reader sees either address. The bytes at both are the same. */
	WRITE_ONCE(vmlinux_base.blob.data, at);
	vmlinux_base.bytes.data = at;
	synchronize_rcu();
	kvfree(vmlinux_base.bytes.copy);
	vmlinux_base.bytes.copy = NULL;
}
