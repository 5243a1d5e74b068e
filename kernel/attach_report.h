/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the verifier's log is told of an id: why it is refused, which bodies there
 * are and how to choose one, what a program will not see. Filled under RCU,
 * told outside of it.
 */
#ifndef BTF_EXTRA_ATTACH_REPORT_H
#define BTF_EXTRA_ATTACH_REPORT_H

#include "attach_target.h"

#define ATTACH_MAX_LISTED 16

struct attach_body {
	unsigned long address;	/* 0: not known, or its text is gone */
	u32 id;			/* that attaches to just this one; 0: none */
	char btf[MODULE_NAME_LEN];	/* ... and the BTF object that has it */
	char symbol[128];
	char file[128];		/* "": not known */
};

struct attach_report {
	struct attach_target target;
	bool accepted;
	u32 func_id;
	char name[128];
	u32 nr_listed;		/* the first bodies */
	struct attach_body bodies[ATTACH_MAX_LISTED];
};

void attach_report_fill(struct attach_report *report, struct attach_query *query, u32 func_id);

/*
 * line() for each line, without its end. Addresses are shown or not; warnings are
 * for programs that are accepted.
 */
typedef void (*attach_line_fn)(const char *line, void *data);
void attach_report_tell(const struct attach_report *report, bool addresses,
			attach_line_fn line, void *data);

#endif
