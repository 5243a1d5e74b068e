// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
/*
 * Offsets are worked out by hand from the parts, of the plain file where a row has none. Header i
 * is at 64 + 64 * i; in it sh_type is at 4, sh_flags at 8, sh_addr at 16, sh_offset at 24 and
 * sh_size at 32. Values are little-endian.
 */
#include "container_rows.h"
#include "elf_writer.h"
#include "../../kernel/core/loc_expression.h"

#define ACCEPTED .code = BTF_FAULT_NONE
/* The container is one, but with its blobs it is no object. */
#define NO_OBJECT(fault_code) .whole = BTF_FAULT_##fault_code
#define REFUSED(fault_code, at) .code = BTF_FAULT_ELF_##fault_code, .offset = (at)
#define PATCH(...) .patches = { __VA_ARGS__ }
#define ID CONTAINER_PATCH_ID
#define H(i) ELF_HEADER_AT(i)
/* The plain file has the types, the locations, and entry i of their first LOCSEC there. */
#define TYPES 640
#define INFO 816
#define SITE(i) (INFO + 148 + 12 * (i))
/* A file with frames: their header is 8, and they have 104 bytes. */
#define WITH_FRAMES "tli1TIF"
#define FRAMES 1264
/* The same with expressions, of 28 bytes. */
#define WITH_EXPRESSIONS "tli1TIx"
#define EXPRESSIONS 1264

const struct container_row container_rows[] = {
	{ "plain file", ACCEPTED },
	{ "no types", .parts = "li1", NO_OBJECT(ELF_MISSING) },
	{ "1024 headers", .parts = "li1", .nr_headers = 1024, NO_OBJECT(ELF_MISSING) },
	{ "1018 empty sections", .parts = "li1e", .nr_headers = 1024, NO_OBJECT(ELF_MISSING) },

	/* cut */
	{ "no byte", .cut = 0xffffffff, REFUSED(CUT, 0) },
	{ "cut in the file header", .cut = 63, REFUSED(CUT, 0) },
	{ "cut beyond the file header", .cut = 64, REFUSED(CUT, 40) },
	{ "cut in the last section header", .cut = 639, REFUSED(CUT, 40) },
	{ "cut beyond the section headers", .cut = 640, REFUSED(NAMES, H(1)) },
	{ "cut in the types", .cut = 700, REFUSED(NAMES, H(1)) },
	{ "cut after the types", .cut = 812, REFUSED(NAMES, H(1)) },
	{ "cut after the locations", .cut = 1209, REFUSED(NAMES, H(1)) },
	{ "cut after the build-id", .cut = 1252, REFUSED(NAMES, H(1)) },
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
	{ "section headers end beyond the file", PATCH({ 8, 40, 1355 - 9 * 64 + 1 }),
	  REFUSED(CUT, 40) },
	{ "section headers begin at the end", PATCH({ 8, 40, 1355 }), REFUSED(CUT, 40) },
	{ "section headers begin beyond the file", PATCH({ 8, 40, 1356 }), REFUSED(CUT, 40) },
	{ "end of the section headers wraps", PATCH({ 8, 40, 0xfffffffffffffe00 }),
	  REFUSED(CUT, 40) },
	{ "end of the section headers wraps to their begin", PATCH({ 8, 40, 0xfffffffffffffdc0 }),
	  REFUSED(CUT, 40) },
	{ "more section headers than bytes", PATCH({ 2, 60, 0xffff }), REFUSED(CUT, 40) },
	{ "1025 headers", .parts = "li1", .nr_headers = 1025, REFUSED(HEADER, 60) },
	{ "no section header", PATCH({ 2, 60, 0 }), REFUSED(NAMES, 62) },
	{ "header of the names after the last", PATCH({ 2, 62, 9 }), REFUSED(NAMES, 62) },
	{ "header of the names is 65535", PATCH({ 2, 62, 0xffff }), REFUSED(NAMES, 62) },

	/* names */
	{ "names in a null header", PATCH({ 2, 62, 0 }), REFUSED(NAMES, H(0)) },
	{ "names in a section without bytes", PATCH({ 2, 62, 6 }), REFUSED(NAMES, H(6)) },
	{ "no names", PATCH({ 8, H(1) + 32, 0 }), REFUSED(NAMES, H(1)) },
	{ "names without a NUL at the end", PATCH({ 8, H(1) + 32, 90 }), REFUSED(NAMES, H(1)) },
	{ "names end beyond the file", PATCH({ 8, H(1) + 32, 92 }), REFUSED(NAMES, H(1)) },
	{ "end of the names wraps", PATCH({ 8, H(1) + 24, 0xffffffffffffffff }),
	  REFUSED(NAMES, H(1)) },
	{ "64 KB of names", .parts = "li1", .nr_headers = 1024,
	  PATCH({ 8, H(1) + 24, 64 }, { 8, H(1) + 32, 65536 }), REFUSED(MISSING, 0) },
	{ "64 KB and a byte of names", .parts = "li1", .nr_headers = 1024,
	  PATCH({ 8, H(1) + 24, 64 }, { 8, H(1) + 32, 65537 }),
	  REFUSED(NAMES, H(1)) },
	{ "compressed names", PATCH({ 8, H(1) + 8, 0x800 }), REFUSED(NAMES, H(1)) },
	{ "4 GB of names", PATCH({ 8, H(1) + 32, 0x100000000 }), REFUSED(NAMES, H(1)) },
	{ "name beyond the names", PATCH({ 4, H(3), 91 }), REFUSED(NAMES, H(3)) },
	{ "highest name", PATCH({ 4, H(8), 0xffffffff }), REFUSED(NAMES, H(8)) },
	{ "empty name of a section of the object", PATCH({ 4, H(8), 90 }), ACCEPTED },
	{ "control character in the name of a section", PATCH({ 1, 1331, 9 }),
	  REFUSED(NAMES, H(6)) },
	{ "no UTF-8 in the name of a section", PATCH({ 1, 1331, 0xff }), REFUSED(NAMES, H(6)) },
	{ "line feed in the name of a function", PATCH({ 1, 640 + 147, '\n' }),
	  NO_OBJECT(NAME_TEXT) },
	{ "name of a null header is not looked at", PATCH({ 4, H(0), 0xffffffff }), ACCEPTED },
	{ "name of a null header among the others is not looked at",
	  PATCH({ 4, H(8), 0xffffffff }, { 4, H(8) + 4, SHT_NULL }), ACCEPTED },

	/* sections */
	{ "types end beyond the file", PATCH({ 8, H(2) + 32, 1355 - 640 + 1 }),
	  REFUSED(CUT, H(2)) },
	{ "end of the types wraps", PATCH({ 8, H(2) + 24, 0xfffffffffffffffc },
					  { 8, H(2) + 32, 8 }), REFUSED(CUT, H(2)) },
	{ "types of 2^64 - 1 bytes", PATCH({ 8, H(2) + 32, 0xffffffffffffffff }),
	  REFUSED(CUT, H(2)) },
	{ "types of 4 GB", PATCH({ 8, H(2) + 32, 0x100000000 }), REFUSED(CUT, H(2)) },
	{ "locations begin beyond the file", PATCH({ 8, H(3) + 24, 1356 }, { 8, H(3) + 32, 0 }),
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
	{ "compressed types", PATCH({ 8, H(2) + 8, 0x800 }), REFUSED(SECTION, H(2)) },
	{ "compressed locations", PATCH({ 8, H(3) + 8, 0x800 }), REFUSED(SECTION, H(3)) },
	{ "compressed build-id", PATCH({ 8, H(4) + 8, 0x800 }), REFUSED(SECTION, H(4)) },
	{ "compressed sums", PATCH({ 8, H(5) + 8, 0x800 }), REFUSED(SECTION, H(5)) },
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
	{ "locations twice", .parts = "li1l", REFUSED(DUPLICATE, H(5)) },
	{ "build-id twice", .parts = "li1i", REFUSED(DUPLICATE, H(5)) },
	{ "sums twice", .parts = "li11", REFUSED(DUPLICATE, H(5)) },
	{ ".text twice", PATCH({ 4, H(7), 66 }), REFUSED(DUPLICATE, H(7)) },
	{ ".text twice, one not executable", PATCH({ 4, H(8), 66 }), REFUSED(DUPLICATE, H(8)) },
	{ ".text twice, one empty", PATCH({ 4, H(7), 66 }, { 8, H(7) + 32, 0 }),
	  NO_OBJECT(SITE_RANGE) },
	{ "a section of the object named as a part", .parts = "li1f",
	  NO_OBJECT(ELF_MISSING) },
	{ "no locations", .parts = "i1", REFUSED(MISSING, 0) },
	{ "no build-id", .parts = "l1", REFUSED(MISSING, 0) },
	{ "no sums", .parts = "li", REFUSED(MISSING, 0) },
	{ "locations without bytes", PATCH({ 4, H(3) + 4, SHT_NOBITS }), REFUSED(MISSING, 0) },
	{ "build-id of another type", PATCH({ 4, H(4) + 4, SHT_PROGBITS }), REFUSED(MISSING, 0) },
	{ "half a sum", PATCH({ 8, H(5) + 32, 12 }), REFUSED(MISSING, 0) },
	{ "three sums", .parts = "tli3TIR", REFUSED(LEVELS, 1256) },

	/* marks of sites */
	{ "marks", .parts = "li1m", NO_OBJECT(ELF_MISSING) },
	{ "no marks", .parts = "li1m", PATCH({ 8, H(5) + 32, 0 }), NO_OBJECT(ELF_MISSING) },
	{ "a byte of marks", .parts = "li1m", PATCH({ 8, H(5) + 32, 1 }), NO_OBJECT(ELF_MISSING) },
	{ "marks not on 4 bytes", .parts = "li1m", PATCH({ 8, H(5) + 24, 898 }),
	  REFUSED(SECTION, H(5)) },
	{ "no marks not on 4 bytes", .parts = "li1m",
	  PATCH({ 8, H(5) + 24, 898 }, { 8, H(5) + 32, 0 }), REFUSED(SECTION, H(5)) },
	{ "marks end beyond the file", .parts = "li1m",
	  PATCH({ 8, H(5) + 32, 0x1000 }), REFUSED(CUT, H(5)) },
	{ "marks twice", .parts = "li1mm", PATCH({ 8, H(6) + 32, 0 }), REFUSED(DUPLICATE, H(6)) },
	{ "marks without bytes", .parts = "li1m", PATCH({ 4, H(5) + 4, SHT_NOBITS }),
	  NO_OBJECT(ELF_MISSING) },

	/* the number of types that a module has of its own */
	{ "own types", .parts = "li1o", NO_OBJECT(ELF_MISSING) },
	{ "own types in 3 bytes", .parts = "li1o", PATCH({ 8, H(5) + 32, 3 }),
	  REFUSED(SECTION, H(5)) },
	{ "own types in 8 bytes", .parts = "li1o", PATCH({ 8, H(5) + 32, 8 }),
	  REFUSED(SECTION, 896) },

	/* frames */
	{ "frames", .parts = WITH_FRAMES, ACCEPTED },
	{ "frames twice", .parts = "tli1TIFF", REFUSED(DUPLICATE, H(9)) },
	{ "frames not on 4 bytes", .parts = WITH_FRAMES, PATCH({ 8, H(8) + 24, FRAMES + 2 }),
	  REFUSED(SECTION, H(8)) },
	{ "frames end beyond the file", .parts = WITH_FRAMES, PATCH({ 8, H(8) + 32, 0x1000 }),
	  REFUSED(CUT, H(8)) },
	{ "frames cut by a byte", .parts = WITH_FRAMES, PATCH({ 8, H(8) + 32, 103 }),
	  NO_OBJECT(FRAMES_HEADER) },
	{ "frames without bytes", .parts = WITH_FRAMES, PATCH({ 4, H(8) + 4, SHT_NOBITS }),
	  ACCEPTED },
	{ "frames of another version", .parts = WITH_FRAMES, PATCH({ 4, FRAMES + 4, 2 }),
	  NO_OBJECT(FRAMES_HEADER) },
	{ "frames with a tab in a name", .parts = WITH_FRAMES, PATCH({ 1, FRAMES + 86, '\t' }),
	  NO_OBJECT(FRAMES_STRINGS) },
	{ "frames of a section that the object lacks", .parts = WITH_FRAMES,
	  PATCH({ 1, FRAMES + 89, 'u' }), NO_OBJECT(FRAMES_SECTION) },
	{ "frames of code after .text", .parts = WITH_FRAMES,
	  PATCH({ 4, FRAMES + 56, CONTAINER_TEXT_SIZE - 15 }), NO_OBJECT(FRAMES_PIECE) },
	{ "frames of a prototype", .parts = WITH_FRAMES, PATCH({ ID, FRAMES + 72, 5 }),
	  NO_OBJECT(FRAMES_FUNC) },
	{ "frame called in an unknown file", .parts = WITH_FRAMES,
	  PATCH({ 1, FRAMES + 68, 2 }), NO_OBJECT(FRAMES_FILE) },
	{ "frame of no code", .parts = WITH_FRAMES, PATCH({ 1, FRAMES + 103, 0 }),
	  NO_OBJECT(FRAMES_NUMBER) },
	{ "frame outside its body", .parts = WITH_FRAMES, PATCH({ 1, FRAMES + 103, 17 }),
	  NO_OBJECT(FRAMES_RANGE) },
	{ "frames that end after their records", .parts = WITH_FRAMES,
	  PATCH({ 1, FRAMES + 99, 4 }), NO_OBJECT(FRAMES_SIZE) },

	/* expressions */
	{ "expressions", .parts = WITH_EXPRESSIONS, ACCEPTED },
	{ "expressions twice", .parts = "tli1TIxx", REFUSED(DUPLICATE, H(9)) },
	{ "expressions of no byte", .parts = WITH_EXPRESSIONS, PATCH({ 8, H(8) + 32, 0 }),
	  REFUSED(SECTION, H(8)) },
	{ "expressions not on 4 bytes", .parts = WITH_EXPRESSIONS,
	  PATCH({ 8, H(8) + 24, EXPRESSIONS + 2 }), REFUSED(SECTION, H(8)) },
	{ "expressions end beyond the file", .parts = WITH_EXPRESSIONS,
	  PATCH({ 8, H(8) + 32, 0x1000 }), REFUSED(CUT, H(8)) },
	{ "expressions without bytes", .parts = WITH_EXPRESSIONS,
	  PATCH({ 4, H(8) + 4, SHT_NOBITS }), ACCEPTED },
	{ "expressions cut by a byte", .parts = WITH_EXPRESSIONS, PATCH({ 8, H(8) + 32, 31 }),
	  NO_OBJECT(EXPRESSIONS_HEADER) },
	{ "expressions of another version", .parts = WITH_EXPRESSIONS,
	  PATCH({ 4, EXPRESSIONS + 4, 2 }), NO_OBJECT(EXPRESSIONS_HEADER) },
	{ "expression of a parameter with a location", .parts = WITH_EXPRESSIONS,
	  PATCH({ 1, EXPRESSIONS + 22, 0 }), NO_OBJECT(EXPRESSION_ENTRY) },
	{ "expression of a parameter after the last", .parts = WITH_EXPRESSIONS,
	  PATCH({ 1, EXPRESSIONS + 22, 2 }), NO_OBJECT(EXPRESSION_ENTRY) },
	{ "expression of a LOCSEC", .parts = WITH_EXPRESSIONS, PATCH({ ID, EXPRESSIONS + 8, 17 }),
	  NO_OBJECT(EXPRESSION_ENTRY) },
	{ "expression of a parameter of the types", .parts = WITH_EXPRESSIONS,
	  PATCH({ ID, EXPRESSIONS + 8, 5 }), NO_OBJECT(EXPRESSION_ENTRY) },
	{ "expression with an unknown operator", .parts = WITH_EXPRESSIONS,
	  PATCH({ 1, EXPRESSIONS + 28, 0x30 }), NO_OBJECT(EXPRESSION_OPERATOR) },
	{ "expression that takes two values", .parts = WITH_EXPRESSIONS,
	  PATCH({ 1, EXPRESSIONS + 28, LOC_CODE_ADD }), NO_OBJECT(EXPRESSION_STACK) },
	{ "expression of 9 bytes", .parts = WITH_EXPRESSIONS, PATCH({ 1, EXPRESSIONS + 26, 9 }),
	  NO_OBJECT(EXPRESSION_SIZE) },

	/* with the blobs */
	{ "marks of an object", .parts = "tli1mTI", ACCEPTED },
	{ "mark of no site", .parts = "tli1mTI", PATCH({ 1, 1268, 0x7f }),
	  NO_OBJECT(SITE_MARK) },
	{ "mark of no kind", .parts = "tli1mTI", PATCH({ 1, 1269, 0x10 }),
	  NO_OBJECT(SITE_MARK) },
	{ "marks cut off in a page", .parts = "tli1mTI", PATCH({ 8, H(6) + 32, 3 }),
	  NO_OBJECT(SITE_MARK) },
	{ "marks cut off in a run", .parts = "tli1mTI", PATCH({ 8, H(6) + 32, 11 }),
	  NO_OBJECT(SITE_MARK) },
	{ "own types where there is no module", .parts = "tli1oTI",
	  NO_OBJECT(ELF_OWN_TYPES) },
	{ "64 LOCSECs", .core_row = "64 LOCSECs", NO_OBJECT(SITE_RANGE) },
	{ "65 LOCSECs", .core_row = "65 LOCSECs", NO_OBJECT(TOO_MANY_LOCSECS) },
	{ "machine without registers", PATCH({ 2, 18, 3 }), NO_OBJECT(ELF_MACHINE) },
	{ "site at the end of .text", PATCH({ 8, H(6) + 32, 0x40 }), NO_OBJECT(SITE_RANGE) },
	{ "site in a section that is not executable", PATCH({ 8, H(7) + 8, SHF_ALLOC }),
	  NO_OBJECT(SITE_RANGE) },
	{ "types are no BTF", PATCH({ 2, 640, 0 }), NO_OBJECT(MAGIC) },
	{ "locations are no BTF", PATCH({ 2, 816, 0 }), NO_OBJECT(MAGIC) },
	{ "end of the types wraps in the blob", PATCH({ 4, 640 + 8, 0xfffffffc }),
	  NO_OBJECT(SECTION_RANGE) },
	{ "strings of the types without end", PATCH({ 1, 811, 'x' }), NO_OBJECT(STRINGS) },
	{ "strings of the types beyond the end", PATCH({ 4, TYPES + 20, 33 }),
	  NO_OBJECT(SECTION_RANGE) },
	{ "end of the strings wraps", PATCH({ 4, INFO + 16, 0xffffffff }, { 4, INFO + 20, 2 }),
	  NO_OBJECT(SECTION_RANGE) },
	{ "FUNC of a type that does not exist", PATCH({ ID, TYPES + 72 + 8, 11 }),
	  NO_OBJECT(TYPE_ID_RANGE) },
	{ "FUNCs not in order of name", PATCH({ 1, TYPES + 140 + 3, 'q' }),
	  NO_OBJECT(FUNC_ORDER) },
	{ "site of a prototype", PATCH({ ID, SITE(0), 5 }), NO_OBJECT(LOCSEC_FUNC) },
	{ "site of the highest id", PATCH({ 4, SITE(4), 0xffffffff }), NO_OBJECT(LOCSEC_FUNC) },
	{ "site with a prototype that does not exist", PATCH({ 4, SITE(4) + 4, 0xfffffff0 }),
	  NO_OBJECT(LOCSEC_PROTO) },
	{ "site with another number of parameters", PATCH({ ID, SITE(1) + 4, 15 }),
	  NO_OBJECT(LOCSEC_ARITY) },
	{ "sites not in order of function", PATCH({ ID, SITE(4), 6 }),
	  NO_OBJECT(LOCSEC_ORDER) },
	{ "sites not in order of offset", PATCH({ 4, SITE(1) + 8, 0x30 }),
	  NO_OBJECT(LOCSEC_ORDER) },
	{ "site at the highest offset", PATCH({ 4, SITE(4) + 8, 0xffffffff }),
	  NO_OBJECT(SITE_RANGE) },

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

const u32 container_nr_rows = sizeof(container_rows) / sizeof(container_rows[0]);

static bool apply(const struct container_patch *patch, const struct core_row_images *images,
		  u8 *file, u32 size)
{
	const u64 value = patch->value + (patch->size == ID ? images->more_ids : 0);
	const u32 bytes = patch->size == ID ? 4 : patch->size;

	if (patch->at > size || bytes > size - patch->at || bytes > 8)
		return false;
	memcpy(file + patch->at, &value, bytes);
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
	size = container_write(file, &blobs, NULL, row->parts ? row->parts : CONTAINER_PLAIN,
			       row->nr_headers);
	if (!size || size + row->shift > CONTAINER_MAX_SIZE)
		return 0;
	for (i = 0; i < CONTAINER_MAX_PATCHES && row->patches[i].size; i++)
		if (!apply(&row->patches[i], images, file, size))
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
