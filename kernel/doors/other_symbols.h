/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The symbols in an object's text where no body begins that its tables have: parts
 * of functions (foo.cold), assembly, and what else is no C function of its debug
 * information. Those of padding (__pfx_foo) are no functions, and left out.
 */
#ifndef BTF_EXTRA_OTHER_SYMBOLS_H
#define BTF_EXTRA_OTHER_SYMBOLS_H

#include "objects/extra_object.h"

#define OTHER_SYMBOL_NONE U32_MAX

/*
 * The first of them at that distance from where the text begins, or after it; its
 * name into KSYM_SYMBOL_LEN bytes. Inside rcu_read_lock(). Looks at a few symbols
 * only. 0: none of these was one; go on from *distance, or, if that is
 * OTHER_SYMBOL_NONE, there are no more.
 */
unsigned long other_symbol_from(const struct extra_object *object, u32 *distance, char *name);

/* Returns true if that is the name of a part of a function. */
bool other_symbol_is_part(const char *name);

#endif
