/* SPDX-License-Identifier: GPL-2.0 */
/* The look-up of btf_extra_frames_at(), for callers that hold a state of the registry. */
#ifndef BTF_EXTRA_FRAME_QUERY_H
#define BTF_EXTRA_FRAME_QUERY_H

#include <linux/btf_extra.h>

#include "objects/object_frames.h"
#include "objects/object_registry.h"

/* A chain was found here. */
struct frame_origin {
	const struct object_frames *frames;
	bool freed;		/* the text there was freed */
};

/*
 * Does what btf_extra_frames_at() does, inside rcu_read_lock(). origin may be NULL, and is
 * untouched if there is no chain.
 */
int frame_query_at(const struct registry_state *state, unsigned long address,
		   struct btf_extra_chain_frame *frames, u32 capacity,
		   struct frame_origin *origin);

#endif
