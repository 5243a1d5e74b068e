// SPDX-License-Identifier: GPL-2.0
#include "tests/sample_objects.h"

/* sample_host's functions get no argument, so they use this. */
static struct sample_world *current_world;

static int say_build_id(const struct module *module, u8 *id)
{
	if (current_world->build_id_error)
		return current_world->build_id_error;
	memcpy(id, current_world->build_id, current_world->build_id_size);
	return current_world->build_id_size;
}

static const struct base_btf *say_base(void)
{
	current_world->nr_asked++;
	if (current_world->base_error)
		return ERR_PTR(current_world->base_error);
	return &current_world->base;
}

static int say_module_base(struct base_btf *base, const struct module *module,
			   const struct base_btf *vmlinux)
{
	const struct extra_bytes *bytes = &current_world->module_btf;

	if (!bytes->data)
		return base_btf_open_module(base, module, vmlinux);
	return base_btf_open_bytes(base, bytes->data, bytes->size, vmlinux);
}

static int say_place(struct extra_object *object, const struct extra_elf *elf)
{
	u32 i;

	if (current_world->place_error)
		return current_world->place_error;
	for (i = 0; i < object->blobs.index.nr_elf_sections; i++) {
		struct extra_section section;

		if (!extra_elf_find(elf, object->blobs.index.elf_sections[i].name, &section))
			return -ENOENT;
		object->sections[i].size = section.size;
		if (current_world->slide)
			object->sections[i].address = sample_text(current_world->slide) -
						      CONTAINER_TEXT + section.address;
	}
	return 0;
}

const struct object_host sample_host = {
	.build_id = say_build_id,
	.base = say_base,
	.module_base = say_module_base,
	.place = say_place,
};

void sample_write(struct sample_world *world)
{
	world->file_size = container_write(world->file, &world->blobs, &world->base_sum,
					   CONTAINER_PLAIN, 0);
}

void sample_write_frames(struct sample_world *world)
{
	world->file_size = container_write(world->file, &world->blobs, &world->base_sum,
					   "tli1FTIR", 0);
}

int sample_init(struct kunit *test)
{
	struct sample_world *world = kunit_kzalloc(test, sizeof(*world), GFP_KERNEL);
	const struct core_image *base;

	KUNIT_ASSERT_NOT_NULL(test, world);
	KUNIT_ASSERT_EQ(test, container_crc32("123456789", 9), 0xcbf43926);
	KUNIT_ASSERT_TRUE(test, core_row_input(&core_rows[0], &world->images, &world->blobs));
	base = &world->blobs.base;
	KUNIT_ASSERT_EQ(test, base_btf_open_bytes(&world->base, base->data, base->size, NULL), 0);
	world->base_sum = container_base(&world->blobs);
	memcpy(world->build_id, CONTAINER_BUILD_ID, CONTAINER_BUILD_ID_SIZE);
	world->build_id_size = CONTAINER_BUILD_ID_SIZE;
	sample_write(world);
	current_world = world;
	test->priv = world;
	return 0;
}

void sample_exit(struct kunit *test)
{
	struct sample_world *world = test->priv;

	current_world = NULL;
	if (world)
		base_btf_close(&world->base);
}

struct extra_object *sample_create(struct sample_world *world, const char *name, u32 slide)
{
	const struct object_source source = {
		.name = name, .image = world->file, .image_size = world->file_size
	};

	world->slide = slide;
	return extra_object_create(&source, &sample_host);
}
