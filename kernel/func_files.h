/* SPDX-License-Identifier: GPL-2.0 */
/* In which source file a function is: what DECL_TAGs "file:PATH" of our types say. */
#ifndef BTF_EXTRA_FUNC_FILES_H
#define BTF_EXTRA_FUNC_FILES_H

#include "core/btf_blob.h"

struct func_file {
	u32 func;
	u32 path;		/* offset of its string */
};

struct func_files {
	const struct btf_blob *types;	/* the tags are in it, or at a level below */
	struct func_file *files;	/* in order of func, for those that have a tag */
	u32 nr;
};

/* Lists the tags from id @first on. 0 or -ENOMEM. @types must stay. */
int func_files_open(struct func_files *files, const struct btf_blob *types, u32 first);
void func_files_close(struct func_files *files);

/* The path of a function's file; NULL: not known. */
const char *func_files_path(const struct func_files *files, u32 func);

#endif
