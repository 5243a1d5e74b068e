/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR LGPL-2.1 OR BSD-2-Clause) */
/*
 * shapes.ko has functions of every shape that a compiler gives instances and parameters. Each call
 * writes down its own arguments, and a tracer must see the same. The module, the BPF programs and
 * the guest's program share this file.
 */
#ifndef BTF_EXTRA_SHAPES_H
#define BTF_EXTRA_SHAPES_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define SHAPES_DEVICE "/dev/btf_extra_shapes"

/* SHAPE(name, parameters) declares shape_<name>() in the module. */
/* clang-format off */
#define SHAPES(SHAPE) \
	/* one parameter, inlined once */ \
	SHAPE(register, 1) \
	SHAPE(offset, 1) \
	SHAPE(stack, 1) \
	SHAPE(constant, 1) \
	SHAPE(pair, 1) \
	/* types, inlined */ \
	SHAPE(signed, 4) \
	SHAPE(unsigned, 4) \
	SHAPE(kinds, 4) \
	SHAPE(structs, 3) \
	/* where instances are */ \
	SHAPE(many, 2) \
	SHAPE(outer, 2) \
	SHAPE(inner, 2) \
	SHAPE(in_loop, 2) \
	SHAPE(cold, 2) \
	SHAPE(eliminated, 2) \
	SHAPE(eight, 8) \
	SHAPE(fourteen, 14) \
	/* bodies */ \
	SHAPE(signed_body, 4) \
	SHAPE(unsigned_body, 4) \
	SHAPE(kinds_body, 4) \
	SHAPE(structs_body, 4) \
	SHAPE(large_body, 2) \
	SHAPE(eight_body, 8) \
	SHAPE(fourteen_body, 14) \
	SHAPE(clone, 3) \
	SHAPE(fixed, 2) \
	SHAPE(both, 2) \
	SHAPE(part, 2) \
	/* last: a probe at its instance is hit once an iteration */ \
	SHAPE(own_loop, 2)
/* clang-format on */

#define SHAPES_ID(name, params) SHAPE_##name,
enum shape_id { SHAPES(SHAPES_ID) SHAPES_COUNT };

#define SHAPES_ARGS 14

struct shape_pair {
    __u64 low, high;
};
struct shape_small {
    __u32 a, b;
};
struct shape_twelve {
    __u32 a, b, c;
};
struct shape_large {
    __u64 a, b, c;
};

enum shape_unsigned_enum { SHAPE_ZERO, SHAPE_TOP = 0xf0000001U };
enum shape_signed_enum { SHAPE_MINUS = -5, SHAPE_PLUS = 5 };

/* A call, with its arguments as they are when the function begins. */
struct shape_record {
    __u32 shape;
    __u32 unknown; /* bit n: the compiler has left the function without argument n */
    __u64 args[SHAPES_ARGS][2];
};

/*
 * SHAPES_IOC_RUN calls functions on this processor without a break, until at least `room` records
 * are full. A generator makes the arguments from the seed. `only` is SHAPES_COUNT, for all
 * functions, or one function.
 */
struct shapes_run {
    __u64 records;  /* in: struct shape_record [capacity] */
    __u32 capacity; /* in */
    __u32 count;    /* out */
    __u64 seed;     /* in */
    __u32 only;     /* in: enum shape_id, or SHAPES_COUNT: any */
    __u32 reserved;
};

/* One call adds at most this many records, so this many are left free. */
#define SHAPES_AT_ONCE 16
#define SHAPES_CAPACITY_MAX 4096

/* shape_crowd() has this many instances. SHAPES_IOC_CROWD runs through each of them once. */
#define SHAPES_CROWD 2048

#define SHAPES_IOC_RUN _IOWR(0xbf, 0x90, struct shapes_run)
#define SHAPES_IOC_CROWD _IO(0xbf, 0x91)

#endif
