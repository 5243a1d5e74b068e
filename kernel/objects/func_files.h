/* SPDX-License-Identifier: GPL-2.0 */
/* The source files of functions, from the DECL_TAGs "file:PATH" of the types blob. */
#ifndef BTF_EXTRA_FUNC_FILES_H
#define BTF_EXTRA_FUNC_FILES_H

#include "core/btf_blob.h"

struct func_file {
	u32 func;
	u32 path;		/* offset of the path's string */
};

struct func_files {
	const struct btf_blob *types;	/* the tags are in it, or at a level below */
	struct func_file *files;	/* in order of func, for functions with a tag */
	u32 nr;
};

/* Lists the tags from id @first on. Returns 0 or -ENOMEM. @types must stay. */
int func_files_open(struct func_files *files, const struct btf_blob *types, u32 first);
void func_files_close(struct func_files *files);

/* Returns the path of a function's source file; NULL: not known. */
const char *func_files_path(const struct func_files *files, u32 func);

#endif
