/* SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause) */
/* Finds the type behind typedefs and qualifiers. */
#ifndef BTF_EXTRA_BTF_TYPE_WALK_H
#define BTF_EXTRA_BTF_TYPE_WALK_H

#include "btf_blob.h"

/*
 * The type behind typedefs, qualifiers and type tags. NULL: it is void, or not at
 * hand, or the chain is longer than any compiler writes.
 */
const struct btf_type *btf_type_strip(const struct btf_blob *types, u32 id);

struct btf_value {
	u32 size;		/* in bytes; 0: not known */
	bool is_signed;
};

/* A parameter of that type: arrays and functions are the pointers that are passed. */
struct btf_value btf_type_value(const struct btf_blob *types, u32 id);

#endif
