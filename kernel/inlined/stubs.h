/* SPDX-License-Identifier: GPL-2.0 */
/* What stubs.S has. */
#ifndef BTF_EXTRA_INLINED_STUBS_H
#define BTF_EXTRA_INLINED_STUBS_H

#include "../core/phantom_table.h"

extern const unsigned long inlined_stubs[PHANTOM_STUBS];
/* As large as its header says. */
extern const struct phantom_table inlined_table;

#endif
