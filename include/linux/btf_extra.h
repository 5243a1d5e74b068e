/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The interface of btf_extra.ko for other parts of the kernel. Look-ups do not sleep and take no
 * lock. Those by address may be called in any context, also in NMI: BPF programs of perf events do
 * that. Those by id and by name may be called in any context except NMI, because a function may
 * have tens of thousands of sites.
 */
#ifndef _LINUX_BTF_EXTRA_H
#define _LINUX_BTF_EXTRA_H

#include <linux/types.h>
#include <uapi/linux/btf_extra.h>

struct module;

/* Selects sites. Only the fields that @by names are used. */
struct btf_extra_query {
	enum btf_extra_by by;
	u32 flags;			/* BTF_EXTRA_INLINE_ONLY, BTF_EXTRA_BODY_ONLY */
	const char *object;		/* "vmlinux" or a module; NULL: all, but not by id */
	u32 func_id;
	const char *name;		/* of the source; if there is none, of a symbol */
	const char *file;		/* source path or the end of it; NULL: any */
	unsigned long address;
};

/*
 * Called for each site under rcu_read_lock(), so it must not sleep. A return value other than 0
 * ends the walk, and the walk returns it.
 */
typedef int (*btf_extra_site_fn)(const struct btf_extra_site *site, void *data);

/**
 * btf_extra_for_each_site() - call a function for all sites that match a query
 * @query: which sites
 * @fn: called for each, in order of (object, func_id, number); NULL: learn only if sites exist
 * @data: passed to @fn
 * @total: receives the number of sites, unless @fn ended the walk; may be NULL
 *
 * Context: any but NMI.
 * Return: 0 or the value of @fn; -ENOENT if nothing matches; -EINVAL if the query is invalid.
 */
int btf_extra_for_each_site(const struct btf_extra_query *query, btf_extra_site_fn fn, void *data,
			    u32 *total);

/**
 * btf_extra_frames_at() - write which functions an address is in
 * @address: any address of code
 * @frames: receives as many as fit, the innermost first, as BTF_EXTRA_IOC_FRAMES writes them
 * @capacity: the number of elements of @frames
 *
 * Reads no files.
 *
 * Context: any, also NMI. Return: the number of functions at the address, up to
 * BTF_EXTRA_CHAIN_MAX; -ENOENT if it is in no function; -ENODATA if the object has no frames, or if
 * /dev/btf_extra was not asked for them.
 */
int btf_extra_frames_at(unsigned long address, struct btf_extra_chain_frame *frames, u32 capacity);

/**
 * btf_extra_func_name() - copy the name of a function
 * @object: the object, as in a site
 * @func_id: the function, as in a site
 * @name: receives the name
 * @size: the size of @name
 *
 * Context: any, also NMI.
 * Return: the length of the name; -ENOENT if the function does not exist; -E2BIG if the buffer is
 * too small.
 */
int btf_extra_func_name(u32 object, u32 func_id, char *name, size_t size);

/*
 * ---- for the data module, btf_extra_vmlinux.ko ----
 *
 * Both blobs are in the memory of that module. image is the container without .BTF, aligned to 8.
 * types is the contents of its .BTF, aligned to 4.
 */
struct btf_extra_data {
	const void *image;
	size_t image_size;
	const void *types;
	size_t types_size;
	struct module *owner;
};

/**
 * btf_extra_add_vmlinux() - publish the blobs of vmlinux
 * @data: where they are; they stay until btf_extra_del_vmlinux()
 *
 * Context: may sleep.
 * Return: 0, or a negative errno if they are refused; a line in dmesg has the reason.
 */
int btf_extra_add_vmlinux(const struct btf_extra_data *data);

/**
 * btf_extra_del_vmlinux() - remove the blobs of vmlinux
 * @data: what was added
 *
 * Waits for readers, so that the memory may be freed.
 *
 * Context: may sleep.
 */
void btf_extra_del_vmlinux(const struct btf_extra_data *data);

#endif
