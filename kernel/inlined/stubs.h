/* SPDX-License-Identifier: GPL-2.0 */
/* This header declares the symbols of stubs.S. */
#ifndef BTF_EXTRA_INLINED_STUBS_H
#define BTF_EXTRA_INLINED_STUBS_H

#include "core/phantom_table.h"

extern const unsigned long inlined_stubs[PHANTOM_STUBS];
/* It is as large as its header says. */
extern const struct phantom_table inlined_table;

#endif
