/* SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause) */
/*
 * Takes three images through the whole core, as every user does: open, validate, index. Says where
 * it stopped and whether the promises were kept. KUnit, GoogleTest and the fuzzer use it. Nothing
 * here allocates.
 */
#ifndef BTF_EXTRA_TESTS_CORE_RUN_H
#define BTF_EXTRA_TESTS_CORE_RUN_H

#include "../../kernel/core/loc_arch.h"
#include "../../kernel/core/loc_index.h"
#include "../../kernel/core/loc_validate.h"

enum core_step {
	CORE_BASE,		/* btf_blob_open() of the base */
	CORE_TYPES,		/* open and loc_validate_types() */
	CORE_FUNC_INFO,		/* open and loc_validate() */
	CORE_INDEX,		/* loc_index_build() */
	CORE_DONE
};

struct core_image {
	const void *data;	/* aligned to 4; NULL: none */
	u32 size;
};

struct core_input {
	struct core_image base;		/* NULL: only the counts are known */
	u32 base_last_id;		/* counts */
	u32 base_strings_len;
	struct core_image types;	/* NULL: the inline layout */
	struct core_image func_info;
	u32 machine;
	u32 memory_short;		/* bytes that loc_index_build() gets too few */
	u32 scratch_short;
	bool trusted;			/* the index is not asked for its promise */
};

struct core_arena {
	u8 *memory;		/* aligned to 8 */
	size_t size;
	size_t used;
};

struct core_outcome {
	enum core_step step;	/* the step that failed, or CORE_DONE */
	int error;
	struct btf_fault fault;	/* fault of the first three steps */
	const char *broken;	/* the promise that was broken; NULL: none */
	struct btf_blob base, types, func_info;
	struct loc_index index;
};

/* Returns how many bytes of arena suffice for an input. */
size_t core_run_memory(const struct core_input *input);

/*
 * The promises: a function fails if and only if it reports a fault, or with -E2BIG or -ENOMEM, and
 * then leaves the object untouched. core_index_promise() holds for what is accepted.
 */
void core_run(struct core_outcome *run, const struct core_input *input, struct core_arena *arena);

/*
 * Every table is sorted. Every site is found again by number, function, name and offset, in a range
 * that has all sites with the same key and no other. A key between the existing ones gives an empty
 * range at its place. Returns NULL, or the promise that was broken.
 */
const char *core_index_promise(const struct loc_index *index);

#endif
