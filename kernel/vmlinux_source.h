/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The blobs of vmlinux: from the firmware folder, until a data module brings them by
 * btf_extra_add_vmlinux().
 */
#ifndef BTF_EXTRA_VMLINUX_SOURCE_H
#define BTF_EXTRA_VMLINUX_SOURCE_H

#include "load_tally.h"

/* Publishes those of the firmware folder, if it has any. */
void vmlinux_source_add_firmware(struct load_tally *tally);

#endif
