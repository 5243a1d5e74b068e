// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "build_id_note.h"

#define NOTE_BUILD_ID 3u

static u64 padded(u32 size)
{
	return ((u64)size + 3) & ~3ull;
}

static bool is_build_id(const Elf64_Nhdr *note, const u8 *name)
{
	return note->n_type == NOTE_BUILD_ID && note->n_namesz == 4 && !memcmp(name, "GNU", 4) &&
	       note->n_descsz && note->n_descsz <= EXTRA_BUILD_ID_MAX;
}

struct extra_bytes build_id_find(const void *notes, u64 size)
{
	const u8 *data = notes;
	u64 at = 0;

	while (at < size && size - at > BUILD_ID_NOTE_HEADER) {
		Elf64_Nhdr note;
		u64 id;

		memcpy(&note, data + at, sizeof(note));
		id = at + sizeof(note) + padded(note.n_namesz);
		if (id + note.n_descsz > size)
			break;
		if (is_build_id(&note, data + at + sizeof(note)))
			return (struct extra_bytes){ data + id, note.n_descsz };
		at = id + padded(note.n_descsz);
	}
	return (struct extra_bytes){};
}
