/* SPDX-License-Identifier: GPL-2.0 */
/* Reports changes of code by ftrace: something was attached or detached. */
#ifndef BTF_EXTRA_PHANTOM_WATCH_H
#define BTF_EXTRA_PHANTOM_WATCH_H

/*
 * Calls changed() after each such change, in atomic context, until phantom_watch_end(). One watch
 * at a time.
 */
int phantom_watch_begin(void (*changed)(void));
/* After this it is not running any more. */
void phantom_watch_end(void);

#endif
