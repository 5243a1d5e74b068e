// SPDX-License-Identifier: GPL-2.0
/* Looks up chains in all objects. <linux/btf_extra.h> exports this. */
#include <linux/btf_extra.h>
#include <linux/export.h>
#include <linux/minmax.h>
#include <linux/rcupdate.h>

#include "query/frame_query.h"

static_assert(BTF_EXTRA_CHAIN_MAX == INLINE_FRAMES_DEPTH);
static_assert(sizeof(struct inline_frame) <= sizeof(struct btf_extra_chain_frame));

/*
 * The core has filled the memory with its own frames, which are smaller. They are moved to their
 * places from the last one on, because an NMI has no stack for a copy.
 */
static void frames_spread(struct btf_extra_chain_frame *frames, u32 nr, u32 object)
{
	const struct inline_frame *found = (const void *)frames;

	while (nr--) {
		const struct inline_frame frame = found[nr];

		frames[nr] = (struct btf_extra_chain_frame){
			.object = object,
			.func_id = frame.func,
			.call_file = frame.call_file,
			.call_line = frame.call_line,
		};
	}
}

int frame_query_at(const struct registry_state *state, unsigned long address,
		   struct btf_extra_chain_frame *frames, u32 capacity,
		   struct frame_origin *origin)
{
	const struct address_range *range = registry_find(state, address);
	const struct object_frames *of;
	int section;
	bool freed;
	u32 nr;

	if (!range)
		return -ENOENT;
	freed = READ_ONCE(range->object->sections[range->section].freed);
	/* This state is about to be replaced. Another module may have the address by now. */
	if (freed && range->object->module)
		return -ENOENT;
	of = rcu_dereference(range->object->frames);
	if (!of)
		return -ENODATA;
	section = of->sections[range->section];
	if (section < 0)
		return -ENOENT;
	nr = inline_frames_at(&of->parts, section, address - range->first, (void *)frames,
			      capacity);
	if (!nr)
		return -ENOENT;
	frames_spread(frames, min(nr, capacity), range->object->id);
	if (origin) {
		origin->frames = of;
		origin->freed = freed;
	}
	return nr;
}

int btf_extra_frames_at(unsigned long address, struct btf_extra_chain_frame *frames, u32 capacity)
{
	int ret;

	rcu_read_lock();
	ret = frame_query_at(registry_state(), address, frames, capacity, NULL);
	rcu_read_unlock();
	return ret;
}
EXPORT_SYMBOL_GPL(btf_extra_frames_at);
