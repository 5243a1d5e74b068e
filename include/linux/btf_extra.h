/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What btf_extra.ko offers to other parts of the kernel. Look-ups do not sleep
 * and take no lock: any context but NMI may ask.
 */
#ifndef _LINUX_BTF_EXTRA_H
#define _LINUX_BTF_EXTRA_H

#include <linux/types.h>
#include <uapi/linux/btf_extra.h>

struct module;

/* Which sites; the fields that @by does not name are not looked at. */
struct btf_extra_query {
	enum btf_extra_by by;
	u32 flags;			/* BTF_EXTRA_INLINE_ONLY, BTF_EXTRA_BODY_ONLY */
	const char *object;		/* "vmlinux" or a module; NULL: all, but not by id */
	u32 func_id;
	const char *name;		/* of the source, else of a symbol */
	const char *file;		/* source path or its end; NULL: any */
	unsigned long address;
};

/*
 * Called for each site under rcu_read_lock(): must not sleep. Another value than
 * 0 ends the walk and is what it returns.
 */
typedef int (*btf_extra_site_fn)(const struct btf_extra_site *site, void *data);

/*
 * All sites that a query stands for, in order of (object, func_id, number), never
 * just the first. 0, the value of fn, -ENOENT: nothing matches, -EINVAL: a query
 * that makes no sense. fn may be NULL: are there any? *total, if total is not
 * NULL, is the number of sites, unless fn ended the walk.
 */
int btf_extra_for_each_site(const struct btf_extra_query *query, btf_extra_site_fn fn, void *data,
			    u32 *total);

/*
 * Copies the name of a function of the object with that id (as in a site) out.
 * Its length, -ENOENT, or -E2BIG for a buffer that is too small.
 */
int btf_extra_func_name(u32 object, u32 func_id, char *name, size_t size);

/*
 * ---- for the data module, btf_extra_vmlinux.ko ----
 *
 * Both point into its own memory. image: the container without .BTF, aligned to
 * 8; types: what its .BTF holds, aligned to 4.
 */
struct btf_extra_data {
	const void *image;
	size_t image_size;
	const void *types;
	size_t types_size;
	struct module *owner;
};

/* 0, or why the blobs were refused (one line in dmesg says more). May sleep. */
int btf_extra_add_vmlinux(const struct btf_extra_data *data);

/* Takes them away and waits for readers, so that the memory may go. */
void btf_extra_del_vmlinux(const struct btf_extra_data *data);

#endif
