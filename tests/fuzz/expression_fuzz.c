// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
/*
 * Opens any bytes as .btf_extra.expressions of the locations of the rows. The promises: opening
 * fails if and only if there is a fault; an expression that is found keeps the limits, has a value
 * of its size, and depends only on the machine. expression_test writes the rows as a corpus.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "../core/expression_rows.h"
#include "steps.h"

static void hold(bool promise, const char *text)
{
	if (promise)
		return;
	fprintf(stderr, "broken promise: %s\n", text);
	abort();
}

/* ---- the machine ---- */

#define MEMORY_AT 0x1000u

static const u8 memory[32] = { 0x08, 0x10, [8] = 0x81, 0x82, 0x83, [31] = 0xff };
static u32 nr_loads;

static bool fuzz_load(void *value, u64 address, u32 bytes)
{
	nr_loads++;
	hold(bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8, "a load has 1, 2, 4 or 8 bytes");
	if (address < MEMORY_AT || address - MEMORY_AT > sizeof(memory) - bytes)
		return false;
	memcpy(value, memory + (address - MEMORY_AT), bytes);
	return true;
}

/* fill: of the bytes that the value may leave as they were. */
static bool evaluate(const struct loc_expression *expression, u8 fill, u64 value[2])
{
	u64 registers[32];
	const struct loc_machine_state state = { registers, 0xffffffff81000000 };
	u32 i;

	for (i = 0; i < 32; i++)
		registers[i] = i % 2 ? MEMORY_AT + i : 0x0123456789abcdef * i;
	memset(value, fill, 2 * sizeof(*value));
	nr_loads = 0;
	return loc_steps_run(expression->steps, expression->nr_steps, &state, fuzz_load, value);
}

static void check_expression(const struct loc_expression *expression)
{
	u64 first[2], second[2];
	bool readable = evaluate(expression, 0x00, first);

	hold(expression->size && expression->size <= 16, "a value has 1 to 16 bytes");
	hold(expression->nr_steps && expression->nr_steps <= LOC_EXPRESSION_OPERATORS,
	     "the operators are limited");
	hold(nr_loads <= expression->nr_loads && expression->nr_loads <= LOC_EXPRESSION_LOADS,
	     "the loads are limited");
	hold(evaluate(expression, 0xff, second) == readable, "memory stays readable");
	hold(!readable || !memcmp(first, second, expression->size), "every byte has a value");
}

/* ---- what one input may cost ---- */

/* An entry of 6 bytes may refer to a code of 32 operators with numbers of 10 bytes. */
#define MOST_STEPS(size) (2000 + 160 * (uint64_t)(size))
#define MOST_STEPS_ASKED 2000

static bool open_counted(struct loc_expressions *expressions, const struct extra_bytes *bytes,
			 const struct btf_blob *blob, u32 machine)
{
	struct btf_fault fault = { .code = BTF_FAULT_COUNT };
	int err;

	steps_begin();
	err = loc_expressions_open(expressions, bytes, blob, loc_arch_of(machine), &fault);
	steps_end("expressions", bytes->size, MOST_STEPS(bytes->size));
	hold(err == 0 || err == -EINVAL, "an error is -EINVAL");
	hold(!err == (fault.code == BTF_FAULT_COUNT), "an error and a fault come together");
	hold(!err || fault.offset <= bytes->size, "a fault is in the section");
	return !err;
}

static void check_section(const struct extra_bytes *bytes, const struct btf_blob *blob, u32 machine)
{
	struct loc_expressions expressions;
	struct loc_expression expression;
	u32 nr_found = 0;
	u32 id, param;

	if (!open_counted(&expressions, bytes, blob, machine))
		return;
	for (id = 0; id < 16; id++) {
		for (param = 0; param < 4; param++) {
			steps_begin();
			if (!loc_expressions_find(&expressions, id, param, &expression))
				continue;
			steps_end("found", bytes->size, MOST_STEPS_ASKED);
			nr_found++;
			check_expression(&expression);
		}
	}
	hold(nr_found == expressions.nr_entries, "every entry is found, and no other");
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	const struct btf_blob *blob = expressions_row_blob();
	struct extra_bytes given = { .size = (u32)size };
	u8 *copy = malloc(size ? size : 1);

	if (!copy || !blob)
		abort();
	memcpy(copy, bytes, size);
	given.data = copy;
	check_section(&given, blob, LOC_MACHINE_X86_64);
	check_section(&given, blob, LOC_MACHINE_AARCH64);
	free(copy);
	return 0;
}
