/* SPDX-License-Identifier: GPL-2.0 */
/* Publishes the blobs of modules when these come, and removes them when they go. */
#ifndef BTF_EXTRA_MODULE_FOLLOWER_H
#define BTF_EXTRA_MODULE_FOLLOWER_H

#include "objects/load_tally.h"

/* Publishes the blobs of the modules that are loaded, and follows modules from now on. */
int module_follower_start(struct load_tally *tally);
void module_follower_stop(void);

#endif
