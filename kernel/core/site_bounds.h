/* SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause) */
/*
 * What neither the blobs nor their container can tell alone: whether every
 * site lies in a section of the object.
 */
#ifndef BTF_EXTRA_SITE_BOUNDS_H
#define BTF_EXTRA_SITE_BOUNDS_H

#include "extra_elf.h"
#include "loc_index.h"

/* 0, or -EINVAL with *fault filled; its offset is that of the field in func_info. */
int site_bounds_check(const struct loc_index *index, const struct extra_elf *elf,
		      struct btf_fault *fault);

#endif
