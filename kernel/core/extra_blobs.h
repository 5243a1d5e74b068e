/* SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause) */
/*
 * The blobs of an object, checked and with their tables. Every reader opens a container with
 * extra_elf_open() and then with this: the module, the library, check, and generate for its own
 * output. So all of them accept the same files.
 */
#ifndef BTF_EXTRA_EXTRA_BLOBS_H
#define BTF_EXTRA_EXTRA_BLOBS_H

#include "extra_elf.h"
#include "inline_frames.h"
#include "loc_expression.h"
#include "loc_index.h"

struct extra_blobs {
	struct btf_blob types, func_info;
	struct loc_index index;
	const u8 *marks;	/* see site_marks.h; NULL: not known */
	u32 marks_size;
	struct loc_expressions expressions;
	struct inline_frames frames;	/* its sections are NULL: there are none */
	/* The object's own functions begin at this id; the base has those below without us. */
	u32 first_own_id;
};

/* Memory from the caller, which it keeps as long as the blobs. */
struct extra_memory {
	/* Aligned to 8; NULL: there is none left. */
	void *(*get)(struct extra_memory *memory, size_t size);
	/* Takes back what get() gave last. */
	void (*put)(struct extra_memory *memory);
	bool plenty;	/* types may be found fast, see btf_blob.step_bits */
};

enum extra_part {
	EXTRA_FILE,
	EXTRA_TYPES,
	EXTRA_FUNC_INFO,
	EXTRA_MARKS,
	EXTRA_EXPRESSIONS,
	EXTRA_FRAMES,
};

struct extra_fault {
	enum extra_part part;
	struct btf_fault in;	/* its offset counts from the part */
};

/* Returns "file", or the name of the section. */
const char *extra_part_name(enum extra_part part);

/*
 * Opens the parts of elf, which must stay, on top of base, which has its table of offsets. If elf
 * has no file (data is NULL: the parts come from a kernel that has checked them), the ends of
 * sections are unknown, and bounds are not checked. Returns 0, -EINVAL with *fault filled, or
 * -ENOMEM; after an error *blobs is of no use.
 */
int extra_blobs_open(struct extra_blobs *blobs, const struct extra_elf *elf,
		     const struct btf_blob *base, struct extra_memory *memory,
		     struct extra_fault *fault);

/*
 * Checks that every site lies in a section of the object, which requires both the blobs and their
 * container. 0, or -EINVAL with *fault filled; its offset is that of the field in func_info.
 */
int site_bounds_check(const struct loc_index *index, const struct extra_elf *elf,
		      struct btf_fault *fault);

#endif
