/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A request selects the sites of a function. It comes from a caller of BTF_EXTRA_IOC_ATTACH, and
 * was checked, from a stub, or from the kernel that links a program to the function.
 */
#ifndef BTF_EXTRA_KLOC_REQUEST_H
#define BTF_EXTRA_KLOC_REQUEST_H

#include <linux/types.h>

struct bpf_tracing_link;

struct kloc_request {
	u32 prog_fd;
	u32 object, func_id;
	bool stub;		/* the arguments are for a stub ... */
	u32 without;		/* ... that lacks these parameters: bit n, parameter n */
	bool slots;		/* the arguments are for a tracing program */
	bool by_link;		/* prog_fd is a BPF link */
	/*
	 * A BPF link that is being created, and the id that it gets; NULL: prog_fd. Object and
	 * function are those whose body the link is attached to.
	 */
	const struct bpf_tracing_link *link;
	u32 link_id;
	u32 classes;		/* BTF_EXTRA_INLINE_ONLY, BTF_EXTRA_BODY_ONLY or 0 */
	u64 required;		/* bit n: parameter n must have a location */
	u64 cookie;
	bool best_effort;	/* any site may be left out */
	bool all;		/* without best_effort none in closed code may be left out */
	bool inexact;		/* hits need not be calls of the function */
	bool with_notrace;	/* also functions that ftrace may not trace */
	bool hidden;		/* the caller may not see addresses */
};

#endif
