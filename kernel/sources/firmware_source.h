/* SPDX-License-Identifier: GPL-2.0 */
/* Blobs in firmware files, btf_extra/<release>/<object>.btf_extra, and a manifest of them. */
#ifndef BTF_EXTRA_FIRMWARE_SOURCE_H
#define BTF_EXTRA_FIRMWARE_SOURCE_H

#include "objects/load_tally.h"

struct firmware;

/* Reads the manifest, if there is one. */
void firmware_source_open(void);
void firmware_source_close(void);

/*
 * Reads the file of an object, for release_firmware(). -ENOENT: the manifest does not name it; for
 * other errors a line is in dmesg. May be called at any time.
 */
int firmware_source_read(const char *name, const struct firmware **file);

/*
 * Publishes the blobs that the firmware folder has for an object, if there are any and if the
 * object does not exist, and counts it. If it is refused, dmesg has the reason. Takes
 * published_lock() when the file has been read.
 */
void firmware_source_add(const char *name, const struct module *module, struct load_tally *tally);

#endif
