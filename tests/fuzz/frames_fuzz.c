// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
/*
 * Opens any bytes as .btf_extra.frames of the plain object. The promises are those of frame_run():
 * opening fails if and only if there is a fault, and every place has a chain of FUNCs. frames_test
 * writes the rows as a corpus.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "../core/frame_run.h"
#include "steps.h"

/* ---- what one input may cost ---- */

/* The bytes of the records that one search passes: the heads of a block, with all their pieces. */
#define BLOCK_BYTES (INLINE_FRAMES_BLOCK * (INLINE_FRAMES_PIECES + 1) * 15u)
/* The number of pieces for which the sections of the plain file have room. */
#define MOST_PIECES (CONTAINER_TEXT_SIZE + CONTAINER_INIT_TEXT_SIZE)

static uint64_t lower(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Every byte is read once, and for each piece that is elsewhere its body is searched in its block. */
static uint64_t most_steps(size_t size)
{
	return 20000 + 60 * (uint64_t)size +
	       lower(size / 4, MOST_PIECES) * 12 * lower(size, BLOCK_BYTES);
}

/* A search, another one of the body, and the instances of that. */
static uint64_t most_steps_asked(size_t size)
{
	return 5000 + 24 * lower(size, BLOCK_BYTES) + 12 * lower(size, INLINE_FRAMES_BODY_MAX);
}

static void count_steps(const struct frame_world *world, const void *bytes, size_t size)
{
	const struct extra_bytes given = { .data = bytes, .size = (u32)size };
	struct inline_frame chain[INLINE_FRAMES_DEPTH];
	struct inline_frames frames;
	struct btf_fault fault;
	u32 section, offset;
	int err;

	steps_begin();
	err = inline_frames_open(&frames, &given, &world->core.func_info, &world->elf, &fault);
	steps_end("frames", size, most_steps(size));
	for (section = 0; !err && section < frames.counts.nr_sections; section++)
		for (offset = 0; offset < CONTAINER_TEXT_SIZE; offset += 13) {
			steps_begin();
			inline_frames_at(&frames, section, offset, chain, INLINE_FRAMES_DEPTH);
			steps_end("chain", size, most_steps_asked(size));
		}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static struct frame_world world;
	static bool made;
	struct frame_outcome run;
	u8 *copy = malloc(size ? size : 1);

	made = made || frame_world_make(&world);
	if (!copy || !made)
		abort();
	memcpy(copy, bytes, size);
	count_steps(&world, copy, size);
	frame_run(&run, &world, copy, (u32)size);
	if (run.broken) {
		fprintf(stderr, "broken promise: %s\n", run.broken);
		abort();
	}
	free(copy);
	return 0;
}
