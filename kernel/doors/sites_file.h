/* SPDX-License-Identifier: GPL-2.0 */
/*
 * /sys/kernel/debug/btf_extra/sites: every site, a line each, by object and address,
 * and after those of an object each symbol in its text that is no site (s, id 0).
 *
 *	address i|t|s name <TAB>[object] btf_id file
 *
 * and for a body (t) and for such a symbol two columns more, each after a TAB: its symbol ("-":
 * none), and BTF:ID, the id with which fentry is attached to exactly this address, or "-" and why
 * none is. A kernel without the verifier's hook has the same ids, but attaches to the name of that
 * FUNC.
 */
#ifndef BTF_EXTRA_SITES_FILE_H
#define BTF_EXTRA_SITES_FILE_H

struct dentry;

/* It is removed with @folder. */
void sites_file_create(struct dentry *folder);

#endif
