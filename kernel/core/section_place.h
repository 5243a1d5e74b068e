/* SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause) */
/*
 * Where an ELF section of an object is: at run time, or as linked. A run-time address
 * comes from a symbol whose function has one body, less the offset of that body.
 */
#ifndef BTF_EXTRA_SECTION_PLACE_H
#define BTF_EXTRA_SECTION_PLACE_H

#include "loc_index.h"

struct section_place {
	u64 address;		/* 0: not known, or its text is gone and may be another's */
	u64 size;
	bool freed;		/* the kernel has given its text back */
};

/* The one body of the one function of that name; false: there is none, or there are more. */
bool section_place_anchor(const struct loc_index *index, const char *name, u32 *elf, u32 *offset);

/* Whether vmlinux or a module gives that executable section back when it has started. */
bool section_place_freed(const char *section, bool vmlinux);

#endif
