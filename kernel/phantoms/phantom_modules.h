/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Phantom functions: a module "inlined" has a stub for each function that tools shall see although
 * it is inlined. While something is attached to a stub, which ftrace does by changing its code,
 * probes are armed at the sites of its functions, and a hit calls the stub.
 */
#ifndef BTF_EXTRA_PHANTOM_MODULES_H
#define BTF_EXTRA_PHANTOM_MODULES_H

#include <linux/types.h>

#include "core/phantom_table.h"

struct module;

/**
 * btf_extra_add_phantoms() - add the stubs of a module
 * @module: the caller, in its init
 * @table: what the stubs stand for; it is copied
 * @stubs: the addresses of all stubs of the module
 *
 * Context: may sleep.
 * Return: 0, or a negative errno if they are refused; a line in dmesg has the reason.
 */
int btf_extra_add_phantoms(struct module *module, const struct phantom_table *table,
			   const unsigned long stubs[PHANTOM_STUBS]);

/**
 * btf_extra_remove_phantoms() - disarm and remove the stubs of a module
 * @module: the caller, in its exit; a module without stubs is no error
 *
 * Context: may sleep.
 */
void btf_extra_remove_phantoms(struct module *module);

/* ---- for btf_extra ---- */

struct extra_object;

/* A stub that stands for a function, and maybe for more. */
struct phantom_found {
	const char *name;
	unsigned long address;
	struct module *module;
	bool whole;		/* it has all parameters of the function */
};

/*
 * Finds a stub, if there is one with all parameters. Returns false if there is none. Inside
 * rcu_read_lock(). An object that came a moment ago has none until phantom_modules_compare().
 */
bool phantom_of_func(const struct extra_object *object, u32 func_id, struct phantom_found *found);

/* Compares the objects that have come since the last call. May sleep. */
void phantom_modules_compare(void);

int phantom_modules_init(void);
void phantom_modules_exit(void);

#endif
