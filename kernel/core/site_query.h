/* SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause) */
/*
 * Finds the sites of an object for a text, a function or an address. The kernel module and
 * userspace both use this. Nothing here allocates or has side effects.
 */
#ifndef BTF_EXTRA_CORE_SITE_QUERY_H
#define BTF_EXTRA_CORE_SITE_QUERY_H

#include "func_text.h"
#include "site_marks.h"

/* The place of an ELF section of an object, at run time or as linked. */
struct section_place {
	u64 address;		/* 0: not known, or its text was freed and may be used again */
	u64 size;
	bool freed;		/* the kernel has freed its text */
};

struct site_tables;

/* The facts that the blobs of an object do not have. elf numbers loc_index.elf_sections. */
struct site_tables_ops {
	struct section_place (*place)(const struct site_tables *tables, u32 elf);
	/* Returns true if a symbol of that name begins there. */
	bool (*symbol_begins)(const struct site_tables *tables, u32 elf, u32 offset,
			      const char *name, u32 size);
	/* Returns the source file of a function; NULL: not known. */
	const char *(*func_file)(const struct site_tables *tables, u32 func);
};

/* An object for queries. It is embedded in the struct that the ops need. */
struct site_tables {
	const struct loc_index *index;
	const u8 *marks;	/* see site_marks.h; NULL: none */
	u32 marks_size;
	const struct site_tables_ops *ops;
};

struct found_site {
	const struct loc_section *section;
	u32 i;			/* index in section->sites */
	u32 marks;		/* SITE_MARK_* */
	/*
	 * It was found as a body with the requested symbol. Its function has another name.
	 */
	bool by_symbol;
};

/* A return value other than 0 ends the walk, and the walk returns it. */
typedef int (*found_site_fn)(const struct found_site *site, void *data);

/* A bit for each value of enum loc_class; 0: all classes. */
#define SITE_CLASS(loc_class) (1u << (loc_class))

/*
 * Calls fn for all sites that a text names. Functions come in order of (name, id), the sites of
 * each by number. Sites that are found by symbol come after those that are found by name. The
 * object in the text is ignored.
 */
int site_query_text(const struct site_tables *tables, const struct func_text *text, u32 classes,
		    found_site_fn fn, void *data);

/* Calls fn for all sites of a function, by number. */
int site_query_func(const struct site_tables *tables, u32 func, u32 classes, found_site_fn fn,
		    void *data);

/* Call fn for all sites at an offset of an ELF section, or at an address, by number. */
int site_query_place(const struct site_tables *tables, u32 elf, u32 offset, u32 classes,
		     found_site_fn fn, void *data);
int site_query_address(const struct site_tables *tables, u64 address, u32 classes,
		       found_site_fn fn, void *data);

/* Returns the site of that number. */
struct found_site site_query_site(const struct site_tables *tables, u32 number);

/* Returns the site as <linux/btf_extra.h> describes it, without its object. */
struct btf_extra_site site_describe(const struct site_tables *tables,
				    const struct found_site *site);

/* Returns the name of a function; "": it has none. */
const char *site_func_name(const struct site_tables *tables, u32 func);

/*
 * Finds the only body of the only function of that name. Returns false if there is none or more
 * than one. A symbol of that name, minus the offset of the body, is where the section is.
 */
bool section_place_anchor(const struct loc_index *index, const char *name, u32 *elf, u32 *offset);

/* Returns true if vmlinux or a module frees that executable section after it has started. */
bool section_place_freed(const char *section, bool vmlinux);

#endif
