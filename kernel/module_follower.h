/* SPDX-License-Identifier: GPL-2.0 */
/* Publishes the blobs of modules as these come, and takes them away as these go. */
#ifndef BTF_EXTRA_MODULE_FOLLOWER_H
#define BTF_EXTRA_MODULE_FOLLOWER_H

#include "load_tally.h"

/* Publishes those of the modules that are there, and follows modules from now on. */
int module_follower_start(struct load_tally *tally);
void module_follower_stop(void);

#endif
