/* SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause) */
/* A GNU build-id note: u32 name size, u32 id size, u32 type, "GNU\0", the id. */
#ifndef BTF_EXTRA_BUILD_ID_NOTE_H
#define BTF_EXTRA_BUILD_ID_NOTE_H

#include "core_env.h"

#define EXTRA_BUILD_ID_MAX 20u	/* bytes, as in the kernel */
#define BUILD_ID_NOTE_HEADER 16u	/* bytes before the id */

struct extra_bytes {
	const void *data;	/* NULL: there is none */
	u32 size;
};

/* Finds the id in a run of ELF notes: 1 to EXTRA_BUILD_ID_MAX bytes of it, or none. */
struct extra_bytes build_id_find(const void *notes, u64 size);

/* Finds the id of the first such note in other data. A note begins at a multiple of 4 bytes. */
struct extra_bytes build_id_search(const void *data, u64 size);

#endif
