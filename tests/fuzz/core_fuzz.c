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

#include "../../kernel/core/btf_type_walk.h"
#include "../../kernel/core/site_query.h"
#include "../core/core_run.h"
#include "steps.h"

struct frame {
	u32 base_size, types_size, machine;
};

/* A copy that ends where its heap block ends, so that ASan sees a read beyond it. */
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

/* ---- what one input may cost ---- */

/* The first number is for the digit counts of 64 LOCSECs, the second for 64 LOCSECs in a window. */
#define MOST_STEPS(size) (200000 + 40 * (uint64_t)(size))
/* A question: a walk over all sites and functions, and the types of one function. */
#define MOST_STEPS_ASKED(size) (200000 + 200 * (uint64_t)(size))

static struct section_place place(const struct site_tables *tables, u32 elf)
{
	const struct section_place found = { .address = 0x1000, .size = 1ull << 32 };

	(void)tables;
	(void)elf;
	return found;
}

static bool symbol_begins(const struct site_tables *tables, u32 elf, u32 offset, const char *name,
			  u32 size)
{
	(void)tables;
	(void)elf;
	(void)name;
	(void)size;
	return offset & 1;
}

static const char *func_file(const struct site_tables *tables, u32 func)
{
	(void)tables;
	(void)func;
	return NULL;
}

static int count(const struct found_site *site, void *data)
{
	(void)site;
	++*(u32 *)data;
	return 0;
}

/* Asks for a symbol of a function, and for a pattern. */
static void ask_for_sites(const struct site_tables *tables, const char *name, size_t size)
{
	char text[BTF_FUNC_NAME_MAX + 16];
	struct func_text parsed = { .name = text };
	u32 nr = 0;

	parsed.name_size = (u32)snprintf(text, sizeof(text), "%.511s.isra.0", name);
	steps_begin();
	site_query_text(tables, &parsed, 0, count, &nr);
	steps_end("symbol", size, MOST_STEPS_ASKED(size));
	parsed.glob = true;
	parsed.name_size = (u32)snprintf(text, sizeof(text), "*%c*%c*?", name[0], name[0]);
	steps_begin();
	site_query_text(tables, &parsed, 0, count, &nr);
	steps_end("pattern", size, MOST_STEPS_ASKED(size));
}

static void ask(const struct core_outcome *run, size_t size)
{
	static const struct site_tables_ops ops = { place, symbol_begins, func_file };
	const struct site_tables tables = { .index = &run->index, .ops = &ops };
	const u32 step = run->index.nr_funcs / 8 + 1;
	u32 i;

	for (i = 0; i < run->index.nr_funcs; i += step)
		ask_for_sites(&tables, site_func_name(&tables, run->index.funcs[i]), size);
	for (i = 0; i < run->types.nr_types; i += run->types.nr_types / 8 + 1) {
		steps_begin();
		btf_type_value(&run->types, run->types.first_id + i);
		steps_end("type", size, MOST_STEPS_ASKED(0));
	}
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
	input.trusted = true;
	steps_begin();
	core_run(&run, &input, &arena);
	steps_end("core", size, MOST_STEPS(size));
	input.trusted = false;
	arena.used = 0;
	core_run(&run, &input, &arena);
	if (run.step == CORE_DONE)
		ask(&run, size);
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
