/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR LGPL-2.1 OR BSD-2-Clause) */
/*
 * /dev/btf_extra: which addresses do a function's name or BTF id stand for,
 * inlined instances included, and what stands at an address? And a BPF program at
 * all of them.
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
/*
 * The instance's own code jumps back to its address (the head of its loop): a
 * probe there is hit once a turn, not once a call.
 */
#define BTF_EXTRA_SITE_LOOP_HEAD	(1U << 1)
/*
 * The rest of a call that began at another site of the function (foo.part.0, inlined
 * or not): a probe there would see it twice.
 */
#define BTF_EXTRA_SITE_PART	(1U << 2)
/*
 * With which instruction a call begins is not known, and this one may also run where
 * nothing is called.
 */
#define BTF_EXTRA_SITE_NO_ENTRY	(1U << 3)
/*
 * The function is not one of the source, but named after the symbol of this body
 * (foo.isra.0), whose signature the compiler has changed: its prototype is what
 * is left. The same body is a site of foo, too, which lacks this flag.
 */
#define BTF_EXTRA_SITE_TRUE_SIGNATURE	(1U << 4)

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

/* ---- attach ---- */

/*
 * BTF_EXTRA_IOC_ATTACH plants a kprobe at every site of a function and returns a
 * file descriptor (close-on-exec); when its last copy is closed, the probes are
 * gone. The sites of a module go when it goes, and the descriptor stays valid.
 * A site with BTF_EXTRA_SITE_PART begins no call: it gets no probe, and is not said
 * to be left out.
 *
 * At a hit the program (BPF_PROG_TYPE_KPROBE, as for SEC("kprobe"), not sleepable)
 * runs on a copy of the registers in which each parameter that has a location at
 * the site is where the ABI passes that argument, as if the function had been
 * called there: PT_REGS_PARMn(ctx) reads it. The register of a parameter without
 * location is 0. The instruction pointer is the address of the site + 1.
 * bpf_get_attach_cookie() gives the cookie.
 *
 * Errors: -EPERM without CAP_PERFMON or under lockdown; -EBADF, -EINVAL: not such a
 * program; -ENOENT: no such object, function or site; -EOPNOTSUPP: sites are left
 * out that may not be (see left_out, total), or all of them; -ENODEV: this kernel's
 * BTF does not tell what keeps a program from running within other BPF code.
 */
/* Flags, beside BTF_EXTRA_INLINE_ONLY and BTF_EXTRA_BODY_ONLY. */
#define BTF_EXTRA_BEST_EFFORT	(1U << 8)	/* attach to the others when sites are left out */
/* Do not leave out sites where hits are no calls: BTF_EXTRA_SITE_LOOP_HEAD, _NO_ENTRY. */
#define BTF_EXTRA_INEXACT	(1U << 9)
#define BTF_EXTRA_NOTRACE	(1U << 10)	/* nor functions that ftrace may not trace */

enum btf_extra_reason {
	BTF_EXTRA_REASON_NO_TEXT = 1,	/* freed, or its address is not known */
	BTF_EXTRA_REASON_LOOP_HEAD = 2,
	BTF_EXTRA_REASON_PARAMETER = 3,	/* a required parameter has no location */
	BTF_EXTRA_REASON_NOTRACE = 4,	/* perf refuses these too */
	BTF_EXTRA_REASON_KPROBE = 5,	/* refused by the kernel: blacklisted, noinstr, ... */
	BTF_EXTRA_REASON_NO_ENTRY = 6,
};

struct btf_extra_left_out {
	struct btf_extra_site site;
	__u32 reason;		/* enum btf_extra_reason */
	__s32 error;		/* BTF_EXTRA_REASON_KPROBE: what register_kprobe() said; else 0 */
	__u64 parameters;	/* BTF_EXTRA_REASON_PARAMETER: bit n: that one is missing */
};

struct btf_extra_attach {
	__u32 prog_fd;		/* in */
	__u32 flags;		/* in */
	__u32 object;		/* in: btf_extra_object.id */
	__u32 func_id;		/* in */
	__u64 required;		/* in: bit n: parameter n (from 0) must have a location */
	__u64 cookie;		/* in */
	__u64 left_out;		/* in: struct btf_extra_left_out [capacity] */
	__u32 capacity;
	__u32 count;		/* out: left_out written, also with -EOPNOTSUPP */
	__u32 total;		/* out: sites left out, by number */
	__u32 attached;		/* out: sites with a probe; 0 with -EOPNOTSUPP */
	__u32 result;		/* out: BTF_EXTRA_RESULT_* */
	__u32 reserved[3];
};

/* A site with a probe. */
struct btf_extra_probe {
	struct btf_extra_site site;
	__u64 missed;		/* hits that kprobes did not deliver: another one was running */
};

/* BTF_EXTRA_IOC_LINK, on what BTF_EXTRA_IOC_ATTACH returned: in and out. */
struct btf_extra_link {
	__u64 probes;		/* in: struct btf_extra_probe [capacity], by number of the site */
	__u32 capacity;
	__u32 first;		/* in: the first one that is wanted */
	__u32 count;		/* out: probes written */
	__u32 total;		/* out: probes there are */
	__u64 hits;		/* out: runs of the program */
	__u64 missed;		/* out: hits without a run: recursion, or as in btf_extra_probe */
	__u64 cookie;		/* out */
	__u32 object;		/* out */
	__u32 func_id;		/* out */
	__u32 prog_id;		/* out */
	__u32 result;		/* out: BTF_EXTRA_RESULT_* */
	__u32 reserved[2];
};

/*
 * What a program can tell of its arguments beyond the registers. The word of the
 * copy that tells of a system call's number (x86: orig_ax, arm64: orig_x0) has
 * BTF_EXTRA_ARGS_MARK in its upper 16 bits, which no kprobe of another origin has,
 * and from bit 0 four bits for each of the first 12 parameters:
 * 0 to 7: the number of its argument register (of the first of two for a value of
 * more than 8 bytes); or BTF_EXTRA_ARGS_MEMORY: the ABI passes it in memory, so it is
 * in args[n] behind the copy (bpf_probe_read_kernel() from ctx + sizeof(struct
 * pt_regs)), as all from the 13th on; or BTF_EXTRA_ARGS_NONE: it has no location.
 * Values narrower than 8 bytes are extended as their type says.
 */
#define BTF_EXTRA_ARGS_MARK	0x6b6cULL
#define BTF_EXTRA_ARGS_CODED	12
#define BTF_EXTRA_ARGS_MEMORY	0x8
#define BTF_EXTRA_ARGS_NONE	0xf
#define BTF_EXTRA_ARGS_MAX	32	/* later parameters are never there */

struct btf_extra_arg {
	__u64 value[2];		/* low half first */
	__u64 present;		/* 1 or 0 */
};

/* 0xbf: not in the kernel's list of ioctl numbers; 1 and 2 of any would go to the VFS. */
#define BTF_EXTRA_IOC_MAGIC 0xbf
#define BTF_EXTRA_IOC_INFO	_IOWR(BTF_EXTRA_IOC_MAGIC, 0x10, struct btf_extra_info)
#define BTF_EXTRA_IOC_LOOKUP	_IOWR(BTF_EXTRA_IOC_MAGIC, 0x11, struct btf_extra_lookup)
#define BTF_EXTRA_IOC_ATTACH	_IOWR(BTF_EXTRA_IOC_MAGIC, 0x12, struct btf_extra_attach)
#define BTF_EXTRA_IOC_LINK	_IOWR(BTF_EXTRA_IOC_MAGIC, 0x13, struct btf_extra_link)

#endif
