/* SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause) */
/*
 * Reads bytes that have not been checked: a bounded cursor, and sums and products that cannot wrap.
 * A read that fails does not advance, and failed_at is its start. Offsets count from the start of
 * the bytes, so a fault report can name them. The caller owns the bytes.
 */
#ifndef BTF_EXTRA_BYTE_VIEW_H
#define BTF_EXTRA_BYTE_VIEW_H

#include "core_env.h"

struct byte_view {
	const u8 *data;
	u64 size;
	u64 at;			/* offset of the next read */
	u64 failed_at;		/* where the last read that failed began */
};

static inline struct byte_view byte_view_of(const u8 *data, u64 size, u64 at)
{
	struct byte_view view = {
		.data = data, .size = size, .at = at, .failed_at = at
	};

	return view;
}

/* Returns true if [offset, offset + length) is inside size bytes, for any values. */
static inline bool byte_range_fits(u64 offset, u64 length, u64 size)
{
	return offset <= size && length <= size - offset;
}

/* The product of two 32-bit factors fits 64 bits. */
static inline u64 byte_array_size(u32 count, u32 element_size)
{
	return (u64)count * element_size;
}

/* Returns the next length bytes without moving on; NULL: they are not all there. */
static inline const void *byte_view_peek(struct byte_view *view, u64 length)
{
	if (!byte_range_fits(view->at, length, view->size)) {
		view->failed_at = view->at;
		return NULL;
	}
	return view->data + view->at;
}

/* Returns the next length bytes and moves on; NULL: they are not all there. */
static inline const void *byte_view_take(struct byte_view *view, u64 length)
{
	const void *bytes = byte_view_peek(view, length);

	if (bytes)
		view->at += length;
	return bytes;
}

/* Copies the next value out, whatever its alignment. Returns false if it is cut. */
static inline bool byte_view_read(struct byte_view *view, void *value, size_t size)
{
	const void *bytes = byte_view_take(view, size);

	if (bytes)
		memcpy(value, bytes, size);
	return bytes;
}

#endif
