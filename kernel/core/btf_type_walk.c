// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "btf_type_walk.h"
#include "loc_entry.h"

#define POINTER_SIZE 8

const struct btf_type *btf_type_walk_strip(struct btf_type_walk *walk, u32 id)
{
	while (walk->left) {
		const struct btf_type *type = btf_blob_type(walk->types, id);

		walk->left--;
		if (!type)
			return NULL;
		switch (loc_kind(type)) {
		case BTF_KIND_TYPEDEF:
		case BTF_KIND_VOLATILE:
		case BTF_KIND_CONST:
		case BTF_KIND_RESTRICT:
		case BTF_KIND_TYPE_TAG:
			id = type->type;
			break;
		default:
			return type;
		}
	}
	return NULL;
}

struct btf_value btf_type_walk_value(struct btf_type_walk *walk, u32 id)
{
	const struct btf_type *type = btf_type_walk_strip(walk, id);
	struct btf_value value = { 0 };

	switch (type ? loc_kind(type) : BTF_KIND_UNKN) {
	case BTF_KIND_INT:
		value.size = type->size;
		value.is_signed = BTF_INT_ENCODING(*(const u32 *)(type + 1)) & BTF_INT_SIGNED;
		break;
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
		value.size = type->size;
		value.is_signed = loc_kind_flag(type);
		break;
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
	case BTF_KIND_FLOAT:
		value.size = type->size;
		break;
	case BTF_KIND_PTR:
	case BTF_KIND_ARRAY:
	case BTF_KIND_FUNC_PROTO:
		value.size = POINTER_SIZE;
		break;
	}
	return value;
}
