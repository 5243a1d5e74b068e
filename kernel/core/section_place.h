/* SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause) */
/*
 * The place of an ELF section of an object, at run time or as linked. A run-time address comes from
 * a symbol whose function has one body, minus the offset of that body.
 */
#ifndef BTF_EXTRA_SECTION_PLACE_H
#define BTF_EXTRA_SECTION_PLACE_H

#include "loc_index.h"

struct section_place {
	u64 address;		/* 0: not known, or its text was freed and may be used again */
	u64 size;
	bool freed;		/* the kernel has freed its text */
};

/*
 * Finds the only body of the only function of that name. Returns false if there is none or more
 * than one.
 */
bool section_place_anchor(const struct loc_index *index, const char *name, u32 *elf, u32 *offset);

/* Returns true if vmlinux or a module frees that executable section after it has started. */
bool section_place_freed(const char *section, bool vmlinux);

#endif
