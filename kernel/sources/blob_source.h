/* SPDX-License-Identifier: GPL-2.0 */
/*
 * All sources of blobs: the data module, sections inside modules of a patched kernel, and firmware
 * files for vmlinux and for each loaded module.
 */
#ifndef BTF_EXTRA_BLOB_SOURCE_H
#define BTF_EXTRA_BLOB_SOURCE_H

/* Publishes the blobs of the running kernel and its modules, and follows modules from now on. */
int blob_source_init(void);
/* Takes all objects away. */
void blob_source_exit(void);

#endif
