/* SPDX-License-Identifier: GPL-2.0 */
/* A link that is a file. Its probes live as long as it is open. */
#ifndef BTF_EXTRA_KLOC_FILE_H
#define BTF_EXTRA_KLOC_FILE_H

#include <linux/btf_extra.h>
#include <linux/fs.h>

/*
 * Does BTF_EXTRA_IOC_ATTACH. hidden: the caller may not see addresses. Returns the descriptor of
 * the link, or a negative errno; then nothing is left of the link.
 */
long kloc_file_attach(struct btf_extra_attach __user *argument, bool hidden);

#endif
