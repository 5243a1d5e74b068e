/* SPDX-License-Identifier: GPL-2.0 */
/* The probes at the sites of a function. They come and go together. */
#ifndef BTF_EXTRA_KLOC_PROBES_H
#define BTF_EXTRA_KLOC_PROBES_H

#include "kloc/kloc_probe.h"
#include "kloc/kloc_sites.h"

struct kloc_probes {
	struct kloc_probe *probes;	/* those with a kprobe, in order of sites */
	struct kprobe **kprobes;	/* the same ones, for the kernel's batch functions */
	u32 nr;
	struct kloc_args args;		/* the probes point to it */
	bool in_module;			/* the probes are in text that may go */
};

/*
 * Fills @sites, which the caller frees, and makes room for their probes. The errors are those of
 * kloc_sites_collect(). On failure nothing has to be freed.
 */
int kloc_probes_collect(struct kloc_probes *probes, struct kloc_sites *sites,
			const struct kloc_request *request);

/*
 * Arms a probe at each site that has no reason to be left out, and sets the reasons of the others.
 * At each hit @hit is called with a struct kloc_probe of this owner. Returns 0; -EOPNOTSUPP: no
 * site gets a probe, or one that is required does not; -EAGAIN: the sites may have gone; -EINTR:
 * the caller is being killed.
 */
int kloc_probes_attach(struct kloc_probes *probes, struct kloc_sites *sites,
		       const struct kloc_request *request, kprobe_pre_handler_t hit, void *owner);

/* After this none of them is running, and all is freed. */
void kloc_probes_free(struct kloc_probes *probes);

/* The same for several. The kernel waits once for all of them. */
void kloc_probes_free_all(struct kloc_probes *const *all, u32 nr);

struct kloc_counts kloc_counts_sum(const struct kloc_counts __percpu *counts);

/*
 * Returns the number of hits that the kernel missed. The counts of the owner do not include them.
 */
u64 kloc_probes_missed(const struct kloc_probes *probes);

#endif
