/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR LGPL-2.1 OR BSD-2-Clause) */
/*
 * /dev/btf_extra looks up the addresses of a function by its name or BTF id, including inlined
 * instances, the functions that begin at an address, and those that contain it. It also attaches a
 * BPF program to all sites of a function.
 *
 * The device can be opened with CAP_PERFMON or CAP_SYS_ADMIN (otherwise -EPERM). All structs have a
 * fixed size and are the same on every ABI. Reserved fields, and flags without a meaning, must be
 * zero (otherwise -EINVAL). A pointer is a __u64; 0 means NULL. Everything that a call returns
 * comes from one state of the tables. Their generation changes whenever an object comes or goes.
 * Pages from several calls belong together if and only if they have the same generation.
 */
#ifndef _UAPI_LINUX_BTF_EXTRA_H
#define _UAPI_LINUX_BTF_EXTRA_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define BTF_EXTRA_DEVICE "/dev/btf_extra"

#define BTF_EXTRA_ABI_VERSION 1

#define BTF_EXTRA_OBJECT_NAME_LEN 64	/* with the NUL, padded with NULs */
#define BTF_EXTRA_NAME_MAX 512		/* size for the name of a function, with the NUL */
#define BTF_EXTRA_PATH_MAX 4096		/* size for the path of a source file, with the NUL */

/* ---- objects ---- */

/* An object is vmlinux or a loaded module. */
struct btf_extra_object {
	char name[BTF_EXTRA_OBJECT_NAME_LEN];	/* "vmlinux", or as in /proc/modules */
	__u32 id;			/* unique and never used again; never 0 */
	__u32 nr_funcs;			/* functions with sites */
	__u32 nr_inline;		/* sites that are inlined instances */
	__u32 nr_bodies;		/* sites that are out-of-line bodies */
	__u64 bytes;			/* memory that both blobs and all tables take */
	__u64 load_ns;			/* time that checking and indexing took */
	__u64 text;			/* run-time address of .text; 0: hidden or none */
	__u32 first_func_id;		/* first id of its types blob */
	__u32 build_id_len;
	__u8 build_id[20];
	__u32 reserved;
};

/* BTF_EXTRA_IOC_INFO: in and out. */
struct btf_extra_info {
	__u64 objects;		/* in: struct btf_extra_object [capacity] */
	__u32 capacity;
	__u32 first;		/* in: number of the first object to return */
	__u32 count;		/* out: number of objects written */
	__u32 total;		/* out: number of objects that exist */
	__u32 version;		/* out: BTF_EXTRA_ABI_VERSION */
	__u32 result;		/* out: BTF_EXTRA_RESULT_* */
	__u64 generation;	/* out */
	__u32 reserved[2];
};

/* ---- look-ups ---- */

/*
 * A symbol's name (foo.isra.0) finds true signatures of that name, and bodies with that symbol that
 * have none. If several symbols have one address, only the one that kallsyms returns is found.
 */
enum btf_extra_by {
	BTF_EXTRA_BY_ID = 1,		/* object and func_id */
	BTF_EXTRA_BY_NAME = 2,		/* name: of the source, or of a symbol */
	BTF_EXTRA_BY_ADDRESS = 3,	/* address: the sites that begin there */
};

/* Limit the sites to one class. Without these flags all sites are returned. */
#define BTF_EXTRA_INLINE_ONLY	(1U << 0)
#define BTF_EXTRA_BODY_ONLY	(1U << 1)

/* All addresses are 0 because the caller may not see the addresses of kallsyms. */
#define BTF_EXTRA_RESULT_HIDDEN	(1U << 0)
/* The text at the address that was asked for has been freed (vmlinux's init text after boot). */
#define BTF_EXTRA_RESULT_FREED	(1U << 1)

enum btf_extra_class {
	BTF_EXTRA_CLASS_INLINE = 0,
	BTF_EXTRA_CLASS_BODY = 1,
};

/*
 * The address is the head of a loop of the instance: its own code jumps back to it. A probe there
 * is hit once per iteration, not once per call.
 */
#define BTF_EXTRA_SITE_LOOP_HEAD	(1U << 0)
/*
 * The site continues a call that began at another site of the function (foo.part.0, inlined or
 * not). A probe there would see the call a second time.
 */
#define BTF_EXTRA_SITE_PART	(1U << 1)
/*
 * DWARF does not record at which instruction a call begins. The instruction at this site may also
 * run without a call.
 */
#define BTF_EXTRA_SITE_NO_ENTRY	(1U << 2)
/*
 * ftrace does not list the function around the site, but only because the source declares it
 * "inline", because the compiler split it off (foo.cold), or because the makefile of lib/ omits
 * the ftrace calls. A link has its probe there; perf refuses one.
 */
#define BTF_EXTRA_SITE_UNLISTED	(1U << 3)
/*
 * The function is not one of the source. It is named after the symbol of this body (foo.isra.0),
 * whose signature the compiler has changed, and its prototype has the remaining parameters. The
 * same body is also a site of foo, without this flag.
 */
#define BTF_EXTRA_SITE_TRUE_SIGNATURE	(1U << 4)
/* The text of this site has been freed (init text after boot). */
#define BTF_EXTRA_SITE_FREED	(1U << 5)
/*
 * The code around the site is closed to tracers on purpose: the source declares it notrace, noinstr
 * or NOKPROBE_SYMBOL(), or the code belongs to tracing itself.
 */
#define BTF_EXTRA_SITE_CLOSED	(1U << 6)
/*
 * The site begins with the jump or NOP of a static key, on which the kernel puts no kprobe. A probe
 * at the next instruction is hit once a call, too, and finds the same arguments.
 */
#define BTF_EXTRA_SITE_AFTER_KEY	(1U << 7)

struct btf_extra_site {
	__u64 address;		/* at run time; 0: hidden, or a module's freed init text */
	__u32 object;		/* btf_extra_object.id */
	__u32 func_id;		/* a FUNC in the object's types blob, or below it */
	__u32 loc_proto;	/* a LOC_PROTO in its func_info: the places of the parameters */
	__u32 number;		/* counts the sites in all LOCSECs of its func_info, in order */
	__u32 site_class;	/* enum btf_extra_class */
	__u32 flags;		/* BTF_EXTRA_SITE_* */
};

/*
 * The argument of BTF_EXTRA_IOC_LOOKUP, in and out. -ENOENT: there is no such name, id, address or
 * object. If the buffer is too small it is filled, and total still has the full number. Objects are
 * ordered by id, functions in an object by id, and the sites of a function by number. Sites at an
 * address are ordered by number.
 */
struct btf_extra_lookup {
	__u32 by;		/* in: enum btf_extra_by */
	__u32 flags;		/* in: BTF_EXTRA_INLINE_ONLY, BTF_EXTRA_BODY_ONLY */
	__u64 object;		/* in: name of an object; 0: all objects, but not by id */
	__u64 name;		/* in, by name: NUL-terminated */
	/*
	 * In, by name: source path or the end of it; 0: any. The file of a function is only known
	 * if several functions share the name.
	 */
	__u64 file;
	__u64 address;		/* in, by address; -EPERM if addresses are hidden */
	__u32 func_id;		/* in, by id */
	__u32 first;		/* in: number of the first site to return */
	__u64 sites;		/* in: struct btf_extra_site [capacity] */
	__u32 capacity;
	__u32 count;		/* out: number of sites written */
	__u32 total;		/* out: number of sites that match */
	__u32 result;		/* out: BTF_EXTRA_RESULT_* */
	__u64 generation;	/* out */
	__u32 reserved[2];
};

/* ---- stack traces ---- */

/* No address is in more functions. */
#define BTF_EXTRA_CHAIN_MAX	64

/* A function that an address is in. */
struct btf_extra_chain_frame {
	__u32 object;		/* btf_extra_object.id */
	__u32 func_id;		/* as in struct btf_extra_site */
	/*
	 * The source file with the call of this function: its number among the files of the
	 * object's frames, from 1 on; 0: not known, or it was not inlined.
	 */
	__u32 call_file;
	__u32 call_line;	/* in that file; 0: likewise */
};

/*
 * The argument of BTF_EXTRA_IOC_FRAMES, in and out: the functions at an address. The inlined ones
 * come first, from the innermost to the outermost, and last the one with the body around them. A
 * return address in a stack trace points after its call: ask for the address before it.
 *
 * If frames is too small it has the innermost functions, and total still has the full number.
 * files gets a text for each of the frames that are written, in the same order: the path of the
 * file with the call, or "" if call_file is 0. A NUL ends each. If not all fit, those up to the
 * first that does not are written, and files_total still has the full size. A path has less than
 * BTF_EXTRA_PATH_MAX bytes (a longer one is given as ""), so that BTF_EXTRA_CHAIN_MAX times that is
 * always enough.
 *
 * Frames take memory, and most hosts never use them. So the module reads them from the firmware
 * files of all objects when this is called for the first time, which may take a second, or when
 * they are loaded, with its parameter frames=1.
 *
 * Errors: -EPERM: addresses are hidden; -ENOENT: no function of an object contains the address, or
 * it is a module's freed init text; -ENODATA: the frames of the object there are not known, because
 * it has no firmware file, or that has none, or cannot be read; -EINTR: the caller is being killed.
 */
struct btf_extra_chain {
	__u64 address;		/* in */
	__u64 frames;		/* in: struct btf_extra_chain_frame [capacity] */
	__u64 files;		/* in: char [files_size] */
	__u32 capacity;
	__u32 files_size;	/* in: bytes */
	__u32 count;		/* out: number of frames written */
	__u32 total;		/* out: number of functions that the address is in */
	__u32 files_total;	/* out: bytes that the texts take */
	__u32 result;		/* out: BTF_EXTRA_RESULT_FREED */
	__u64 generation;	/* out */
	__u32 reserved[2];
};

/* ---- attach ---- */

/*
 * BTF_EXTRA_IOC_ATTACH registers a kprobe at every site of a function and returns a file descriptor
 * (close-on-exec). When its last copy is closed, the probes are removed. If a module goes away, so
 * do the probes in it, and the descriptor stays valid. A site with BTF_EXTRA_SITE_PART begins no
 * call: it gets no probe and is not reported as left out.
 *
 * At a hit the program (BPF_PROG_TYPE_KPROBE, as for SEC("kprobe"), not sleepable) runs on a copy
 * of the registers. In the copy each parameter with a location at the site is where the ABI passes
 * that argument, as if the function had been called there, so that PT_REGS_PARMn(ctx) reads it. The
 * register of a parameter without location is 0. The instruction pointer is the address of the
 * site, where bpf_get_stack() begins. bpf_get_attach_cookie() returns the cookie. For a program of
 * fentry see BTF_EXTRA_LINK.
 *
 * The module has the same guard as a perf kprobe: no program runs on a processor while its counter
 * bpf_prog_active is raised. The counter is raised while a program of a kprobe, tracepoint or perf
 * event runs, and while a system call changes a map; the hit counts as missed. No other code is
 * guarded: programs of raw tracepoints, fentry, sockets and XDP do not raise it. If one of these
 * holds the lock of a map and reaches a site inside that map's code (kernel/bpf), a program there
 * that changes the same map waits for that lock for ever, as it would at a perf kprobe.
 *
 * Errors: -EPERM: no CAP_PERFMON, lockdown, or BTF_EXTRA_NOTRACE without CAP_SYS_ADMIN; -EBADF,
 * -EINVAL: not such a program; -EINVAL also: the places of the parameters are unknown from their
 * types; -ENOENT: no such object, function or site; -EOPNOTSUPP: all sites would be left out, or
 * some that are required, without BTF_EXTRA_BEST_EFFORT (see left_out, total); -EAGAIN: for 10
 * seconds the module was coming, or objects came and went at each attempt; -EINTR: the caller is
 * being killed; -ENODEV: bpf_prog_active, which keeps a program from running inside other BPF code,
 * is missing in this kernel's BTF; -EEXIST: the program of fentry runs at inlined sites already: a
 * descriptor exists for its BPF link or for the program, or the kernel has completed the link (see
 * BTF_EXTRA_LINK).
 *
 * A site in freed text is never required. One with BTF_EXTRA_SITE_CLOSED is required only with
 * BTF_EXTRA_ALL. left_out lists these sites, too.
 */
/* These flags can be combined with BTF_EXTRA_INLINE_ONLY and BTF_EXTRA_BODY_ONLY. */
#define BTF_EXTRA_BEST_EFFORT	(1U << 8)	/* attach to the other sites if some are left out */
/* Also attach where hits are not always calls: BTF_EXTRA_SITE_LOOP_HEAD and _NO_ENTRY. */
#define BTF_EXTRA_INEXACT	(1U << 9)
/* ... and in functions that ftrace may not trace, which tracing may need; for CAP_SYS_ADMIN. */
#define BTF_EXTRA_NOTRACE	(1U << 10)
/*
 * The program is one of fentry (BPF_PROG_TYPE_TRACING, expected_attach_type BPF_TRACE_FENTRY). It
 * runs at the inlined sites of the function that it is attached to, too, as if these called it. So
 * BTF_EXTRA_INLINE_ONLY is required: at the body the kernel runs it.
 *
 * With BTF_EXTRA_LINK prog_fd is the BPF link that it is attached by, and bpf_get_attach_cookie()
 * returns the cookie of that; the member cookie must be 0. The descriptor may be closed afterwards.
 * The BPF link is not held: it ends when its owner ends it. The probes do not end with it, but with
 * the descriptor that this call returns, so its owner looks out for that end. Until then the
 * program is held, and with it what the program holds: maps and, from 6.2 on, the module of the
 * function. Without BTF_EXTRA_LINK prog_fd is the program itself, which must not have been attached
 * yet, and the cookie is the one given here.
 *
 * A patched kernel does the same when a BPF link is created, until the link ends, if the parameter
 * "complete" of the module is not "off". It leaves a program out that has a descriptor already.
 *
 * The program finds what a trampoline gives it. Its context is an array of 8 bytes for each
 * parameter, 16 for one of 9 to 16 bytes; bpf_get_func_arg_cnt() counts these words, and
 * bpf_get_func_ip() returns the address of the function. While it runs on a processor, it does not
 * run there once more. Such a hit is missed, and counts in the program's recursion_misses, as all
 * missed ones do except those that were lost because another kprobe was running.
 *
 * The verifier lets it trust its arguments. So each parameter that it may read is required: all up
 * to the last one that it does read, or all of them if it has bpf_get_func_arg(),
 * bpf_get_func_arg_cnt() or a tail call. If one is in memory that cannot be read, the hit is
 * missed. A site with BTF_EXTRA_SITE_LOOP_HEAD or _NO_ENTRY is left out, with BTF_EXTRA_INEXACT,
 * too. A parameter that the program does not read may have no location; its words are 0.
 *
 * -EINVAL: the program may sleep, is not compiled (JIT), is attached to another BPF program, or was
 * attached before and is given without its BPF link; it is attached elsewhere than at a body of
 * func_id, or its function has another name or prototype; there are more than 12 parameters, or
 * one of more than 16 bytes; the function is of a module on a distilled base (.BTF.base), and the
 * prototype has types that are compared by other numbers there, as typedefs and pointers are.
 */
#define BTF_EXTRA_LINK		(1U << 11)
/* Fail if a site with BTF_EXTRA_SITE_CLOSED is left out, as for any other site. */
#define BTF_EXTRA_ALL		(1U << 12)

enum btf_extra_reason {
	BTF_EXTRA_REASON_NO_TEXT = 1,	/* the text was freed, or its address is not known */
	BTF_EXTRA_REASON_LOOP_HEAD = 2,
	BTF_EXTRA_REASON_PARAMETER = 3,	/* a required parameter has no location */
	BTF_EXTRA_REASON_NOTRACE = 4,	/* ftrace may not trace it, and it is not _SITE_UNLISTED */
	/*
	 * The kernel refuses a kprobe: blacklisted, noinstr, ... Or it would take one and go wrong:
	 * -EOPNOTSUPP at a call that has a prefix.
	 */
	BTF_EXTRA_REASON_KPROBE = 5,
	BTF_EXTRA_REASON_NO_ENTRY = 6,
};

struct btf_extra_left_out {
	struct btf_extra_site site;
	__u32 reason;		/* enum btf_extra_reason */
	__s32 error;		/* BTF_EXTRA_REASON_KPROBE: as from register_kprobe(); else 0 */
	__u64 parameters;	/* BTF_EXTRA_REASON_PARAMETER: bit n: parameter n is missing */
};

struct btf_extra_attach {
	__u32 prog_fd;		/* in; with BTF_EXTRA_LINK a BPF link */
	__u32 flags;		/* in */
	__u32 object;		/* in: btf_extra_object.id */
	__u32 func_id;		/* in */
	__u64 required;		/* in: bit n: parameter n (from 0) must have a location */
	__u64 cookie;		/* in */
	__u64 left_out;		/* in: struct btf_extra_left_out [capacity] */
	__u32 capacity;
	__u32 count;		/* out: number of left_out written, also with -EOPNOTSUPP */
	__u32 total;		/* out: number of sites left out; they are in order of number */
	__u32 attached;		/* out: number of sites with a probe; 0 with -EOPNOTSUPP */
	__u32 result;		/* out: BTF_EXTRA_RESULT_* */
	__u32 reserved[3];
};

/* A site with a probe. */
struct btf_extra_probe {
	struct btf_extra_site site;
	/*
	 * Hits lost because another kprobe was running. A lower bound: the kernel counts them
	 * without a lock.
	 */
	__u64 missed;
};

/* The argument of BTF_EXTRA_IOC_LINK, for a descriptor from BTF_EXTRA_IOC_ATTACH: in and out. */
struct btf_extra_link {
	__u64 probes;		/* in: struct btf_extra_probe [capacity], in order of sites */
	__u32 capacity;
	__u32 first;		/* in: number of the first probe to return */
	__u32 count;		/* out: number of probes written */
	__u32 total;		/* out: number of probes that exist */
	__u64 hits;		/* out: how often the program ran */
	__u64 missed;		/* out: hits without a run: recursion, or lost as above */
	__u64 cookie;		/* out */
	__u32 object;		/* out */
	__u32 func_id;		/* out */
	__u32 prog_id;		/* out */
	__u32 result;		/* out: BTF_EXTRA_RESULT_* */
	__u32 link_id;		/* out: of the BPF link (BTF_EXTRA_LINK); 0: none */
	__u32 reserved;
};

/*
 * A program that attaches this way can read more about its arguments than the registers. In the
 * copy one word, which otherwise has the number of a system call (x86: orig_ax, arm64: orig_x0),
 * describes them. Its upper 16 bits are BTF_EXTRA_ARGS_MARK, which no other kprobe has there. From
 * bit 0 on it has four bits for each of the first 12 parameters:
 *
 * - 0 to 7: the number of the argument register. A value of more than 8 bytes is in this one and
 *   the next.
 * - BTF_EXTRA_ARGS_MEMORY: the ABI passes the parameter in memory. It is in args[n] after the
 *   copy, to be read with bpf_probe_read_kernel() from ctx + sizeof(struct pt_regs).
 * - BTF_EXTRA_ARGS_NONE: the parameter has no location.
 *
 * Parameters from the 13th on are in args[n], too. Values of less than 8 bytes are extended as
 * their type says.
 */
#define BTF_EXTRA_ARGS_MARK	0x6b6cULL
#define BTF_EXTRA_ARGS_CODED	12
#define BTF_EXTRA_ARGS_MEMORY	0x8
#define BTF_EXTRA_ARGS_NONE	0xf
#define BTF_EXTRA_ARGS_MAX	32	/* parameters after these are not available */

struct btf_extra_arg {
	__u64 value[2];		/* low half first */
	__u64 present;		/* 1 or 0 */
};

/*
 * The kernel's list of ioctl numbers does not have 0xbf. The VFS handles the numbers 1 and 2 of any
 * type, so ours begin at 0x10.
 */
#define BTF_EXTRA_IOC_MAGIC 0xbf
#define BTF_EXTRA_IOC_INFO	_IOWR(BTF_EXTRA_IOC_MAGIC, 0x10, struct btf_extra_info)
#define BTF_EXTRA_IOC_LOOKUP	_IOWR(BTF_EXTRA_IOC_MAGIC, 0x11, struct btf_extra_lookup)
#define BTF_EXTRA_IOC_ATTACH	_IOWR(BTF_EXTRA_IOC_MAGIC, 0x12, struct btf_extra_attach)
#define BTF_EXTRA_IOC_LINK	_IOWR(BTF_EXTRA_IOC_MAGIC, 0x13, struct btf_extra_link)
#define BTF_EXTRA_IOC_FRAMES	_IOWR(BTF_EXTRA_IOC_MAGIC, 0x14, struct btf_extra_chain)

#endif
