/* SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause) */
/*
 * Typed access to the location kinds of BTF: LOC_PARAM, LOC_PROTO, LOCSEC.
 * The numbers are those of bpf-next, September 2026; the system's <linux/btf.h>
 * does not have them yet.
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

/* In place of a register number: the frame base. Read, never written. */
#define LOC_FRAME_BASE 0xffffffffu

#define LOC_PARAM_MAX_SIZE 16u

/* An entry of a LOCSEC. */
struct loc_site {
	u32 func;		/* id of a FUNC */
	u32 loc_proto;		/* id of a LOC_PROTO */
	u32 offset;		/* bytes from the run-time base of the ELF section */
};

/* Kind and vlen with the bits of the wire format: vlen 0-23, kind 24-30. */
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

/* What the sites of a LOCSEC are: its name is the class and the ELF section. */
enum loc_class {
	LOC_CLASS_INLINE,	/* "inline.text", or bare ".text" */
	LOC_CLASS_BODY		/* "func.text" */
};

#endif
