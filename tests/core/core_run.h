/* SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause) */
/*
 * Takes three images through the whole core, as every user of it does: open,
 * validate, index. Says where it stopped, and whether the promises were kept.
 * For KUnit, GoogleTest and the fuzzer alike; nothing here allocates.
 */
#ifndef BTF_EXTRA_TESTS_CORE_RUN_H
#define BTF_EXTRA_TESTS_CORE_RUN_H

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
	struct core_image base;		/* NULL: counts only */
	u32 base_last_id;		/* counts */
	u32 base_strings_len;
	struct core_image types;	/* NULL: the inline layout */
	struct core_image func_info;
	u32 machine;
	u32 memory_short;		/* bytes withheld from loc_index_build() */
	u32 scratch_short;
};

struct core_arena {
	u8 *memory;		/* aligned to 8 */
	size_t size;
	size_t used;
};

struct core_outcome {
	enum core_step step;	/* the one that failed, or CORE_DONE */
	int error;
	struct btf_fault fault;	/* of the first three steps */
	const char *broken;	/* a promise that was not kept; NULL: all were */
	struct btf_blob base, types, func_info;
	struct loc_index index;
};

/* Bytes of arena that suffice for an input. */
size_t core_run_memory(const struct core_input *input);

/*
 * Promises: a function fails if and only if it reports a fault or -E2BIG and
 * -ENOMEM; it leaves the object untouched then; what was accepted keeps
 * core_index_promise().
 */
void core_run(struct core_outcome *run, const struct core_input *input, struct core_arena *arena);

/*
 * Every table is in its order; every site is found again by number, function,
 * name and offset, in a range that holds all of its equals and nothing else;
 * keys beside the existing ones give empty ranges in their place.
 * NULL, or the promise that was broken.
 */
const char *core_index_promise(const struct loc_index *index);

#endif
