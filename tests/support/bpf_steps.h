/* SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause) */
/* The evaluator that btf_loc.bpf.h gives to BPF programs, compiled for this machine. */
#ifndef BTF_EXTRA_TESTS_BPF_STEPS_H
#define BTF_EXTRA_TESTS_BPF_STEPS_H

#include "../../kernel/core/loc_expression.h"

/*
 * Evaluates a struct btf_loc_steps. registers is the context of the program; load reads the memory,
 * but not the registers. Returns 0 or a negative errno.
 */
long bpf_steps_evaluate(const void *steps, const void *registers, loc_load_fn load, u64 *value);

#endif
