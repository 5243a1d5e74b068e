/* SPDX-License-Identifier: GPL-2.0 */
/*
 * /sys/kernel/debug/btf_extra/links: every kloc link, a line each, in the order in which they were
 * attached:
 *
 *	prog_id link_id sites hits missed function <TAB>[object] func_id
 *
 * link_id is that of the BPF link whose program runs at inlined calls as well, or 0. sites is the
 * number of those with a probe. An object that has gone is "-", and so are its functions.
 */
#ifndef BTF_EXTRA_LINKS_FILE_H
#define BTF_EXTRA_LINKS_FILE_H

struct dentry;

/* It is removed with @folder. */
void links_file_create(struct dentry *folder);

#endif
