/* SPDX-License-Identifier: GPL-2.0 */
/*
 * In a patched kernel, a fentry program that a BPF link attaches to a function also runs at the
 * inlined calls of that function: from the system call that creates the link until the link goes.
 */
#ifndef BTF_EXTRA_FENTRY_COMPLETE_H
#define BTF_EXTRA_FENTRY_COMPLETE_H

#include <linux/kconfig.h>
#include <linux/types.h>

struct bpf_prog;
struct bpf_tracing_link;

/* The values of the parameter "complete". */
enum fentry_complete {
	FENTRY_COMPLETE_OFF,
	FENTRY_COMPLETE_ALL,		/* at all inlined calls, or at none */
	FENTRY_COMPLETE_BEST_EFFORT,	/* at those where it is possible */
	FENTRY_COMPLETE_STRICT,		/* as with ALL, and instead of none the attach fails */
};

#if IS_ENABLED(CONFIG_DEBUG_INFO_BTF_EXTRA_HOOK)

/* How the links of this program will be completed, as far as it depends on the program. */
enum fentry_complete fentry_complete_of(const struct bpf_prog *prog);

/* These are the operations of <linux/bpf_attach_address.h>. */
int fentry_complete_linked(const struct bpf_tracing_link *link, u32 id);
void fentry_complete_unlinked(const struct bpf_tracing_link *link);

/* Ends the completion of all links, after the operations have been unregistered. */
void fentry_complete_exit(void);

#endif

#endif
