// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
/*
 * Offsets and ids are worked out by hand from the images in core_images.c. Header words are
 * little-endian.
 */
#include "core_images.h"

#define B CORE_IN_BASE
#define T CORE_IN_TYPES
#define F CORE_IN_FUNC_INFO

#define ACCEPTED .step = CORE_DONE
#define REFUSED(at_step, fault_code, id, at) \
	.step = (at_step), .error = -EINVAL, .code = BTF_FAULT_##fault_code, \
	.type_id = (id), .offset = (at)
#define BAD_BASE(fault_code, id, at) REFUSED(CORE_BASE, fault_code, id, at)
#define BAD_TYPES(fault_code, id, at) REFUSED(CORE_TYPES, fault_code, id, at)
#define BAD_INFO(fault_code, id, at) REFUSED(CORE_FUNC_INFO, fault_code, id, at)

/* A row of the plain images with some words overwritten. */
#define PATCH(...) .patches = { __VA_ARGS__ }
#define WORDS(...) .words = { __VA_ARGS__ }, .nr_words = sizeof((u32[]){ __VA_ARGS__ }) / 4
/* A LOC_PARAM of this shape is id 11 at 32. */
#define LOC(size, flags, vlen, ...) \
	.build = image_one_location, WORDS(0, INFO(PARAM, vlen), size, flags, __VA_ARGS__)
#define VARIABLE(length, place, letter) \
	.build = image_variable, WORDS((length), (place), (letter))
#define BAD_VARIABLE BAD_TYPES(VAR_NAME, 4, 24)
#define TYPE(...) .build = image_one_type, WORDS(__VA_ARGS__)

const struct core_row core_rows[] = {
	/* complete images that are accepted */
	{ "plain split layout", ACCEPTED },
	{ "inline layout", .build = image_inline_layout, ACCEPTED },
	{ "counts-only base", .build = image_counts_only, ACCEPTED },
	{ "no types, no sites, no strings", .build = image_no_types_at_all, ACCEPTED },
	{ "empty LOCSECs around one site", .build = image_empty_sections, ACCEPTED },
	{ "all offsets equal", .build = image_equal_offsets, ACCEPTED },
	{ "64 LOCSECs", .build = image_many_sections, WORDS(64), ACCEPTED },
	{ "65 LOCSECs", .build = image_many_sections, WORDS(65), .step = CORE_INDEX,
	  .error = -E2BIG },
	{ "one byte too little memory", .build = image_short_memory, .step = CORE_INDEX,
	  .error = -ENOMEM },
	{ "one byte too little scratch", .build = image_short_scratch, .step = CORE_INDEX,
	  .error = -ENOMEM },
	{ "layout skips a later kind", .build = image_later_kind, ACCEPTED },
	{ "longest function name", .build = image_long_name, WORDS(511), ACCEPTED },

	/* what may cost time is taken, and walks over it are bounded */
	{ "14 nested unions of 16 members", .build = image_nested_unions, WORDS(14, 16),
	  ACCEPTED },
	{ "150 functions at two places", .build = image_namesakes, WORDS(150), ACCEPTED },

	/* header and sections */
	{ "no byte", .cut = 0xffffffff, BAD_INFO(HEADER_CUT, 0, 0) },
	{ "cut in the magic", .cut = 1, BAD_INFO(HEADER_CUT, 0, 0) },
	{ "cut before the version", .cut = 2, BAD_INFO(HEADER_CUT, 0, 2) },
	{ "cut before the flags", .cut = 3, BAD_INFO(HEADER_CUT, 0, 3) },
	{ "cut in the header length", .cut = 7, BAD_INFO(HEADER_CUT, 0, 4) },
	{ "cut in the first 24 bytes", .cut = 23, BAD_INFO(HEADER_CUT, 0, 20) },
	{ "cut before the layout fields", .cut = 24, BAD_INFO(HEADER_CUT, 0, 24) },
	{ "cut in the layout fields", .cut = 31, BAD_INFO(HEADER_CUT, 0, 28) },
	{ "cut after the header", .cut = 32, BAD_INFO(SECTION_RANGE, 0, 8) },
	{ "unaligned blob", .build = image_unaligned, BAD_INFO(SECTION_ALIGN, 0, 0) },
	{ "magic", PATCH({ F, 0, 0x0001eb9e }), BAD_INFO(MAGIC, 0, 0) },
	{ "swapped byte order", PATCH({ F, 0, 0x00019feb }), BAD_INFO(BYTE_ORDER, 0, 0) },
	{ "base in swapped byte order", PATCH({ B, 0, 0x00019feb }), BAD_BASE(BYTE_ORDER, 0, 0) },
	{ "version", PATCH({ F, 0, 0x0002eb9f }), BAD_INFO(VERSION, 0, 2) },
	{ "header flags", PATCH({ F, 0, 0x0101eb9f }), BAD_INFO(HEADER_FLAGS, 0, 3) },
	{ "header length 28", PATCH({ F, 4, 28 }), BAD_INFO(HEADER_LENGTH, 0, 4) },
	{ "header length 0", PATCH({ F, 4, 0 }), BAD_INFO(HEADER_LENGTH, 0, 4) },
	{ "header length 4 GB", PATCH({ F, 4, 0xffffffff }), BAD_INFO(HEADER_LENGTH, 0, 4) },
	{ "types beyond the end", PATCH({ F, 8, 0x1000 }), BAD_INFO(SECTION_RANGE, 0, 8) },
	{ "types too long by four", PATCH({ T, 12, 116 + 32 + 4 }),
	  BAD_TYPES(SECTION_RANGE, 0, 8) },
	{ "end of types wraps", PATCH({ F, 8, 0xfffffffc }, { F, 12, 8 }),
	  BAD_INFO(SECTION_RANGE, 0, 8) },
	{ "end of strings wraps", PATCH({ F, 16, 0xffffffff }, { F, 20, 2 }),
	  BAD_INFO(SECTION_RANGE, 0, 16) },
	{ "end of layout wraps", PATCH({ F, 24, 0xfffffffc }, { F, 28, 8 }),
	  BAD_INFO(SECTION_RANGE, 0, 24) },
	{ "strings beyond the end", PATCH({ B, 16, 1000 }), BAD_BASE(SECTION_RANGE, 0, 16) },
	{ "types not aligned", PATCH({ F, 8, 2 }, { F, 12, 4 }), BAD_INFO(SECTION_ALIGN, 0, 8) },
	{ "layout not aligned", PATCH({ F, 24, 237 }, { F, 28, 88 }),
	  BAD_INFO(SECTION_ALIGN, 0, 24) },
	{ "half a layout entry", PATCH({ F, 28, 90 }), BAD_INFO(SECTION_ALIGN, 0, 24) },
	{ "strings over types", PATCH({ F, 16, 0 }), BAD_INFO(SECTION_OVERLAP, 0, 16) },
	{ "layout over types", PATCH({ F, 24, 232 }), BAD_INFO(SECTION_OVERLAP, 0, 24) },
	{ "layout over strings", PATCH({ F, 24, 240 }), BAD_INFO(SECTION_OVERLAP, 0, 24) },
	{ "base without strings", PATCH({ B, 20, 0 }), BAD_BASE(STRINGS, 0, 16) },
	{ "base whose strings end without a NUL", PATCH({ B, 20, 14 }), BAD_BASE(STRINGS, 0, 16) },
	{ "base whose strings begin with text", PATCH({ B, 16, 41 }, { B, 20, 14 }),
	  BAD_BASE(STRINGS, 0, 16) },
	{ "strings without a NUL at the end", PATCH({ F, 20, 32 }), BAD_INFO(STRINGS, 0, 16) },
	{ "no room for one more string offset", .build = image_most_strings,
	  BAD_TYPES(TOO_MANY_STRINGS, 0, 16) },
	{ "ids up to 32 bits and one", .build = image_most_ids, BAD_TYPES(TOO_MANY_TYPES, 0, 8) },
	{ "base that leaves no id", .build = image_all_ids, BAD_TYPES(TOO_MANY_TYPES, 0, 8) },
	{ "layout lies about FUNC_PROTO", PATCH({ F, 268 + 13 * 4, 0x0c00 }),
	  BAD_INFO(LAYOUT, 0, 268 + 13 * 4) },
	{ "layout lies about LOCSEC", PATCH({ F, 268 + 22 * 4, 0x1000 }),
	  BAD_INFO(LAYOUT, 0, 268 + 22 * 4) },
	{ "layout of kind 0", PATCH({ F, 268, 4 }), BAD_INFO(LAYOUT, 0, 268) },
	{ "layout that breaks alignment", .build = image_later_kind, PATCH({ F, 224, 0x0802 }),
	  BAD_INFO(LAYOUT, 0, 224) },
	{ "layout short of a later kind", .build = image_later_kind, PATCH({ F, 28, 92 }),
	  BAD_INFO(KIND_UNKNOWN, 11, 32) },
	{ "layout makes the last record too long", .build = image_later_kind,
	  PATCH({ F, 224, 0xf804 }),
	  BAD_INFO(TYPE_CUT, 11, 32) },
	{ "kind 0", PATCH({ F, 52 + 4, 0 }), BAD_INFO(KIND_UNKNOWN, 12, 52) },
	{ "kind 127 in a base", PATCH({ B, 40 + 4, INFO(127, 0) }), BAD_BASE(KIND_UNKNOWN, 2, 40) },
	{ "record cut in struct btf_type", PATCH({ F, 12, 236 - 16 }),
	  BAD_INFO(TYPE_CUT, 19, 244) },
	{ "record cut in its entries", PATCH({ F, 12, 232 }), BAD_INFO(TYPE_CUT, 19, 244) },
	{ "odd length of types", PATCH({ F, 12, 235 }), BAD_INFO(TYPE_CUT, 19, 244) },
	{ "largest vlen", PATCH({ F, 244 + 4, INFO(LOCSEC, 0xffffff) }),
	  BAD_INFO(TYPE_CUT, 19, 244) },

	/* types blob: places */
	{ "location kind in the types blob", .build = image_inline_as_types,
	  BAD_TYPES(KIND_PLACE, 6, 56) },
	{ "name beyond the strings", PATCH({ T, 84, 47 }), BAD_TYPES(NAME_RANGE, 7, 84) },
	{ "last byte of the strings as a name", PATCH({ T, 84, 46 }),
	  BAD_TYPES(NAME_MISSING, 7, 84) },
	{ "FUNC without a name", PATCH({ T, 72, 0 }), BAD_TYPES(NAME_MISSING, 6, 72) },
	{ "FUNC with an empty name", PATCH({ T, 72, 15 }), BAD_TYPES(NAME_MISSING, 6, 72) },
	{ "FUNC_PROTO with a name", PATCH({ T, 24, 16 }), BAD_TYPES(NAME_UNEXPECTED, 4, 24) },
	{ "function name too long", .build = image_long_name, WORDS(512),
	  BAD_INFO(NAME_LENGTH, 4, 32) },
	{ "FUNC of a FUNC", PATCH({ T, 72 + 8, 3 }), BAD_TYPES(FUNC_PROTO, 6, 72 + 8) },
	{ "FUNC of void", PATCH({ T, 72 + 8, 0 }), BAD_TYPES(TYPE_ID_RANGE, 6, 72 + 8) },
	{ "FUNC of the id after the last", PATCH({ T, 72 + 8, 11 }),
	  BAD_TYPES(TYPE_ID_RANGE, 6, 72 + 8) },
	{ "linkage of a FUNC", PATCH({ T, 72 + 4, INFO(FUNC, 3) }),
	  BAD_TYPES(TYPE_FIELD, 6, 72 + 4) },
	{ "FUNC with a kind_flag", PATCH({ T, 72 + 4, INFO(FUNC, 0) | KIND_FLAG }),
	  BAD_TYPES(TYPE_FIELD, 6, 72 + 4) },
	{ "FUNCs not in order of name", PATCH({ T, 72, 24 }, { T, 84, 18 }),
	  BAD_TYPES(FUNC_ORDER, 7, 84) },
	{ "FUNCs in two runs", PATCH({ T, 84 + 4, INFO(TYPEDEF, 0) }),
	  BAD_TYPES(FUNC_ORDER, 8, 96) },
	{ "two FUNCs in order and with one name", PATCH({ T, 72, 24 }), ACCEPTED },
	{ "parameter of a type that does not exist", PATCH({ T, 24 + 16, 11 }),
	  BAD_TYPES(TYPE_ID_RANGE, 4, 24 + 16) },
	{ "return of a type that does not exist", PATCH({ T, 24 + 8, 11 }),
	  BAD_TYPES(TYPE_ID_RANGE, 4, 24 + 8) },
	{ "forward reference", PATCH({ T, 24 + 8, 10 }), ACCEPTED },
	{ "void parameter before the last", PATCH({ T, 44 + 16, 0 }),
	  BAD_TYPES(TYPE_ID_RANGE, 5, 44 + 16) },
	{ "variadic parameter with a name", PATCH({ T, 44 + 20, 16 }),
	  BAD_TYPES(NAME_UNEXPECTED, 5, 44 + 20) },
	{ "parameter name beyond the strings", PATCH({ T, 24 + 12, 47 }),
	  BAD_TYPES(NAME_RANGE, 4, 24 + 12) },
	{ "DECL_TAG without a value", PATCH({ T, 108, 0 }), BAD_TYPES(NAME_MISSING, 9, 108) },
	{ "DECL_TAG component -2", PATCH({ T, 108 + 12, 0xfffffffe }),
	  BAD_TYPES(TAG_TARGET, 9, 108 + 12) },
	{ "DECL_TAG component 0 of one", PATCH({ T, 108 + 12, 0 }), ACCEPTED },
	{ "DECL_TAG component 1 of one", PATCH({ T, 108 + 12, 1 }),
	  BAD_TYPES(TAG_TARGET, 9, 108 + 12) },
	{ "DECL_TAG of an INT", PATCH({ T, 108 + 8, 1 }), BAD_TYPES(TAG_TARGET, 9, 108 + 8) },
	{ "DECL_TAG of void", PATCH({ T, 108 + 8, 0 }), BAD_TYPES(TYPE_ID_RANGE, 9, 108 + 8) },
	{ "reference into a counts-only base", .build = image_counts_only, PATCH({ T, 72 + 8, 2 }),
	  ACCEPTED },
	{ "reference after a counts-only base", .build = image_counts_only,
	  PATCH({ T, 72 + 8, 11 }),
	  BAD_TYPES(TYPE_ID_RANGE, 6, 72 + 8) },
	{ "DECL_TAG into a counts-only base", .build = image_counts_only, PATCH({ T, 108 + 8, 3 }),
	  ACCEPTED },

	/* "apple" is at 143 in types, "base_func" at 69 in the base, "inline.text" at 360 */
	{ "name with a line feed", PATCH({ T, 144, 0x0a6c7070 }), BAD_TYPES(NAME_TEXT, 0, 147) },
	{ "name with a DEL", PATCH({ T, 144, 0x7f6c7070 }), BAD_TYPES(NAME_TEXT, 0, 147) },
	{ "name with a control character of 2 bytes", PATCH({ T, 144, 0x85c27070 }),
	  BAD_TYPES(NAME_TEXT, 0, 146) },
	{ "name with a letter of 2 bytes", PATCH({ T, 144, 0xa9c37070 }), ACCEPTED },
	{ "name with a letter of 4 bytes", PATCH({ T, 144, 0x80989ff0 }), ACCEPTED },
	{ "name with the end of a letter", PATCH({ T, 144, 0x806c7070 }),
	  BAD_TYPES(NAME_TEXT, 0, 147) },
	{ "name with the begin of a letter", PATCH({ T, 144, 0xc36c7070 }),
	  BAD_TYPES(NAME_TEXT, 0, 147) },
	{ "name that begins within a letter", PATCH({ T, 144, 0xa9c37070 }, { T, 72, 22 }),
	  BAD_TYPES(NAME_TEXT, 6, 72) },
	{ "name with a slash of 2 bytes", PATCH({ T, 144, 0xafc07070 }),
	  BAD_TYPES(NAME_TEXT, 0, 146) },
	{ "name with half of a pair", PATCH({ T, 144, 0x80a0ed70 }),
	  BAD_TYPES(NAME_TEXT, 0, 145) },
	{ "name with a letter after the last", PATCH({ T, 144, 0x808090f4 }),
	  BAD_TYPES(NAME_TEXT, 0, 144) },
	{ "tab in the name of a LOCSEC", PATCH({ F, 364, 0x092e656e }),
	  BAD_INFO(NAME_TEXT, 0, 367) },
	{ "names of a base are not looked at", PATCH({ B, 72, 0x75665f0a }), ACCEPTED },

	/* types blob: each kind as its only type, id 4 at 24 */
	{ "INT", TYPE(15, INFO(INT, 0), 4, 0x01000020), ACCEPTED },
	{ "INT of 16 bytes", TYPE(15, INFO(INT, 0), 16, 0x01000080), ACCEPTED },
	{ "INT of 17 bytes", TYPE(15, INFO(INT, 0), 17, 8), BAD_TYPES(TYPE_FIELD, 4, 32) },
	{ "INT of no byte", TYPE(15, INFO(INT, 0), 0, 0), BAD_TYPES(TYPE_FIELD, 4, 32) },
	{ "INT of more bits than bytes", TYPE(15, INFO(INT, 0), 1, 9),
	  BAD_TYPES(TYPE_FIELD, 4, 36) },
	{ "INT of two encodings", TYPE(15, INFO(INT, 0), 1, 0x03000008),
	  BAD_TYPES(TYPE_FIELD, 4, 36) },
	{ "INT with a vlen", TYPE(15, INFO(INT, 1), 1, 8), BAD_TYPES(TYPE_FIELD, 4, 28) },
	{ "PTR", TYPE(0, INFO(PTR, 0), 0), ACCEPTED },
	{ "PTR to itself", TYPE(0, INFO(PTR, 0), 4), ACCEPTED },
	{ "PTR to what does not exist", TYPE(0, INFO(PTR, 0), 5), BAD_TYPES(TYPE_ID_RANGE, 4, 32) },
	{ "PTR with a name", TYPE(15, INFO(PTR, 0), 1), BAD_TYPES(NAME_UNEXPECTED, 4, 24) },
	{ "CONST with a kind_flag", TYPE(0, INFO(CONST, 0) | KIND_FLAG, 1),
	  BAD_TYPES(TYPE_FIELD, 4, 28) },
	{ "VOLATILE", TYPE(0, INFO(VOLATILE, 0), 1), ACCEPTED },
	{ "RESTRICT", TYPE(0, INFO(RESTRICT, 0), 1), ACCEPTED },
	{ "TYPEDEF", TYPE(15, INFO(TYPEDEF, 0), 1), ACCEPTED },
	{ "TYPEDEF without a name", TYPE(0, INFO(TYPEDEF, 0), 1), BAD_TYPES(NAME_MISSING, 4, 24) },
	{ "TYPE_TAG", TYPE(15, INFO(TYPE_TAG, 0), 1), ACCEPTED },
	{ "TYPE_TAG of an attribute", TYPE(15, INFO(TYPE_TAG, 0) | KIND_FLAG, 1), ACCEPTED },
	{ "FWD", TYPE(15, INFO(FWD, 0) | KIND_FLAG, 0), ACCEPTED },
	{ "FWD with a type", TYPE(15, INFO(FWD, 0), 1), BAD_TYPES(TYPE_FIELD, 4, 32) },
	{ "ARRAY", TYPE(0, INFO(ARRAY, 0), 0, 1, 1, 10), ACCEPTED },
	{ "ARRAY of void", TYPE(0, INFO(ARRAY, 0), 0, 0, 1, 10), BAD_TYPES(TYPE_ID_RANGE, 4, 36) },
	{ "ARRAY index that does not exist", TYPE(0, INFO(ARRAY, 0), 0, 1, 5, 10),
	  BAD_TYPES(TYPE_ID_RANGE, 4, 40) },
	{ "STRUCT", TYPE(15, INFO(STRUCT, 2), 8, 15, 1, 0, 0, 1, 32), ACCEPTED },
	{ "STRUCT with bit fields", TYPE(15, INFO(STRUCT, 1) | KIND_FLAG, 4, 15, 1, 0x03000004),
	  ACCEPTED },
	{ "empty STRUCT without a name", TYPE(0, INFO(STRUCT, 0), 0), ACCEPTED },
	{ "member name beyond the strings", TYPE(15, INFO(STRUCT, 1), 8, 17, 1, 0),
	  BAD_TYPES(NAME_RANGE, 4, 36) },
	{ "member of void", TYPE(15, INFO(STRUCT, 1), 8, 15, 0, 0),
	  BAD_TYPES(TYPE_ID_RANGE, 4, 40) },
	{ "member after its struct", TYPE(15, INFO(STRUCT, 1), 8, 15, 1, 65),
	  BAD_TYPES(MEMBER, 4, 44) },
	{ "members out of order", TYPE(15, INFO(STRUCT, 2), 8, 15, 1, 32, 15, 1, 0),
	  BAD_TYPES(MEMBER, 4, 56) },
	{ "UNION", TYPE(0, INFO(UNION, 2), 4, 15, 1, 0, 15, 1, 0), ACCEPTED },
	{ "UNION with an offset", TYPE(0, INFO(UNION, 1), 4, 15, 1, 8), BAD_TYPES(MEMBER, 4, 44) },
	{ "ENUM", TYPE(0, INFO(ENUM, 2) | KIND_FLAG, 4, 15, 0, 15, 1), ACCEPTED },
	{ "ENUM of 3 bytes", TYPE(0, INFO(ENUM, 0), 3), BAD_TYPES(TYPE_FIELD, 4, 32) },
	{ "ENUM of 16 bytes", TYPE(0, INFO(ENUM, 0), 16), BAD_TYPES(TYPE_FIELD, 4, 32) },
	{ "ENUM value without a name", TYPE(0, INFO(ENUM, 2), 4, 15, 0, 0, 1),
	  BAD_TYPES(NAME_MISSING, 4, 44) },
	{ "ENUM64", TYPE(15, INFO(ENUM64, 2), 8, 15, 0, 0, 15, 1, 0), ACCEPTED },
	{ "ENUM64 value name beyond the strings", TYPE(15, INFO(ENUM64, 2), 8, 15, 0, 0, 17, 1, 0),
	  BAD_TYPES(NAME_RANGE, 4, 48) },
	{ "VAR", TYPE(15, INFO(VAR, 0), 1, 1), ACCEPTED },
	{ "VAR of void", TYPE(15, INFO(VAR, 0), 0, 1), BAD_TYPES(TYPE_ID_RANGE, 4, 32) },
	{ "VAR without a name", TYPE(0, INFO(VAR, 0), 1, 1), BAD_TYPES(NAME_MISSING, 4, 24) },
	{ "VAR with a vlen", TYPE(15, INFO(VAR, 1), 1, 1), BAD_TYPES(TYPE_FIELD, 4, 28) },
	{ "VAR with a kind_flag", TYPE(15, INFO(VAR, 0) | KIND_FLAG, 1, 1),
	  BAD_TYPES(TYPE_FIELD, 4, 28) },
	{ "VAR of the id after the last", TYPE(15, INFO(VAR, 0), 5, 1),
	  BAD_TYPES(TYPE_ID_RANGE, 4, 32) },
	{ "VAR cut before its linkage", TYPE(15, INFO(VAR, 0), 1), BAD_TYPES(TYPE_CUT, 4, 24) },
	{ "longest name of a VAR", VARIABLE(511, 0, 'n'), ACCEPTED },
	{ "VAR name too long", VARIABLE(512, 0, 'n'), BAD_VARIABLE },
	{ "dot in the name of a VAR", VARIABLE(5, 3, '.'), ACCEPTED },
	{ "VAR name with a dot first", VARIABLE(5, 0, '.'), ACCEPTED },
	{ "VAR name with a digit first", VARIABLE(5, 0, '0'), BAD_VARIABLE },
	{ "VAR name with a digit last", VARIABLE(5, 4, '9'), ACCEPTED },
	{ "VAR name with '@'", VARIABLE(5, 1, '@'), BAD_VARIABLE },
	{ "VAR name with '['", VARIABLE(5, 1, '['), BAD_VARIABLE },
	{ "VAR name with '{'", VARIABLE(5, 1, '{'), BAD_VARIABLE },
	{ "VAR name with '`'", VARIABLE(5, 1, '`'), BAD_VARIABLE },
	{ "VAR name with ':'", VARIABLE(5, 1, ':'), BAD_VARIABLE },
	{ "VAR name with '/'", VARIABLE(5, 1, '/'), BAD_VARIABLE },
	{ "VAR name with a space", VARIABLE(5, 4, ' '), BAD_VARIABLE },
	{ "VAR linkage", TYPE(15, INFO(VAR, 0), 1, 2), BAD_TYPES(TYPE_FIELD, 4, 36) },
	{ "DATASEC", TYPE(15, INFO(DATASEC, 2), 8, 1, 0, 4, 1, 4, 4), ACCEPTED },
	{ "DATASEC of no byte", TYPE(15, INFO(DATASEC, 0), 0), BAD_TYPES(TYPE_FIELD, 4, 32) },
	{ "DATASEC variable of void", TYPE(15, INFO(DATASEC, 1), 8, 0, 0, 4),
	  BAD_TYPES(TYPE_ID_RANGE, 4, 36) },
	{ "DATASEC variables overlap", TYPE(15, INFO(DATASEC, 2), 8, 1, 0, 4, 1, 3, 4),
	  BAD_TYPES(MEMBER, 4, 52) },
	{ "DATASEC variable beyond the end", TYPE(15, INFO(DATASEC, 1), 8, 1, 5, 4),
	  BAD_TYPES(MEMBER, 4, 44) },
	/*
	 * btf_datasec_check_meta() of the kernel adds two u32 before it widens, so it accepts this
	 */
	{ "DATASEC offset and size wrap", TYPE(15, INFO(DATASEC, 1), 8, 1, 0xfffffffc, 8),
	  BAD_TYPES(MEMBER, 4, 44) },
	{ "FLOAT", TYPE(15, INFO(FLOAT, 0), 12), ACCEPTED },
	{ "FLOAT of 6 bytes", TYPE(15, INFO(FLOAT, 0), 6), BAD_TYPES(TYPE_FIELD, 4, 32) },

	/* LOC_PARAM: every shape of the format, with its smallest and largest size */
	{ "CONST, 1 byte", LOC(1, LOC_CONST, 1, 0xff), ACCEPTED },
	{ "CONST, 4 bytes", LOC(4, LOC_CONST, 1, 0xffffffff), ACCEPTED },
	{ "CONST, 4 bytes in two words", LOC(4, LOC_CONST, 2, 1, 0), ACCEPTED },
	{ "CONST, 8 bytes", LOC(8, LOC_CONST | LOC_SIGNED, 2, 1, 0xffffffff), ACCEPTED },
	{ "CONST, 5 bytes in one word", LOC(5, LOC_CONST, 1, 1), BAD_INFO(PARAM_SIZE, 11, 40) },
	{ "CONST, 8 bytes in one word", LOC(8, LOC_CONST, 1, 1), BAD_INFO(PARAM_SIZE, 11, 40) },
	{ "CONST, 9 bytes", LOC(9, LOC_CONST, 2, 1, 0), BAD_INFO(PARAM_SIZE, 11, 40) },
	{ "CONST without a value", .build = image_one_location,
	  WORDS(0, INFO(PARAM, 0), 4, LOC_CONST), BAD_INFO(PARAM_VLEN, 11, 36) },
	{ "CONST of three words", LOC(4, LOC_CONST, 3, 1, 0, 0), BAD_INFO(PARAM_VLEN, 11, 36) },
	{ "address", LOC(8, LOC_CONST | LOC_ADDR, 2, 0x1000, 0), ACCEPTED },
	{ "signed address of 4 bytes", LOC(4, LOC_CONST | LOC_ADDR | LOC_SIGNED, 1, 0x1000),
	  ACCEPTED },
	{ "address of 8 bytes in one word", LOC(8, LOC_CONST | LOC_ADDR, 1, 0x1000),
	  BAD_INFO(PARAM_SIZE, 11, 40) },
	{ "REG, 1 byte", LOC(1, LOC_REG, 1, 0), ACCEPTED },
	{ "REG, 8 bytes, last of x86-64", LOC(8, LOC_REG, 1, 16), ACCEPTED },
	{ "REG, 9 bytes", LOC(9, LOC_REG, 1, 0), BAD_INFO(PARAM_SIZE, 11, 40) },
	{ "REG SIGNED", LOC(4, LOC_REG | LOC_SIGNED, 1, 0), BAD_INFO(PARAM_FLAGS, 11, 44) },
	{ "REG after the last of x86-64", LOC(8, LOC_REG, 1, 17),
	  BAD_INFO(PARAM_REGISTER, 11, 48) },
	{ "REG, last of arm64", LOC(8, LOC_REG, 1, 31), .machine = LOC_MACHINE_AARCH64, ACCEPTED },
	{ "REG after the last of arm64", LOC(8, LOC_REG, 1, 32), .machine = LOC_MACHINE_AARCH64,
	  BAD_INFO(PARAM_REGISTER, 11, 48) },
	{ "REG of an unknown machine", LOC(8, LOC_REG, 1, 0), .machine = 1,
	  BAD_INFO(PARAM_REGISTER, 11, 48) },
	{ "CONST of an unknown machine", LOC(4, LOC_CONST, 1, 0), .machine = 1, ACCEPTED },
	{ "frame base", LOC(8, LOC_REG, 1, LOC_FRAME_BASE), ACCEPTED },
	{ "pair, 9 bytes", LOC(9, LOC_REG, 2, 0, 16), ACCEPTED },
	{ "pair, 16 bytes", LOC(16, LOC_REG, 2, 5, 4), ACCEPTED },
	{ "pair, 8 bytes", LOC(8, LOC_REG, 2, 5, 4), BAD_INFO(PARAM_SIZE, 11, 40) },
	{ "pair, first register", LOC(16, LOC_REG, 2, 17, 0), BAD_INFO(PARAM_REGISTER, 11, 48) },
	{ "pair, second register", LOC(16, LOC_REG, 2, 0, 17), BAD_INFO(PARAM_REGISTER, 11, 52) },
	{ "pair with the frame base", LOC(16, LOC_REG, 2, LOC_FRAME_BASE, 0),
	  BAD_INFO(PARAM_REGISTER, 11, 48) },
	{ "pair with the frame base second", LOC(16, LOC_REG, 2, 0, LOC_FRAME_BASE),
	  BAD_INFO(PARAM_REGISTER, 11, 52) },
	{ "three registers", LOC(16, LOC_REG, 3, 0, 1, 2), BAD_INFO(PARAM_VLEN, 11, 36) },
	{ "memory, 1 byte", LOC(1, LOC_REG | LOC_DEREF, 1, 7), ACCEPTED },
	{ "memory, 16 bytes", LOC(16, LOC_REG | LOC_DEREF, 1, 7), ACCEPTED },
	{ "memory, 17 bytes", LOC(17, LOC_REG | LOC_DEREF, 1, 7), BAD_INFO(PARAM_SIZE, 11, 40) },
	{ "memory, no byte", LOC(0, LOC_REG | LOC_DEREF, 1, 7), BAD_INFO(PARAM_SIZE, 11, 40) },
	{ "memory at a pair", LOC(8, LOC_REG | LOC_DEREF, 2, 7, 7), BAD_INFO(PARAM_VLEN, 11, 36) },
	{ "memory SIGNED without an offset", LOC(4, LOC_REG | LOC_DEREF | LOC_SIGNED, 1, 7),
	  BAD_INFO(PARAM_FLAGS, 11, 44) },
	{ "sum, 1 byte", LOC(1, LOC_REG | LOC_OFFSET, 2, 7, 8), ACCEPTED },
	{ "sum, 8 bytes, long offset", LOC(8, LOC_REG | LOC_OFFSET, 3, 7, 8, 0xffffffff),
	  ACCEPTED },
	{ "signed sum", LOC(4, LOC_REG | LOC_OFFSET | LOC_SIGNED, 2, 7, 0), ACCEPTED },
	{ "sum, 9 bytes", LOC(9, LOC_REG | LOC_OFFSET, 2, 7, 8), BAD_INFO(PARAM_SIZE, 11, 40) },
	{ "sum without an offset", LOC(8, LOC_REG | LOC_OFFSET, 1, 7),
	  BAD_INFO(PARAM_VLEN, 11, 36) },
	{ "sum of four words", LOC(8, LOC_REG | LOC_OFFSET, 4, 7, 0, 0, 0),
	  BAD_INFO(PARAM_VLEN, 11, 36) },
	{ "memory at a sum, 16 bytes", LOC(16, LOC_REG | LOC_DEREF | LOC_OFFSET, 2, 7, 8),
	  ACCEPTED },
	{ "memory at a long sum", LOC(1, LOC_REG | LOC_DEREF | LOC_OFFSET, 3, 7, 8, 0xffffffff),
	  ACCEPTED },
	{ "memory at a signed sum",
	  LOC(8, LOC_REG | LOC_DEREF | LOC_OFFSET | LOC_SIGNED, 2, LOC_FRAME_BASE, 0xfffffff8),
	  ACCEPTED },
	{ "memory at a sum, register",
	  LOC(8, LOC_REG | LOC_DEREF | LOC_OFFSET, 2, 0xfffffffe, 8),
	  BAD_INFO(PARAM_REGISTER, 11, 48) },
	{ "no flags", LOC(8, 0, 1, 7), BAD_INFO(PARAM_FLAGS, 11, 44) },
	{ "CONST and REG", LOC(4, LOC_CONST | LOC_REG, 1, 7), BAD_INFO(PARAM_FLAGS, 11, 44) },
	{ "ADDR alone", LOC(4, LOC_ADDR, 1, 7), BAD_INFO(PARAM_FLAGS, 11, 44) },
	{ "DEREF alone", LOC(4, LOC_DEREF, 1, 7), BAD_INFO(PARAM_FLAGS, 11, 44) },
	{ "CONST DEREF", LOC(4, LOC_CONST | LOC_DEREF, 1, 7), BAD_INFO(PARAM_FLAGS, 11, 44) },
	{ "a flag of later days", LOC(4, LOC_REG | 0x40, 1, 7), BAD_INFO(PARAM_FLAGS, 11, 44) },
	{ "the highest flag", LOC(4, LOC_REG | 0x80000000, 1, 7), BAD_INFO(PARAM_FLAGS, 11, 44) },
	{ "LOC_PARAM with a name", PATCH({ F, 32, 47 }), BAD_INFO(NAME_UNEXPECTED, 11, 32) },
	{ "LOC_PARAM with a kind_flag", PATCH({ F, 32 + 4, INFO(PARAM, 1) | KIND_FLAG }),
	  BAD_INFO(TYPE_FIELD, 11, 36) },

	/* LOC_PROTO */
	{ "LOC_PROTO with a name", PATCH({ F, 84, 47 }), BAD_INFO(NAME_UNEXPECTED, 14, 84) },
	{ "LOC_PROTO with a kind_flag", PATCH({ F, 84 + 4, INFO(PROTO, 1) | KIND_FLAG }),
	  BAD_INFO(TYPE_FIELD, 14, 88) },
	{ "LOC_PROTO with a size", PATCH({ F, 84 + 8, 4 }), BAD_INFO(TYPE_FIELD, 14, 92) },
	{ "LOC_PROTO of a LOC_PROTO", PATCH({ F, 100 + 16, 14 }), BAD_INFO(PROTO_PARAM, 15, 116) },
	{ "LOC_PROTO of an INT of the base", PATCH({ F, 84 + 12, 1 }),
	  BAD_INFO(PROTO_PARAM, 14, 96) },
	{ "LOC_PROTO of the id after the last", PATCH({ F, 84 + 12, 20 }),
	  BAD_INFO(PROTO_PARAM, 14, 96) },
	{ "LOC_PROTO of the highest id", PATCH({ F, 84 + 12, 0xffffffff }),
	  BAD_INFO(PROTO_PARAM, 14, 96) },
	{ "LOC_PROTO without any location", PATCH({ F, 84 + 12, 0 }), ACCEPTED },

	/* LOCSEC */
	{ "LOCSEC without a name", PATCH({ F, 136, 0 }), BAD_INFO(NAME_MISSING, 17, 136) },
	{ "LOCSEC name beyond the strings", PATCH({ F, 136, 80 }), BAD_INFO(NAME_RANGE, 17, 136) },
	{ "LOCSEC named apple", PATCH({ F, 136, 18 }), BAD_INFO(LOCSEC_NAME, 17, 136) },
	{ "LOCSEC of inline without a section", PATCH({ F, 360 + 4, 0x0000656e }),
	  BAD_INFO(LOCSEC_NAME, 17, 136) },
	{ "LOCSEC of inline and a dot", PATCH({ F, 360 + 4, 0x002e656e }),
	  BAD_INFO(LOCSEC_NAME, 17, 136) },
	{ "LOCSEC name in a counts-only base", .build = image_counts_only, PATCH({ F, 136, 5 }),
	  BAD_INFO(LOCSEC_NAME, 17, 136) },
	{ "LOCSEC name in the strings of the types", PATCH({ F, 136, 35 }),
	  BAD_INFO(LOCSEC_NAME, 17, 136) },
	{ "second LOCSEC of one name", PATCH({ F, 208, 47 }), BAD_INFO(LOCSEC_DUPLICATE, 18, 208) },
	{ "inline.text and .text", PATCH({ F, 208, 53 }), BAD_INFO(LOCSEC_DUPLICATE, 18, 208) },
	{ "LOCSEC with a kind_flag", PATCH({ F, 244 + 4, INFO(LOCSEC, 1) | KIND_FLAG }),
	  BAD_INFO(TYPE_FIELD, 19, 248) },
	{ "LOCSEC with a size", PATCH({ F, 244 + 8, 12 }), BAD_INFO(TYPE_FIELD, 19, 252) },
	{ "site of void", PATCH({ F, 148, 0 }), BAD_INFO(LOCSEC_FUNC, 17, 148) },
	{ "site of an INT", PATCH({ F, 148, 1 }), BAD_INFO(LOCSEC_FUNC, 17, 148) },
	{ "site of a LOC_PROTO", PATCH({ F, 196, 13 }), BAD_INFO(LOCSEC_FUNC, 17, 196) },
	{ "site of the highest id", PATCH({ F, 196, 0xffffffff }), BAD_INFO(LOCSEC_FUNC, 17, 196) },
	{ "site of a FUNC without a FUNC_PROTO", PATCH({ B, 52 + 8, 1 }),
	  BAD_INFO(FUNC_PROTO, 17, 148) },
	{ "site of a FUNC of an id after all", PATCH({ B, 52 + 8, 0xffffffff }),
	  BAD_INFO(FUNC_PROTO, 17, 148) },
	{ "site of a FUNC without a name", PATCH({ B, 52, 0 }), BAD_INFO(NAME_MISSING, 17, 148) },
	{ "site of a FUNC with a name after all", PATCH({ B, 52, 0xffffffff }),
	  BAD_INFO(NAME_RANGE, 17, 148) },
	{ "site without a LOC_PROTO", PATCH({ F, 160 + 4, 0 }), BAD_INFO(LOCSEC_PROTO, 17, 164) },
	{ "site of a LOC_PARAM", PATCH({ F, 160 + 4, 11 }), BAD_INFO(LOCSEC_PROTO, 17, 164) },
	{ "site of a FUNC_PROTO", PATCH({ F, 160 + 4, 4 }), BAD_INFO(LOCSEC_PROTO, 17, 164) },
	{ "site of the id after the last", PATCH({ F, 160 + 4, 20 }),
	  BAD_INFO(LOCSEC_PROTO, 17, 164) },
	{ "LOC_PROTO of too many", PATCH({ F, 160 + 4, 15 }), BAD_INFO(LOCSEC_ARITY, 17, 164) },
	{ "LOC_PROTO of too few", PATCH({ F, 196 + 4, 14 }), BAD_INFO(LOCSEC_ARITY, 17, 200) },
	{ "LOC_PROTO of none", PATCH({ F, 184 + 4, 13 }), BAD_INFO(LOCSEC_ARITY, 17, 188) },
	{ "arity on trust", .build = image_counts_only, PATCH({ F, 148 + 4, 15 }), ACCEPTED },
	{ "functions out of order", PATCH({ F, 172, 3 }), BAD_INFO(LOCSEC_ORDER, 17, 172) },
	{ "offsets out of order", PATCH({ F, 160 + 8, 0x21 }), BAD_INFO(LOCSEC_ORDER, 17, 172) },
	{ "the same site twice", PATCH({ F, 172 + 8, 0x10 }), BAD_INFO(LOCSEC_ORDER, 17, 172) },
	{ "two LOC_PROTOs of one site", PATCH({ F, 172 + 8, 0x10 }, { F, 172 + 4, 16 }), ACCEPTED },
	{ "two LOC_PROTOs of one site out of order",
	  PATCH({ F, 160 + 4, 16 }, { F, 172 + 8, 0x10 }), BAD_INFO(LOCSEC_ORDER, 17, 172) },
	{ "highest offset", PATCH({ F, 172 + 8, 0xffffffff }), ACCEPTED },

	/* the inline layout is checked like both blobs of the split layout */
	{ "inline: FUNCs out of order", .build = image_inline_layout,
	  PATCH({ F, 32, 19 }, { F, 44, 15 }),
	  BAD_INFO(FUNC_ORDER, 5, 44) },
	{ "inline: FUNC of an INT", .build = image_inline_layout, PATCH({ F, 32 + 8, 1 }),
	  BAD_INFO(FUNC_PROTO, 4, 40) },
};

const u32 core_nr_rows = sizeof(core_rows) / sizeof(core_rows[0]);

/* ---- from rows to images, from outcomes to verdicts ---- */

static bool apply(const struct core_patch *patch, struct core_row_images *images,
		  const struct core_input *input)
{
	const struct core_image *image = &input->func_info;
	u32 *words = images->func_info;

	if (patch->image == CORE_IN_BASE) {
		image = &input->base;
		words = images->base;
	} else if (patch->image == CORE_IN_TYPES) {
		image = &input->types;
		words = images->types;
	}
	if (patch->at % 4 || patch->at + 4 > image->size)
		return false;
	words[patch->at / 4] = patch->value;
	return true;
}

bool core_row_input(const struct core_row *row, struct core_row_images *images,
		    struct core_input *input)
{
	u32 i;

	memset(input, 0, sizeof(*input));
	input->machine = row->machine ? row->machine : LOC_MACHINE_X86_64;
	if (row->build)
		row->build(row, images, input);
	else
		image_plain(row, images, input);
	if ((input->base.data && !input->base.size) ||
	    (input->types.data && !input->types.size) || !input->func_info.size)
		return false;
	for (i = 0; i < CORE_MAX_PATCHES && row->patches[i].image; i++)
		if (!apply(&row->patches[i], images, input))
			return false;
	if (row->cut)
		input->func_info.size = row->cut == 0xffffffff ? 0 : row->cut;
	return true;
}

const char *core_row_verdict(const struct core_row *row, const struct core_outcome *run)
{
	if (run->broken)
		return run->broken;
	if (run->step != row->step)
		return "it stops at another step";
	if (run->error != row->error)
		return "the error is another one";
	if (row->error != -EINVAL)
		return NULL;
	if (run->fault.code != row->code)
		return "the fault is another one";
	if (run->fault.type_id != row->type_id)
		return "the fault is about another type";
	if (run->fault.offset != row->offset)
		return "the fault is at another offset";
	return NULL;
}
