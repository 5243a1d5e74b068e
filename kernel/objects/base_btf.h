/* SPDX-License-Identifier: GPL-2.0 */
/* BTF of the kernel itself: vmlinux BTF and the BTF of a module. The types blobs continue it. */
#ifndef BTF_EXTRA_BASE_BTF_H
#define BTF_EXTRA_BASE_BTF_H

#include <linux/types.h>

#include "core/extra_elf.h"
#include "objects/sysfs_bytes.h"

struct module;

struct base_btf {
	struct btf_blob blob;
	struct sysfs_bytes bytes;
	u32 *type_offsets;
	u32 crc32;
};

/* Opens the BTF of a module in any state but GOING; -ENOENT: it has none. */
int base_btf_open_module(struct base_btf *base, const struct module *module,
			 const struct base_btf *vmlinux);

/* Opens these bytes, which the caller keeps, on top of another base or NULL. Tests use it. */
int base_btf_open_bytes(struct base_btf *base, const void *data, size_t size,
			const struct base_btf *below);

void base_btf_close(struct base_btf *base);

/* Returns true if a container was made on this base. */
bool base_btf_is(const struct base_btf *base, const struct extra_base *sum);

/* Returns the memory that it takes beyond the kernel's own copy. */
size_t base_btf_memory(const struct base_btf *base);

/* ---- the BTF of the running vmlinux, below all of our types ---- */

/*
 * It exists as long as the module. It is a copy if the address of the kernel's own bytes is
 * unknown.
 */
int vmlinux_btf_init(void);
void vmlinux_btf_exit(void);

const struct base_btf *vmlinux_btf(void);

/*
 * Frees the copy, if the kernel's own bytes are at that address. Readers under RCU continue. If the
 * bytes there differ, nothing is changed.
 */
void vmlinux_btf_settle(const void *at);

#endif
