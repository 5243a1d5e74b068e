/* SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause) */
/*
 * libbtf_extra: every place where a kernel function is called, inlined instances
 * included, and a BPF program at all of them.
 *
 * Where btf_extra.ko is loaded it is asked and attaches; elsewhere a .btf_extra file
 * of the running kernel ("btf-extra generate") tells the sites and perf kprobes are
 * used. A program that takes its arguments with bpf_loc_arg() or BPF_KLOC()
 * (btf_loc.bpf.h) works with both; any SEC("kprobe") program works with the module.
 *
 * Functions return 0 or a negative errno unless said otherwise; after a failure
 * btf_extra_last_error() has one line that tells what, where and why. Outputs are
 * untouched on failure. Handles may be used by one thread at a time.
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

/* Of the calling thread; "" when nothing has failed yet. Valid until the next call. */
const char *btf_extra_last_error(void);

/* ---- the tables ---- */

/* The sites of the running kernel, or of a file. */
struct btf_extra_tables;

struct btf_extra_open_opts {
	size_t sz;		/* sizeof(struct btf_extra_open_opts) */
	/*
	 * A .btf_extra file of vmlinux; of a kernel that does not run here it has no addresses
	 * (they are 0) and cannot be attached to (-ESTALE). NULL: the running kernel, through the
	 * module or, without it, /lib/firmware[/updates]/btf_extra/<release>/vmlinux.btf_extra.
	 * Files of loaded modules beside either, <module>.btf_extra, are looked into, too.
	 */
	const char *file;
	const char *base_btf;	/* NULL: /sys/kernel/btf/vmlinux */
	bool no_module;		/* do not ask the module, even if it is loaded */
};

int btf_extra_open(struct btf_extra_tables **tables, const struct btf_extra_open_opts *opts);
void btf_extra_close(struct btf_extra_tables *tables);

/* Whether the module answers and attaches; false: files and perf. */
bool btf_extra_uses_module(const struct btf_extra_tables *tables);

/*
 * A function of the source. Its sites are inlined instances and bodies, whatever
 * suffix the compiler gave to the symbols of the latter.
 */
struct btf_extra_func;

/*
 * The functions that a text stands for: "foo", "foo@fs/bar.c" (source file or its
 * end), "foo.isra.0" (the bodies with that symbol), "#1234" (a BTF id); with
 * "vmlinux:" or "<module>:" before it, in that object only. The array and the
 * functions in it belong to the tables. -ENOENT: none.
 */
int btf_extra_find(struct btf_extra_tables *tables, const char *text,
		   const struct btf_extra_func *const **funcs, size_t *nr_funcs);

const char *btf_extra_func_name(const struct btf_extra_func *func);
const char *btf_extra_func_object(const struct btf_extra_func *func);
const char *btf_extra_func_file(const struct btf_extra_func *func);	/* NULL: not known */
uint32_t btf_extra_func_id(const struct btf_extra_func *func);
/* As in C: "int foo(struct sk_buff *skb, int len)". */
const char *btf_extra_func_prototype(const struct btf_extra_func *func);
uint32_t btf_extra_func_nr_params(const struct btf_extra_func *func);
/* "" where it has none; NULL past the last. */
const char *btf_extra_func_param(const struct btf_extra_func *func, uint32_t param);

/* The sites of a function, by number; they belong to it. */
const struct btf_extra_site *btf_extra_func_sites(const struct btf_extra_func *func,
						  size_t *nr_sites);
/* Bit n: parameter n has a location at that site. */
uint64_t btf_extra_site_located(const struct btf_extra_func *func,
				const struct btf_extra_site *site);

/* ---- attach ---- */

struct btf_extra_attach_opts {
	size_t sz;		/* sizeof(struct btf_extra_attach_opts) */
	/*
	 * BTF_EXTRA_INLINE_ONLY, _BODY_ONLY, _BEST_EFFORT, _INEXACT, _NOTRACE (of no effect on
	 * perf kprobes: perf refuses such functions).
	 */
	uint32_t flags;
	uint64_t required;	/* bit n: parameter n must have a location at every site */
	uint64_t cookie;	/* bpf_loc_cookie(ctx); with the module also bpf_get_attach_cookie(ctx) */
	size_t max_sites;	/* refuse more (-E2BIG); 0: any number */
	bool no_module;		/* perf kprobes, even where the module is loaded */
};

/* A program at the sites of one function. Closed with its process. */
struct btf_extra_kloc;

/*
 * Sites with BTF_EXTRA_SITE_PART begin no call: they get no probe, and are in no report and in
 * no count. -ENOENT: a function has no others.
 *
 * With perf kprobes the program must take its arguments by btf_loc.bpf.h, or it would read the
 * registers of another function (-EINVAL); a site takes a file descriptor, and RLIMIT_NOFILE is
 * raised to that. The module attaches to all bodies of a function, not to those of one symbol
 * ("foo.isra.0": -EOPNOTSUPP).
 *
 * -EOPNOTSUPP where a site would be left out and BTF_EXTRA_BEST_EFFORT is not set, or where all
 * are; then *report, if report is not NULL, tells of them and is to be freed with
 * btf_extra_report_free(). It is set on success too.
 */
struct btf_extra_report {
	size_t attached;			/* sites with a probe */
	size_t nr_left_out;
	struct btf_extra_left_out *left_out;	/* [nr_left_out] */
};
void btf_extra_report_free(struct btf_extra_report *report);
/* Why a site was left out, for people: "the head of its loop". Static. */
const char *btf_extra_reason_text(const struct btf_extra_left_out *left_out);

int btf_extra_attach(struct btf_extra_kloc **kloc, struct btf_extra_tables *tables,
		     const struct btf_extra_func *func, int prog_fd,
		     const struct btf_extra_attach_opts *opts, struct btf_extra_report **report);

/*
 * The same for a program of libbpf's and the text of btf_extra_find() ("vmlinux:foo"),
 * which must stand for one function: -ENOTUNIQ. Opens the running kernel's tables.
 */
int btf_extra_attach_kloc(struct btf_extra_kloc **kloc, const struct bpf_program *prog,
			  const char *text, const struct btf_extra_attach_opts *opts,
			  struct btf_extra_report **report);

/* The sites with a probe, by number, and what they missed. UINT64_MAX: not known. */
int btf_extra_kloc_probes(const struct btf_extra_kloc *kloc, const struct btf_extra_probe **probes,
			  size_t *nr_probes);
struct btf_extra_counts {
	uint64_t hits;		/* runs of the program; UINT64_MAX: not known (perf) */
	uint64_t missed;	/* hits without a run; UINT64_MAX: not known */
};
int btf_extra_kloc_counts(const struct btf_extra_kloc *kloc, struct btf_extra_counts *counts);

/* Takes the probes away; NULL is fine. */
void btf_extra_detach(struct btf_extra_kloc *kloc);

/*
 * From here on libbpf loads and attaches SEC("kloc/<text of btf_extra_find()>") programs by
 * itself, with these options (NULL: the default ones; those of the last call count), for as
 * long as the process lives. Call it before bpf_object__open(), and by one thread.
 * btf_extra_last_error() tells why an attach failed.
 *
 * bpf_link__destroy() detaches. The link cannot be pinned or updated, and bpf_link__fd() is no
 * BPF link: libbpf has no links of others, so it is one of a uprobe at a function of this
 * library that nobody calls, and its descriptor stands for the attachment. It takes
 * CONFIG_UPROBE_EVENTS.
 */
int btf_extra_register_kloc(const struct btf_extra_attach_opts *opts);

#ifdef __cplusplus
}
#endif

#endif
