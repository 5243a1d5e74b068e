/* SPDX-License-Identifier: GPL-2.0 */
/* Declarations that the files of shapes.ko share. */
#ifndef BTF_EXTRA_SHAPES_MODULE_H
#define BTF_EXTRA_SHAPES_MODULE_H

#include <linux/compiler.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <linux/types.h>

#include "shapes.h"
#include "shapes_steps.h"

/* Returns the place for the arguments in a new record of this processor. */
u64 (*shape_note(enum shape_id shape))[2];
/* Does the same. The arguments of the mask do not exist. */
u64 (*shape_note_without(enum shape_id shape, u32 unknown))[2];

/* Calls shape_<name>() with arguments that are made from a number. */
#define SHAPES_CALL(name, params) void call_##name(u64 random);
SHAPES(SHAPES_CALL)

/* clang-format off */
/* Writes arguments of one word each, from the first on. */
#define set_words(args, ...)						\
	do {								\
		const u64 words[] = { __VA_ARGS__ };			\
		size_t word;						\
									\
		for (word = 0; word < ARRAY_SIZE(words); word++)	\
			(args)[word][0] = words[word];			\
	} while (0)

/* X(n0) to X(nf) */
#define TIMES_16(X, n) X(n##0) X(n##1) X(n##2) X(n##3) X(n##4) X(n##5) X(n##6) X(n##7) \
	X(n##8) X(n##9) X(n##a) X(n##b) X(n##c) X(n##d) X(n##e) X(n##f)
/* clang-format on */

void shapes_crowd(void);
void shapes_do_step(struct shapes_step *step);

#endif
