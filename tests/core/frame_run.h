/* SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause) */
/*
 * Opens the bytes of .btf_extra.frames with inline_frames_open() and checks its promises. KUnit,
 * GoogleTest and the fuzzer use it. Nothing here allocates.
 */
#ifndef BTF_EXTRA_TESTS_FRAME_RUN_H
#define BTF_EXTRA_TESTS_FRAME_RUN_H

#include "../../kernel/core/inline_frames.h"
#include "container_files.h"

/* The object that the frames are of: the plain blobs, and the sections of the plain file. */
struct frame_world {
	struct core_row_images images;
	struct core_outcome core;
	struct extra_elf elf;
	u64 memory[5120];
	u64 file[256];
};

/* Returns false if the plain blobs or the plain file are not right. */
bool frame_world_make(struct frame_world *world);

struct frame_outcome {
	int error;
	struct btf_fault fault;
	const char *broken;	/* the promise that was broken; NULL: none */
	struct inline_frames frames;
};

/*
 * The promises: inline_frames_open() fails if and only if it reports a fault of frames, which is in
 * the bytes. frame_promise() holds for what it takes. data is aligned to 4.
 */
void frame_run(struct frame_outcome *run, const struct frame_world *world, const void *data,
	       u32 size);

/*
 * Every place of the sections has a chain of at most INLINE_FRAMES_DEPTH functions, which are
 * FUNCs, with existing files, and the body last. Less room gives the same chain. No chain exists
 * beyond the sections. Returns NULL, or the promise that was broken.
 */
const char *frame_promise(const struct frame_world *world, const struct inline_frames *frames);

#endif
