/* SPDX-License-Identifier: GPL-2.0 */
/* Blobs in firmware files, btf_extra/<release>/<object>.btf_extra, and a manifest of them. */
#ifndef BTF_EXTRA_FIRMWARE_SOURCE_H
#define BTF_EXTRA_FIRMWARE_SOURCE_H

#include "extra_object.h"

/* Reads the manifest, if there is one. */
void firmware_source_open(void);
void firmware_source_close(void);

/*
 * Publishes the blobs that the firmware folder has for an object, under published_lock(). Returns
 * NULL if there are none or if the object exists, and ERR_PTR() if it was refused; then dmesg says
 * why.
 */
struct extra_object *firmware_source_add(const char *name, const struct module *module);

#endif
