// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
/*
 * Offsets are worked out by hand from container_plain(). Header i is at 64 + 64 * i; in it sh_type
 * is at 4, sh_addr at 16, sh_offset at 24 and sh_size at 32. Values are little-endian.
 */
#include "container_rows.h"
#include "elf_writer.h"
#include "../../kernel/core/func_suffix.h"
#include "../../kernel/core/site_marks.h"
#include "../../kernel/core/site_bounds.h"

#define ARRAY_LENGTH(array) (sizeof(array) / sizeof((array)[0]))
#define EXEC (SHF_ALLOC | SHF_EXECINSTR)
#define MACHINE 62	/* EM_X86_64 */

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

/* ---- files ---- */

static void put_build_id(struct elf_writer *w)
{
	struct {
		u32 name_size, id_size, type;
		u8 name[4], id[CONTAINER_BUILD_ID_SIZE];
	} note = { 4, CONTAINER_BUILD_ID_SIZE, 3, "GNU", "" };

	memcpy(note.id, CONTAINER_BUILD_ID, sizeof(note.id));
	elf_bytes(w, ".note.gnu.build-id", SHT_NOTE, &note, sizeof(note));
}

u32 container_over(u8 *file, const struct core_input *blobs, const struct extra_base *bases,
		   u32 nr_bases)
{
	struct elf_writer w;

	elf_start(&w, file, CONTAINER_MAX_SIZE, 9);	/* .shstrtab at 128; name 1 */
	/* 2 at 192: name 11, 172 bytes at 640 */
	elf_bytes(&w, ".BTF", SHT_PROGBITS, blobs->types.data, blobs->types.size);
	/* 3 at 256: name 16, 393 bytes at 816 */
	elf_bytes(&w, ".BTF.func_info", SHT_PROGBITS, blobs->func_info.data,
		  blobs->func_info.size);
	/* 4 at 320: name 31, 36 bytes at 1216 */
	put_build_id(&w);
	/* 5 at 384: name 50, 8 bytes at 1256 */
	elf_bytes(&w, ".btf_extra.base", SHT_PROGBITS, bases, nr_bases * (u32)sizeof(*bases));
	/* 6 at 448: name 66 */
	elf_place(&w, ".text", CONTAINER_TEXT, CONTAINER_TEXT_SIZE, EXEC);
	/* 7 at 512: name 72 */
	elf_place(&w, ".init.text", CONTAINER_INIT_TEXT, CONTAINER_INIT_TEXT_SIZE, EXEC);
	/* 8 at 576: name 83; the names are 91 bytes at 1264, up to 1355 */
	elf_place(&w, ".rodata", 0x8000, 0x1000, SHF_ALLOC);
	return elf_finish(&w, MACHINE);
}

u32 container_plain(u8 *file, const struct core_input *blobs)
{
	const struct extra_base base = container_base(blobs);

	return container_over(file, blobs, &base, 1);
}

static void put_base(struct elf_writer *w, const struct core_input *blobs)
{
	const struct extra_base base = container_base(blobs);

	elf_bytes(w, ".btf_extra.base", SHT_PROGBITS, &base, sizeof(base));
}

static void put_required(struct elf_writer *w, const struct core_input *blobs)
{
	elf_bytes(w, ".BTF.func_info", SHT_PROGBITS, blobs->func_info.data,
		  blobs->func_info.size);				/* 2 at 192 */
	put_build_id(w);						/* 3 at 256 */
	put_base(w, blobs);
}

/* A data module has such a file: its types are in another section. */
static u32 no_types(u8 *file, const struct core_input *blobs)
{
	struct elf_writer w;

	elf_start(&w, file, CONTAINER_MAX_SIZE, 5);
	put_required(&w, blobs);
	return elf_finish(&w, MACHINE);
}

/* The second section is header 5, at 384. */
static u32 twice(u8 *file, const struct core_input *blobs, const char *name, u32 type)
{
	struct elf_writer w;

	elf_start(&w, file, CONTAINER_MAX_SIZE, 6);
	put_required(&w, blobs);
	elf_bytes(&w, name, type, CONTAINER_BUILD_ID, 8);
	return elf_finish(&w, MACHINE);
}

/* An object with one more part: 4 bytes at 1264. */
static u32 plain_with(u8 *file, const struct core_input *blobs, const char *name)
{
	/* Site 0 is a loop head, or one type is the module's own. */
	static const u32 word = 0x1;
	struct elf_writer w;

	elf_start(&w, file, CONTAINER_MAX_SIZE, 9);
	elf_bytes(&w, ".BTF", SHT_PROGBITS, blobs->types.data, blobs->types.size);
	put_required(&w, blobs);
	elf_bytes(&w, name, SHT_PROGBITS, &word, sizeof(word));
	elf_place(&w, ".text", CONTAINER_TEXT, CONTAINER_TEXT_SIZE, EXEC);
	elf_place(&w, ".init.text", CONTAINER_INIT_TEXT, CONTAINER_INIT_TEXT_SIZE, EXEC);
	return elf_finish(&w, MACHINE);
}

static u32 plain_with_mark(u8 *file, const struct core_input *blobs)
{
	return plain_with(file, blobs, ".btf_extra.site_marks");
}

static u32 plain_with_own_types(u8 *file, const struct core_input *blobs)
{
	return plain_with(file, blobs, ".btf_extra.own_types");
}

static u32 three_sums(u8 *file, const struct core_input *blobs)
{
	const struct extra_base base = container_base(blobs);
	const struct extra_base bases[] = { base, base, base };

	return container_over(file, blobs, bases, 3);
}

static u32 func_info_twice(u8 *file, const struct core_input *blobs)
{
	return twice(file, blobs, ".BTF.func_info", SHT_PROGBITS);
}

static u32 build_id_twice(u8 *file, const struct core_input *blobs)
{
	return twice(file, blobs, ".note.gnu.build-id", SHT_NOTE);
}

static u32 bases_twice(u8 *file, const struct core_input *blobs)
{
	return twice(file, blobs, ".btf_extra.base", SHT_PROGBITS);
}

static u32 marks_twice(u8 *file, const struct core_input *blobs)
{
	static const u32 mark = 1;
	struct elf_writer w;

	elf_start(&w, file, CONTAINER_MAX_SIZE, 7);
	put_required(&w, blobs);
	elf_bytes(&w, ".btf_extra.site_marks", SHT_PROGBITS, &mark, sizeof(mark));
	elf_bytes(&w, ".btf_extra.site_marks", SHT_PROGBITS, &mark, 0);
	return elf_finish(&w, MACHINE);
}

/* The marks are header 5, at 384, with 12 bytes at 896. */
static u32 three_marks(u8 *file, const struct core_input *blobs)
{
	static const u32 marks[] = { 0x1, 0x12, 0x2b };
	struct elf_writer w;

	elf_start(&w, file, CONTAINER_MAX_SIZE, 6);
	put_required(&w, blobs);
	elf_bytes(&w, ".btf_extra.site_marks", SHT_PROGBITS, marks, sizeof(marks));
	return elf_finish(&w, MACHINE);
}

/* The section is header 5, at 384, with 8 bytes at 896. */
static u32 own_types_of_8_bytes(u8 *file, const struct core_input *blobs)
{
	return twice(file, blobs, ".btf_extra.own_types", SHT_PROGBITS);
}

/* A section of the object has the same name as a part of the file. */
static u32 func_info_as_place(u8 *file, const struct core_input *blobs)
{
	struct elf_writer w;

	elf_start(&w, file, CONTAINER_MAX_SIZE, 6);
	put_required(&w, blobs);
	elf_place(&w, ".BTF.func_info", 0, 8, EXEC);
	return elf_finish(&w, MACHINE);
}

static u32 no_func_info(u8 *file, const struct core_input *blobs)
{
	struct elf_writer w;

	elf_start(&w, file, CONTAINER_MAX_SIZE, 4);
	put_build_id(&w);
	put_base(&w, blobs);
	return elf_finish(&w, MACHINE);
}

static u32 no_build_id(u8 *file, const struct core_input *blobs)
{
	struct elf_writer w;

	elf_start(&w, file, CONTAINER_MAX_SIZE, 4);
	elf_bytes(&w, ".BTF.func_info", SHT_PROGBITS, blobs->func_info.data,
		  blobs->func_info.size);
	put_base(&w, blobs);
	return elf_finish(&w, MACHINE);
}

static u32 no_bases(u8 *file, const struct core_input *blobs)
{
	struct elf_writer w;

	elf_start(&w, file, CONTAINER_MAX_SIZE, 4);
	elf_bytes(&w, ".BTF.func_info", SHT_PROGBITS, blobs->func_info.data,
		  blobs->func_info.size);
	put_build_id(&w);
	return elf_finish(&w, MACHINE);
}

static u32 with_headers(u8 *file, const struct core_input *blobs, u32 nr_headers)
{
	struct elf_writer w;

	elf_start(&w, file, CONTAINER_MAX_SIZE, nr_headers);
	put_required(&w, blobs);
	return elf_finish(&w, MACHINE);
}

u32 container_most_headers(u8 *file, const struct core_input *blobs)
{
	return with_headers(file, blobs, 1024);
}

static u32 too_many_headers(u8 *file, const struct core_input *blobs)
{
	return with_headers(file, blobs, 1025);
}

/* Makes 1018 headers without size, which share their names. */
static u32 most_places(u8 *file, const struct core_input *blobs)
{
	struct elf_writer w;
	u32 i;

	elf_start(&w, file, CONTAINER_MAX_SIZE, 1024);
	put_required(&w, blobs);
	elf_place(&w, ".text.abcdefghijklmnop", 0, 8, EXEC);	/* its name begins at 61 */
	for (i = 6; i < 1024; i++) {
		Elf64_Shdr header = { .sh_name = 61 + i % 8, .sh_type = SHT_NOBITS };

		memcpy(file + ELF_HEADER_AT(i), &header, sizeof(header));
	}
	return elf_finish(&w, MACHINE);
}

/* ---- rows of the file ---- */

#define ACCEPTED .code = BTF_FAULT_NONE
/* The container is one, but with its blobs it is no object. */
#define NO_OBJECT(fault_code) .whole = BTF_FAULT_##fault_code
#define REFUSED(fault_code, at) .code = BTF_FAULT_ELF_##fault_code, .offset = (at)
#define PATCH(...) .patches = { __VA_ARGS__ }
#define H(i) ELF_HEADER_AT(i)

const struct container_row container_rows[] = {
	{ "plain file", ACCEPTED },
	{ "no types", .build = no_types, NO_OBJECT(ELF_MISSING) },
	{ "1024 headers", .build = container_most_headers, NO_OBJECT(ELF_MISSING) },
	{ "1018 empty sections", .build = most_places, NO_OBJECT(ELF_MISSING) },

	/* cut */
	{ "no byte", .cut = 0xffffffff, REFUSED(CUT, 0) },
	{ "cut in the file header", .cut = 63, REFUSED(CUT, 0) },
	{ "cut behind the file header", .cut = 64, REFUSED(CUT, 40) },
	{ "cut in the last section header", .cut = 639, REFUSED(CUT, 40) },
	{ "cut behind the section headers", .cut = 640, REFUSED(NAMES, H(1)) },
	{ "cut in the types", .cut = 700, REFUSED(NAMES, H(1)) },
	{ "cut behind the types", .cut = 812, REFUSED(NAMES, H(1)) },
	{ "cut behind the locations", .cut = 1209, REFUSED(NAMES, H(1)) },
	{ "cut behind the build-id", .cut = 1252, REFUSED(NAMES, H(1)) },
	{ "cut before the names", .cut = 1264, REFUSED(NAMES, H(1)) },
	{ "cut before the last NUL", .cut = 1354, REFUSED(NAMES, H(1)) },

	/* file header */
	{ "file not on 8 bytes", .shift = 4, REFUSED(HEADER, 0) },
	{ "magic", PATCH({ 1, 3, 'G' }), REFUSED(HEADER, 0) },
	{ "32 bits", PATCH({ 1, 4, 1 }), REFUSED(HEADER, 0) },
	{ "big-endian", PATCH({ 1, 5, 2 }), REFUSED(HEADER, 0) },
	{ "version of ELF", PATCH({ 1, 6, 2 }), REFUSED(HEADER, 0) },
	{ "an executable", PATCH({ 2, 16, ET_EXEC }), REFUSED(HEADER, 16) },
	{ "a core", PATCH({ 2, 16, ET_CORE }), REFUSED(HEADER, 16) },
	{ "section headers of 56 bytes", PATCH({ 2, 58, 56 }), REFUSED(HEADER, 58) },
	{ "section headers of no byte", PATCH({ 2, 58, 0 }), REFUSED(HEADER, 58) },
	{ "another machine", PATCH({ 2, 18, 183 }), ACCEPTED },
	{ "section headers end behind the file", PATCH({ 8, 40, 1355 - 9 * 64 + 1 }),
	  REFUSED(CUT, 40) },
	{ "section headers begin at the end", PATCH({ 8, 40, 1355 }), REFUSED(CUT, 40) },
	{ "section headers begin behind the file", PATCH({ 8, 40, 1356 }), REFUSED(CUT, 40) },
	{ "end of the section headers wraps", PATCH({ 8, 40, 0xfffffffffffffe00 }),
	  REFUSED(CUT, 40) },
	{ "end of the section headers wraps to their begin", PATCH({ 8, 40, 0xfffffffffffffdc0 }),
	  REFUSED(CUT, 40) },
	{ "more section headers than bytes", PATCH({ 2, 60, 0xffff }), REFUSED(CUT, 40) },
	{ "1025 headers", .build = too_many_headers, REFUSED(HEADER, 60) },
	{ "no section header", PATCH({ 2, 60, 0 }), REFUSED(NAMES, 62) },
	{ "header of the names behind the last", PATCH({ 2, 62, 9 }), REFUSED(NAMES, 62) },
	{ "header of the names is 65535", PATCH({ 2, 62, 0xffff }), REFUSED(NAMES, 62) },

	/* names */
	{ "names in a null header", PATCH({ 2, 62, 0 }), REFUSED(NAMES, H(0)) },
	{ "names in a section without bytes", PATCH({ 2, 62, 6 }), REFUSED(NAMES, H(6)) },
	{ "no names", PATCH({ 8, H(1) + 32, 0 }), REFUSED(NAMES, H(1)) },
	{ "names without a NUL at the end", PATCH({ 8, H(1) + 32, 90 }), REFUSED(NAMES, H(1)) },
	{ "names end behind the file", PATCH({ 8, H(1) + 32, 92 }), REFUSED(NAMES, H(1)) },
	{ "end of the names wraps", PATCH({ 8, H(1) + 24, 0xffffffffffffffff }),
	  REFUSED(NAMES, H(1)) },
	{ "64 KB of names", .build = container_most_headers, PATCH({ 8, H(1) + 24, 64 },
							{ 8, H(1) + 32, 65536 }),
	  REFUSED(MISSING, 0) },
	{ "64 KB and a byte of names", .build = container_most_headers, PATCH({ 8, H(1) + 24, 64 },
								   { 8, H(1) + 32, 65537 }),
	  REFUSED(NAMES, H(1)) },
	{ "4 GB of names", PATCH({ 8, H(1) + 32, 0x100000000 }), REFUSED(NAMES, H(1)) },
	{ "name behind the names", PATCH({ 4, H(3), 91 }), REFUSED(NAMES, H(3)) },
	{ "highest name", PATCH({ 4, H(8), 0xffffffff }), REFUSED(NAMES, H(8)) },
	{ "empty name of a section of the object", PATCH({ 4, H(8), 90 }), ACCEPTED },
	{ "name of a null header is not looked at", PATCH({ 4, H(0), 0xffffffff }), ACCEPTED },

	/* sections */
	{ "types end behind the file", PATCH({ 8, H(2) + 32, 1355 - 640 + 1 }),
	  REFUSED(CUT, H(2)) },
	{ "end of the types wraps", PATCH({ 8, H(2) + 24, 0xfffffffffffffffc },
					  { 8, H(2) + 32, 8 }), REFUSED(CUT, H(2)) },
	{ "types of 2^64 - 1 bytes", PATCH({ 8, H(2) + 32, 0xffffffffffffffff }),
	  REFUSED(CUT, H(2)) },
	{ "types of 4 GB", PATCH({ 8, H(2) + 32, 0x100000000 }), REFUSED(CUT, H(2)) },
	{ "locations begin behind the file", PATCH({ 8, H(3) + 24, 1356 }, { 8, H(3) + 32, 0 }),
	  REFUSED(CUT, H(3)) },
	{ "empty types", PATCH({ 8, H(2) + 32, 0 }), REFUSED(SECTION, H(2)) },
	{ "empty locations", PATCH({ 8, H(3) + 32, 0 }), REFUSED(SECTION, H(3)) },
	{ "empty build-id", PATCH({ 8, H(4) + 32, 0 }), REFUSED(SECTION, H(4)) },
	{ "empty sums", PATCH({ 8, H(5) + 32, 0 }), REFUSED(SECTION, H(5)) },
	{ "types not on 4 bytes", PATCH({ 8, H(2) + 24, 642 }), REFUSED(SECTION, H(2)) },
	{ "locations not on 4 bytes", PATCH({ 8, H(3) + 24, 817 }), REFUSED(SECTION, H(3)) },
	{ "build-id not on 4 bytes", PATCH({ 8, H(4) + 24, 1218 }), REFUSED(SECTION, H(4)) },
	{ "sums not on 4 bytes", PATCH({ 8, H(5) + 24, 1255 }), REFUSED(SECTION, H(5)) },
	{ "types on 4 bytes", PATCH({ 8, H(2) + 24, 644 }), NO_OBJECT(MAGIC) },
	{ "end of .text wraps", PATCH({ 8, H(6) + 16, 0xfffffffffffffff0 },
				      { 8, H(6) + 32, 0x20 }), REFUSED(SECTION, H(6)) },
	{ ".text of 2^64 - 1 bytes", PATCH({ 8, H(6) + 32, 0xffffffffffffffff }),
	  REFUSED(SECTION, H(6)) },
	{ ".text at the end of all addresses", PATCH({ 8, H(6) + 16, 0xfffffffffffffff0 },
						     { 8, H(6) + 32, 0xf }),
	  NO_OBJECT(SITE_RANGE) },
	{ ".text beside the file", PATCH({ 8, H(6) + 24, 0xffffffffffffffff }), ACCEPTED },
	{ "empty .text", PATCH({ 8, H(6) + 32, 0 }), NO_OBJECT(SITE_RANGE) },

	/* one of each */
	{ "types twice", PATCH({ 4, H(5), 11 }), REFUSED(DUPLICATE, H(5)) },
	{ "locations twice", .build = func_info_twice, REFUSED(DUPLICATE, H(5)) },
	{ "build-id twice", .build = build_id_twice, REFUSED(DUPLICATE, H(5)) },
	{ "sums twice", .build = bases_twice, REFUSED(DUPLICATE, H(5)) },
	{ ".text twice", PATCH({ 4, H(7), 66 }), REFUSED(DUPLICATE, H(7)) },
	{ ".text twice, one not executable", PATCH({ 4, H(8), 66 }), REFUSED(DUPLICATE, H(8)) },
	{ ".text twice, one empty", PATCH({ 4, H(7), 66 }, { 8, H(7) + 32, 0 }),
	  NO_OBJECT(SITE_RANGE) },
	{ "a section of the object named as a part", .build = func_info_as_place,
	  NO_OBJECT(ELF_MISSING) },
	{ "no locations", .build = no_func_info, REFUSED(MISSING, 0) },
	{ "no build-id", .build = no_build_id, REFUSED(MISSING, 0) },
	{ "no sums", .build = no_bases, REFUSED(MISSING, 0) },
	{ "locations without bytes", PATCH({ 4, H(3) + 4, SHT_NOBITS }), REFUSED(MISSING, 0) },
	{ "build-id of another type", PATCH({ 4, H(4) + 4, SHT_PROGBITS }), REFUSED(MISSING, 0) },
	{ "half a sum", PATCH({ 8, H(5) + 32, 12 }), REFUSED(MISSING, 0) },
	{ "three sums", .build = three_sums, REFUSED(LEVELS, 1256) },

	/* marks of sites */
	{ "marks", .build = three_marks, NO_OBJECT(ELF_MISSING) },
	{ "no marks", .build = three_marks, PATCH({ 8, H(5) + 32, 0 }), NO_OBJECT(ELF_MISSING) },
	{ "a byte of a mark", .build = three_marks, PATCH({ 8, H(5) + 32, 1 }),
	  REFUSED(SECTION, 896) },
	{ "half a mark more", .build = three_marks, PATCH({ 8, H(5) + 32, 10 }),
	  REFUSED(SECTION, 896) },
	{ "marks not on 4 bytes", .build = three_marks, PATCH({ 8, H(5) + 24, 898 }),
	  REFUSED(SECTION, H(5)) },
	{ "no marks not on 4 bytes", .build = three_marks,
	  PATCH({ 8, H(5) + 24, 898 }, { 8, H(5) + 32, 0 }), REFUSED(SECTION, H(5)) },
	{ "marks end behind the file", .build = three_marks,
	  PATCH({ 8, H(5) + 32, 0x1000 }), REFUSED(CUT, H(5)) },
	{ "marks twice", .build = marks_twice, REFUSED(DUPLICATE, H(6)) },
	{ "marks without bytes", .build = three_marks, PATCH({ 4, H(5) + 4, SHT_NOBITS }),
	  NO_OBJECT(ELF_MISSING) },

	/* the number of types that a module has of its own */
	{ "own types", .build = own_types_of_8_bytes, PATCH({ 8, H(5) + 32, 4 }),
	  NO_OBJECT(ELF_MISSING) },
	{ "own types in 3 bytes", .build = own_types_of_8_bytes, PATCH({ 8, H(5) + 32, 3 }),
	  REFUSED(SECTION, H(5)) },
	{ "own types in 8 bytes", .build = own_types_of_8_bytes, REFUSED(SECTION, 896) },

	/* with the blobs */
	{ "marks of an object", .build = plain_with_mark, ACCEPTED },
	{ "mark of no site", .build = plain_with_mark, PATCH({ 4, 1264, 0x7ff9 }),
	  NO_OBJECT(SITE_MARK) },
	{ "mark of no kind", .build = plain_with_mark, PATCH({ 4, 1264, 0x8 }),
	  NO_OBJECT(SITE_MARK) },
	{ "own types where there is no module", .build = plain_with_own_types,
	  NO_OBJECT(ELF_OWN_TYPES) },
	{ "64 LOCSECs", .core_row = "64 LOCSECs", NO_OBJECT(SITE_RANGE) },
	{ "65 LOCSECs", .core_row = "65 LOCSECs", NO_OBJECT(TOO_MANY_LOCSECS) },
	{ "machine without registers", PATCH({ 2, 18, 3 }), NO_OBJECT(ELF_MACHINE) },
	{ "types are no BTF", PATCH({ 2, 640, 0 }), NO_OBJECT(MAGIC) },
	{ "locations are no BTF", PATCH({ 2, 816, 0 }), NO_OBJECT(MAGIC) },
	{ "end of the types wraps in the blob", PATCH({ 4, 640 + 8, 0xfffffffc }),
	  NO_OBJECT(SECTION_RANGE) },
	{ "strings of the types without end", PATCH({ 1, 811, 'x' }), NO_OBJECT(STRINGS) },

	/* build-id */
	{ "note without an id", PATCH({ 8, H(4) + 32, 16 }), REFUSED(BUILD_ID, 1216) },
	{ "note cut in its header", PATCH({ 8, H(4) + 32, 8 }), REFUSED(BUILD_ID, 1216) },
	{ "note of an owner with 5 bytes", PATCH({ 4, 1216, 5 }), REFUSED(BUILD_ID, 1216) },
	{ "note of an owner with 4 GB", PATCH({ 4, 1216, 0xfffffffc }), REFUSED(BUILD_ID, 1216) },
	{ "note of another owner", PATCH({ 1, 1230, 'V' }), REFUSED(BUILD_ID, 1216) },
	{ "note of another type", PATCH({ 4, 1224, 1 }), REFUSED(BUILD_ID, 1216) },
	{ "id of no byte", PATCH({ 4, 1220, 0 }), REFUSED(BUILD_ID, 1216) },
	{ "id of one byte", PATCH({ 4, 1220, 1 }), ACCEPTED },
	{ "id of 21 bytes", PATCH({ 4, 1220, 21 }, { 8, H(4) + 32, 37 }),
	  REFUSED(BUILD_ID, 1216) },
	{ "id of 20 bytes in 19", PATCH({ 8, H(4) + 32, 35 }), REFUSED(BUILD_ID, 1216) },
	{ "id whose end wraps", PATCH({ 4, 1220, 0xfffffff8 }), REFUSED(BUILD_ID, 1216) },
};

const u32 container_nr_rows = ARRAY_LENGTH(container_rows);

static bool apply(const struct container_patch *patch, u8 *file, u32 size)
{
	if (patch->at > size || patch->size > size - patch->at || patch->size > 8)
		return false;
	memcpy(file + patch->at, &patch->value, patch->size);
	return true;
}

u32 container_row_file(const struct container_row *row, struct core_row_images *images, u8 *file)
{
	struct core_input blobs;
	u32 size, i, core = 0;

	while (row->core_row && core < core_nr_rows && strcmp(core_rows[core].name, row->core_row))
		core++;
	if (core == core_nr_rows || !core_row_input(&core_rows[core], images, &blobs))
		return 0;
	size = row->build ? row->build(file, &blobs) : container_plain(file, &blobs);
	if (!size || size + row->shift > CONTAINER_MAX_SIZE)
		return 0;
	for (i = 0; i < CONTAINER_MAX_PATCHES && row->patches[i].size; i++)
		if (!apply(&row->patches[i], file, size))
			return 0;
	if (row->shift)
		memmove(file + row->shift, file, size);
	return row->cut && row->cut < size ? row->cut : size;
}

const char *container_row_verdict(const struct container_row *row,
				  const struct container_outcome *run)
{
	if (run->broken)
		return run->broken;
	if (row->code == BTF_FAULT_NONE)
		return run->error ? "it is refused" : NULL;
	if (!run->error)
		return "it is accepted";
	if (run->fault.code != row->code)
		return "the fault is another one";
	if (run->fault.type_id)
		return "the fault is about a type";
	return run->fault.offset == row->offset ? NULL : "the fault is at another offset";
}

/* ---- rows of the bounds ---- */

#define SIZES(text_size, init_text_size) \
	.flags = EXEC, .size = (text_size), .init_size = (init_text_size)
#define OUTSIDE(id, at) .type_id = (id), .offset = (at)

/* The highest offsets are 0x40 of inline.text at 204, 0x30 of func.text at 240 and 0x10 at 264. */
const struct bounds_row bounds_rows[] = {
	{ "all inside", SIZES(0x100, 0x100), .accepted = true },
	{ "last bytes of both", SIZES(0x41, 0x11), .accepted = true },
	{ "end of .text", SIZES(0x40, 0x11), OUTSIDE(17, 204) },
	{ "end of .text, of a body", SIZES(0x30, 0x11), OUTSIDE(18, 240),
	  .patches = { { CORE_IN_FUNC_INFO, 204, 0x2f } } },
	{ "last byte of .text, of a body", SIZES(0x31, 0x11), .accepted = true,
	  .patches = { { CORE_IN_FUNC_INFO, 204, 0x2f } } },
	{ "end of .init.text", SIZES(0x41, 0x10), OUTSIDE(19, 264) },
	{ ".text of a byte", SIZES(1, 0x11), OUTSIDE(17, 156) },
	{ "empty .text", SIZES(0, 0x11), OUTSIDE(17, 136) },
	{ "empty .init.text", SIZES(0x41, 0), OUTSIDE(19, 244) },
	{ "no .text", .text = ".tex", SIZES(0x41, 0x11), OUTSIDE(17, 136) },
	{ "a longer name", .text = ".text.hot", SIZES(0x41, 0x11), OUTSIDE(17, 136) },
	{ ".text not executable", .flags = SHF_ALLOC, .size = 0x41, .init_size = 0x11,
	  OUTSIDE(17, 136) },
	{ ".text with bytes", .type = SHT_PROGBITS, SIZES(0x41, 0x11), OUTSIDE(17, 136) },
	{ "highest offset, 4 GB", SIZES(0x100000000, 0x11), .accepted = true,
	  .patches = { { CORE_IN_FUNC_INFO, 204, 0xffffffff } } },
	{ "highest offset, a byte less", SIZES(0xffffffff, 0x11), OUTSIDE(17, 204),
	  .patches = { { CORE_IN_FUNC_INFO, 204, 0xffffffff } } },
};

const u32 bounds_nr_rows = ARRAY_LENGTH(bounds_rows);

u32 bounds_row_file(const struct bounds_row *row, struct core_row_images *images,
		    struct core_input *blobs, u8 *file)
{
	struct core_row blobs_of = { .patches = { row->patches[0], row->patches[1] } };
	const char *text = row->text ? row->text : ".text";
	struct elf_writer w;

	if (!core_row_input(&blobs_of, images, blobs))
		return 0;
	elf_start(&w, file, CONTAINER_MAX_SIZE, 7);
	put_required(&w, blobs);
	if (row->type)
		elf_bytes(&w, text, row->type, CONTAINER_BUILD_ID, CONTAINER_BUILD_ID_SIZE);
	else
		elf_place(&w, text, CONTAINER_TEXT, row->size, row->flags);
	elf_place(&w, ".init.text", CONTAINER_INIT_TEXT, row->init_size, EXEC);
	return elf_finish(&w, MACHINE);
}

const char *bounds_row_verdict(const struct bounds_row *row, const struct core_outcome *core,
			       const struct container_outcome *run)
{
	struct btf_fault fault = { .code = BTF_FAULT_COUNT };
	int err;

	if (core->broken || core->step != CORE_DONE || run->broken || run->error)
		return "the row itself is wrong";
	err = site_bounds_check(&core->index, &run->elf, &fault);
	if (err ? fault.code == BTF_FAULT_COUNT : fault.code != BTF_FAULT_COUNT)
		return "an error and a fault come together";
	if (!err)
		return row->accepted ? NULL : "it is accepted";
	if (row->accepted)
		return "it is refused";
	if (err != -EINVAL || fault.code != BTF_FAULT_SITE_RANGE)
		return "the fault is another one";
	if (fault.type_id != row->type_id)
		return "the fault is about another type";
	return fault.offset == row->offset ? NULL : "the fault is at another offset";
}

/* ---- rows of the marks ---- */

#define MARKS(...) \
	.marks = { __VA_ARGS__ }, .nr = sizeof((u32[]){ __VA_ARGS__ }) / sizeof(u32)
#define HEAD(site) ((site) << 3 | 1u)
#define PART(site) ((site) << 3 | 2u)
#define BOTH(site) ((site) << 3 | 3u)

const struct marks_row marks_rows[] = {
	{ "no mark", .nr_sites = 6, .accepted = true },
	{ "no mark, no site", .accepted = true },
	{ "first site", MARKS(HEAD(0)), .nr_sites = 6, .accepted = true },
	{ "last site", MARKS(PART(5)), .nr_sites = 6, .accepted = true },
	{ "both of a site", MARKS(HEAD(1), BOTH(2)), .nr_sites = 6, .accepted = true },
	{ "every site", MARKS(HEAD(0), PART(1), BOTH(2), HEAD(3), PART(4), PART(5)),
	  .nr_sites = 6, .accepted = true },
	{ "every other site", MARKS(PART(0), HEAD(2), PART(4)), .nr_sites = 6, .accepted = true },
	{ "highest numbers", MARKS(HEAD(0xfffffff), PART(0x10000000), BOTH(0x1fffffff)),
	  .nr_sites = 0xffffffff, .accepted = true },
	{ "a mark, no site", MARKS(HEAD(0)), .nr_sites = 0, .offset = 0 },
	{ "past the last site", MARKS(HEAD(1), HEAD(5), HEAD(6)), .nr_sites = 6, .offset = 8 },
	{ "highest number", MARKS(PART(0x1fffffff)), .nr_sites = 6, .offset = 0 },
	{ "of no kind", MARKS(HEAD(1), 2 << 3), .nr_sites = 6, .offset = 4 },
	{ "without an entry", MARKS(HEAD(1), 2 << 3 | 4), .nr_sites = 6, .accepted = true },
	{ "of all kinds", MARKS(2 << 3 | 5, 3 << 3 | 7), .nr_sites = 6, .accepted = true },
	{ "twice", MARKS(HEAD(1), HEAD(3), HEAD(3), HEAD(4)), .nr_sites = 6, .offset = 8 },
	{ "one after the other", MARKS(HEAD(1), HEAD(3), PART(3)), .nr_sites = 6, .offset = 8 },
	{ "first twice", MARKS(HEAD(0), HEAD(0)), .nr_sites = 6, .offset = 4 },
	{ "in falling order", MARKS(HEAD(1), HEAD(4), PART(3)), .nr_sites = 6, .offset = 8 },
	{ "falling past the sign", MARKS(HEAD(0x10000000), HEAD(0xfffffff)),
	  .nr_sites = 0xffffffff, .offset = 4 },
};

const u32 marks_nr_rows = ARRAY_LENGTH(marks_rows);

/* Returns the marks of a site, found by reading one mark after the other. */
static u32 marks_among(const struct marks_row *row, u32 site)
{
	u32 i;

	for (i = 0; i < row->nr; i++)
		if (row->marks[i] >> 3 == site)
			return row->marks[i] & 7;
	return 0;
}

const char *marks_row_verdict(const struct marks_row *row)
{
	struct btf_fault fault = { .code = BTF_FAULT_COUNT, .type_id = 1 };
	u32 i;

	if (site_marks_check(row->nr ? row->marks : NULL, row->nr, row->nr_sites, &fault)) {
		if (row->accepted)
			return "it is refused";
		if (fault.code != BTF_FAULT_SITE_MARK || fault.type_id)
			return "the fault is another one";
		return fault.offset == row->offset ? NULL : "the fault is at another offset";
	}
	if (!row->accepted)
		return "it is accepted";
	if (fault.code != BTF_FAULT_COUNT)
		return "no error, but a fault";
	for (i = 0; i < 8; i++)
		if (site_marks_listed(row->marks, row->nr, i) != marks_among(row, i) ||
		    site_marks_listed(row->marks, row->nr, 0u - i) != marks_among(row, 0u - i))
			return "a mark is not found, or another site has one";
	for (i = 0; i < row->nr; i++)
		if (site_marks_listed(row->marks, row->nr, row->marks[i] >> 3) !=
		    (row->marks[i] & 7))
			return "a mark is not found";
	return NULL;
}

/* ---- rows of the suffixes ---- */

const struct suffix_row suffix_rows[] = {
	{ "", 0, 0 },
	{ "f", 1, 0 },
	{ "foo", 3, 0 },
	{ "foo.isra.0", 3, FUNC_SUFFIX_PARAMS | FUNC_SUFFIX_RESULT },
	{ "f.isra.0", 1, FUNC_SUFFIX_PARAMS | FUNC_SUFFIX_RESULT },
	{ "foo.isra.12345", 3, FUNC_SUFFIX_PARAMS | FUNC_SUFFIX_RESULT },
	{ "foo.constprop.1.isra.2", 3, FUNC_SUFFIX_PARAMS | FUNC_SUFFIX_RESULT },
	{ "foo.part.3.cold", 3, FUNC_SUFFIX_PART | FUNC_SUFFIX_COLD },
	{ "foo.constprop.1", 3, FUNC_SUFFIX_PARAMS },
	{ "foo.part.2", 3, FUNC_SUFFIX_PART },
	{ "foo.cold", 3, FUNC_SUFFIX_COLD },
	{ "foo.cold.1", 3, FUNC_SUFFIX_COLD },
	{ "foo.cold.cold", 3, FUNC_SUFFIX_COLD },
	{ "foo.llvm.123", 3, 0 },
	{ "foo.lto_priv.0", 3, 0 },
	{ "foo.isra.0.isra.1", 3, FUNC_SUFFIX_PARAMS | FUNC_SUFFIX_RESULT },
	/* a dot in the source name stays */
	{ "foo.bar", 7, 0 },
	{ "foo.bar.isra.0", 7, FUNC_SUFFIX_PARAMS | FUNC_SUFFIX_RESULT },
	{ "foo..isra.0", 4, FUNC_SUFFIX_PARAMS | FUNC_SUFFIX_RESULT },
	{ ".isra.0", 7, 0 },
	{ ".isra.0.isra.1", 7, FUNC_SUFFIX_PARAMS | FUNC_SUFFIX_RESULT },
	/* these are not suffixes */
	{ "foo.", 4, 0 },
	{ "foo.isra", 8, 0 },
	{ "foo.isra.", 9, 0 },
	{ "foo.isra.x", 10, 0 },
	{ "foo.isra.0x", 11, 0 },
	{ "foo.israel.0", 12, 0 },
	{ "foo.coldest", 11, 0 },
	{ "foo.cold.", 9, 0 },
	{ "foo.cold.extra", 14, 0 },
	{ "foo.isra.0.bar", 14, 0 },
	{ "foo.isra.0.bar.cold", 14, FUNC_SUFFIX_COLD },
	{ "foo.llvm.deadbeef", 17, 0 },
	{ "foo.ISRA.0", 10, 0 },
	{ "foo isra.0", 10, 0 },
};

const u32 suffix_nr_rows = ARRAY_LENGTH(suffix_rows);
