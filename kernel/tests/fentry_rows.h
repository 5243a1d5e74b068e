/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The rows say what an fentry program shall attach to, by id. Their sites and symbols come with
 * verdicts and log lines that are worked out by hand.
 */
#ifndef BTF_EXTRA_FENTRY_ROWS_H
#define BTF_EXTRA_FENTRY_ROWS_H

#include "fentry/fentry_target.h"

/* An id of the base: base_func() is void (void). */
#define BASE_FUNC 3

/* Ids of the types, from 4 on. */
enum {
	PROTO_A = 4,	/* int (int a) */
	PROTO_AB,	/* void (int a, int b) */
	PROTO_B,	/* void (int b) */
	PROTO_PAIR,	/* void (__int128, int b) */
	INT128,
	APPLE,		/* PROTO_AB */
	APPLE_ISRA,	/* apple.isra.0, PROTO_B */
	BASE_A,		/* base_func, PROTO_A, in a.c */
	BASE_B,		/* base_func, PROTO_AB, in b.c */
	FIG,		/* PROTO_A */
	PLUM,		/* PROTO_PAIR */
	TAG_A,
	TAG_B,
	FIRST_LOCATION,
};

/* Records of func_info: each LOC_PROTO has a letter for each parameter. */
enum {
	IN_DI = FIRST_LOCATION, IN_SI, IN_DX, SEVEN, IN_MEMORY, SUM, IN_DI_SI,
	NOTHING,	/* no parameters */
	DI,		/* a in rdi */
	SI,
	GONE,
	CONSTANT,
	DI_SI,		/* a in rdi, b in rsi */
	GONE_DI,
	GONE_SI,
	DI_MEMORY,
	DI_SUM,
	PAIR_DX,
	PAIR_SI,
	NR_IDS,
};

#define FENTRY_ROW_BODIES 3
#define FENTRY_ROW_STUB 0x70	/* where the stub is */
#define FENTRY_ROW_LINES 5

struct fentry_row {
	const char *name;
	u32 asked;
	struct {
		u32 func, proto, offset;	/* in order of all three; func 0: the end */
		const char *symbol;		/* NULL: no symbol begins there */
	} bodies[FENTRY_ROW_BODIES];
	u32 inlined;		/* number of inlined sites of the function that is asked for */
	u32 more;		/* bodies of the first one's function, from 0x20 on */
	u32 inline_proto;	/* of the inlined sites; 0: all parameters have their places */
	u32 part;		/* number, from 1, of the site with a mark: bodies come first */
	u32 mark;		/* SITE_MARK_*; 0: it continues a call */
	bool freed;
	bool strict;
	bool firmware;		/* no BTF of the kernel has the ids of the types */

	const char *stub;	/* the function is exposed by this name; NULL: it is not */
	bool without;		/* its stub lacks a parameter */
	bool stubs;		/* the program may be attached to a stub */
	enum fentry_complete complete;

	/* the expected result: */
	enum fentry_answer answer;
	bool refused;
	u32 offset;		/* the address that it attaches to; 0: not known */
	u32 ids[FENTRY_ROW_BODIES];	/* the ids that attach to exactly these bodies */
	const char *lines[FENTRY_ROW_LINES];
};

extern const struct fentry_row fentry_rows[];
extern const u32 fentry_nr_rows;

#endif
