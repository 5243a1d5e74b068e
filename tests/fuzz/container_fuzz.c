// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
/*
 * Opens any bytes as a container. The promises are those of container_run(): opening fails if and
 * only if there is a fault and no object, and every part that is found is inside the file. Then the
 * plain blobs are checked against the file's sections: they are refused if and only if a site is
 * outside all of them.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "../../kernel/core/extra_blobs.h"
#include "../core/container_rows.h"
#include "steps.h"

static void hold(bool promise, const char *text)
{
	if (promise)
		return;
	fprintf(stderr, "broken promise: %s\n", text);
	abort();
}

/* Returns the tables of the plain blobs, which are made once. */
static const struct loc_index *plain_index(void)
{
	static u64 memory[16384];
	static struct core_row_images images;
	static struct core_outcome outcome;
	static struct core_input input;
	struct core_arena arena = { .memory = (u8 *)memory, .size = sizeof(memory) };

	if (!outcome.index.nr_sites) {
		hold(core_row_input(&core_rows[0], &images, &input), "the plain row is right");
		core_run(&outcome, &input, &arena);
		hold(outcome.step == CORE_DONE, "the plain blobs are accepted");
	}
	return &outcome.index;
}

/*
 * Each of up to 1024 headers is read for each part, and the sections of the object are compared with
 * each other: 1024 * 1024 / 2 times some 20 steps.
 */
#define MOST_STEPS 20000000

/* Only opening, because the promises call far more. */
static void count_steps(const u8 *bytes, size_t size, const struct loc_index *index)
{
	struct btf_fault fault;
	struct extra_elf elf;

	steps_begin();
	if (!extra_elf_open(&elf, bytes, size, &fault))
		site_bounds_check(index, &elf, &fault);
	steps_end("container", size, MOST_STEPS);
}

/* Checks each site by its number. */
static bool all_inside(const struct loc_index *index, const struct extra_elf *elf)
{
	const struct loc_section *holder;
	const struct loc_site *site;
	u32 i;

	for (i = 0; i < index->nr_sites; i++) {
		struct extra_section place;

		site = loc_index_site(index, i, &holder);
		if (!extra_elf_find(elf, index->elf_sections[holder->elf].name, &place) ||
		    !(place.flags & SHF_EXECINSTR) || place.size <= site->offset)
			return false;
	}
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	const struct loc_index *index = plain_index();
	struct btf_fault fault = { .code = BTF_FAULT_COUNT };
	struct container_outcome run;
	u8 *copy = malloc(size ? size : 1);
	int err;

	if (!copy)
		abort();
	memcpy(copy, bytes, size);
	count_steps(copy, size, index);
	container_run(&run, copy, size);
	hold(!run.broken, run.broken ? run.broken : "");
	if (!run.error) {
		err = site_bounds_check(index, &run.elf, &fault);
		hold(err == 0 || err == -EINVAL, "an error is -EINVAL");
		hold(!err == (fault.code == BTF_FAULT_COUNT), "an error and a fault come together");
		hold(!err == all_inside(index, &run.elf), "sites inside are accepted, no others");
	}
	free(copy);
	return 0;
}
