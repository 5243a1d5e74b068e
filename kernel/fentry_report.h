/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the verifier's log is told of an id: why it is refused, which bodies there
 * are and how to choose one, what a program will not see. Filled under RCU,
 * told outside of it.
 */
#ifndef BTF_EXTRA_FENTRY_REPORT_H
#define BTF_EXTRA_FENTRY_REPORT_H

#include "fentry_target.h"

#define FENTRY_MAX_LISTED 16

struct fentry_body {
	unsigned long address;	/* 0: not known, or its text is gone */
	u32 id;			/* that attaches to just this one; 0: none */
	char btf[MODULE_NAME_LEN];	/* ... and the BTF object that has it */
	char symbol[128];
	char file[128];		/* "": not known */
};

struct fentry_report {
	struct fentry_target target;
	bool accepted;
	u32 func_id;
	char name[128];
	u32 nr_listed;		/* the first bodies */
	struct fentry_body bodies[FENTRY_MAX_LISTED];
};

void fentry_report_fill(struct fentry_report *report, struct fentry_query *query, u32 func_id);

/*
 * line() for each line, without its end. Addresses are shown or not; warnings are
 * for programs that are accepted.
 */
typedef void (*fentry_line_fn)(const char *line, void *data);
void fentry_report_tell(const struct fentry_report *report, bool addresses,
			fentry_line_fn line, void *data);

#endif
