// SPDX-License-Identifier: GPL-2.0
/*
 * Tests what an fentry program attaches to, by id. The sites and symbols of a row are compared with
 * verdicts and log lines that are worked out by hand.
 */
#include <kunit/test.h>

#include "../../tests/core/blob_writer.h"
#include "../fentry_report.h"
#include "../kernel_symbol.h"
#include "../object_registry.h"
#include "../site_query.h"
#include "sample_objects.h"

/* An id of the base: base_func() is void (void). */
#define BASE_FUNC 3

/* Ids of the types, from 4 on. */
enum {
	PROTO_A = 4,	/* int (int a) */
	PROTO_AB,	/* void (int a, int b) */
	PROTO_B,	/* void (int b) */
	PROTO_PAIR,	/* void (__int128, int b) */
	INT128,
	APPLE,		/* PROTO_AB */
	APPLE_ISRA,	/* apple.isra.0, PROTO_B */
	BASE_A,		/* base_func, PROTO_A, in a.c */
	BASE_B,		/* base_func, PROTO_AB, in b.c */
	FIG,		/* PROTO_A */
	PLUM,		/* PROTO_PAIR */
	TAG_A,
	TAG_B,
	FIRST_LOCATION,
};

/* Records of func_info: each LOC_PROTO has a letter for each parameter. */
enum {
	IN_DI = FIRST_LOCATION, IN_SI, IN_DX, SEVEN, IN_MEMORY, SUM, IN_DI_SI,
	NOTHING,	/* no parameters */
	DI,		/* a in rdi */
	SI,
	GONE,
	CONSTANT,
	DI_SI,		/* a in rdi, b in rsi */
	GONE_DI,
	GONE_SI,
	DI_MEMORY,
	DI_SUM,
	PAIR_DX,
	PAIR_SI,
	NR_IDS,
};

#define MAX_BODIES 3
#define STUB_OFFSET 0x70
#define MAX_LINES 5

struct fentry_row {
	const char *name;
	u32 asked;
	struct {
		u32 func, proto, offset;	/* in order of all three; func 0: the end */
		const char *symbol;		/* NULL: no symbol begins there */
	} bodies[MAX_BODIES];
	u32 inlined;		/* number of inlined sites of the function that is asked for */
	u32 more;		/* bodies of the first one's function, from 0x20 on */
	u32 part;		/* number, from 1, of the body that continues a call */
	bool freed;
	bool strict;
	bool firmware;		/* no BTF of the kernel has the ids of the types */

	const char *stub;	/* the function is exposed by this name; NULL: it is not */
	bool without;		/* its stub lacks a parameter */
	bool stubs;		/* the program may be attached to a stub */

	/* the expected result: */
	enum fentry_answer answer;
	bool refused;
	u32 offset;		/* the address that it attaches to; 0: not known */
	u32 ids[MAX_BODIES];	/* the ids that attach to exactly these bodies */
	const char *lines[MAX_LINES];
};

#define A(at) "  000000000010" #at
#define CHOOSE "To choose one, attach by its id; debugfs has all in btf_extra/sites"
#define KLOC_ALL "A kloc program takes all of them; see btf-extra lookup "
#define KLOC_THERE "A kloc program gets what is there; see btf-extra lookup "
#define APPLE_INLINED "apple: inlined at 4 sites, no body: "
#define CALLS_OF "Its inlined calls are those of "
#define USE_KLOC "use kloc (btf-extra lookup "

static const struct fentry_row fentry_rows[] = {
	/* ---- ids of the types ---- */
	{ "one body", APPLE, { { APPLE, DI_SI, 0x10, "apple" } },
	  .answer = FENTRY_ADDRESS, .offset = 0x10, .ids = { APPLE } },
	{ "one body, and inlined", APPLE, { { APPLE, DI_SI, 0x10, "apple" } }, .inlined = 2,
	  .answer = FENTRY_ADDRESS, .offset = 0x10, .ids = { APPLE },
	  .lines = { "apple: also inlined at 2 sites: fentry will miss these, kloc would not" } },
	{ "one body without a symbol", APPLE, { { APPLE, DI_SI, 0x10 } },
	  .answer = FENTRY_ADDRESS, .offset = 0x10, .ids = { APPLE } },
	{ "one of two with a name", BASE_B, { { BASE_A, DI, 0x10, "base_func" },
	  { BASE_B, DI_SI, 0x20, "base_func" } },
	  .answer = FENTRY_ADDRESS, .offset = 0x20, .ids = { BASE_A, BASE_B } },
	{ "parameters that are not used", APPLE, { { APPLE, GONE_SI, 0x10, "apple" } },
	  .answer = FENTRY_ADDRESS, .offset = 0x10, .ids = { APPLE } },
	{ "a parameter that is always the same", FIG, { { FIG, CONSTANT, 0x10, "fig" } },
	  .answer = FENTRY_ADDRESS, .offset = 0x10, .ids = { FIG } },
	{ "a suffix that changes nothing", FIG, { { FIG, GONE, 0x10, "fig.llvm.123" } },
	  .answer = FENTRY_ADDRESS, .offset = 0x10, .ids = { FIG } },
	{ "a pair of registers", PLUM, { { PLUM, PAIR_DX, 0x10, "plum" } },
	  .answer = FENTRY_ADDRESS, .offset = 0x10, .ids = { PLUM } },
	{ "a pair of registers, and one that is taken", PLUM, { { PLUM, PAIR_SI, 0x10, "plum" } },
	  .answer = FENTRY_ABI, .refused = true,
	  .lines = { "plum: body plum: parameter 'b' is in %rsi, not in %rdx",
		     KLOC_THERE "plum" } },
	{ "types of firmware", APPLE, { { APPLE, DI_SI, 0x10, "apple" } }, .firmware = true,
	  .answer = FENTRY_ADDRESS, .offset = 0x10 },

	{ "no body", APPLE, .inlined = 4, .stubs = true, .answer = FENTRY_NO_BODY, .refused = true,
	  .lines = { "apple: inlined at 4 sites, no body: " USE_KLOC "apple)",
		     "Or expose it as a function: btf-extra expose apple" } },
	{ "no body, and exposed", APPLE, .inlined = 4, .stub = "apple__inlined", .stubs = true,
	  .answer = FENTRY_STUB, .offset = STUB_OFFSET,
	  .lines = { APPLE_INLINED "goes to apple__inlined in a module inlined" } },
	{ "no body, and exposed, for a program at its end", APPLE, .inlined = 4,
	  .stub = "apple__inlined", .answer = FENTRY_NO_BODY, .refused = true,
	  .lines = { "apple: inlined at 4 sites, no body: " USE_KLOC "apple)",
		     CALLS_OF "apple__inlined in a module inlined" } },
	{ "no body, and exposed without a parameter", APPLE, .inlined = 4,
	  .stub = "apple__inlined", .without = true, .stubs = true,
	  .answer = FENTRY_NO_BODY, .refused = true,
	  .lines = { "apple: inlined at 4 sites, no body: " USE_KLOC "apple)",
		     CALLS_OF "apple__inlined in a module inlined, without some parameters" } },
	{ "a rest as its only body", FIG, { { FIG, DI, 0x10, "fig.part.0" } }, .part = 1,
	  .inlined = 1, .answer = FENTRY_NO_BODY, .refused = true,
	  .lines = { "fig: inlined at 1 site, only rests of it have a body: " USE_KLOC "fig)",
		     "Or expose it as a function: btf-extra expose fig" } },
	{ "no code", APPLE, .answer = FENTRY_NO_BODY, .refused = true,
	  .lines = { "apple: no code of it is known" } },
	{ "a rest beside its body", FIG, { { FIG, DI, 0x10, "fig" },
	  { FIG, DI, 0x20, "fig.part.0" } }, .part = 2,
	  .answer = FENTRY_ADDRESS, .offset = 0x10, .ids = { FIG } },
	{ "text that was freed", FIG, { { FIG, DI, 0x10, "fig" } }, .freed = true,
	  .answer = FENTRY_NO_TEXT, .refused = true,
	  .lines = { "fig: its text was freed after boot" } },

	{ "two bodies", FIG, { { FIG, DI, 0x10, "fig" }, { FIG, DI, 0x20, "fig" } },
	  .answer = FENTRY_SEVERAL, .refused = true,
	  .lines = { "fig: id 13 stands for 2 bodies, and does not say which is meant:",
		     A(1010) " fig: no id of its own", A(1020) " fig: no id of its own",
		     KLOC_ALL "fig" } },
	{ "two bodies, one changed", APPLE, { { APPLE, DI_SI, 0x10, "apple" },
	  { APPLE, GONE_DI, 0x20, "apple.isra.0" }, { APPLE_ISRA, DI, 0x20, "apple.isra.0" } },
	  .answer = FENTRY_SEVERAL, .refused = true, .ids = { 0, APPLE_ISRA, APPLE_ISRA },
	  .lines = { "apple: id 9 stands for 2 bodies, and does not say which is meant:",
		     A(1010) " apple: no id of its own",
		     A(1020) " apple.isra.0: id 10 of kunit_btf",
		     CHOOSE } },

	/* ---- parameters elsewhere ---- */
	{ "a changed body, its own id", APPLE_ISRA, { { APPLE, GONE_DI, 0x20, "apple.isra.0" },
	  { APPLE_ISRA, DI, 0x20, "apple.isra.0" } },
	  .answer = FENTRY_ADDRESS, .offset = 0x20, .ids = { APPLE_ISRA, APPLE_ISRA } },
	{ "a changed body, the id of the source", APPLE,
	  { { APPLE, GONE_DI, 0x20, "apple.isra.0" }, { APPLE_ISRA, DI, 0x20, "apple.isra.0" } },
	  .answer = FENTRY_ABI, .refused = true, .ids = { APPLE_ISRA, APPLE_ISRA },
	  .lines = { "apple: body apple.isra.0: parameter 'a' is optimized out",
		     "Id 10 of kunit_btf is apple.isra.0 with the parameters that it has" } },
	{ "an own id whose parameter is elsewhere", APPLE_ISRA,
	  { { APPLE_ISRA, SI, 0x20, "apple.isra.0" } }, .answer = FENTRY_ABI, .refused = true,
	  .lines = { "apple.isra.0: body apple.isra.0: parameter 'b' is in %rsi, not in %rdi",
		     KLOC_THERE "apple.isra.0" } },
	{ "an own id whose parameter is gone", APPLE_ISRA,
	  { { APPLE_ISRA, GONE, 0x20, "apple.isra.0" } }, .answer = FENTRY_ABI, .refused = true,
	  .lines = { "apple.isra.0: body apple.isra.0: parameter 'b' is optimized out",
		     KLOC_THERE "apple.isra.0" } },
	{ "a changed body, moved", APPLE, { { APPLE, GONE_SI, 0x20, "apple.isra.0" } },
	  .answer = FENTRY_ABI, .refused = true,
	  .lines = { "apple: body apple.isra.0: parameter 'a' is optimized out",
		     KLOC_THERE "apple" } },
	{ "a changed body, a constant", FIG, { { FIG, CONSTANT, 0x20, "fig.constprop.1" } },
	  .answer = FENTRY_ABI, .refused = true,
	  .lines = { "fig: body fig.constprop.1: parameter 'a' is a constant and not passed",
		     KLOC_THERE "fig" } },
	{ "a changed body, in order, no result", APPLE, { { APPLE, DI_SI, 0x20, "apple.isra.0" } },
	  .answer = FENTRY_ADDRESS, .offset = 0x20, .ids = { APPLE } },
	{ "a changed body, in order, with a result", FIG, { { FIG, DI, 0x20, "fig.isra.0" } },
	  .answer = FENTRY_ABI, .refused = true,
	  .lines = { "fig: body fig.isra.0: what it returns may be optimized out",
		     KLOC_THERE "fig" } },
	{ "moved without a suffix", FIG, { { FIG, SI, 0x20, "fig" } },
	  .answer = FENTRY_ABI, .refused = true,
	  .lines = { "fig: body fig: parameter 'a' is in %rsi, not in %rdi",
		     KLOC_THERE "fig" } },
	{ "in memory", APPLE, { { APPLE, DI_MEMORY, 0x20, "apple" } },
	  .answer = FENTRY_ABI, .refused = true,
	  .lines = { "apple: body apple: parameter 'b' is in memory at %rsp+8, not in %rsi",
		     KLOC_THERE "apple" } },
	{ "a sum", APPLE, { { APPLE, DI_SUM, 0x20, "apple" } },
	  .answer = FENTRY_ABI, .refused = true,
	  .lines = { "apple: body apple: parameter 'b' is %rsi-4, not in %rsi",
		     KLOC_THERE "apple" } },

	/* ---- ids of the base ---- */
	{ "base, one body", BASE_FUNC, { { BASE_FUNC, NOTHING, 0x10, "base_func" } },
	  .answer = FENTRY_BY_NAME, .offset = 0x10, .ids = { BASE_FUNC } },
	{ "base, nothing known", BASE_FUNC, { { FIG, DI, 0x10, "fig" } },
	  .answer = FENTRY_BY_NAME, .ids = { FIG } },
	{ "base, another symbol there", BASE_FUNC, { { BASE_FUNC, NOTHING, 0x10, "alias" } },
	  .answer = FENTRY_ADDRESS, .offset = 0x10, .ids = { BASE_FUNC } },
	{ "base, no body", BASE_FUNC, .inlined = 3, .answer = FENTRY_NO_BODY,
	  .lines = { "base_func: inlined at 3 sites, no body: " USE_KLOC "base_func)",
		     "Or expose it as a function: btf-extra expose base_func" } },
	{ "base, no body, and exposed", BASE_FUNC, .inlined = 1, .stub = "base_func",
	  .stubs = true, .answer = FENTRY_NO_BODY,
	  .lines = { "base_func: inlined at 1 site, no body: " USE_KLOC "base_func)",
		     CALLS_OF "base_func in a module inlined" } },
	{ "base, partly inlined, and exposed", BASE_FUNC,
	  { { BASE_FUNC, NOTHING, 0x10, "base_func" } }, .inlined = 1,
	  .stub = "base_func__inlined",
	  .answer = FENTRY_BY_NAME, .offset = 0x10, .ids = { BASE_FUNC },
	  .lines = { "base_func: also inlined at 1 site: fentry will miss it, kloc would not",
		     CALLS_OF "base_func__inlined in a module inlined" } },
	{ "base, freed", BASE_FUNC, { { BASE_FUNC, NOTHING, 0x10, "base_func" } }, .freed = true,
	  .answer = FENTRY_NO_TEXT, .lines = { "base_func: its text was freed after boot" } },
	{ "base, partly inlined", BASE_FUNC, { { BASE_FUNC, NOTHING, 0x10, "base_func" } },
	  .inlined = 1, .answer = FENTRY_BY_NAME, .offset = 0x10, .ids = { BASE_FUNC },
	  .lines = { "base_func: also inlined at 1 site: fentry will miss it, kloc would not" } },
	{ "base, two bodies of a header's function", BASE_FUNC,
	  { { BASE_FUNC, NOTHING, 0x10, "base_func" }, { BASE_FUNC, NOTHING, 0x20, "base_func" } },
	  .answer = FENTRY_SEVERAL,
	  .lines = { "base_func: of 2 bodies with this name the first in kallsyms is taken:",
		     A(1010) " base_func: no id of its own", A(1020) " base_func: no id of its own",
		     KLOC_ALL "base_func" } },
	{ "base, a body and a changed one", BASE_FUNC,
	  { { BASE_FUNC, NOTHING, 0x10, "base_func.constprop.0" },
	    { BASE_FUNC, NOTHING, 0x20, "base_func" } },
	  .answer = FENTRY_SEVERAL, .offset = 0x20, .ids = { 0, BASE_FUNC },
	  .lines = { "base_func: of 2 bodies with this name the first in kallsyms is taken:",
		     A(1010) " base_func.constprop.0: no id of its own",
		     A(1020) " base_func: no id of its own",
		     KLOC_ALL "base_func" } },
	{ "base, two functions", BASE_FUNC, { { BASE_A, DI, 0x10, "base_func" },
	  { BASE_B, DI_SI, 0x20, "base_func" } },
	  .answer = FENTRY_SEVERAL, .ids = { BASE_A, BASE_B },
	  .lines = { "base_func: of 2 bodies with this name the first in kallsyms is taken:",
		     A(1010) " base_func, a.c: id 11 of kunit_btf",
		     A(1020) " base_func, b.c: id 12 of kunit_btf",
		     CHOOSE } },
	{ "base, two functions, strict", BASE_FUNC, { { BASE_A, DI, 0x10, "base_func" },
	  { BASE_B, DI_SI, 0x20, "base_func" } }, .strict = true,
	  .answer = FENTRY_SEVERAL, .refused = true, .ids = { BASE_A, BASE_B },
	  .lines = { "base_func: 2 bodies have this name, and btf_extra.strict is set:",
		     A(1010) " base_func, a.c: id 11 of kunit_btf",
		     A(1020) " base_func, b.c: id 12 of kunit_btf",
		     CHOOSE } },
	{ "base, two functions, one with a body", BASE_FUNC,
	  { { BASE_B, DI_SI, 0x20, "base_func" } },
	  .answer = FENTRY_BY_NAME, .offset = 0x20, .ids = { BASE_B } },
	{ "base, moved", BASE_FUNC, { { BASE_A, SI, 0x20, "base_func" } },
	  .answer = FENTRY_ABI, .refused = true, .offset = 0x20,
	  .lines = { "base_func: body base_func: parameter 'a' is in %rsi, not in %rdi",
		     KLOC_THERE "base_func" } },
	{ "base, moved, strict", BASE_FUNC, { { BASE_A, SI, 0x20, "base_func" } }, .strict = true,
	  .answer = FENTRY_ABI, .refused = true, .offset = 0x20,
	  .lines = { "base_func: body base_func: parameter 'a' is in %rsi, not in %rdi",
		     KLOC_THERE "base_func" } },
	{ "base, changed: the name leads nowhere", BASE_FUNC,
	  { { BASE_A, GONE, 0x20, "base_func.isra.0" } }, .answer = FENTRY_ABI,
	  .lines = { "base_func: body base_func.isra.0: parameter 'a' is optimized out",
		     KLOC_THERE "base_func" } },

	{ "no function", PROTO_A, { { FIG, DI, 0x10, "fig" } }, .answer = FENTRY_BY_NAME,
	  .ids = { FIG } },
	{ "an id behind the last", 1000, { { FIG, DI, 0x10, "fig" } },
	  .answer = FENTRY_BY_NAME, .ids = { FIG } },
};

KUNIT_ARRAY_PARAM_DESC(fentry, fentry_rows, name);

/* ---- the object of a row ---- */

static const struct fentry_row *current_row;

static bool symbol_of_row(unsigned long address, char *symbol)
{
	u32 i;

	for (i = 0; i < MAX_BODIES && current_row->bodies[i].func; i++) {
		if (address != sample_text(1) + current_row->bodies[i].offset ||
		    !current_row->bodies[i].symbol)
			continue;
		strscpy(symbol, current_row->bodies[i].symbol, KSYM_SYMBOL_LEN);
		return true;
	}
	return false;
}

static bool stub_of_row(const struct extra_object *object, u32 func_id,
			struct phantom_found *found)
{
	*found = (struct phantom_found){
		.name = current_row->stub,
		.address = sample_text(1) + STUB_OFFSET,
		.whole = !current_row->without,
	};
	return current_row->stub;
}

static void put_proto(struct blob_writer *w, u32 result, u32 nr, const u32 *names,
		      const u32 *types)
{
	u32 i;

	blob_type(w, 0, BTF_KIND_FUNC_PROTO, nr, result);
	for (i = 0; i < nr; i++) {
		blob_word(w, names[i]);
		blob_word(w, types[i]);
	}
}

static void put_types(struct blob_writer *w)
{
	u32 a = blob_string(w, "a"), b = blob_string(w, "b"), none = 0;
	u32 base_func = 5;	/* in the strings of the base */
	u32 tags[] = { blob_string(w, "file:a.c"), blob_string(w, "file:b.c") };

	put_proto(w, 1, 1, &a, (const u32 []){ 1 });
	put_proto(w, 0, 2, (const u32 []){ a, b }, (const u32 []){ 1, 1 });
	put_proto(w, 0, 1, &b, (const u32 []){ 1 });
	put_proto(w, 0, 2, (const u32 []){ none, b }, (const u32 []){ INT128, 1 });
	blob_type(w, blob_string(w, "__int128"), BTF_KIND_INT, 0, 16);
	blob_word(w, 128);
	blob_type(w, blob_string(w, "apple"), BTF_KIND_FUNC, 0, PROTO_AB);
	blob_type(w, blob_string(w, "apple.isra.0"), BTF_KIND_FUNC, 0, PROTO_B);
	blob_type(w, base_func, BTF_KIND_FUNC, 0, PROTO_A);
	blob_type(w, base_func, BTF_KIND_FUNC, 0, PROTO_AB);
	blob_type(w, blob_string(w, "fig"), BTF_KIND_FUNC, 0, PROTO_A);
	blob_type(w, blob_string(w, "plum"), BTF_KIND_FUNC, 0, PROTO_PAIR);
	blob_type(w, tags[0], BTF_KIND_DECL_TAG, 0, BASE_A);
	blob_word(w, -1);
	blob_type(w, tags[1], BTF_KIND_DECL_TAG, 0, BASE_B);
	blob_word(w, -1);
}

static void put_param(struct blob_writer *w, u32 size, u32 flags, u32 nr, const u32 *values)
{
	u32 i;

	blob_type(w, 0, LOC_KIND_PARAM, nr, size);
	blob_word(w, flags);
	for (i = 0; i < nr; i++)
		blob_word(w, values[i]);
}

static void put_loc_proto(struct blob_writer *w, u32 nr, u32 first, u32 second)
{
	blob_type(w, 0, LOC_KIND_PROTO, nr, 0);
	if (nr)
		blob_word(w, first);
	if (nr > 1)
		blob_word(w, second);
}

/* The order is that of their enum. Registers have DWARF numbers. */
static void put_locations(struct blob_writer *w)
{
	put_param(w, 4, LOC_REG, 1, (const u32 []){ 5 });
	put_param(w, 4, LOC_REG, 1, (const u32 []){ 4 });
	put_param(w, 4, LOC_REG, 1, (const u32 []){ 1 });
	put_param(w, 4, LOC_CONST, 1, (const u32 []){ 7 });
	put_param(w, 4, LOC_REG | LOC_DEREF | LOC_OFFSET | LOC_SIGNED, 2, (const u32 []){ 7, 8 });
	put_param(w, 4, LOC_REG | LOC_OFFSET | LOC_SIGNED, 2, (const u32 []){ 4, -4 });
	put_param(w, 16, LOC_REG, 2, (const u32 []){ 5, 4 });
	put_loc_proto(w, 0, 0, 0);
	put_loc_proto(w, 1, IN_DI, 0);
	put_loc_proto(w, 1, IN_SI, 0);
	put_loc_proto(w, 1, 0, 0);
	put_loc_proto(w, 1, SEVEN, 0);
	put_loc_proto(w, 2, IN_DI, IN_SI);
	put_loc_proto(w, 2, 0, IN_DI);
	put_loc_proto(w, 2, 0, IN_SI);
	put_loc_proto(w, 2, IN_DI, IN_MEMORY);
	put_loc_proto(w, 2, IN_DI, SUM);
	put_loc_proto(w, 2, IN_DI_SI, IN_DX);
	put_loc_proto(w, 2, IN_DI_SI, IN_SI);
}

static void put_sites(struct blob_writer *w, const struct fentry_row *row)
{
	static const u32 any_proto[] = {
		[BASE_FUNC] = NOTHING, [APPLE] = DI_SI, [FIG] = DI,
	};
	u32 nr = 0, i;

	while (nr < MAX_BODIES && row->bodies[nr].func)
		nr++;
	blob_type(w, blob_string(w, "func.text"), LOC_KIND_SEC, nr + row->more, 0);
	for (i = 0; i < nr; i++) {
		blob_word(w, row->bodies[i].func);
		blob_word(w, row->bodies[i].proto);
		blob_word(w, row->bodies[i].offset);
	}
	for (i = 0; i < row->more; i++) {
		blob_word(w, row->bodies[0].func);
		blob_word(w, row->bodies[0].proto);
		blob_word(w, 0x20 + i);
	}
	blob_type(w, blob_string(w, "inline.text"), LOC_KIND_SEC, row->inlined, 0);
	for (i = 0; i < row->inlined; i++) {
		blob_word(w, row->asked);
		blob_word(w, any_proto[row->asked]);
		blob_word(w, 0x40 + i);
	}
}

static void write_row(struct kunit *test, const struct fentry_row *row)
{
	struct sample_world *world = test->priv;
	struct core_row_images *images = &world->images;
	const u32 room = CORE_ROW_IMAGE_WORDS;
	struct core_image *types = &world->blobs.types, *func_info = &world->blobs.func_info;
	struct blob_writer w;

	blob_begin(&w, images->records, room, images->strings, sizeof(images->strings), 4, 15);
	put_types(&w);
	KUNIT_ASSERT_EQ(test, w.next_id, FIRST_LOCATION);
	types->data = images->types;
	types->size = blob_finish(&w, 0, images->types, sizeof(images->types));
	blob_begin(&w, images->records, room, images->strings, sizeof(images->strings),
		   FIRST_LOCATION, 15 + w.strings_len);
	put_locations(&w);
	KUNIT_ASSERT_EQ(test, w.next_id, NR_IDS);
	put_sites(&w, row);
	func_info->data = images->func_info;
	func_info->size = blob_finish(&w, LOC_KIND_COUNT, images->func_info,
				      sizeof(images->func_info));
	sample_write(world);
}

/* ---- rows ---- */

/* A module that stands for the owner of the types. Only its name is used. */
static struct module kunit_btf = { .name = "kunit_btf" };

struct told {
	struct kunit *test;
	const struct fentry_row *row;
	u32 nr;
};

static void expect_line(const char *line, void *data)
{
	struct told *told = data;

	if (told->nr < MAX_LINES && told->row->lines[told->nr])
		KUNIT_EXPECT_STREQ(told->test, line, told->row->lines[told->nr]);
	else
		KUNIT_FAIL(told->test, "another line: %s", line);
	told->nr++;
}

static void expect_ids(struct kunit *test, const struct fentry_row *row,
		       struct fentry_query *query)
{
	u32 i, j;

	for (i = 0; i < query->object->blobs.index.nr_sections; i++) {
		const struct loc_section *section = &query->object->blobs.index.sections[i];

		if (section->loc_class != LOC_CLASS_BODY)
			continue;
		for (j = 0; j < section->nr_sites; j++) {
			const struct found_site found = { .section = section, .i = j };
			const struct btf_extra_site body =
				site_query_describe(query->object, &found);
			enum fentry_answer answer;

			KUNIT_EXPECT_EQ_MSG(test, fentry_id_of_body(query, &body, &answer),
					    row->ids[j], "body %u", j);
		}
	}
}

/* The object of a row, in the registry. */
static struct extra_object *remember_row(struct kunit *test, const struct fentry_row *row,
					 u32 *mark)
{
	struct extra_object *object;

	current_row = row;
	write_row(test, row);
	object = sample_create(test->priv, "kunit", 1);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, object);
	object->sections[0].freed = row->freed;
	object->types_module = row->firmware ? NULL : &kunit_btf;
	if (row->part) {
		*mark = (row->part - 1) << SITE_MARK_BITS | SITE_MARK_PART;
		object->tables.marks = mark;
		object->tables.nr_marks = 1;
	}
	KUNIT_EXPECT_EQ(test, registry_add(object), 0);
	return object;
}

/* Compares all but the lines, which it hands to line(). */
static void expect_row(struct kunit *test, const struct fentry_row *row, bool addresses,
		       void (*line)(const char *line, void *data), void *data)
{
	struct fentry_query *query = kunit_kzalloc(test, sizeof(*query), GFP_KERNEL);
	struct fentry_target target;
	struct extra_object *object;
	u32 mark;

	KUNIT_ASSERT_NOT_NULL(test, query);
	object = remember_row(test, row, &mark);
	query->object = object;
	query->symbol_at = symbol_of_row;
	query->stub_of = stub_of_row;
	query->strict = row->strict;
	query->stubs = row->stubs;
	rcu_read_lock();
	fentry_target_of(query, row->asked, &target);
	fentry_report(query, row->asked, &target, addresses, line, data);
	if (!row->more)
		expect_ids(test, row, query);
	rcu_read_unlock();
	KUNIT_EXPECT_EQ(test, target.answer, row->answer);
	KUNIT_EXPECT_EQ(test, fentry_target_accepted(query, &target), !row->refused);
	KUNIT_EXPECT_EQ(test, target.address, row->offset ? sample_text(1) + row->offset : 0);
	KUNIT_EXPECT_EQ(test, target.nr_inlined, row->inlined);
	KUNIT_EXPECT_PTR_EQ(test, registry_remove("kunit", NULL), object);
	extra_object_destroy(object);
}

static void fentry_row_test(struct kunit *test)
{
	const struct fentry_row *row = test->param_value;
	struct told told = { .test = test, .row = row };

	expect_row(test, row, true, expect_line, &told);
	if (told.nr < MAX_LINES)
		KUNIT_EXPECT_NULL(test, row->lines[told.nr]);
}

/* There are more bodies than are listed, and the reader may not see addresses. */
static void count_line(const char *line, void *data)
{
	u32 *nr = data;

	switch ((*nr)++) {
	case 1:
		*nr += !strcmp(line, "  (hidden) fig: no id of its own") ? 100 : 0;
		break;
	case 117:
		*nr += !strcmp(line, "  and 4 more") ? 1000 : 0;
		break;
	}
}

static void fentry_many_test(struct kunit *test)
{
	static const struct fentry_row row = {
		"many bodies", FIG, { { FIG, DI, 0x10, "fig" } }, .more = FENTRY_MAX_LISTED + 3,
		.answer = FENTRY_SEVERAL, .refused = true,
	};
	u32 nr = 0;

	expect_row(test, &row, false, count_line, &nr);
	/* The lines are a heading, 16 bodies, the number of the others, and what to do. */
	KUNIT_EXPECT_EQ(test, nr, 1 + FENTRY_MAX_LISTED + 2 + 100 + 1000);
}

/* Nothing is cut that a user may have to type. */
static char long_symbol[201];

static void find_long_line(const char *line, void *data)
{
	bool *found = data;
	size_t indent = strlen("  (hidden) ");
	size_t length = strlen(long_symbol);

	*found |= strlen(line) > indent && !strncmp(line + indent, long_symbol, length) &&
		  !strcmp(line + indent + length, ": no id of its own");
}

static void fentry_long_test(struct kunit *test)
{
	static const struct fentry_row row = {
		"a long symbol", FIG, { { FIG, DI, 0x10, "fig" }, { FIG, DI, 0x20, long_symbol } },
		.answer = FENTRY_SEVERAL, .refused = true,
	};
	bool found = false;

	memset(long_symbol, 'f', sizeof(long_symbol) - 1);
	expect_row(test, &row, false, find_long_line, &found);
	KUNIT_EXPECT_TRUE(test, found);
}

static struct kunit_case fentry_cases[] = {
	KUNIT_CASE_PARAM(fentry_row_test, fentry_gen_params),
	KUNIT_CASE(fentry_many_test),
	KUNIT_CASE(fentry_long_test),
	{ }
};

static struct kunit_suite fentry_suite = {
	.name = "btf_extra_fentry",
	.init = sample_init,
	.exit = sample_exit,
	.test_cases = fentry_cases,
};

kunit_test_suite(fentry_suite);
