/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The symbols in an object's text at which no body of its tables begins: parts of functions
 * (foo.cold), assembly, and other code that is not a C function of its debug information. Padding
 * (__pfx_foo) is not a function, and left out.
 */
#ifndef BTF_EXTRA_OTHER_SYMBOLS_H
#define BTF_EXTRA_OTHER_SYMBOLS_H

#include "objects/extra_object.h"

#define OTHER_SYMBOL_NONE U32_MAX

/*
 * The first of them at that distance from where the text begins, or after it; its name into
 * KSYM_SYMBOL_LEN bytes. Inside rcu_read_lock(). Looks at a few symbols only. 0: none of these was
 * one; continue from *distance. OTHER_SYMBOL_NONE: no more symbols.
 */
unsigned long other_symbol_from(const struct extra_object *object, u32 *distance, char *name);

/* Returns true if that is the name of a part of a function. */
bool other_symbol_is_part(const char *name);

#endif
