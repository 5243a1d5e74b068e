/* SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause) */
/*
 * The text that names functions:
 *
 *	foo		the functions of that name, all of their sites
 *	foo@fs/bar.c	those that this source file declares, or one whose path ends so
 *	foo.isra.0	the function with that true signature; else the bodies of foo
 *			that have this symbol
 *	#1234		the FUNC with that BTF id
 *
 * "vmlinux:" or "xfs:" before any of them keeps to one object. In names of functions
 * and objects, *, ? and [a-z] mean what they mean in a shell.
 */
#ifndef BTF_EXTRA_FUNC_TEXT_H
#define BTF_EXTRA_FUNC_TEXT_H

#include "core_env.h"

/* A part is not terminated, so its size counts. The file ends the text and is terminated. */
struct func_text {
	const char *object;	/* NULL: any */
	const char *name;	/* NULL: by id */
	const char *file;	/* NULL: any */
	u32 object_size;
	u32 name_size;
	u32 id;
	bool glob;		/* *, ? and [ are not literal */
};

/* Returns NULL, or the reason, as text, why this is not a name. The result points into the text. */
const char *func_text_parse(const char *text, struct func_text *parsed);

/* Returns true if an object of that name is meant. */
bool func_text_has_object(const struct func_text *text, const char *name);

/*
 * These return true if a function of that name, or of that source file (NULL: not known), is meant.
 */
bool func_text_has_name(const struct func_text *text, const char *name);
bool func_text_has_file(const struct func_text *text, const char *path);

/* Returns the number of bytes at the start of the name that are literal. */
u32 func_text_literal(const struct func_text *text);

#endif
