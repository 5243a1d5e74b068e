/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A BPF program at all sites of a function. The link is a file: its probes live
 * as long as it is open.
 */
#ifndef BTF_EXTRA_KLOC_LINK_H
#define BTF_EXTRA_KLOC_LINK_H

#include <linux/btf_extra.h>
#include <linux/fs.h>

/*
 * BTF_EXTRA_IOC_ATTACH, by a caller who may see addresses or not. The descriptor
 * of the link, or a negative errno; then nothing is left of it.
 */
long kloc_link_attach(struct btf_extra_attach __user *argument, bool hidden);

#endif
