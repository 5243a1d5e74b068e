/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The interface of btf_extra.ko for other parts of the kernel. Look-ups do not sleep and take no
 * lock. Those by address may be called in any context, also in NMI: BPF programs of perf events do
 * that. Those by id and by name may be called in any context but NMI, because a function may have
 * tens of thousands of sites.
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

/*
 * Calls fn for all sites that match a query, in order of (object, func_id, number). Returns 0 or
 * the value of fn; -ENOENT: nothing matches; -EINVAL: the query makes no sense. fn may be NULL, to
 * learn only if there are sites. If total is not NULL, *total is the number of sites, unless fn
 * ended the walk.
 */
int btf_extra_for_each_site(const struct btf_extra_query *query, btf_extra_site_fn fn, void *data,
			    u32 *total);

/*
 * Writes which functions an address is in, as BTF_EXTRA_IOC_FRAMES does, and as many as fit, the
 * innermost first. Returns how many there are, up to BTF_EXTRA_CHAIN_MAX; -ENOENT: there is no
 * function; -ENODATA: the object there has no frames, or nobody has asked /dev/btf_extra for them:
 * this reads no files. It may be called in any context.
 */
int btf_extra_frames_at(unsigned long address, struct btf_extra_chain_frame *frames, u32 capacity);

/*
 * Copies the name of the function with that id (as in a site) to name. Returns its length, -ENOENT,
 * or -E2BIG if the buffer is too small. It may be called in any context.
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

/* Returns 0, or the reason for a refusal; one line in dmesg says more. May sleep. */
int btf_extra_add_vmlinux(const struct btf_extra_data *data);

/* Removes the blobs and waits for readers, so that their memory may be freed. */
void btf_extra_del_vmlinux(const struct btf_extra_data *data);

#endif
