/* SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause) */
/*
 * The functions of the stubs of a module "inlined". btf-extra expose writes the table to
 * PHANTOM_SECTION of a copy of the template inlined.ko. All parts are in the kernel's byte order,
 * one after the other without gaps:
 *
 *	struct phantom_table
 *	struct phantom_object [nr_objects]	whose functions these are
 *	struct phantom_stub   [nr_stubs]	in the order of the template's stubs
 *	struct phantom_func   [nr_funcs]	those of the first stub, then of the second, ...
 *	strings					each ends with a NUL
 *
 * Names of stubs ascend bytewise, so that each is there once. They are C identifiers.
 */
#ifndef BTF_EXTRA_PHANTOM_TABLE_H
#define BTF_EXTRA_PHANTOM_TABLE_H

#define PHANTOM_SECTION ".btf_extra.phantoms"
#define PHANTOM_MAGIC 0x6e616870
#define PHANTOM_VERSION 1

/*
 * The number of stubs in the template. They are local symbols inlined_stub_0, inlined_stub_1, ...
 */
#define PHANTOM_STUBS 1000
#define PHANTOM_STUB_SIZE 32
#define PHANTOM_STUB_PREFIX "inlined_stub_"

/* No table is larger. */
#define PHANTOM_TABLE_MAX (4u << 20)

#ifndef __ASSEMBLER__
#include "core_env.h"

/* The template itself has only this header, with size and counts of 0. */
struct phantom_table {
	u32 magic;
	u32 version;
	u32 size;		/* of all parts, in bytes */
	u32 crc32;		/* of all that follows this field */
	u32 nr_objects;
	u32 nr_stubs;
	u32 nr_funcs;
	u32 strings_size;
};

/* The ids are right for an object whose func_info blob has this size and this CRC-32. */
struct phantom_object {
	u32 name;		/* offset in strings: "vmlinux" or the name of a module */
	u32 func_info_size;
	u32 func_info_crc32;
};

struct phantom_stub {
	u32 name;		/* offset in strings */
	u32 nr_funcs;		/* 1 or more */
};

/* A function that is called where the stub is. */
struct phantom_func {
	u32 object;		/* its number in the table */
	u32 func_id;
	u32 without;		/* bit n: the stub does not have parameter n of the function */
};

/* The parts of a table that has passed the check. */
struct phantom_parts {
	const struct phantom_object *objects;
	const struct phantom_stub *stubs;
	const struct phantom_func *funcs;
	const char *strings;
	u32 nr_objects, nr_stubs, nr_funcs;
};

/*
 * Checks size bytes, aligned to 4, which must be a table. Returns NULL and fills *parts, or returns
 * the reason. The caller checks the CRC.
 */
const char *phantom_table_open(const void *data, u32 size, struct phantom_parts *parts);

#endif
#endif
