// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
/*
 * Takes any bytes through the whole core. The promises are those of core_run(): it fails if and
 * only if there is a fault and no object, and every accepted entry is found again by number, id,
 * name and offset.
 *
 * The input has u32 size of the base, u32 size of the types, u32 machine, then base and types, and
 * the rest is func_info. If the size of the base is 0, only its counts are known (3 ids, 15 bytes
 * of strings). If the size of the types is 0, the layout is inline. core_test writes the rows as a
 * corpus in this form.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "../core/core_run.h"

struct frame {
	u32 base_size, types_size, machine;
};

/* A copy that ends where its heap block ends, so that ASan sees a read behind it. */
static struct core_image copy_of(const u8 *bytes, size_t size)
{
	struct core_image image = { .data = NULL, .size = (u32)size };
	u8 *copy = malloc(size ? size : 1);

	if (!copy)
		abort();
	memcpy(copy, bytes, size);
	image.data = copy;
	return image;
}

static void release(struct core_image image)
{
	free((void *)image.data);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static struct core_outcome run;
	struct core_input input = { .base_last_id = 3, .base_strings_len = 15 };
	struct core_arena arena = { .memory = NULL };
	struct frame frame;

	if (size < sizeof(frame))
		return -1;
	memcpy(&frame, bytes, sizeof(frame));
	bytes += sizeof(frame);
	size -= sizeof(frame);
	if (frame.base_size > size || frame.types_size > size - frame.base_size)
		return -1;
	if (frame.base_size)
		input.base = copy_of(bytes, frame.base_size);
	bytes += frame.base_size;
	size -= frame.base_size;
	if (frame.types_size)
		input.types = copy_of(bytes, frame.types_size);
	input.func_info = copy_of(bytes + frame.types_size, size - frame.types_size);
	input.machine = frame.machine;

	arena.size = core_run_memory(&input);
	arena.memory = malloc(arena.size);
	if (!arena.memory)
		abort();
	core_run(&run, &input, &arena);
	if (run.broken) {
		fprintf(stderr, "broken promise: %s\n", run.broken);
		abort();
	}
	free(arena.memory);
	release(input.base);
	release(input.types);
	release(input.func_info);
	return 0;
}
