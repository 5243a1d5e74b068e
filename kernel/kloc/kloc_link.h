/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A program that runs at all sites of a function, until the link is destroyed. kloc_file.h makes a
 * file of it.
 */
#ifndef BTF_EXTRA_KLOC_LINK_H
#define BTF_EXTRA_KLOC_LINK_H

#include <linux/list.h>

#include "kloc/kloc_probes.h"
#include "kloc/kloc_program.h"
#include "kloc/kloc_request.h"

struct kloc_link {
	struct list_head list;	/* of all links, under a lock of kloc_link.c */
	struct kloc_program program;
	struct kloc_probes probes;
	u32 object, func_id;
	bool hidden;		/* whoever requested it may not see addresses */
	bool followed;		/* see tracing_program_follow() */
};

/*
 * Attaches the program of @request, and adds to @request the requirements of the program. Fills
 * @sites, which the caller frees with kloc_sites_free(), also on failure. With -EOPNOTSUPP they
 * have the reasons, with other errors there may be no sites.
 *
 * ERR_PTR(): the errors of BTF_EXTRA_IOC_ATTACH in the UAPI header. If the tables change or the
 * module of the sites is coming, the attempt is repeated for up to 10 seconds.
 */
struct kloc_link *kloc_link_create(struct kloc_request *request, struct kloc_sites *sites);

/* After this the program does not run at any of its sites. */
void kloc_link_destroy(struct kloc_link *link);

/* Fills in what does not need a buffer of the caller. total is the number of probes. */
void kloc_link_describe(const struct kloc_link *link, struct btf_extra_link *info);

/*
 * The link at a position in the order of creation, and the one after a link; NULL: none. From start
 * to stop, which always follows it, no link comes or goes.
 */
struct kloc_link *kloc_links_start(loff_t position);
struct kloc_link *kloc_links_next(struct kloc_link *link);
void kloc_links_stop(void);

#endif
