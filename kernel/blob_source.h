/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where blobs come from: the data module, what modules of a patched kernel carry
 * in themselves, and firmware files for vmlinux and for each module that is loaded.
 * Modules are followed as they come and go.
 */
#ifndef BTF_EXTRA_BLOB_SOURCE_H
#define BTF_EXTRA_BLOB_SOURCE_H

#include "extra_object.h"

/* Reads the manifest, loads what is there for what runs, and follows modules from now on. */
int blob_source_init(void);
void blob_source_exit(void);

/*
 * An object from its parts: checked, shown in sysfs, published. On failure nothing
 * is left. For vmlinux and tests; what fails has been told in dmesg.
 */
int blob_source_add(const struct object_source *source, const struct object_host *host);

/* Takes an object away, and waits for those who look at it. false: not there. */
bool blob_source_drop(const char *name, const struct module *module);

#endif
