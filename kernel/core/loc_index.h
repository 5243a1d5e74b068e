/* SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause) */
/*
 * Look-ups in validated blobs, by function id, by name and by address. A LOCSEC itself is the table
 * by function. The index adds one u32 for each site for the order by address, and one for each
 * function for the order by name.
 *
 * All orders are total, so that the same blobs always give the same tables:
 *	sites of a LOCSEC	(func, offset, loc_proto), as in the blob
 *	by_offset		(offset, site number), within each ELF section
 *	funcs			(name as bytes, id)
 * Sites are numbered through all LOCSECs, in order of type id. Names that cannot be read (in a base
 * of which only the counts are known) count as empty.
 *
 * Equal keys are a half-open range, never "the first match". A range with first == end means "not
 * found". Only loc_index_build() has side effects, so any number of readers may share an index.
 */
#ifndef BTF_EXTRA_LOC_INDEX_H
#define BTF_EXTRA_LOC_INDEX_H

#include "btf_blob.h"
#include "loc_entry.h"
#include "range_search.h"

#define LOC_INDEX_MAX_SECTIONS 64	/* LOCSECs in one blob; more: -E2BIG */

/* A LOCSEC. */
struct loc_section {
	u32 type_id;
	u32 loc_class;			/* enum loc_class */
	u32 elf;			/* index into loc_index.elf_sections */
	u32 first_site;			/* number of its first site among all sites */
	u32 nr_sites;
	const struct loc_site *sites;	/* in order of (func, offset, loc_proto) */
};

#define LOC_INDEX_NONE 0xffffffffu

/* An ELF section that has a LOCSEC of either class, or of both. */
struct loc_elf_section {
	const char *name;		/* ".text" */
	u32 first;			/* its part of by_offset */
	u32 nr_sites;
	u32 sections[2];		/* [enum loc_class], LOC_INDEX_NONE: no LOCSEC */
};

struct loc_index {
	const struct btf_blob *func_info;
	struct loc_section sections[LOC_INDEX_MAX_SECTIONS];	/* in order of type id */
	u32 nr_sections;
	struct loc_elf_section elf_sections[LOC_INDEX_MAX_SECTIONS];
	u32 nr_elf_sections;
	u32 nr_sites;
	u32 nr_funcs;			/* distinct functions with sites */
	u32 *by_offset;			/* [nr_sites] numbers, by (ELF section, offset, number) */
	u32 *funcs;			/* [nr_funcs] func ids in order of (name, id) */
	const u64 *name_samples;	/* private: begin of every 64th name */
};

/* The bytes that loc_index_build() needs. */
struct loc_index_room {
	size_t memory;		/* of the tables: about five a site */
	size_t scratch;		/* may be freed afterwards */
};

/* Returns false only for a blob with too many LOCSECs. */
bool loc_index_measure(const struct btf_blob *func_info, struct loc_index_room *room);

/*
 * Builds the tables in the caller's memory. That memory, func_info and all below it must outlive
 * the index; the blobs have passed loc_validate(). memory and scratch are aligned to 8. Returns 0;
 * -E2BIG: too many LOCSECs; -ENOMEM: a size is less than loc_index_measure() says. After an error
 * *index is untouched.
 */
int loc_index_build(struct loc_index *index, const struct btf_blob *func_info, void *memory,
		    size_t memory_size, void *scratch, size_t scratch_size);

/* Returns the functions of exactly that name: a range of index->funcs. */
struct loc_range loc_index_by_name(const struct loc_index *index, const char *name);
/* Returns those whose name begins with size bytes of name, or, if whole, is equal to them. */
struct loc_range loc_index_by_prefix(const struct loc_index *index, const char *name, u32 size,
				     bool whole);

/* Returns the sites of a function in one LOCSEC: a range of index->sections[section].sites. */
struct loc_range loc_index_by_func(const struct loc_index *index, u32 section, u32 func);

/* Returns true if that LOCSEC has a site of the function at that offset. */
bool loc_index_begins(const struct loc_index *index, u32 section, u32 func, u32 offset);

/* Returns the sites at one offset of an ELF section: a range of index->by_offset. */
struct loc_range loc_index_by_offset(const struct loc_index *index, u32 elf_section, u32 offset);

/* Returns the site with that number and its LOCSEC; NULL: there is no such number. */
const struct loc_site *loc_index_site(const struct loc_index *index, u32 number,
				      const struct loc_section **section);

/* Returns the index of the ELF section of that name, or -ENOENT. */
int loc_index_elf_section(const struct loc_index *index, const char *name);

#endif
