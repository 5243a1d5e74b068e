/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The verifier of a patched kernel resolves a FUNC id to code here. On other kernels the ids have
 * the same meaning, but attaching uses the name.
 */
#ifndef BTF_EXTRA_FENTRY_HOOK_H
#define BTF_EXTRA_FENTRY_HOOK_H

#include <linux/kconfig.h>
#include <linux/types.h>

#if IS_ENABLED(CONFIG_DEBUG_INFO_BTF_EXTRA_HOOK)

int fentry_hook_init(void);
/* Waits for running calls, and ends what fentry_complete.h has begun. */
void fentry_hook_exit(void);

/* The parameter of that name: ids of the base that are not clear are refused. */
bool fentry_hook_strict(void);

#else

static inline int fentry_hook_init(void)
{
	return 0;
}

static inline void fentry_hook_exit(void)
{
}

static inline bool fentry_hook_strict(void)
{
	return false;
}

#endif

#endif
