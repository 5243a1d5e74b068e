// SPDX-License-Identifier: GPL-2.0
/*
 * Tests objects that a module carries in itself. The module's BTF has the same types as the
 * sample's types blob, and the first of them are the module's own. func_info and the rest of the
 * container are in two sections.
 */
#include <kunit/test.h>

#include "../../tests/core/elf_writer.h"
#include "fentry/fentry_target.h"
#include "objects/object_registry.h"
#include "tests/sample_objects.h"

/* The module's BTF has the ids 4..10: 6 is apple, 7 and 8 are pear, 9 and 10 their files. */
#define NR_TYPES 7

struct carried_row {
	const char *name;
	u32 own;		/* number of types that are the module's own */
	bool no_own;		/* ... and no section gives that number */
	bool vmlinux;		/* it is vmlinux, not a module */
	bool no_func_info;
	u32 base_crc, module_crc;	/* xor */

	int error;
	u32 first_own_id;
	bool files;
};

static const struct carried_row carried_rows[] = {
	{ "some are the module's own", 3, .first_own_id = 7, .files = true },
	{ "all FUNCs are ours", 2, .first_own_id = 6, .files = true },
	{ "none is its own", 0, .first_own_id = 4, .files = true },
	{ "all are its own", NR_TYPES, .first_own_id = 11 },
	{ "more than there are", NR_TYPES + 1, .error = -EINVAL },
	{ "as many as can be", U32_MAX, .error = -EINVAL },
	{ "not said", .no_own = true, .first_own_id = 11 },
	{ "another build of the module", 3, .module_crc = 1, .error = -EINVAL },
	{ "another kernel", 3, .base_crc = 1, .error = -EINVAL },
	{ "no module", 3, .vmlinux = true, .error = -EINVAL },
	{ "no locations", 3, .no_func_info = true, .error = -EINVAL },
};

KUNIT_ARRAY_PARAM_DESC(carried, carried_rows, name);

static const struct {
	u32 name_size, id_size, type;
	u8 name[4], id[CONTAINER_BUILD_ID_SIZE];
} note = { 4, CONTAINER_BUILD_ID_SIZE, 3, "GNU", CONTAINER_BUILD_ID };

static void write_rest(struct sample_world *world, const struct carried_row *row)
{
	const struct core_image *btf = &world->blobs.types;
	const struct extra_base sums[] = {
		{ world->base_sum.size, world->base_sum.crc32 ^ row->base_crc },
		{ btf->size, container_crc32(btf->data, btf->size) ^ row->module_crc },
	};
	struct elf_writer w;

	elf_start(&w, world->file, sizeof(world->file), 7);
	elf_bytes(&w, ".note.gnu.build-id", SHT_NOTE, &note, sizeof(note));
	elf_bytes(&w, ".btf_extra.base", SHT_PROGBITS, sums, sizeof(sums));
	elf_place(&w, ".text", CONTAINER_TEXT, CONTAINER_TEXT_SIZE, SHF_ALLOC | SHF_EXECINSTR);
	elf_place(&w, ".init.text", CONTAINER_INIT_TEXT, CONTAINER_INIT_TEXT_SIZE,
		  SHF_ALLOC | SHF_EXECINSTR);
	if (!row->no_own)
		elf_bytes(&w, ".btf_extra.own_types", SHT_PROGBITS, &row->own, sizeof(row->own));
	world->file_size = elf_finish(&w, 62);
}

static struct extra_object *create(struct sample_world *world, const struct carried_row *row)
{
	static const u32 no_types[] = { BTF_MAGIC | BTF_VERSION << 16, 24, 0, 0, 0, 0 };
	const struct core_image *func_info = &world->blobs.func_info;
	struct object_source source = {
		.name = "kunit",
		.module = row->vmlinux ? NULL : THIS_MODULE,
		.image = world->file,
		.image_size = world->file_size,
		.types = { no_types, sizeof(no_types) },
		.types_module = THIS_MODULE,
		.keep = true,
	};

	if (!row->no_func_info)
		source.func_info = (struct extra_bytes){ func_info->data, func_info->size };
	world->slide = 1;
	world->module_btf = (struct extra_bytes){ world->blobs.types.data,
						  world->blobs.types.size };
	return extra_object_create(&source, &sample_host);
}

static void carried_row_test(struct kunit *test)
{
	const struct carried_row *row = test->param_value;
	struct sample_world *world = test->priv;
	struct extra_object *object;

	write_rest(world, row);
	KUNIT_ASSERT_GT(test, world->file_size, 0);
	object = create(world, row);
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(object), row->error);
	if (IS_ERR(object))
		return;
	KUNIT_EXPECT_EQ(test, object->blobs.first_own_id, row->first_own_id);
	KUNIT_EXPECT_PTR_EQ(test, object->types_module, (const struct module *)THIS_MODULE);
	KUNIT_EXPECT_EQ(test, object->blobs.index.nr_sites, SAMPLE_NR_SITES);
	KUNIT_EXPECT_PTR_EQ(test, object->blobs.func_info.data,
			    (const u8 *)world->blobs.func_info.data);
	KUNIT_EXPECT_EQ(test, object->blobs.types.nr_types, 0);
	KUNIT_EXPECT_STREQ(test, extra_object_func_name(object, 3), "base_func");
	KUNIT_EXPECT_STREQ(test, extra_object_func_name(object, 6), "apple");
	KUNIT_EXPECT_STREQ(test, extra_object_func_name(object, 8), "pear");
	if (row->files) {
		KUNIT_EXPECT_STREQ(test, extra_object_func_file(object, 7), "a.c");
		KUNIT_EXPECT_STREQ(test, extra_object_func_file(object, 8), "b.c");
	} else {
		KUNIT_EXPECT_NULL(test, extra_object_func_file(object, 7));
	}
	extra_object_destroy(object);
}

static bool symbol_of_sample(unsigned long address, char *symbol)
{
	strscpy(symbol, address == sample_text(1) + 0x10 ? "apple" : "pear", KSYM_SYMBOL_LEN);
	return true;
}

/*
 * apple is the module's own and attaches by name. pear is one of the added types and has no body.
 */
static void carried_attach_test(struct kunit *test)
{
	static const struct carried_row plain = { .own = 3 };
	struct fentry_query *query = kunit_kzalloc(test, sizeof(*query), GFP_KERNEL);
	struct sample_world *world = test->priv;
	struct fentry_target target;
	struct extra_object *object;

	KUNIT_ASSERT_NOT_NULL(test, query);
	write_rest(world, &plain);
	object = create(world, &plain);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, object);
	query->object = object;
	query->symbol_at = symbol_of_sample;
	fentry_target_of(query, 6, &target);
	KUNIT_EXPECT_EQ(test, target.answer, FENTRY_BY_NAME);
	KUNIT_EXPECT_FALSE(test, target.own);
	fentry_target_of(query, 7, &target);
	KUNIT_EXPECT_EQ(test, target.answer, FENTRY_NO_BODY);
	KUNIT_EXPECT_TRUE(test, target.own);
	fentry_target_of(query, 8, &target);
	KUNIT_EXPECT_EQ(test, target.answer, FENTRY_ADDRESS);
	KUNIT_EXPECT_EQ(test, target.address, sample_text(1) + 0x30);
	KUNIT_EXPECT_STREQ(test, fentry_btf_name(object, 6), "kunit");
	KUNIT_EXPECT_STREQ(test, fentry_btf_name(object, 8), THIS_MODULE->name);
	extra_object_destroy(object);
}

static struct kunit_case carried_cases[] = {
	KUNIT_CASE_PARAM(carried_row_test, carried_gen_params),
	KUNIT_CASE(carried_attach_test),
	{ }
};

static struct kunit_suite carried_suite = {
	.name = "btf_extra_carried",
	.init = sample_init,
	.exit = sample_exit,
	.test_cases = carried_cases,
};

kunit_test_suite(carried_suite);
