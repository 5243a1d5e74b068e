/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Writes the report on an id to the verifier's log: why it is refused, its bodies and how to choose
 * one, and the calls that a program will miss.
 */
#ifndef BTF_EXTRA_FENTRY_REPORT_H
#define BTF_EXTRA_FENTRY_REPORT_H

#include "fentry/fentry_target.h"

/* More bodies are counted, not listed. */
#define FENTRY_MAX_LISTED 16

typedef void (*fentry_line_fn)(const char *line, void *data);

/*
 * Calls line() for each line, without its end, inside the caller's rcu_read_lock(). @target is
 * what fentry_target_of() said of @func_id. Addresses are shown or not.
 */
void fentry_report(struct fentry_query *query, u32 func_id, const struct fentry_target *target,
		   bool addresses, fentry_line_fn line, void *data);

#endif
