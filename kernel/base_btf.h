/* SPDX-License-Identifier: GPL-2.0 */
/* BTF that the kernel itself has, vmlinux's and a module's: what our types continue. */
#ifndef BTF_EXTRA_BASE_BTF_H
#define BTF_EXTRA_BASE_BTF_H

#include <linux/module.h>

#include "core/extra_elf.h"
#include "sysfs_bytes.h"

struct base_btf {
	struct btf_blob blob;
	struct sysfs_bytes bytes;
	u32 *type_offsets;
	u32 crc32;
};

/* vmlinux's: a copy where the kernel does not show where its own bytes are. */
int base_btf_open_vmlinux(struct base_btf *base);

/*
 * Trades the copy for the kernel's own bytes, if these are the ones at that
 * address. Readers under RCU go on. false: they are not, and all is as before.
 */
bool base_btf_settle(struct base_btf *base, const void *at);

/* That of a module in any state but GOING; -ENOENT where it has none. */
int base_btf_open_module(struct base_btf *base, const struct module *module,
			 const struct base_btf *vmlinux);

/* A base of these very bytes, which stay the caller's, on another or NULL; for tests. */
int base_btf_open_bytes(struct base_btf *base, const void *data, size_t size,
			const struct base_btf *below);

void base_btf_close(struct base_btf *base);

/* Whether it is the one that a container was made with. */
bool base_btf_is(const struct base_btf *base, const struct extra_base *sum);

/* Bytes of memory that it takes beyond what the kernel has anyway. */
size_t base_btf_memory(const struct base_btf *base);

#endif
