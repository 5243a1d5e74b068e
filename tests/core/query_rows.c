// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
/*
 * The object "vmlinux". Sites by number:
 *
 *	inline.text		0 sys_read 0x10		1 tcp_ack 0x10		2 tcp_ack 0x20
 *				3 tcp_rcv 0x30		4 tcp_rcv 0x34
 *	func.text		5 drop 0x80		6 tcp_ack 0x40		7 tcp_ack 0x50
 *				8 tcp_ack 0x60		9 tcp_ack 0x70
 *				10 tcp_ack.constprop.0 0x70
 *				11 tcp_ack.isra.0 0x50	12 tcp_rcv 0x90
 *	inline.init.text	13 udp_rcv 0x8
 *
 * .text is at 0x1000, .init.text at 0x4000.
 */
#include "blob_writer.h"
#include "core_images.h"
#include "query_rows.h"

#define ARRAY_LENGTH(array) ((u32)(sizeof(array) / sizeof((array)[0])))

#define BODIES SITE_CLASS(LOC_CLASS_BODY)
#define INLINED SITE_CLASS(LOC_CLASS_INLINE)

#define NOTHING .sites = { 0 }
#define N(number) ((number) + 1)

/* The sites of tcp_ack are 1, 2 and 6 to 9. tcp_rcv is two functions, net/ipv4/tcp.c first. */
const struct query_row query_rows[] = {
	{ "name", "tcp_ack", .sites = { N(1), N(2), N(6), N(7), N(8), N(9) } },
	{ "name, inlined", "tcp_ack", .classes = INLINED, .sites = { N(1), N(2) } },
	{ "name, bodies", "tcp_ack", .classes = BODIES, .sites = { N(6), N(7), N(8), N(9) } },
	{ "name, both classes", "tcp_ack", .classes = INLINED | BODIES,
	  .sites = { N(1), N(2), N(6), N(7), N(8), N(9) } },
	{ "name of the base", "sys_read", .sites = { N(0) } },
	{ "name of two functions", "tcp_rcv", .sites = { N(3), N(12), N(4) } },
	{ "name of init text", "udp_rcv", .sites = { N(13) } },
	{ "shorter name", "tcp_ac", NOTHING },
	{ "longer name", "tcp_acks", NOTHING },
	{ "name of a type", "int", NOTHING },

	{ "name and file", "tcp_rcv@net/ipv6/tcp.c", .sites = { N(4) } },
	{ "end of a path", "tcp_rcv@ipv4/tcp.c", .sites = { N(3), N(12) } },
	{ "name of a file", "tcp_rcv@tcp.c", .sites = { N(3), N(12), N(4) } },
	{ "end of a path and a class", "tcp_rcv@ipv4/tcp.c", .classes = BODIES,
	  .sites = { N(12) } },
	{ "end of a file's name", "tcp_rcv@cp.c", NOTHING },
	{ "longer path", "tcp_rcv@linux/net/ipv4/tcp.c", NOTHING },
	{ "file with a colon", "tcp_rcv@a:b.c", NOTHING },
	{ "function whose file is not known", "tcp_ack@tcp.c", NOTHING },

	/*
	 * The body at 0x50 has a true signature, so it is not found once more as a site of tcp_ack.
	 */
	{ "true signature", "tcp_ack.isra.0", .sites = { N(11) } },
	{ "true signature, inlined", "tcp_ack.isra.0", .classes = INLINED },
	{ "another true signature", "tcp_ack.constprop.0", .sites = { N(10) } },
	{ "symbol", "tcp_ack.isra.1", .sites = { N(8) }, .by_symbol = 1 },
	{ "symbol, inlined", "tcp_ack.isra.1", .classes = INLINED },
	{ "symbol of a rest", "drop.part.0", .sites = { N(5) }, .by_symbol = 1 },
	{ "second symbol of a body", "drop.cold", .sites = { N(5) }, .by_symbol = 1 },
	{ "symbol and file", "tcp_rcv.isra.7@ipv4/tcp.c", .sites = { N(12) }, .by_symbol = 1 },
	{ "symbol and another file", "tcp_rcv.isra.7@ipv6/tcp.c", NOTHING },
	{ "symbol of two functions", "tcp_rcv.isra.7", .sites = { N(12) }, .by_symbol = 1 },
	{ "no such symbol", "tcp_ack.isra.2", NOTHING },
	{ "symbol of another function", "drop.isra.1", NOTHING },
	{ "dot that is no suffix", "tcp_ack.old", NOTHING },

	{ "id", "#6", .sites = { N(1), N(2), N(6), N(7), N(8), N(9) } },
	{ "id, bodies", "#6", .classes = BODIES, .sites = { N(6), N(7), N(8), N(9) } },
	{ "id of the base", "#3", .sites = { N(0) } },
	{ "id of a true signature", "#8", .sites = { N(11) } },
	{ "id of a prototype", "#4", NOTHING },
	{ "id after the last", "#77", NOTHING },
	{ "highest id", "#4294967295", NOTHING },

	{ "object", "vmlinux:drop", .sites = { N(5) } },
	{ "object and file", "vmlinux:tcp_rcv@ipv6/tcp.c", .sites = { N(4) } },
	{ "object and id", "vmlinux:#5", .sites = { N(5) } },
	{ "object and symbol", "vmlinux:drop.cold", .sites = { N(5) }, .by_symbol = 1 },
	{ "another object", "xfs:drop", NOTHING },
	{ "another object and an id", "xfs:#5", NOTHING },
	{ "pattern of objects", "vm*:drop", .sites = { N(5) } },
	{ "pattern of other objects", "x*:drop", NOTHING },

	{ "pattern", "tcp_*", .sites = { N(1), N(2), N(6), N(7), N(8), N(9), N(3), N(12), N(4) } },
	{ "pattern of one", "tcp_a*", .sites = { N(1), N(2), N(6), N(7), N(8), N(9) } },
	{ "pattern of none", "tcp_b*", NOTHING },
	{ "pattern of all", "*",
	  .sites = { N(5), N(0), N(1), N(2), N(6), N(7), N(8), N(9), N(3), N(12), N(4), N(13) } },
	{ "pattern of all, bodies", "*", .classes = BODIES,
	  .sites = { N(5), N(6), N(7), N(8), N(9), N(12) } },
	{ "pattern with an end", "*_rcv", .sites = { N(3), N(12), N(4), N(13) } },
	{ "pattern and file", "*_rcv@ipv6/tcp.c", .sites = { N(4) } },
	{ "pattern of true signatures", "tcp_*.*", .sites = { N(10), N(11) } },
	{ "set", "[du]*", .sites = { N(5), N(13) } },
	{ "other set", "[!tu]*", .sites = { N(5), N(0) } },
	{ "one character", "?rop", .sites = { N(5) } },
	{ "character with its meaning gone", "\\*", NOTHING },

	{ "nothing", "", .refused = "the name of a function is missing" },
	{ "object alone", "vmlinux:", .refused = "the name of a function is missing" },
	{ "file alone", "@tcp.c", .refused = "the name of a function is missing" },
	{ "no object", ":drop", .refused = "no object before ':'" },
	{ "no file", "drop@", .refused = "no source file after '@'" },
	{ "no id", "#", .refused = "no BTF id after '#'" },
	{ "id 0", "#0", .refused = "no BTF id after '#'" },
	{ "id with a letter", "#12x", .refused = "no BTF id after '#'" },
	{ "id of 33 bits", "#4294967296", .refused = "no BTF id after '#'" },
	{ "id of many digits", "#99999999999999999999999", .refused = "no BTF id after '#'" },
	{ "id and file", "#5@a.c", .refused = "a BTF id needs no source file" },

	{ "address of two sites", .address = 0x1010, .sites = { N(0), N(1) } },
	{ "address of two bodies", .address = 0x1050, .sites = { N(7), N(11) } },
	{ "address, inlined", .address = 0x1050, .classes = INLINED },
	{ "address in .init.text", .address = 0x4008, .sites = { N(13) } },
	{ "address after a site", .address = 0x1011 },
	{ "address before a site", .address = 0x100f },
	{ "address beyond the section", .address = 0x1100 },
	{ "offset that wraps", .address = 0x100001010 },
	{ "address 0", .address = 0 },
	{ "highest address", .address = ~0ull },
};

const u32 query_nr_rows = ARRAY_LENGTH(query_rows);

/* ---- the object ---- */

static void begin(struct blob_writer *w, struct core_row_images *images, u32 first_id,
		  u32 first_string)
{
	blob_begin(w, images->records, CORE_ROW_IMAGE_WORDS, images->strings,
		   sizeof(images->strings), first_id, first_string);
	blob_string(w, "");
}

static void finish(const struct blob_writer *w, u32 *words, struct core_image *image)
{
	image->data = words;
	image->size = blob_finish(w, ALL_KINDS, words, CORE_ROW_IMAGE_WORDS * 4);
}

static void section(struct blob_writer *w, const char *name, u32 nr_sites)
{
	blob_type(w, blob_string(w, name), LOCSEC, nr_sites, 0);
}

static void site(struct blob_writer *w, const struct core_row_images *images, u32 func,
		 u32 offset)
{
	blob_word(w, func + (func == 3 ? images->more_func : images->more_ids));
	blob_word(w, images->more_ids + 14);
	blob_word(w, offset);
}

void query_rows_input(struct core_row_images *images, struct core_input *input)
{
	static const char *const names[] = {
		"drop", "tcp_ack", "tcp_ack.constprop.0", "tcp_ack.isra.0", "tcp_rcv", "tcp_rcv",
		"udp_rcv"
	};
	static const char *const files[] = { "file:net/ipv4/tcp.c", "file:net/ipv6/tcp.c" };
	struct blob_writer w;
	u32 i;

	memset(input, 0, sizeof(*input));
	input->machine = LOC_MACHINE_X86_64;
	begin(&w, images, 1, 0);
	blob_type(&w, blob_string(&w, "int"), INT, 0, 4);	/* 1 */
	blob_word(&w, 0x01000020);
	blob_type(&w, 0, FUNC_PROTO, 0, 0);			/* 2 */
	blob_type(&w, blob_string(&w, "sys_read"), FUNC, 1, 2);	/* 3 */
	blob_string(&w, "");	/* 15 bytes, as in core_images.c */
	finish(&w, images->base, &input->base);

	begin(&w, images, 4 + images->more_ids, 15 + images->more_strings);
	blob_type(&w, 0, FUNC_PROTO, 0, 1);			/* 4 */
	for (i = 0; i < ARRAY_LENGTH(names); i++)		/* 5 to 11 */
		blob_type(&w, blob_string(&w, names[i]), FUNC, 0, images->more_ids + 4);
	for (i = 0; i < ARRAY_LENGTH(files); i++) {		/* 12 and 13 */
		blob_type(&w, blob_string(&w, files[i]), DECL_TAG, 0, images->more_ids + 9 + i);
		blob_word(&w, 0xffffffff);
	}
	finish(&w, images->types, &input->types);

	begin(&w, images, w.next_id, w.first_string + w.strings_len);
	blob_type(&w, 0, PROTO, 0, 0);				/* 14 */
	section(&w, "inline.text", 5);
	site(&w, images, 3, 0x10);
	site(&w, images, 6, 0x10);
	site(&w, images, 6, 0x20);
	site(&w, images, 9, 0x30);
	site(&w, images, 10, 0x34);
	section(&w, "func.text", 8);
	site(&w, images, 5, 0x80);
	for (i = 0x40; i <= 0x70; i += 0x10)
		site(&w, images, 6, i);
	site(&w, images, 7, 0x70);
	site(&w, images, 8, 0x50);
	site(&w, images, 9, 0x90);
	section(&w, "inline.init.text", 1);
	site(&w, images, 11, 0x8);
	finish(&w, images->func_info, &input->func_info);
}

/* ---- symbols and places of the object ---- */

static struct section_place place(const struct site_tables *tables, u32 elf)
{
	const struct section_place text = { .address = 0x1000, .size = 0x100 };
	const struct section_place init = { .address = 0x4000, .size = 0x80, .freed = true };

	return strcmp(tables->index->elf_sections[elf].name, ".text") ? init : text;
}

static bool symbol_begins(const struct site_tables *tables, u32 elf, u32 offset, const char *name,
			  u32 size)
{
	static const struct {
		u32 offset;
		const char *name;
	} symbols[] = {
		{ 0x40, "tcp_ack" },
		{ 0x50, "tcp_ack.isra.0" },
		{ 0x60, "tcp_ack.isra.1" },
		{ 0x60, "drop.isra.1" },
		{ 0x70, "tcp_ack.constprop.0" },
		{ 0x80, "drop.part.0" },
		{ 0x80, "drop.cold" },
		{ 0x90, "tcp_rcv.isra.7" },
	};
	u32 i;

	if (strcmp(tables->index->elf_sections[elf].name, ".text"))
		return false;
	for (i = 0; i < ARRAY_LENGTH(symbols); i++)
		if (symbols[i].offset == offset && strlen(symbols[i].name) == size &&
		    !memcmp(symbols[i].name, name, size))
			return true;
	return false;
}

static const char *func_file(const struct site_tables *tables, u32 func)
{
	(void)tables;
	return func == 9 ? "net/ipv4/tcp.c" : func == 10 ? "net/ipv6/tcp.c" : NULL;
}

static const struct site_tables_ops ops = {
	.place = place,
	.symbol_begins = symbol_begins,
	.func_file = func_file,
};

/* ---- the assertion ---- */

struct answer {
	u8 sites[QUERY_MAX_SITES];
	u32 nr, by_symbol;
	u32 stop_at;
};

static int note(const struct found_site *found, void *data)
{
	struct answer *answer = data;

	if (answer->nr < QUERY_MAX_SITES)
		answer->sites[answer->nr] = (u8)N(found->section->first_site + found->i);
	answer->nr++;
	answer->by_symbol += found->by_symbol;
	return answer->nr == answer->stop_at ? -77 : 0;
}

static int ask(const struct query_row *row, const struct site_tables *tables,
	       const struct func_text *text, struct answer *answer)
{
	if (!row->text)
		return site_query_address(tables, row->address, row->classes, note, answer);
	if (!func_text_has_object(text, "vmlinux"))
		return 0;
	return site_query_text(tables, text, row->classes, note, answer);
}

const char *query_row_verdict(const struct query_row *row, const struct loc_index *index)
{
	const struct site_tables tables = { .index = index, .ops = &ops };
	const char *refused = row->text ? "untouched" : NULL;
	struct answer answer = {};
	struct answer stopped = {};
	struct func_text text;
	u32 nr = 0;

	if (row->text)
		refused = func_text_parse(row->text, &text);
	if (!refused != !row->refused || (refused && strcmp(refused, row->refused)))
		return "the text is refused, or not, for the reason of the row";
	if (refused)
		return NULL;
	while (nr < QUERY_MAX_SITES && row->sites[nr])
		nr++;
	if (ask(row, &tables, &text, &answer))
		return "the walk comes to its end";
	if (answer.nr != nr)
		return "as many sites as the row has";
	if (memcmp(answer.sites, row->sites, sizeof(row->sites)))
		return "the sites of the row, in that order";
	if (answer.by_symbol != row->by_symbol)
		return "that many sites are found by symbol";
	stopped.stop_at = nr;
	if (nr && (ask(row, &tables, &text, &stopped) != -77 || stopped.nr != nr))
		return "the walk ends at the requested site";
	return NULL;
}

/* ---- patterns ---- */

const struct glob_row glob_rows[] = {
	{ "", "", true },
	{ "", "a", false },
	{ "a", "", false },
	{ "abc", "abc", true },
	{ "abc", "abcd", false },
	{ "*", "", true },
	{ "*", "abc", true },
	{ "**", "abc", true },
	{ "a*", "a", true },
	{ "a*", "ba", false },
	{ "*a", "ba", true },
	{ "*a", "ab", false },
	{ "*a*", "bab", true },
	{ "a*c*e", "abcde", true },
	{ "a*c*e", "abcd", false },
	{ "*ab", "aab", true },
	{ "*aab", "aaab", true },
	{ "a*b*a", "abba", true },
	{ "a*b*b", "ab", false },
	{ "*_*_*", "tcp_v4_rcv", true },
	{ "*_*_*", "tcp_rcv", false },
	{ "?", "a", true },
	{ "?", "", false },
	{ "?", "ab", false },
	{ "a?c", "abc", true },
	{ "?*", "", false },
	{ "*?", "a", true },
	{ "[abc]", "b", true },
	{ "[abc]", "d", false },
	{ "[abc]", "", false },
	{ "[a-c]x", "bx", true },
	{ "[a-c]", "d", false },
	{ "[c-a]", "b", false },
	{ "[a-]", "-", true },
	{ "[-a]", "-", true },
	{ "[!a]", "b", true },
	{ "[!a]", "a", false },
	{ "[!a-c]", "b", false },
	{ "[]]", "]", true },
	{ "[]a]", "a", true },
	{ "[!]]", "]", false },
	{ "[!]]", "a", true },
	{ "[a", "[a", true },
	{ "[a", "a", false },
	{ "[]", "[]", true },
	{ "[", "[", true },
	{ "x*[0-9]", "x12", true },
	{ "x*[0-9]", "x1a", false },
	{ "\\*", "*", true },
	{ "\\*", "a", false },
	{ "\\?", "?", true },
	{ "\\a", "a", true },
	{ "a\\", "a\\", true },
	{ "[\xe0-\xff]", "\xf0", true },
	{ "*.*", "foo.isra.0", true },
	{ "ABC", "abc", false },
};

const u32 glob_nr_rows = ARRAY_LENGTH(glob_rows);
