/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR LGPL-2.1 OR BSD-2-Clause) */
/*
 * /dev/btf_extra: which addresses do a function's name or BTF id stand for,
 * inlined instances included, and what stands at an address?
 *
 * The device opens for those with CAP_PERFMON or CAP_SYS_ADMIN (-EPERM). All
 * structs are of fixed width and the same on every ABI. Reserved fields and
 * flags without a meaning must be zero (-EINVAL); a pointer is a __u64, 0: none.
 * Everything that a call gives back comes from one state of the tables; their
 * generation changes whenever an object comes or goes, so pages that were asked
 * for one after another belong together if and only if it is the same in all.
 */
#ifndef _UAPI_LINUX_BTF_EXTRA_H
#define _UAPI_LINUX_BTF_EXTRA_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define BTF_EXTRA_DEVICE "/dev/btf_extra"

#define BTF_EXTRA_ABI_VERSION 1

#define BTF_EXTRA_OBJECT_NAME_LEN 64	/* with the NUL, padded with NULs */
#define BTF_EXTRA_NAME_MAX 512		/* of a function, with the NUL */
#define BTF_EXTRA_PATH_MAX 4096		/* of a source file, with the NUL */

/* ---- what there is ---- */

/* An object: vmlinux or a module that is loaded. */
struct btf_extra_object {
	char name[BTF_EXTRA_OBJECT_NAME_LEN];	/* "vmlinux", or as in /proc/modules */
	__u32 id;			/* never given twice, never 0 */
	__u32 nr_funcs;			/* functions with sites */
	__u32 nr_inline;		/* sites that are inlined instances */
	__u32 nr_bodies;		/* sites that are out-of-line bodies */
	__u64 bytes;			/* that both blobs and all tables take */
	__u64 load_ns;			/* that checking and indexing took */
	__u64 text;			/* run-time base of .text; 0: hidden, or no such section */
	__u32 first_func_id;		/* of its types blob: ids from here on are its own */
	__u32 build_id_len;
	__u8 build_id[20];
	__u32 reserved;
};

/* BTF_EXTRA_IOC_INFO: in and out. */
struct btf_extra_info {
	__u64 objects;		/* in: struct btf_extra_object [capacity] */
	__u32 capacity;
	__u32 first;		/* in: number of the first object that is wanted */
	__u32 count;		/* out: objects written */
	__u32 total;		/* out: objects there are */
	__u32 version;		/* out: BTF_EXTRA_ABI_VERSION */
	__u32 result;		/* out: BTF_EXTRA_RESULT_* */
	__u64 generation;	/* out */
	__u32 reserved[2];
};

/* ---- look-ups ---- */

/*
 * A symbol's name (foo.isra.0) is looked up where no function of the source has
 * it; of several symbols at one address only the one that kallsyms gives is found.
 */
enum btf_extra_by {
	BTF_EXTRA_BY_ID = 1,		/* object and func_id */
	BTF_EXTRA_BY_NAME = 2,		/* name: of the source, else of a symbol */
	BTF_EXTRA_BY_ADDRESS = 3,	/* address: sites that begin at it */
};

/* Which sites; none of these: all. */
#define BTF_EXTRA_INLINE_ONLY	(1U << 0)
#define BTF_EXTRA_BODY_ONLY	(1U << 1)

/* Addresses are 0, for the caller may not see those of kallsyms. */
#define BTF_EXTRA_RESULT_HIDDEN	(1U << 0)

enum btf_extra_class {
	BTF_EXTRA_CLASS_INLINE = 0,
	BTF_EXTRA_CLASS_BODY = 1,
};

/* The text of this site has been freed (init text after boot). */
#define BTF_EXTRA_SITE_FREED	(1U << 0)

struct btf_extra_site {
	__u64 address;		/* at run time; 0: hidden, or a module's freed init text */
	__u32 object;		/* btf_extra_object.id */
	__u32 func_id;		/* FUNC in the types blob of the object, or below it */
	__u32 loc_proto;	/* LOC_PROTO in its func_info: where the parameters are */
	__u32 number;		/* of the site, in all LOCSECs of its func_info in order */
	__u32 site_class;	/* enum btf_extra_class */
	__u32 flags;		/* BTF_EXTRA_SITE_* */
};

/*
 * BTF_EXTRA_IOC_LOOKUP: in and out. -ENOENT: nothing of that name, id or address,
 * or no such object. A buffer that is too small gets its part, and total is right.
 * Order: objects by id; within one, functions by id and the sites of each by number.
 * By address: sites by number.
 */
struct btf_extra_lookup {
	__u32 by;		/* in: enum btf_extra_by */
	__u32 flags;		/* in: BTF_EXTRA_INLINE_ONLY, BTF_EXTRA_BODY_ONLY */
	__u64 object;		/* in: name of an object; 0: all, but not by id */
	__u64 name;		/* in, by name: NUL-terminated */
	/*
	 * In, by name: source path or its end; 0: any. A function's file is known where
	 * several share the name.
	 */
	__u64 file;
	__u64 address;		/* in, by address: at run time; -EPERM where addresses are hidden */
	__u32 func_id;		/* in, by id */
	__u32 first;		/* in: number of the first site that is wanted */
	__u64 sites;		/* in: struct btf_extra_site [capacity] */
	__u32 capacity;
	__u32 count;		/* out: sites written */
	__u32 total;		/* out: sites that match */
	__u32 result;		/* out: BTF_EXTRA_RESULT_* */
	__u64 generation;	/* out */
	__u32 reserved[2];
};

/* 0xbf: not in the kernel's list of ioctl numbers; 1 and 2 of any would go to the VFS. */
#define BTF_EXTRA_IOC_MAGIC 0xbf
#define BTF_EXTRA_IOC_INFO	_IOWR(BTF_EXTRA_IOC_MAGIC, 0x10, struct btf_extra_info)
#define BTF_EXTRA_IOC_LOOKUP	_IOWR(BTF_EXTRA_IOC_MAGIC, 0x11, struct btf_extra_lookup)

#endif
