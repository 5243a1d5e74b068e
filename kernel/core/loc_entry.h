/* SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause) */
/*
 * Typed access to the location kinds of BTF: LOC_PARAM, LOC_PROTO and LOCSEC. The numbers are those
 * of bpf-next; the system's <linux/btf.h> does not define them yet.
 */
#ifndef BTF_EXTRA_LOC_ENTRY_H
#define BTF_EXTRA_LOC_ENTRY_H

#include "core_env.h"

enum {
	LOC_KIND_PARAM = 20,	/* size: bytes of the value; then u32 flags, u32 values[vlen] */
	LOC_KIND_PROTO = 21,	/* u32 ids[vlen] of LOC_PARAM, 0: no location */
	LOC_KIND_SEC = 22,	/* struct loc_site [vlen] */
	LOC_KIND_COUNT = 23	/* kinds 0..22 */
};

enum {
	LOC_SIGNED = 0x1,
	LOC_CONST = 0x2,
	LOC_ADDR = 0x4,
	LOC_REG = 0x8,
	LOC_DEREF = 0x10,
	LOC_OFFSET = 0x20
};

/* The frame base, instead of a register number. It is read, but never written. */
#define LOC_FRAME_BASE 0xffffffffu

#define LOC_PARAM_MAX_SIZE 16u

/* An entry of a LOCSEC. */
struct loc_site {
	u32 func;		/* id of a FUNC */
	u32 loc_proto;		/* id of a LOC_PROTO */
	u32 offset;		/* bytes from the run-time base of the ELF section */
};

/* Read kind and vlen with the bits of the wire format: vlen is 0-23, kind is 24-30. */
static inline u32 loc_kind(const struct btf_type *type)
{
	return (type->info >> 24) & 0x7f;
}

static inline u32 loc_vlen(const struct btf_type *type)
{
	return type->info & 0xffffff;
}

static inline u32 loc_kind_flag(const struct btf_type *type)
{
	return type->info >> 31;
}

static inline u32 loc_param_flags(const struct btf_type *param)
{
	return *(const u32 *)(param + 1);
}

static inline const u32 *loc_param_values(const struct btf_type *param)
{
	return (const u32 *)(param + 1) + 1;
}

static inline const u32 *loc_proto_ids(const struct btf_type *proto)
{
	return (const u32 *)(proto + 1);
}

static inline const struct loc_site *loc_sec_sites(const struct btf_type *sec)
{
	return (const struct loc_site *)(sec + 1);
}

/* The class of the sites of a LOCSEC. The name of the LOCSEC is class and ELF section. */
enum loc_class {
	LOC_CLASS_INLINE,	/* "inline.text", or bare ".text" */
	LOC_CLASS_BODY		/* "func.text" */
};

#endif
