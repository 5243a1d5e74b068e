/* SPDX-License-Identifier: GPL-2.0 */
/* Tells when ftrace has changed code: something was attached somewhere, or detached. */
#ifndef BTF_EXTRA_PHANTOM_WATCH_H
#define BTF_EXTRA_PHANTOM_WATCH_H

/*
 * Calls changed() after each such change, where nothing may sleep, until phantom_watch_end(). Once
 * at a time.
 */
int phantom_watch_begin(void (*changed)(void));
/* After this it is not running any more. */
void phantom_watch_end(void);

#endif
