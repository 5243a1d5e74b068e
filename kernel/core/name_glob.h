/* SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause) */
/*
 * Patterns for names, as a shell has them for files: * is any run of characters, ?
 * any character, [a-z] one of a set, [!a-z] one outside it; \ takes the meaning from
 * the next character. A [ without its ] stands for itself.
 */
#ifndef BTF_EXTRA_NAME_GLOB_H
#define BTF_EXTRA_NAME_GLOB_H

#include "core_env.h"

bool name_glob_matches(const char *pattern, u32 size, const char *name);

/* Bytes before the first character with a meaning. All of them: it is no pattern. */
u32 name_glob_literal(const char *pattern, u32 size);

#endif
