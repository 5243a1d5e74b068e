/* SPDX-License-Identifier: GPL-2.0 */
/* Declarations that the files of intree_test.ko share. */
#ifndef BTF_EXTRA_INTREE_MODULE_H
#define BTF_EXTRA_INTREE_MODULE_H

#include <linux/compiler.h>
#include <linux/types.h>

#include "intree_calls.h"

/* Calls a function with args and returns its result. */
typedef u64 (*intree_caller)(const u64 *args);

u64 call_twin_here(const u64 *args);
u64 call_twin_there(const u64 *args);
u64 call_half_here(const u64 *args);
u64 call_half_there(const u64 *args);
u64 call_copy_here(const u64 *args);
u64 call_copy_there(const u64 *args);
u64 call_crowd_here(const u64 *args);
u64 call_crowd_there(const u64 *args);
u64 call_crowd_else(const u64 *args);
u64 call_unused(const u64 *args);
u64 call_piece(const u64 *args);
u64 call_fixed(const u64 *args);
u64 call_part_inlined(const u64 *args);
u64 call_part_called(const u64 *args);
u64 call_inlined(const u64 *args);

u64 intree_part(u64 value);

#endif
