/* SPDX-License-Identifier: GPL-2.0 */
/* The right to see run-time addresses. */
#ifndef BTF_EXTRA_ADDRESS_VIEW_H
#define BTF_EXTRA_ADDRESS_VIEW_H

#include <linux/types.h>

/*
 * Returns true if the current task may see addresses. This is the rule of /proc/kallsyms
 * (kptr_restrict), which is not exported, without its exception for a permissive
 * perf_event_paranoid.
 */
bool address_view_allowed(void);

#endif
