/* SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause) */
/* Finds the type below typedefs and qualifiers. */
#ifndef BTF_EXTRA_BTF_TYPE_WALK_H
#define BTF_EXTRA_BTF_TYPE_WALK_H

#include "btf_blob.h"

struct btf_value {
	u32 size;		/* in bytes; 0: not known */
	bool is_signed;
};

/* A walk over types, which a blob may nest in any way. */
struct btf_type_walk {
	const struct btf_blob *types;
	u32 left;		/* types that it still looks at; 0: it gave up */
};

/* All parameters of a function take far less. */
#define BTF_TYPE_WALK_STEPS 2048u

static inline struct btf_type_walk btf_type_walk_begin(const struct btf_blob *types)
{
	struct btf_type_walk walk = { .types = types, .left = BTF_TYPE_WALK_STEPS };

	return walk;
}

/* The type below typedefs, qualifiers and type tags. NULL: it is void, or missing. */
const struct btf_type *btf_type_walk_strip(struct btf_type_walk *walk, u32 id);

/* A parameter of that type: arrays and functions are the pointers that are passed. */
struct btf_value btf_type_walk_value(struct btf_type_walk *walk, u32 id);

/* The same in a walk of its own. NULL also: this walk gave up. */
static inline const struct btf_type *btf_type_strip(const struct btf_blob *types, u32 id)
{
	struct btf_type_walk walk = btf_type_walk_begin(types);

	return btf_type_walk_strip(&walk, id);
}

static inline struct btf_value btf_type_value(const struct btf_blob *types, u32 id)
{
	struct btf_type_walk walk = btf_type_walk_begin(types);

	return btf_type_walk_value(&walk, id);
}

#endif
