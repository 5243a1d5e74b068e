/* SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause) */
/*
 * Counts what the core does with an input: how often each piece of its code between two branches
 * runs. In the fuzz build clang makes these counters (-fprofile-instr-generate) only for
 * kernel/core, so no loop of the core is left out. The work of mem*() and str*() is not counted.
 */
#ifndef BTF_EXTRA_TESTS_STEPS_H
#define BTF_EXTRA_TESTS_STEPS_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

extern uint64_t *__llvm_profile_begin_counters(void);
extern uint64_t *__llvm_profile_end_counters(void);
extern void __llvm_profile_reset_counters(void);

/* A definition of this keeps the counters from being written to a file at the end. */
extern int __llvm_profile_runtime;
int __llvm_profile_runtime;

static inline void steps_begin(void) {
    __llvm_profile_reset_counters();
}

static inline uint64_t steps_since(void) {
    const uint64_t *end = __llvm_profile_end_counters();
    const uint64_t *counter = __llvm_profile_begin_counters();
    uint64_t sum = 0;

    for (; counter < end; counter++)
        sum += *counter;
    return sum;
}

/* Ends the fuzzer if more was done than the most for an input of that size. */
static inline void steps_end(const char *what, size_t size, uint64_t most) {
    static uint64_t highest;
    uint64_t steps = steps_since();

    if (steps > highest && getenv("BTF_EXTRA_STEPS"))
        fprintf(stderr, "%s: %zu bytes, %llu steps\n", what, size, (unsigned long long)steps);
    if (steps > highest)
        highest = steps;
    if (steps <= most)
        return;
    fprintf(stderr, "%s: %llu steps for %zu bytes, more than %llu\n", what,
            (unsigned long long)steps, size, (unsigned long long)most);
    abort();
}

#endif
