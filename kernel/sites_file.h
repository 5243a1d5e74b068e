/* SPDX-License-Identifier: GPL-2.0 */
/* /sys/kernel/debug/btf_extra/sites: every site, a line each, by object and address. */
#ifndef BTF_EXTRA_SITES_FILE_H
#define BTF_EXTRA_SITES_FILE_H

void sites_file_init(void);
void sites_file_exit(void);

#endif
