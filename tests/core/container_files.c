// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "container_files.h"
#include "../../kernel/core/inline_frames.h"
#include "../../kernel/core/loc_expression.h"

#define EXEC (SHF_ALLOC | SHF_EXECINSTR)

u32 container_crc32(const u8 *data, size_t size)
{
	u32 crc = 0xffffffff;
	int bit;

	while (size--) {
		crc ^= *data++;
		for (bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
	}
	return ~crc;
}

struct extra_base container_base(const struct core_input *blobs)
{
	return (struct extra_base){
		.size = blobs->base.size,
		.crc32 = container_crc32(blobs->base.data, blobs->base.size),
	};
}

static void put_build_id(struct elf_writer *w)
{
	struct {
		u32 name_size, id_size, type;
		u8 name[4], id[CONTAINER_BUILD_ID_SIZE];
	} note = { 4, CONTAINER_BUILD_ID_SIZE, 3, "GNU", "" };

	memcpy(note.id, CONTAINER_BUILD_ID, sizeof(note.id));
	elf_bytes(w, ".note.gnu.build-id", SHT_NOTE, &note, sizeof(note));
}

/* All of them share one name, which begins at 61. */
static void put_empty_places(struct elf_writer *w)
{
	u32 i;

	elf_place(w, ".text.abcdefghijklmnop", 0, 8, EXEC);
	for (i = w->next_header; i < w->nr_headers; i++) {
		Elf64_Shdr header = { .sh_name = 61 + i % 8, .sh_type = SHT_NOBITS };

		memcpy(w->image + ELF_HEADER_AT(i), &header, sizeof(header));
	}
}

static void put_bytes(struct elf_writer *w, const char *name, const void *data, u32 size)
{
	elf_bytes(w, name, SHT_PROGBITS, data, size);
}

/*
 * A body at .text+0x20, 0x10 bytes. Its FUNC is that of the second site of the plain locations, and
 * so is that of the instance in its first 4 bytes, which is called at line 1 of a file ".text". The
 * id may be any, so it takes five bytes.
 */
static void put_frames(struct elf_writer *w, const struct core_input *blobs)
{
	u32 words[26] = {
		INLINE_FRAMES_MAGIC, INLINE_FRAMES_VERSION, 1, 1, 1, 1, 1, 8, 12, 1, 1, 0,
		1, 1,			/* 48: section */
		0x20, 0,		/* 56: block */
		0, 1 << 16 | 1,		/* 64: call */
		0, 1,			/* 72: function and its file */
		1,			/* 80: file: .text */
	};
	const u8 rest[] = { 0x10, 3, 0, 1, 0, 4 }; /* 98: size, instances */
	u8 *bytes = (u8 *)words;
	u32 i, head;

	memcpy(&words[18], (const u8 *)blobs->func_info.data + 160, sizeof(u32));
	memcpy(bytes + 85, ".text", 5);
	head = words[18] << INLINE_FRAMES_PIECE_BITS;
	for (i = 0; i < 5; i++, head >>= 7)
		bytes[93 + i] = (u8)((head & 127) | (i < 4 ? 128 : 0));
	memcpy(bytes + 98, rest, sizeof(rest));
	put_bytes(w, ".btf_extra.frames", words, sizeof(words));
}

/* The fifth site of the plain locations has the only LOC_PROTO that lacks a location. */
static void put_expressions(struct elf_writer *w, const struct core_input *blobs)
{
	const u8 code[] = { 4, 2, 5, LOC_CODE_NEGATE };
	/* 20: LOC_PROTO 0 from the first one on, parameter 1, code at 0 */
	u32 words[8] = {
		LOC_EXPRESSIONS_MAGIC, LOC_EXPRESSIONS_VERSION, 0, 1, sizeof(code), 1u << 16,
	};

	memcpy(&words[2], (const u8 *)blobs->func_info.data + 200, sizeof(u32));
	memcpy((u8 *)words + 26, code, sizeof(code));
	put_bytes(w, ".btf_extra.expressions", words, sizeof(words));
}

static void put_part(struct elf_writer *w, const struct core_input *blobs,
		     const struct extra_base *sum, char part)
{
	/*
	 * One page. Sites 0 and 5 are loop heads, 2 and 5 continue a call; the lengths of these two
	 * runs have bytes of their own.
	 */
	static const u8 marks[] = { 4, 0, 0, 0, 0, 0x11, 1, 0x02, 0, 2, 0x0b, 0 };
	static const u32 words[] = { 0x1, 0x202, 0x50b };
	const struct extra_base sums[] = { *sum, *sum, *sum };

	switch (part) {
	case 't':
		put_bytes(w, ".BTF", blobs->types.data, blobs->types.size);
		break;
	case 'l':
		put_bytes(w, ".BTF.func_info", blobs->func_info.data,
			  blobs->func_info.size);
		break;
	case 'i':
		put_build_id(w);
		break;
	case 'm':
		put_bytes(w, ".btf_extra.site_marks", marks, sizeof(marks));
		break;
	case 'F':
		put_frames(w, blobs);
		break;
	case 'x':
		put_expressions(w, blobs);
		break;
	case 'o':
		put_bytes(w, ".btf_extra.own_types", words, 4);
		break;
	case 'T':
		elf_place(w, ".text", CONTAINER_TEXT, CONTAINER_TEXT_SIZE, EXEC);
		break;
	case 'I':
		elf_place(w, ".init.text", CONTAINER_INIT_TEXT, CONTAINER_INIT_TEXT_SIZE,
			  EXEC);
		break;
	case 'R':
		elf_place(w, ".rodata", 0x8000, 0x1000, SHF_ALLOC);
		break;
	case 'f':
		elf_place(w, ".BTF.func_info", 0, 8, EXEC);
		break;
	case 'e':
		put_empty_places(w);
		break;
	default:
		put_bytes(w, ".btf_extra.base", sums, (u32)(part - '0') * 8);
	}
}

void container_put(struct elf_writer *w, const struct core_input *blobs,
		   const struct extra_base *sum, const char *parts)
{
	const struct extra_base own = container_base(blobs);

	for (; *parts; parts++)
		put_part(w, blobs, sum ? sum : &own, *parts);
}

u32 container_write(u8 *file, const struct core_input *blobs, const struct extra_base *sum,
		    const char *parts, u32 nr_headers)
{
	struct elf_writer w;

	elf_start(&w, file, CONTAINER_MAX_SIZE, nr_headers ? nr_headers : (u32)strlen(parts) + 2);
	container_put(&w, blobs, sum, parts);
	return elf_finish(&w, CONTAINER_MACHINE);
}
