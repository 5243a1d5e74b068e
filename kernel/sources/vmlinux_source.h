/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The blobs of vmlinux. They come from the firmware folder, until a data module brings them with
 * btf_extra_add_vmlinux().
 */
#ifndef BTF_EXTRA_VMLINUX_SOURCE_H
#define BTF_EXTRA_VMLINUX_SOURCE_H

#include "objects/load_tally.h"

/* Publishes the blobs of the firmware folder, if there are any. */
void vmlinux_source_add_firmware(struct load_tally *tally);

#endif
