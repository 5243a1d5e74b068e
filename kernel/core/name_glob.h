/* SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause) */
/*
 * Patterns for names, like a shell's for files: * is any run of characters, ? any character, [a-z]
 * one of a set, [!a-z] one outside it. \ makes the next character literal. A [ without its ] is
 * literal.
 */
#ifndef BTF_EXTRA_NAME_GLOB_H
#define BTF_EXTRA_NAME_GLOB_H

#include "core_env.h"

bool name_glob_matches(const char *pattern, u32 size, const char *name);

/*
 * Returns the number of bytes before the first special character. If that is all bytes, it is not a
 * pattern.
 */
u32 name_glob_literal(const char *pattern, u32 size);

#endif
