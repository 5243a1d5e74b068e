/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The inlined frames of an object: the functions at each of its addresses. They take memory, and
 * most hosts never use them. An object from a firmware file therefore has them only after a
 * request: the module parameter "frames", or the first ioctl, for which frames_source reads the
 * files again. Frames of other sources are available at once.
 */
#ifndef BTF_EXTRA_OBJECT_FRAMES_H
#define BTF_EXTRA_OBJECT_FRAMES_H

#include "core/extra_elf.h"
#include "core/inline_frames.h"

struct extra_object;

struct object_frames {
	struct inline_frames parts;
	struct extra_bytes bytes;	/* what parts reads */
	void *copy;			/* of the bytes; NULL: not ours to free */
	int sections[];			/* those of the object as parts counts them; -1: none */
};

/* Returns true if objects that are made from now on keep what their files have. */
bool object_frames_wanted(void);
/* Makes it so. Under published_lock(), so that no object is being made. */
void object_frames_want(void);

/*
 * Checks the frames of a file, and gives them to an object that has none. elf is of the file that
 * the object was made from; its bytes stay if keep is true, and are copied otherwise. Returns 0,
 * -ENOMEM, or -EINVAL with *fault. May sleep. Two calls for an object exclude each other.
 */
int object_frames_add(struct extra_object *object, const struct extra_elf *elf, bool keep,
		      struct btf_fault *fault);

/*
 * Takes the frames from a firmware file, which need not be the one that the object was made from:
 * it must have the same build-id and the same blobs. Returns 0, -ENOENT: the file has none,
 * -ENOMEM, or -EINVAL after one line in dmesg. As above otherwise.
 */
int object_frames_take(struct extra_object *object, const void *file, size_t size);

/* Returns the bytes of the frames; data NULL: there are none. They stay as long as the object. */
struct extra_bytes object_frames_bytes(const struct extra_object *object);

void object_frames_destroy(struct extra_object *object);

#endif
