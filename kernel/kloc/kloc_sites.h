/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A link is made from these: the sites of a function in one state of the tables, the arguments at
 * each, and the reasons of sites that are left out.
 */
#ifndef BTF_EXTRA_KLOC_SITES_H
#define BTF_EXTRA_KLOC_SITES_H

#include <linux/btf_extra.h>

#include "kloc/kloc_args.h"
#include "kloc/kloc_request.h"

struct kloc_site {
	struct btf_extra_site site;
	const struct site_args *args;	/* those of its LOC_PROTO, as long as they exist */
	u32 reason;			/* enum btf_extra_reason; 0: it gets a probe */
	int error;			/* BTF_EXTRA_REASON_KPROBE: why it did not */
	u64 missing;			/* BTF_EXTRA_REASON_PARAMETER: these are required */
};

struct kloc_sites {
	struct kloc_site *sites;	/* by number */
	u32 nr_sites;
	u32 nr_params;
	struct module *module;		/* whose sites these are, held; NULL: vmlinux */
	u64 generation;
};

/*
 * Collects the sites of @request, none left out yet, and fills @args for them. Each is the caller's
 * to free. -ENOENT: there is no such object or function, or it has no such site; -EINVAL: it has no
 * prototype; -EPROBE_DEFER: the module is coming or going; -EAGAIN: the tables keep changing. On
 * failure nothing has to be freed.
 */
int kloc_sites_collect(struct kloc_sites *sites, struct kloc_args *args,
		       const struct kloc_request *request);
void kloc_sites_free(struct kloc_sites *sites);

/* Sets the reasons that are known without trying. -EINTR: the caller is being killed; -ENOMEM. */
int kloc_sites_leave_out(struct kloc_sites *sites, const struct kloc_request *request);

/* Returns true if a site is left out that @request requires. */
bool kloc_sites_lacking(const struct kloc_sites *sites, const struct kloc_request *request);

/* Returns true if the tables have changed since, so that sites of a module may have gone. */
bool kloc_sites_stale(const struct kloc_sites *sites);

#endif
