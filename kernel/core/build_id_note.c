// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "build_id_note.h"

#define NOTE_BUILD_ID 3u

static u64 note_padded(u32 size)
{
	return ((u64)size + 3) & ~3ull;
}

/* Reads the note at a place. Returns where it ends; 0: it is cut. */
static u64 read_note(const u8 *data, u64 size, u64 at, struct extra_bytes *id)
{
	Elf64_Nhdr note;
	u64 name, desc;

	*id = (struct extra_bytes){};
	if (at >= size || size - at <= BUILD_ID_NOTE_HEADER)
		return 0;
	memcpy(&note, data + at, sizeof(note));
	name = at + sizeof(note);
	desc = name + note_padded(note.n_namesz);
	if (desc + note.n_descsz > size)
		return 0;
	if (note.n_type == NOTE_BUILD_ID && note.n_namesz == 4 &&
	    !memcmp(data + name, "GNU", 4) && note.n_descsz &&
	    note.n_descsz <= EXTRA_BUILD_ID_MAX)
		*id = (struct extra_bytes){ data + desc, note.n_descsz };
	return desc + note_padded(note.n_descsz);
}

struct extra_bytes build_id_find(const void *notes, u64 size)
{
	struct extra_bytes id;
	u64 at = 0;

	do {
		at = read_note(notes, size, at, &id);
	} while (at && !id.data);
	return id;
}

struct extra_bytes build_id_search(const void *data, u64 size)
{
	struct extra_bytes id = {};
	u64 at;

	for (at = 0; !id.data && at < size; at += 4)
		read_note(data, size, at, &id);
	return id;
}
