// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "frame_record.h"

int inline_frames_find_section(const struct inline_frames *frames, const char *name)
{
	u32 i;

	for (i = 0; i < frames->counts.nr_sections; i++)
		if (!strcmp(frames->strings + frames->sections[i].name, name))
			return (int)i;
	return -1;
}

const char *inline_frames_file(const struct inline_frames *frames, u32 call_file)
{
	return frames->strings + frames->files[call_file - 1];
}

/* Finds the body that a place is in. */
static bool find_body(const struct inline_frames *frames, const struct frame_place *wanted,
		      struct frames_record *record)
{
	if (!frame_record_find(frames, *wanted, wanted, record))
		return false;
	if (record->elsewhere && !frame_record_find(frames, record->home, wanted, record))
		return false;
	return record->within != FRAME_OUTSIDE;
}

/* Returns false if no instance that is called there holds the place. */
static bool find_instance(const struct inline_frames *frames, struct frame_calls *calls, u32 within,
			  struct frame_instance *in)
{
	return calls->rest.at != calls->rest.end &&
	       frame_instance_read(frames, calls, within, in) == BTF_FAULT_NONE &&
	       in->within != FRAME_OUTSIDE;
}

/* A chain as far as it was followed from the body inwards. A full one loses its outer end. */
struct chain {
	struct inline_frame *frames;
	u32 capacity, length;
};

static void add_frame(struct chain *chain, struct inline_frame frame)
{
	u32 last = chain->length++;

	if (!chain->capacity)
		return;
	if (last >= chain->capacity) {
		last = chain->capacity - 1;
		memmove(chain->frames, chain->frames + 1, last * sizeof(frame));
	}
	chain->frames[last] = frame;
}

static void frames_reverse(struct chain *chain)
{
	u32 nr = chain->length < chain->capacity ? chain->length : chain->capacity;
	u32 i;

	for (i = 0; i < nr / 2; i++) {
		struct inline_frame outer = chain->frames[i];

		chain->frames[i] = chain->frames[nr - 1 - i];
		chain->frames[nr - 1 - i] = outer;
	}
}

u32 inline_frames_at(const struct inline_frames *frames, u32 section, u32 offset,
		     struct inline_frame *found, u32 capacity)
{
	const struct frame_place wanted = { .section = section, .offset = offset };
	struct chain chain = { .frames = found, .capacity = capacity };
	struct frames_record body;
	struct frame_instance in;
	struct frame_calls calls;
	u32 within;

	if (!find_body(frames, &wanted, &body))
		return 0;
	add_frame(&chain, (struct inline_frame){ .func = body.func });
	calls = frame_calls_of_body(&body);
	within = body.within;
	while (find_instance(frames, &calls, within, &in)) {
		const struct frame_call call = frame_calls_last(frames, &calls);
		const struct inline_frame frame = {
			.func = call.func, .call_file = call.file, .call_line = call.line
		};

		add_frame(&chain, frame);
		calls = frame_calls_of_instance(&in, &call);
		within = in.within;
	}
	frames_reverse(&chain);
	return chain.length;
}

u32 inline_frames_body_file(const struct inline_frames *frames, u32 section, u32 offset)
{
	const struct frame_place wanted = { .section = section, .offset = offset };
	struct frames_record body;

	return find_body(frames, &wanted, &body) ? body.file : 0;
}
