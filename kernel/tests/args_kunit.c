// SPDX-License-Identifier: GPL-2.0
/*
 * Tests where the ABI passes parameters and what a program finds there. Prototypes and locations
 * are BTF. The expected values are worked out by hand.
 */
#include <kunit/test.h>
#include <linux/vmalloc.h>

#include "../../tests/core/blob_writer.h"
#include "core/extra_blobs.h"
#include "core/loc_entry.h"
#include "core/loc_expression.h"
#include "core/loc_validate.h"
#include "kloc/site_args.h"
#include "tests/rows_param.h"

/* Ids of the types of the blob. */
enum {
	VOID, INT, UINT, LONG, ULONG, CHAR, U8, BOOL, U16, S16, POINTER, SIGNED_ENUM, ENUM, INT128,
	FLOAT, PAIR, SMALL, ODD, PACKED, BIG, FLOATS, EMPTY, BITS, TYPEDEF, CONST_TYPEDEF, NR_TYPES
};

#define MAX_PARAMS 14
#define MAX_VALUES 3
#define FUNC_ID (NR_TYPES + 1)

struct location {
	u32 size;
	u32 flags;
	u32 nr_values;		/* 0: no location */
	u32 values[MAX_VALUES];
};

/* An expression: its bytes, as FORMAT.md describes them, and their number. */
struct code {
	u32 param;
	u32 size;
	u8 bytes[16];
};

struct args_world {
	u32 words[512];
	char strings[64];
	u8 image[4096] __aligned(8);
	u32 offsets[64];
	struct extra_blobs blobs;
	struct btf_blob *blob;		/* blobs.func_info */
	u32 loc_proto;
	const struct code *codes;	/* in order of parameters */
	u32 nr_codes;
	u32 section[64];
	u8 memory[16];
	struct pt_regs regs;
	struct site_frame frame;
	struct site_args *args;
	void *room;
};

#define ROOM_SIZE 1024

/* ---- the blob ---- */

static void put_int(struct blob_writer *writer, u32 size, u32 encoding)
{
	blob_type(writer, blob_string(writer, "i"), BTF_KIND_INT, 0, size);
	blob_word(writer, encoding << 24 | size * 8);
}

static void put_struct(struct blob_writer *writer, u32 size, u32 nr, const u32 *types,
		       const u32 *bits)
{
	u32 i;

	blob_type(writer, 0, BTF_KIND_STRUCT, nr, size);
	for (i = 0; i < nr; i++) {
		blob_word(writer, 0);
		blob_word(writer, types[i]);
		blob_word(writer, bits[i]);
	}
}

static void put_enum(struct blob_writer *writer, bool is_signed)
{
	u32 at = writer->nr_words;

	blob_type(writer, blob_string(writer, "e"), BTF_KIND_ENUM, 0, 4);
	if (is_signed)
		writer->types[at + 1] |= 1u << 31;
}

static void put_types(struct blob_writer *writer)
{
	put_int(writer, 4, BTF_INT_SIGNED);
	put_int(writer, 4, 0);
	put_int(writer, 8, BTF_INT_SIGNED);
	put_int(writer, 8, 0);
	put_int(writer, 1, BTF_INT_SIGNED);
	put_int(writer, 1, 0);
	put_int(writer, 1, BTF_INT_BOOL);
	put_int(writer, 2, 0);
	put_int(writer, 2, BTF_INT_SIGNED);
	blob_type(writer, 0, BTF_KIND_PTR, 0, VOID);
	put_enum(writer, true);
	put_enum(writer, false);
	put_int(writer, 16, BTF_INT_SIGNED);
	blob_type(writer, blob_string(writer, "f"), BTF_KIND_FLOAT, 0, 8);
	put_struct(writer, 16, 2, (u32[]){ LONG, ULONG }, (u32[]){ 0, 64 });
	put_struct(writer, 8, 2, (u32[]){ INT, INT }, (u32[]){ 0, 32 });
	put_struct(writer, 12, 3, (u32[]){ INT, INT, INT }, (u32[]){ 0, 32, 64 });
	put_struct(writer, 9, 2, (u32[]){ CHAR, LONG }, (u32[]){ 0, 8 });
	put_struct(writer, 24, 3, (u32[]){ LONG, LONG, LONG }, (u32[]){ 0, 64, 128 });
	put_struct(writer, 8, 1, (u32[]){ FLOAT }, (u32[]){ 0 });
	put_struct(writer, 0, 0, NULL, NULL);
	/* There are two bit fields, of 3 and 5 bits. */
	put_struct(writer, 4, 2, (u32[]){ UINT, UINT }, (u32[]){ 3u << 24, 5u << 24 | 3 });
	writer->types[writer->nr_words - 9 + 1] |= 1u << 31;
	blob_type(writer, blob_string(writer, "t"), BTF_KIND_TYPEDEF, 0, INT);
	blob_type(writer, 0, BTF_KIND_CONST, 0, TYPEDEF);
}

static void put_func(struct blob_writer *writer, u32 result, const u32 *params, u32 nr_params)
{
	u32 i;

	blob_type(writer, 0, BTF_KIND_FUNC_PROTO, nr_params, result);
	for (i = 0; i < nr_params; i++) {
		blob_word(writer, 0);
		blob_word(writer, params[i]);
	}
	blob_type(writer, blob_string(writer, "foo"), BTF_KIND_FUNC, 0, NR_TYPES);
}

static u32 put_locations(struct blob_writer *writer, const struct location *locations, u32 nr)
{
	u32 ids[MAX_PARAMS] = {};
	u32 proto, i, k;

	for (i = 0; i < nr; i++) {
		const struct location *loc = &locations[i];

		if (!loc->nr_values)
			continue;
		ids[i] = blob_type(writer, 0, LOC_KIND_PARAM, loc->nr_values, loc->size);
		blob_word(writer, loc->flags);
		for (k = 0; k < loc->nr_values; k++)
			blob_word(writer, loc->values[k]);
	}
	proto = blob_type(writer, 0, LOC_KIND_PROTO, nr, 0);
	for (i = 0; i < nr; i++)
		blob_word(writer, ids[i]);
	return proto;
}

static void write_blob(struct kunit *test, u32 result, const u32 *params, u32 nr_params,
		       const struct location *locations)
{
	struct args_world *world = test->priv;
	struct blob_writer writer;
	struct btf_fault fault;
	u32 size;

	blob_begin(&writer, world->words, ARRAY_SIZE(world->words), world->strings,
		   sizeof(world->strings), 1, 0);
	blob_string(&writer, "");
	put_types(&writer);
	KUNIT_ASSERT_EQ(test, writer.next_id, NR_TYPES);
	put_func(&writer, result, params, nr_params);
	if (locations)
		world->loc_proto = put_locations(&writer, locations, nr_params);
	size = blob_finish(&writer, LOC_KIND_COUNT, world->image, sizeof(world->image));
	KUNIT_ASSERT_NE(test, size, 0);
	KUNIT_ASSERT_EQ(test, btf_blob_open(world->blob, world->image, size, NULL, &fault), 0);
	KUNIT_ASSERT_LE(test, btf_blob_nr_offsets(world->blob), ARRAY_SIZE(world->offsets));
	btf_blob_index(world->blob, world->offsets);
}

static void write_expressions(struct kunit *test)
{
	struct args_world *world = test->priv;
	struct loc_expressions_header header = {
		LOC_EXPRESSIONS_MAGIC, LOC_EXPRESSIONS_VERSION, world->loc_proto, world->nr_codes
	};
	struct loc_expression_entry *entries = (void *)world->section + sizeof(header);
	u8 *codes = (void *)&entries[world->nr_codes];
	struct extra_bytes bytes = { world->section };
	struct btf_fault fault;
	u32 i;

	memset(world->section, 0, sizeof(world->section));
	for (i = 0; i < world->nr_codes; i++) {
		const struct code *code = &world->codes[i];

		entries[i].param = code->param;
		entries[i].code[0] = header.codes_size;
		memcpy(codes + header.codes_size, code->bytes, code->size);
		header.codes_size += code->size;
	}
	memcpy(world->section, &header, sizeof(header));
	bytes.size = round_up(codes + header.codes_size - (u8 *)world->section, 4);
	KUNIT_ASSERT_LE(test, bytes.size, sizeof(world->section));
	KUNIT_ASSERT_EQ_MSG(test, loc_expressions_open(&world->blobs.expressions, &bytes,
						       world->blob, loc_arch_running(), &fault), 0,
			    "%s at %u", btf_fault_text(fault.code), fault.offset);
}

static int args_init(struct kunit *test)
{
	struct args_world *world = kunit_kzalloc(test, sizeof(*world), GFP_KERNEL);
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, world);
	world->blob = &world->blobs.func_info;
	world->args = kunit_kzalloc(test, site_args_size(MAX_PARAMS), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, world->args);
	world->room = kunit_kzalloc(test, ROOM_SIZE, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, world->room);
	for (i = 0; i < sizeof(world->memory); i++)
		world->memory[i] = 0x81 + i;
	test->priv = world;
	return 0;
}

/* ---- places ---- */

struct place_row {
	const char *name;
	u32 result;
	u32 nr_params;
	u32 params[MAX_PARAMS];
	/*
	 * Each parameter has a word: "0" is its register, "0-1" both registers, "0&" the one with
	 * its address, "m" memory; "s": it is signed.
	 */
	const char *x86_64, *aarch64;
};

static const struct place_row place_rows[] = {
	{ "no parameter", VOID, 0, {}, "", "" },
	{ "eight scalars", INT, 8,
	  { POINTER, INT, UINT, LONG, ULONG, CHAR, U8, BOOL },
	  "0 1s 2 3s 4 5s m m", "0 1s 2 3s 4 5s 6 7" },
	{ "nine scalars", INT, 9,
	  { POINTER, INT, UINT, LONG, ULONG, CHAR, U8, BOOL, INT },
	  "0 1s 2 3s 4 5s m m ms", "0 1s 2 3s 4 5s 6 7 ms" },
	{ "small ones", VOID, 6, { U16, S16, BOOL, SIGNED_ENUM, ENUM, BITS },
	  "0 1s 2 3s 4 5", "0 1s 2 3s 4 5" },
	{ "modifiers", VOID, 2, { TYPEDEF, CONST_TYPEDEF }, "0s 1s", "0s 1s" },
	{ "pair shifts later ones", VOID, 2, { PAIR, INT }, "0-1 2s", "0-1 2s" },
	{ "pair at an odd register", VOID, 2, { POINTER, PAIR }, "0 1-2", "0 1-2" },
	{ "struct in one register", VOID, 2, { SMALL, POINTER }, "0 1", "0 1" },
	{ "struct of 12 bytes", VOID, 2, { ODD, POINTER }, "0-1 2", "0-1 2" },
	{ "wide integer", VOID, 2, { INT128, POINTER }, "0-1s 2", "0-1s 2" },
	{ "wide integer at an odd register", VOID, 3, { POINTER, INT128, INT },
	  "0 1-2s 3s", "0 2-3s 4s" },
	{ "no two registers of six left", VOID, 7,
	  { LONG, LONG, LONG, LONG, LONG, PAIR, POINTER },
	  "0s 1s 2s 3s 4s m 5", "0s 1s 2s 3s 4s 5-6 7" },
	{ "no two registers of eight left", VOID, 9,
	  { LONG, LONG, LONG, LONG, LONG, LONG, LONG, PAIR, POINTER },
	  "0s 1s 2s 3s 4s 5s ms m m", "0s 1s 2s 3s 4s 5s 6s m m" },
	{ "struct of 24 bytes", VOID, 2, { BIG, POINTER }, "m 0", "0& 1" },
	{ "field that is not aligned", VOID, 2, { PACKED, POINTER }, "m 0", "0-1 2" },
	{ "floating point", VOID, 3, { FLOAT, FLOATS, POINTER }, "m m 0", "m m m" },
	{ "nothing is passed for an empty struct", VOID, 2, { EMPTY, POINTER }, "m 0", "m 0" },
	{ "result of 16 bytes", PAIR, 1, { POINTER }, "0", "0" },
	{ "result in memory", BIG, 2, { POINTER, INT }, "1 2s", "0 1s" },
	{ "result with a field that is not aligned", PACKED, 1, { POINTER }, "1", "0" },
	{ "variadic", INT, 2, { POINTER, VOID }, "0", "0" },
};

static void expect_places(struct kunit *test, u32 machine, const char *expected)
{
	struct args_world *world = test->priv;
	struct arg_place places[MAX_PARAMS];
	char text[128] = "";
	int nr, i;

	nr = arg_places(loc_arch_of(machine), world->blob, FUNC_ID, places, MAX_PARAMS);
	KUNIT_ASSERT_GE(test, nr, 0);
	for (i = 0; i < nr; i++) {
		const struct arg_place *place = &places[i];
		size_t at = strlen(text);

		at += scnprintf(text + at, sizeof(text) - at, i ? " " : "");
		if (!place->nr_registers)
			at += scnprintf(text + at, sizeof(text) - at, "m");
		else if (place->nr_registers == 1)
			at += scnprintf(text + at, sizeof(text) - at, "%u%s", place->first_register,
					place->by_reference ? "&" : "");
		else
			at += scnprintf(text + at, sizeof(text) - at, "%u-%u",
					place->first_register, place->first_register + 1);
		scnprintf(text + at, sizeof(text) - at, place->is_signed ? "s" : "");
	}
	KUNIT_EXPECT_STREQ(test, text, expected);
}

static void place_row_test(struct kunit *test)
{
	const struct place_row *row = test->param_value;

	write_blob(test, row->result, row->params, row->nr_params, NULL);
	expect_places(test, LOC_MACHINE_X86_64, row->x86_64);
	expect_places(test, LOC_MACHINE_AARCH64, row->aarch64);
}

static void no_place_test(struct kunit *test)
{
	struct args_world *world = test->priv;
	struct arg_place place;

	write_blob(test, VOID, NULL, 0, NULL);
	KUNIT_EXPECT_EQ(test, arg_places(loc_arch_running(), world->blob, INT, &place, 1),
			-EINVAL);
	KUNIT_EXPECT_EQ(test, arg_places(loc_arch_running(), world->blob, FUNC_ID + 1, &place, 1),
			-EINVAL);
	KUNIT_EXPECT_EQ(test, arg_places(loc_arch_running(), world->blob, U32_MAX, &place, 1),
			-EINVAL);
}

/* ---- values ---- */

#define AX 0
#define BX 3
#define BP 6
#define AX_VALUE 0x1111111180000080ull
#define BX_VALUE 0x2222222290000099ull
#define TEXT 0xffffffff81000000ull

struct value_row {
	const char *name;
	u32 type;
	struct location location;
	u64 low;		/* in its first register */
	u64 high;		/* in its second register */
	bool none;		/* the word says that the parameter has no location */
};

static const struct value_row value_rows[] = {
	{ "register, long", LONG, { 8, LOC_REG, 1, { AX } }, AX_VALUE },
	{ "register, int", INT, { 4, LOC_REG, 1, { AX } }, 0xffffffff80000080 },
	{ "register, unsigned", UINT, { 4, LOC_REG, 1, { AX } }, 0x80000080 },
	{ "register, typedef of int", TYPEDEF, { 4, LOC_REG, 1, { AX } }, 0xffffffff80000080 },
	{ "register, char", CHAR, { 1, LOC_REG, 1, { AX } }, 0xffffffffffffff80 },
	{ "register, u8", U8, { 1, LOC_REG, 1, { AX } }, 0x80 },
	{ "register, bool", BOOL, { 1, LOC_REG, 1, { AX } }, 0x80 },
	{ "register, s16", S16, { 2, LOC_REG, 1, { BX } }, 0x99 },
	{ "register, signed enum", SIGNED_ENUM, { 4, LOC_REG, 1, { BX } }, 0xffffffff90000099 },
	{ "register, enum", ENUM, { 4, LOC_REG, 1, { BX } }, 0x90000099 },
	{ "register, struct of 8", SMALL, { 8, LOC_REG, 1, { BX } }, BX_VALUE },
	{ "narrow, long", LONG, { 1, LOC_REG, 1, { AX } }, 0x80 },
	{ "narrow and signed, long", LONG,
	  { 1, LOC_REG | LOC_OFFSET | LOC_SIGNED, 2, { AX, 0 } }, 0xffffffffffffff80 },
	{ "narrow and signed, unsigned", UINT,
	  { 1, LOC_REG | LOC_OFFSET | LOC_SIGNED, 2, { AX, 0 } }, 0xffffff80 },
	{ "sum", LONG, { 8, LOC_REG | LOC_OFFSET, 2, { AX, 0x80 } }, 0x1111111180000100 },
	{ "sum, offset below zero", LONG,
	  { 8, LOC_REG | LOC_OFFSET | LOC_SIGNED, 2, { AX, -0x80 } }, 0x1111111180000000 },
	{ "sum, unsigned with an offset below zero", UINT,
	  { 4, LOC_REG | LOC_OFFSET | LOC_SIGNED, 2, { AX, -0x81 } }, 0x7fffffff },
	{ "sum, wide offset", LONG,
	  { 8, LOC_REG | LOC_OFFSET, 3, { AX, 1, 1 } }, 0x1111111280000081 },
	{ "memory, int", INT, { 4, LOC_REG | LOC_DEREF, 1, { BP } }, 0xffffffff84838281 },
	{ "memory, u16 after", U16, { 2, LOC_REG | LOC_DEREF | LOC_OFFSET, 2, { BP, 3 } },
	  0x8584 },
	{ "memory, pair", PAIR, { 16, LOC_REG | LOC_DEREF, 1, { BP } }, 0x8887868584838281,
	  0x908f8e8d8c8b8a89 },
	{ "memory, struct of 12", ODD, { 12, LOC_REG | LOC_DEREF, 1, { BP } }, 0x8887868584838281,
	  0x8c8b8a89 },
	{ "memory that cannot be read", LONG, { 8, LOC_REG | LOC_DEREF, 1, { AX } }, 0, 0, true },
	{ "pair that cannot be read", PAIR, { 16, LOC_REG | LOC_DEREF, 1, { AX } }, 0, 0, true },
	{ "pair of registers", PAIR, { 16, LOC_REG, 2, { BX, AX } }, BX_VALUE, AX_VALUE },
	{ "pair of registers, 12 bytes", ODD, { 12, LOC_REG, 2, { BX, AX } }, BX_VALUE,
	  0x80000080 },
	{ "wide integer from 8 bytes", INT128, { 8, LOC_REG, 1, { AX } }, AX_VALUE, 0 },
	{ "wide integer from 8 signed bytes", INT128,
	  { 8, LOC_REG | LOC_OFFSET | LOC_SIGNED, 2, { AX, 0 } }, 0, 0, true },
	{ "constant, int", INT, { 4, LOC_CONST, 1, { 0xfffffff6 } }, 0xfffffffffffffff6 },
	{ "constant, unsigned", UINT, { 4, LOC_CONST, 1, { 0xfffffff6 } }, 0xfffffff6 },
	{ "constant, signed, long", LONG, { 4, LOC_CONST | LOC_SIGNED, 1, { 0xfffffff6 } },
	  0xfffffffffffffff6 },
	{ "constant of 8 bytes", ULONG, { 8, LOC_CONST, 2, { 0x89abcdef, 0x1234567 } },
	  0x123456789abcdef },
	{ "address", POINTER, { 8, LOC_CONST | LOC_ADDR, 2, { 0x10, 0 } }, TEXT + 0x10 },
	{ "no location", LONG, {}, 0, 0, true },
	{ "no location, pair", PAIR, {}, 0, 0, true },
	{ "frame base", LONG, { 8, LOC_REG, 1, { LOC_FRAME_BASE } }, 0, 0, true },
	{ "register that is not in pt_regs", LONG, { 8, LOC_REG, 1, { 17 } }, 0, 0, true },
	{ "larger than the parameter", INT, { 8, LOC_REG, 1, { AX } }, 0, 0, true },
};

static void set_registers(struct args_world *world)
{
	memset(&world->regs, 0x77, sizeof(world->regs));
	world->regs.ax = AX_VALUE;
	world->regs.bx = BX_VALUE;
	world->regs.bp = (unsigned long)world->memory;
}

static void prepare(struct kunit *test, const struct arg_place *places, u32 nr_params,
		    unsigned long text)
{
	struct args_world *world = test->priv;
	size_t room, used;
	u64 located;

	if (world->nr_codes)
		write_expressions(test);
	room = site_args_room(&world->blobs, world->loc_proto, nr_params);
	KUNIT_ASSERT_LE(test, room, ROOM_SIZE);
	used = site_args_prepare(world->args, &world->blobs, world->loc_proto, places, nr_params,
				 text, world->room);
	KUNIT_EXPECT_LE(test, used, room);
	located = site_args_located(&world->blobs, world->loc_proto, places, nr_params, text);
	KUNIT_EXPECT_EQ(test, located, world->args->located);
}

static void fill(struct kunit *test, const u32 *params, u32 nr_params,
		 const struct location *locations)
{
	struct args_world *world = test->priv;
	struct arg_place places[MAX_PARAMS];

	write_blob(test, VOID, params, nr_params, locations);
	KUNIT_ASSERT_EQ(test, arg_places(loc_arch_running(), world->blob, FUNC_ID, places,
					 MAX_PARAMS), nr_params);
	prepare(test, places, nr_params, TEXT);
	set_registers(world);
	site_args_fill(world->args, &world->regs, &world->frame);
}

static u64 code_of(const struct args_world *world, u32 param)
{
	return world->frame.regs.orig_ax >> 4 * param & 0xf;
}

static void value_row_test(struct kunit *test)
{
	const struct value_row *row = test->param_value;
	bool pair = row->type == PAIR || row->type == ODD || row->type == INT128;
	struct args_world *world = test->priv;
	struct pt_regs *seen = &world->frame.regs;

	fill(test, &row->type, 1, &row->location);
	KUNIT_EXPECT_EQ(test, seen->orig_ax >> 48, BTF_EXTRA_ARGS_MARK);
	KUNIT_EXPECT_EQ(test, code_of(world, 0), row->none ? BTF_EXTRA_ARGS_NONE : 0);
	KUNIT_EXPECT_EQ(test, code_of(world, 1), BTF_EXTRA_ARGS_NONE);
	KUNIT_EXPECT_EQ(test, code_of(world, 11), BTF_EXTRA_ARGS_NONE);
	KUNIT_EXPECT_EQ(test, (u64)seen->di, row->low);
	KUNIT_EXPECT_EQ(test, (u64)seen->si, pair ? row->high : 0x7777777777777777);
	/* The other registers have not changed. */
	KUNIT_EXPECT_EQ(test, (u64)seen->dx, 0x7777777777777777);
	KUNIT_EXPECT_EQ(test, (u64)seen->ax, AX_VALUE);
	KUNIT_EXPECT_EQ(test, (u64)seen->bx, BX_VALUE);
	KUNIT_EXPECT_EQ(test, (u64)seen->bp, (u64)(unsigned long)world->memory);
}

/* Every register is read before it is overwritten. */
static void exchange_test(struct kunit *test)
{
	const struct location locations[] = { { 8, LOC_REG, 1, { 4 } }, { 8, LOC_REG, 1, { 5 } },
					      { 4, LOC_REG, 1, { 5 } } };
	struct args_world *world = test->priv;

	write_blob(test, VOID, (u32[]){ LONG, LONG, UINT }, 3, locations);
	fill(test, (u32[]){ LONG, LONG, UINT }, 3, locations);
	world->regs.di = 0xd1d1d1d1d1d1d1d1;
	world->regs.si = 0x5151515151515151;
	site_args_fill(world->args, &world->regs, &world->frame);
	KUNIT_EXPECT_EQ(test, (u64)world->frame.regs.di, 0x5151515151515151);
	KUNIT_EXPECT_EQ(test, (u64)world->frame.regs.si, 0xd1d1d1d1d1d1d1d1);
	KUNIT_EXPECT_EQ(test, (u64)world->frame.regs.dx, 0xd1d1d1d1);
	KUNIT_EXPECT_EQ(test, world->frame.regs.orig_ax & 0xffff, 0xf210);
}

/* The 7th parameter is in the word, the 13th is not. Both are after the registers. */
static void memory_test(struct kunit *test)
{
	struct location locations[MAX_PARAMS];
	struct args_world *world = test->priv;
	u32 params[MAX_PARAMS];
	u32 i;

	for (i = 0; i < MAX_PARAMS; i++) {
		params[i] = INT;
		locations[i] = (struct location){ 4, LOC_CONST, 1, { 100 + i } };
	}
	locations[7] = (struct location){ 4, LOC_REG | LOC_DEREF, 1, { AX } };
	locations[13].nr_values = 0;
	fill(test, params, MAX_PARAMS, locations);
	KUNIT_EXPECT_EQ(test, (u64)world->frame.regs.orig_ax, 0x6b6c8888f8543210);
	KUNIT_EXPECT_EQ(test, (u64)world->frame.regs.r9, 105);
	KUNIT_EXPECT_EQ(test, world->frame.args[6].value[0], 106);
	KUNIT_EXPECT_EQ(test, world->frame.args[6].value[1], 0);
	KUNIT_EXPECT_EQ(test, world->frame.args[6].present, 1);
	KUNIT_EXPECT_EQ(test, world->frame.args[7].present, 0);
	KUNIT_EXPECT_EQ(test, world->frame.args[12].value[0], 112);
	KUNIT_EXPECT_EQ(test, world->frame.args[12].present, 1);
	KUNIT_EXPECT_EQ(test, world->frame.args[13].present, 0);
	KUNIT_EXPECT_TRUE(test, world->args->uncoded);
	KUNIT_EXPECT_EQ(test, world->args->located, BIT_ULL(13) - 1);
	site_args_forget(&world->frame);
	KUNIT_EXPECT_EQ(test, world->frame.args[12].present, 0);
}

/* The second half of a pair is on a page that is not mapped, so no half is given. */
static void half_test(struct kunit *test)
{
	const struct location location = { 16, LOC_REG | LOC_DEREF, 1, { BP } };
	struct args_world *world = test->priv;
	char *page = vmalloc(PAGE_SIZE);

	KUNIT_ASSERT_NOT_NULL(test, page);
	memset(page, 0xcc, PAGE_SIZE);
	fill(test, (u32[]){ PAIR }, 1, &location);
	world->regs.bp = (unsigned long)page + PAGE_SIZE - 8;
	site_args_fill(world->args, &world->regs, &world->frame);
	vfree(page);
	KUNIT_EXPECT_EQ(test, code_of(world, 0), BTF_EXTRA_ARGS_NONE);
	KUNIT_EXPECT_EQ(test, (u64)world->frame.regs.di, 0);
	KUNIT_EXPECT_EQ(test, (u64)world->frame.regs.si, 0);
}

/* ---- slots ---- */

static void fill_slots(struct kunit *test, const u32 *params, u32 nr_params,
		       const struct location *locations)
{
	struct args_world *world = test->priv;
	struct arg_place places[MAX_PARAMS];

	write_blob(test, VOID, params, nr_params, locations);
	KUNIT_ASSERT_EQ(test, arg_places_in_slots(loc_arch_running(), world->blob, FUNC_ID, places,
						  MAX_PARAMS), nr_params);
	prepare(test, places, nr_params, TEXT);
	set_registers(world);
	memset(world->frame.slots, 0x55, sizeof(world->frame.slots));
	site_args_move(world->args, &world->regs, &world->frame);
}

/* The same values as in registers, and none where there is none. */
static void slot_row_test(struct kunit *test)
{
	const struct value_row *row = test->param_value;
	const struct location locations[] = { row->location, { 4, LOC_CONST, 1, { 1 } } };
	bool pair = row->type == PAIR || row->type == ODD || row->type == INT128;
	struct args_world *world = test->priv;
	const u64 *slots = world->frame.slots;

	fill_slots(test, (u32[]){ row->type, INT }, 2, locations);
	KUNIT_EXPECT_EQ(test, code_of(world, 0),
			row->none ? BTF_EXTRA_ARGS_NONE : BTF_EXTRA_ARGS_MEMORY);
	KUNIT_EXPECT_EQ(test, code_of(world, 1), BTF_EXTRA_ARGS_MEMORY);
	KUNIT_EXPECT_EQ(test, slots[0], row->low);
	KUNIT_EXPECT_EQ(test, slots[1], pair ? row->high : 1);
	KUNIT_EXPECT_EQ(test, slots[2], pair ? 1 : 0x5555555555555555);
	/* A site may lack it always, or only at this hit. */
	KUNIT_EXPECT_EQ(test, world->args->located & 1,
			(world->args->word & BTF_EXTRA_ARGS_NONE) != BTF_EXTRA_ARGS_NONE);
}

/* ---- expressions ---- */

#define CODE(value_size, nr, ...) \
	{ 0, 2 + sizeof((u8[]){ __VA_ARGS__ }), { value_size, nr, __VA_ARGS__ } }
#define WITH(name) (LOC_CODE_##name + LOC_CODE_WITH)
#define LOAD(log) (LOC_CODE_LOAD + (log))
#define PIECE(bytes) (LOC_CODE_PIECE + (bytes))

struct computed_row {
	const char *name;
	u32 type;
	struct code code;
	u64 low;		/* in its first register */
	u64 high;		/* in its second register */
	bool none;		/* the word says that the parameter has no location */
	bool never;		/* it has none at any hit */
};

static const struct computed_row computed_rows[] = {
	{ "sum, long", LONG, CODE(8, 3, AX, BX, LOC_CODE_ADD), 0x3333333410000119 },
	{ "sum, int", INT, CODE(4, 3, AX, BX, LOC_CODE_ADD), 0x10000119 },
	{ "negative, int", INT, CODE(4, 2, AX, WITH(ADD), 1), 0xffffffff80000081 },
	{ "negative, unsigned", UINT, CODE(4, 2, AX, WITH(ADD), 1), 0x80000081 },
	{ "negative, char", CHAR, CODE(1, 2, AX, WITH(ADD), 1), 0xffffffffffffff81 },
	{ "4 bytes, long", LONG, CODE(4, 2, AX, WITH(ADD), 1), 0x80000081 },
	{ "bits and offset", UINT, CODE(4, 3, BX, WITH(AND), 0x3f, WITH(ADD), 20), 0x2d },
	{ "number first", LONG, CODE(8, 3, LOC_CODE_NUMBER, 3, AX, LOC_CODE_MULTIPLY),
	  0x3333333480000180 },
	{ "address", POINTER, CODE(8, 1, LOC_CODE_ADDRESS, 16), TEXT + 16 },
	{ "address and index", POINTER, CODE(8, 3, LOC_CODE_ADDRESS, 0, BX, LOC_CODE_ADD),
	  0x2222222211000099 },
	{ "load, int", INT, CODE(4, 2, BP, LOAD(2), 3), 0xffffffff87868584 },
	{ "load and offset, u16", U16, CODE(2, 3, BP, LOAD(1), 0, WITH(ADD), 1), 0x8282 },
	{ "load that fails", LONG, CODE(8, 2, AX, LOAD(3), 0), 0, 0, true },
	{ "check, unsigned", UINT, CODE(4, 3, AX, LOC_CODE_FITS, 61, WITH(SHIFT_RIGHT), 8),
	  0x11800000 },
	{ "check that fails", UINT, CODE(4, 2, AX, LOC_CODE_FITS, 60), 0, 0, true },
	{ "select", LONG, CODE(8, 4, AX, BX, LOC_CODE_NUMBER, 0, LOC_CODE_SELECT), BX_VALUE },
	{ "pieces, pair", PAIR, CODE(16, 4, BX, PIECE(8), AX, PIECE(8)), BX_VALUE, AX_VALUE },
	{ "pieces, struct of 12", ODD, CODE(12, 4, BX, PIECE(8), AX, PIECE(4)), BX_VALUE,
	  0x80000080 },
	{ "pieces, struct of 8", SMALL, CODE(8, 4, AX, PIECE(4), BX, PIECE(4)),
	  0x9000009980000080 },
	{ "pieces and a load", PAIR, CODE(16, 5, BX, PIECE(8), BP, LOAD(3), 0, PIECE(8)), BX_VALUE,
	  0x8887868584838281 },
	{ "pieces, of which one fails", PAIR, CODE(16, 5, BX, PIECE(8), AX, LOAD(3), 0, PIECE(8)),
	  0, 0, true },
	{ "wide integer from 8 bytes", INT128, CODE(8, 3, AX, BX, LOC_CODE_ADD),
	  0x3333333410000119, 0 },
	{ "expression larger than the parameter", INT, CODE(8, 2, AX, WITH(ADD), 1), 0, 0, true,
	  true },
};

static void set_code(struct kunit *test, const struct code *codes, u32 nr)
{
	struct args_world *world = test->priv;

	world->codes = codes;
	world->nr_codes = nr;
}

static void computed_row_test(struct kunit *test)
{
	const struct computed_row *row = test->param_value;
	bool pair = row->type == PAIR || row->type == ODD || row->type == INT128;
	const struct location location = {};
	struct args_world *world = test->priv;
	struct pt_regs *seen = &world->frame.regs;

	set_code(test, &row->code, 1);
	fill(test, &row->type, 1, &location);
	KUNIT_EXPECT_EQ(test, world->args->located, !row->never);
	KUNIT_EXPECT_EQ(test, code_of(world, 0), row->none ? BTF_EXTRA_ARGS_NONE : 0);
	KUNIT_EXPECT_EQ(test, code_of(world, 1), BTF_EXTRA_ARGS_NONE);
	KUNIT_EXPECT_EQ(test, (u64)seen->di, row->low);
	KUNIT_EXPECT_EQ(test, (u64)seen->si, pair ? row->high : 0x7777777777777777);
	KUNIT_EXPECT_EQ(test, (u64)seen->dx, 0x7777777777777777);
	KUNIT_EXPECT_EQ(test, (u64)seen->ax, AX_VALUE);
	KUNIT_EXPECT_EQ(test, (u64)seen->bx, BX_VALUE);
}

static void computed_slot_test(struct kunit *test)
{
	const struct computed_row *row = test->param_value;
	const struct location locations[] = { {}, { 4, LOC_CONST, 1, { 1 } } };
	bool pair = row->type == PAIR || row->type == ODD || row->type == INT128;
	struct args_world *world = test->priv;
	const u64 *slots = world->frame.slots;

	set_code(test, &row->code, 1);
	fill_slots(test, (u32[]){ row->type, INT }, 2, locations);
	KUNIT_EXPECT_EQ(test, code_of(world, 0),
			row->none ? BTF_EXTRA_ARGS_NONE : BTF_EXTRA_ARGS_MEMORY);
	KUNIT_EXPECT_EQ(test, code_of(world, 1), BTF_EXTRA_ARGS_MEMORY);
	KUNIT_EXPECT_EQ(test, slots[0], row->low);
	KUNIT_EXPECT_EQ(test, slots[1], pair ? row->high : 1);
	KUNIT_EXPECT_EQ(test, slots[2], pair ? 1 : 0x5555555555555555);
}

/* Expressions among other locations, after the registers and without a code in the word. */
static void computed_many_test(struct kunit *test)
{
	static const struct code codes[] = {
		{ 0, 5, { 8, 2, AX, WITH(ADD), 1 } },
		{ 2, 5, { 8, 2, AX, LOAD(3), 0 } },
		{ 7, 5, { 8, 2, BX, WITH(ADD), 2 } },
		{ 8, 5, { 8, 2, AX, LOAD(3), 0 } },
		{ 12, 5, { 4, 2, AX, WITH(ADD), 3 } },
		{ 13, 5, { 8, 2, AX, LOAD(3), 0 } },
	};
	struct location locations[MAX_PARAMS] = {};
	struct args_world *world = test->priv;
	u32 params[MAX_PARAMS];
	u32 i;

	for (i = 0; i < MAX_PARAMS; i++)
		params[i] = LONG;
	locations[1] = (struct location){ 8, LOC_REG, 1, { BX } };
	locations[3] = (struct location){ 8, LOC_REG | LOC_DEREF, 1, { BP } };
	set_code(test, codes, ARRAY_SIZE(codes));
	fill(test, params, MAX_PARAMS, locations);
	KUNIT_EXPECT_EQ(test, world->args->located, 0x318f);
	/* From the last: 11, 10, 9, 8 without, 7 in memory, 6 to 4 without, 3, 2 without, 1, 0. */
	KUNIT_EXPECT_EQ(test, world->frame.regs.orig_ax & GENMASK_ULL(47, 0), 0xffff8fff3f10);
	KUNIT_EXPECT_EQ(test, (u64)world->frame.regs.di, AX_VALUE + 1);
	KUNIT_EXPECT_EQ(test, (u64)world->frame.regs.si, BX_VALUE);
	KUNIT_EXPECT_EQ(test, (u64)world->frame.regs.dx, 0);
	KUNIT_EXPECT_EQ(test, (u64)world->frame.regs.cx, 0x8887868584838281);
	KUNIT_EXPECT_EQ(test, world->frame.args[7].present, 1);
	KUNIT_EXPECT_EQ(test, world->frame.args[7].value[0], BX_VALUE + 2);
	KUNIT_EXPECT_EQ(test, world->frame.args[7].value[1], 0);
	KUNIT_EXPECT_EQ(test, world->frame.args[8].present, 0);
	KUNIT_EXPECT_EQ(test, world->frame.args[12].present, 1);
	KUNIT_EXPECT_EQ(test, world->frame.args[12].value[0], 0x80000083);
	KUNIT_EXPECT_EQ(test, world->frame.args[13].present, 0);
}

/* An address has no value if the text is not known. */
static void computed_base_test(struct kunit *test)
{
	static const struct code codes[] = {
		{ 0, 4, { 8, 1, LOC_CODE_ADDRESS, 16 } },
		{ 1, 5, { 8, 2, AX, WITH(ADD), 1 } },
	};
	const struct location locations[2] = {};
	struct args_world *world = test->priv;
	struct arg_place places[2];

	write_blob(test, VOID, (u32[]){ LONG, LONG }, 2, locations);
	KUNIT_ASSERT_EQ(test, arg_places(loc_arch_running(), world->blob, FUNC_ID, places, 2),
			2);
	set_code(test, codes, ARRAY_SIZE(codes));
	prepare(test, places, 2, 0);
	KUNIT_EXPECT_EQ(test, world->args->located, 0x2);
}

struct slots_row {
	const char *name;
	u32 nr_params;
	u32 params[MAX_PARAMS];
	int nr;			/* of the parameters, or the error */
	u32 last;		/* slot of the last one */
};

static const struct slots_row slots_rows[] = {
	{ "no parameter", 0, {}, 0 },
	{ "small ones", 4, { CHAR, BOOL, SMALL, POINTER }, 4, 3 },
	{ "one of 9 bytes", 2, { PACKED, INT }, 2, 2 },
	{ "one of 16 bytes at an odd slot", 3, { INT, INT128, INT }, 3, 3 },
	{ "twelve pairs", 12, { PAIR, PAIR, PAIR, PAIR, PAIR, PAIR, PAIR, PAIR, PAIR, PAIR, PAIR,
				PAIR }, 12, 22 },
	{ "thirteen", 13, { INT, INT, INT, INT, INT, INT, INT, INT, INT, INT, INT, INT, INT },
	  -EINVAL },
	{ "one of 24 bytes", 2, { INT, BIG }, -EINVAL },
	{ "one of no bytes", 2, { EMPTY, INT }, -EINVAL },
};

static void slots_row_test(struct kunit *test)
{
	const struct slots_row *row = test->param_value;
	struct args_world *world = test->priv;
	struct arg_place places[MAX_PARAMS];

	write_blob(test, VOID, row->params, row->nr_params, NULL);
	KUNIT_EXPECT_EQ(test, arg_places_in_slots(loc_arch_running(), world->blob, FUNC_ID, places,
						  MAX_PARAMS), row->nr);
	if (row->nr > 0)
		KUNIT_EXPECT_EQ(test, places[row->nr - 1].first_slot, row->last);
}

/* The second half is on a page that is not mapped: the program must not run at this hit. */
static void half_slot_test(struct kunit *test)
{
	const struct location locations[] = { { 16, LOC_REG | LOC_DEREF, 1, { BP } },
					      { 8, LOC_REG, 1, { AX } } };
	struct args_world *world = test->priv;
	char *page = vmalloc(PAGE_SIZE);

	KUNIT_ASSERT_NOT_NULL(test, page);
	fill_slots(test, (u32[]){ PAIR, LONG }, 2, locations);
	world->regs.bp = (unsigned long)page + PAGE_SIZE - 8;
	site_args_move(world->args, &world->regs, &world->frame);
	vfree(page);
	KUNIT_EXPECT_EQ(test, world->frame.regs.orig_ax ^ world->args->word, 0x7);
	KUNIT_EXPECT_EQ(test, world->frame.slots[0], 0);
	KUNIT_EXPECT_EQ(test, world->frame.slots[1], 0);
	KUNIT_EXPECT_EQ(test, world->frame.slots[2], AX_VALUE);
}

ROWS_PARAM(place, struct place_row, place_rows, ARRAY_SIZE(place_rows))
ROWS_PARAM(value, struct value_row, value_rows, ARRAY_SIZE(value_rows))
ROWS_PARAM(computed, struct computed_row, computed_rows, ARRAY_SIZE(computed_rows))
ROWS_PARAM(slots, struct slots_row, slots_rows, ARRAY_SIZE(slots_rows))

static struct kunit_case args_cases[] = {
	KUNIT_CASE_PARAM(place_row_test, place_gen_params),
	KUNIT_CASE(no_place_test),
	KUNIT_CASE_PARAM(value_row_test, value_gen_params),
	KUNIT_CASE(exchange_test),
	KUNIT_CASE(memory_test),
	KUNIT_CASE(half_test),
	KUNIT_CASE_PARAM(slot_row_test, value_gen_params),
	KUNIT_CASE_PARAM(computed_row_test, computed_gen_params),
	KUNIT_CASE_PARAM(computed_slot_test, computed_gen_params),
	KUNIT_CASE(computed_many_test),
	KUNIT_CASE(computed_base_test),
	KUNIT_CASE_PARAM(slots_row_test, slots_gen_params),
	KUNIT_CASE(half_slot_test),
	{ }
};

static struct kunit_suite args_suite = {
	.name = "btf_extra_args",
	.init = args_init,
	.test_cases = args_cases,
};

kunit_test_suite(args_suite);
