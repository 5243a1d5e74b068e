/* SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause) */
/*
 * Which sites of an object does a text, a function or an address stand for? The one
 * answer to that, for the kernel module and for userspace. Nothing here allocates or
 * has side effects.
 */
#ifndef BTF_EXTRA_CORE_SITE_QUERY_H
#define BTF_EXTRA_CORE_SITE_QUERY_H

#include "func_text.h"
#include "section_place.h"
#include "site_marks.h"

struct site_tables;

/* What the blobs of an object do not say. elf numbers loc_index.elf_sections. */
struct site_tables_ops {
	struct section_place (*place)(const struct site_tables *tables, u32 elf);
	/* Whether a symbol of that name begins there. */
	bool (*symbol_begins)(const struct site_tables *tables, u32 elf, u32 offset,
			      const char *name, u32 size);
	/* The source file of a function, NULL: not known. */
	const char *(*func_file)(const struct site_tables *tables, u32 func);
};

/* An object as the queries see it; to be embedded in what the ops need. */
struct site_tables {
	const struct loc_index *index;
	const u32 *marks;	/* see site_marks.h; NULL: none */
	u32 nr_marks;
	const struct site_tables_ops *ops;
};

struct found_site {
	const struct loc_section *section;
	u32 i;			/* in section->sites */
	/* Found as a body with the symbol that was asked for; its function has another name. */
	bool by_symbol;
};

/* Another value than 0 ends the walk and is what it returns. */
typedef int (*found_site_fn)(const struct found_site *site, void *data);

/* Which of enum loc_class, a bit for each; 0: all of them. */
#define SITE_CLASS(loc_class) (1u << (loc_class))

/*
 * All sites that a text stands for: functions in order of (name, id), the sites of
 * each by number; after those that are found by name those that are found by symbol.
 * Whether the text means this object is not looked at.
 */
int site_query_text(const struct site_tables *tables, const struct func_text *text, u32 classes,
		    found_site_fn fn, void *data);

/* All sites of a function, by number. */
int site_query_func(const struct site_tables *tables, u32 func, u32 classes, found_site_fn fn,
		    void *data);

/* All sites at an offset of an ELF section, or at an address, by number. */
int site_query_place(const struct site_tables *tables, u32 elf, u32 offset, u32 classes,
		     found_site_fn fn, void *data);
int site_query_address(const struct site_tables *tables, u64 address, u32 classes,
		       found_site_fn fn, void *data);

/* The site as <linux/btf_extra.h> describes it, all but its object. */
struct btf_extra_site site_describe(const struct site_tables *tables,
				    const struct found_site *site);

/* The name of a function; "": there is none. */
const char *site_func_name(const struct site_tables *tables, u32 func);

#endif
