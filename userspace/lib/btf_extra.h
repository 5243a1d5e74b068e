/* SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause) */
/*
 * libbtf_extra finds every place where a kernel function is called, inlined instances included, and
 * attaches a BPF program to all of them.
 *
 * If btf_extra.ko is loaded, the library asks it and the module attaches. Otherwise the sites come
 * from a .btf_extra file of the running kernel ("btf-extra generate"), and perf kprobes are used.
 * A program that takes its arguments with bpf_loc_arg() or BPF_KLOC() (btf_loc.bpf.h) works with
 * both. Any SEC("kprobe") program works with the module.
 *
 * Functions return 0 or a negative errno unless their comment says otherwise. After a failure
 * btf_extra_last_error() returns one line with the place and the reason. Outputs are untouched on
 * failure. A handle may be used by one thread at a time.
 */
#ifndef LIBBTF_EXTRA_H
#define LIBBTF_EXTRA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/btf_extra.h>

#ifdef __cplusplus
extern "C" {
#endif

struct bpf_program;
struct bpf_link;

/* The last error of the calling thread; "" before the first one. Valid until the next call. */
const char *btf_extra_last_error(void);

/* ---- the tables ---- */

/* The sites of the running kernel, or of a file. */
struct btf_extra_tables;

struct btf_extra_open_opts {
    size_t sz; /* sizeof(struct btf_extra_open_opts) */
    /*
     * The path of a .btf_extra file of vmlinux. NULL: the running kernel, through the module,
     * or, if that is not loaded, from
     * /lib/firmware[/updates]/btf_extra/<release>/vmlinux.btf_extra. Files of loaded modules
     * (<module>.btf_extra) in the same folder are read, too. A file of a kernel that is not
     * running has no addresses (they are 0), and nothing can be attached (-ESTALE).
     */
    const char *file;
    const char *base_btf; /* NULL: /sys/kernel/btf/vmlinux */
    bool no_module;       /* do not ask the module, even if it is loaded */
    /*
     * The path of the ELF file that file was made for. It has the symbols of that kernel, and the
     * addresses as linked. NULL: file is of the running kernel, or symbols are not needed.
     */
    const char *vmlinux;
};

int btf_extra_open(struct btf_extra_tables **tables, const struct btf_extra_open_opts *opts);
void btf_extra_close(struct btf_extra_tables *tables);

/* Returns true if the module answers and attaches; false: files and perf kprobes. */
bool btf_extra_uses_module(const struct btf_extra_tables *tables);

/*
 * A function of the source. Its sites are inlined instances and bodies. It does not matter which
 * suffix the compiler gave to the symbol of a body.
 */
struct btf_extra_func;

/*
 * Finds the functions that a text names: "foo", "foo@fs/bar.c" (the source file or the end of its
 * path), "foo.isra.0" (the bodies with that symbol) or "#1234" (a BTF id). "vmlinux:" or
 * "<module>:" before the text limits it to that object. The array and the functions in it belong to
 * the tables. -ENOENT: no function matches.
 */
int btf_extra_find(struct btf_extra_tables *tables, const char *text,
                   const struct btf_extra_func *const **funcs, size_t *nr_funcs);

const char *btf_extra_func_name(const struct btf_extra_func *func);
const char *btf_extra_func_object(const struct btf_extra_func *func);
const char *btf_extra_func_file(const struct btf_extra_func *func); /* NULL: not known */
uint32_t btf_extra_func_id(const struct btf_extra_func *func);
/*
 * Returns the prototype as in C: "int foo(struct sk_buff *skb, int len)". If DWARF does not contain
 * it, the text is "foo (prototype not known)", and there are no parameters.
 */
const char *btf_extra_func_prototype(const struct btf_extra_func *func);
uint32_t btf_extra_func_nr_params(const struct btf_extra_func *func);
/* Returns "" for a parameter without a name, and NULL after the last parameter. */
const char *btf_extra_func_param(const struct btf_extra_func *func, uint32_t param);

/* Returns the sites in order of number. They belong to the function. */
const struct btf_extra_site *btf_extra_func_sites(const struct btf_extra_func *func,
                                                  size_t *nr_sites);
/* Returns a mask. Bit n: parameter n has a location or an expression at that site. */
uint64_t btf_extra_site_located(const struct btf_extra_func *func,
                                const struct btf_extra_site *site);

/* ---- stack traces ---- */

/* A function that an address is in. Texts are valid until the next call with the tables. */
struct btf_extra_frame {
    const char *func;      /* its name in the source */
    const char *call_file; /* where it was called from; NULL: not known, or it was not inlined */
    uint32_t call_line;    /* 0: likewise */
    uint32_t func_id;      /* BTF id */
};

/*
 * Finds the functions at an address: the inlined ones, innermost first, and last the one with the
 * body around them. *nr_frames is their number (0: none is known), even if frames has room for
 * fewer; then it has the innermost ones. Addresses are those of the running kernel; of a file of a
 * kernel that does not run, they are as linked. A return address of a stack trace is after its
 * call: look up the address before it. -ENOENT: the tables have no frames ("generate --no-frames",
 * or the module does not keep them: see no_module).
 */
int btf_extra_frames(struct btf_extra_tables *tables, uint64_t address,
                     struct btf_extra_frame *frames, size_t capacity, size_t *nr_frames);

/*
 * Does the same for a place as stack traces write it: "foo+0x12", "foo+18", "foo+0x12/0x34",
 * "foo+0x12/0x34 [xfs]", or an address of 16 hex digits. return_address: a call returns there, so
 * the place of the call is looked up, which is before it. The size "/0x34" distinguishes functions
 * of one name. -EINVAL: the text is no such place. -ENOENT: the tables have no frames, no symbols
 * or no such symbol. -ENOTUNIQ: several functions have that name, and the answers for them differ.
 * -ESTALE: the function has another size, so the text is of another build. -EPERM: /proc/kallsyms
 * hides addresses.
 */
int btf_extra_symbolize(struct btf_extra_tables *tables, const char *place, bool return_address,
                        struct btf_extra_frame *frames, size_t capacity, size_t *nr_frames);

/* ---- attach ---- */

struct btf_extra_attach_opts {
    size_t sz; /* sizeof(struct btf_extra_attach_opts) */
    /*
     * BTF_EXTRA_INLINE_ONLY, _BODY_ONLY, _BEST_EFFORT, _ALL, _INEXACT, _NOTRACE or _LINK.
     * _NOTRACE has no effect on perf kprobes, because perf refuses such functions. _LINK: prog_fd
     * is a BPF link, see btf_extra_attach_link().
     */
    uint32_t flags;
    uint64_t required; /* bit n: parameter n must have a location at every site */
    uint64_t cookie;   /* bpf_loc_cookie(ctx); with the module also bpf_get_attach_cookie(ctx) */
    size_t max_sites;  /* refuse more (-E2BIG); 0: any number */
    bool no_module;    /* use perf kprobes, even if the module is loaded */
};

/* A program at the sites of one function. It is closed when its process ends. */
struct btf_extra_kloc;

/*
 * A site with BTF_EXTRA_SITE_PART begins no call. It gets no probe, is not in the report and does
 * not count. -ENOENT: the function has only such sites.
 *
 * With perf kprobes the program must take its arguments with btf_loc.bpf.h (otherwise -EINVAL),
 * because it sees the registers of another function. Each site takes a file descriptor, and
 * RLIMIT_NOFILE is raised accordingly. The module attaches to all bodies of a function. It cannot
 * attach to those of one symbol ("foo.isra.0": -EOPNOTSUPP).
 *
 * -EOPNOTSUPP: all sites would be left out, or some that are required, without
 * BTF_EXTRA_BEST_EFFORT. A site in freed text is never required, one with BTF_EXTRA_SITE_CLOSED
 * only with BTF_EXTRA_ALL. On success and with -EOPNOTSUPP *report lists all sites that are left
 * out (if report is not NULL). Free it with btf_extra_report_free().
 */
struct btf_extra_report {
    size_t attached; /* sites with a probe */
    size_t nr_left_out;
    struct btf_extra_left_out *left_out; /* [nr_left_out] */
};
void btf_extra_report_free(struct btf_extra_report *report);
/* Returns the reason why a site was left out, as text: "the head of a loop". The text is static. */
const char *btf_extra_reason_text(const struct btf_extra_left_out *left_out);

int btf_extra_attach(struct btf_extra_kloc **kloc, struct btf_extra_tables *tables,
                     const struct btf_extra_func *func, int prog_fd,
                     const struct btf_extra_attach_opts *opts, struct btf_extra_report **report);

/*
 * Does the same for a program of libbpf and the text of btf_extra_find() ("vmlinux:foo"), which
 * must name one function (otherwise -ENOTUNIQ). Opens the running kernel's tables.
 */
int btf_extra_attach_kloc(struct btf_extra_kloc **kloc, const struct bpf_program *prog,
                          const char *text, const struct btf_extra_attach_opts *opts,
                          struct btf_extra_report **report);

/*
 * A program of fentry that is attached to a function by this BPF link (bpf_link__fd() of libbpf)
 * runs at the inlined calls of the function, too, and finds arguments, cookie and
 * bpf_get_func_ip() as at the body. This needs the module. The function is found by the link. The
 * link is not held, and the program goes on to run at the inlined calls until *kloc is detached:
 * detach first, or right after the link ends.
 *
 * A parameter that the program may read must have a location at each call: BTF_EXTRA_LINK in
 * <linux/btf_extra.h> says which these are. Only calls whose exact beginning is known are taken.
 * opts->cookie must be 0.
 *
 * -EINVAL: it is no link of fentry, or the program may sleep; -ENOENT: the function has no inlined
 * calls, or there are no tables of its object; -EEXIST: the program runs at
 * these calls already, by another call or because a patched kernel has completed the link;
 * -EOPNOTSUPP: as for btf_extra_attach().
 */
int btf_extra_attach_link(struct btf_extra_kloc **kloc, struct btf_extra_tables *tables,
                          int link_fd, const struct btf_extra_attach_opts *opts,
                          struct btf_extra_report **report);

/*
 * Returns the sites with a probe, in order of number, and the hits that each missed. UINT64_MAX:
 * not known.
 */
int btf_extra_kloc_probes(const struct btf_extra_kloc *kloc, const struct btf_extra_probe **probes,
                          size_t *nr_probes);
struct btf_extra_counts {
    uint64_t hits;   /* runs of the program; UINT64_MAX: not known (perf) */
    uint64_t missed; /* hits without a run; UINT64_MAX: not known */
};
int btf_extra_kloc_counts(const struct btf_extra_kloc *kloc, struct btf_extra_counts *counts);

/* Removes the probes. kloc may be NULL. */
void btf_extra_detach(struct btf_extra_kloc *kloc);

/*
 * After this call libbpf loads and attaches SEC("kloc/<text of btf_extra_find()>") programs
 * automatically, for as long as the process lives. It uses these options (NULL: the default); those
 * of the last call count. Call this before bpf_object__open(), and from one thread only. If an
 * attach fails, btf_extra_last_error() has the reason.
 *
 * bpf_link__destroy() detaches. The link cannot be pinned or updated. libbpf has no links for other
 * kinds of attachments. Therefore the link is a uprobe link at a function of this library that is
 * never called, and its descriptor is replaced: bpf_link__fd() is not a BPF link. This needs
 * CONFIG_UPROBE_EVENTS.
 */
int btf_extra_register_kloc(const struct btf_extra_attach_opts *opts);

#ifdef __cplusplus
}
#endif

#endif
