/* SPDX-License-Identifier: GPL-2.0 */
/*
 * All that blobs come from: the data module, what modules of a patched kernel carry in
 * themselves, and firmware files for vmlinux and for each module that is loaded.
 */
#ifndef BTF_EXTRA_BLOB_SOURCE_H
#define BTF_EXTRA_BLOB_SOURCE_H

/* Publishes the blobs that are there for what runs, and follows modules from now on. */
int blob_source_init(void);
/* Takes all objects away. */
void blob_source_exit(void);

#endif
