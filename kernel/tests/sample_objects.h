/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Makes objects for tests from the plain container of tests/core. Each test decides what the kernel
 * says about itself. One test runs at a time.
 *
 * The numbers of a sample's sites are 0..4 in LOCSEC inline.text, 5 and 6 in func.text, and 7 in
 * inline.init.text. .text is at sample_text(), and .init.text is 0x3000 after it.
 *
 *	number		0	1	2	3	4	5	6	7
 *	function	3	6	6	7	8	6	8	6
 *	offset		0x10	0x10	0x20	0x10	0x40	0x10	0x30	0x10
 *
 * The names are 3 base_func, 6 apple, 7 pear (file a.c) and 8 pear (file b.c).
 */
#ifndef BTF_EXTRA_TESTS_SAMPLE_OBJECTS_H
#define BTF_EXTRA_TESTS_SAMPLE_OBJECTS_H

#include <kunit/test.h>

#include "../../tests/core/container_rows.h"
#include "objects/extra_object.h"

#define SAMPLE_NR_SITES 8
#define SAMPLE_NR_FUNCS 4

struct sample_world {
	struct core_row_images images;
	struct core_input blobs;
	struct base_btf base;
	struct extra_base base_sum;
	u8 file[CONTAINER_MAX_SIZE] __aligned(8);
	u32 file_size;
	/* what the kernel says about itself: */
	int build_id_error;
	u8 build_id[EXTRA_BUILD_ID_MAX];
	u32 build_id_size;
	int base_error;
	struct extra_bytes module_btf;	/* of each module; data NULL: the module's real BTF */
	int place_error;
	u32 nr_asked;		/* how often the host was asked for the base */
	u32 slide;		/* see sample_text() */
};

extern const struct object_host sample_host;

/* These are kunit_suite.init and .exit. sample_init() makes test->priv the world. */
int sample_init(struct kunit *test);
void sample_exit(struct kunit *test);

/* Writes the plain file again, with the blobs as they are now. */
void sample_write(struct sample_world *world);
/*
 * The same with frames: apple has a body at .text+0x20, 0x10 bytes, and an instance in the first 4
 * of them, called at line 1 of the file ".text".
 */
void sample_write_frames(struct sample_world *world);
#define SAMPLE_FRAMES_SIZE 104

/* Makes an object whose sections are at the given slide, or returns the ERR_PTR() of a failure. */
struct extra_object *sample_create(struct sample_world *world, const char *name, u32 slide);

/* Returns the run-time address of .text. No two slides overlap, and slide 0 has no address. */
static inline unsigned long sample_text(u32 slide)
{
	return slide * 0x100000ul + CONTAINER_TEXT;
}

#endif
