/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Objects for tests: the plain container of tests/core, and a kernel that says of
 * itself what a test wants. One test at a time.
 *
 * Sites of a sample, by number: LOCSEC inline.text 0..4, func.text 5 and 6,
 * inline.init.text 7; .text is at sample_text(), .init.text 0x3000 behind it.
 *
 *	number		0	1	2	3	4	5	6	7
 *	function	3	6	6	7	8	6	8	6
 *	offset		0x10	0x10	0x20	0x10	0x40	0x10	0x30	0x10
 *
 * Names: 3 base_func, 6 apple, 7 pear (file a.c), 8 pear (file b.c).
 */
#ifndef BTF_EXTRA_TESTS_SAMPLE_OBJECTS_H
#define BTF_EXTRA_TESTS_SAMPLE_OBJECTS_H

#include <kunit/test.h>

#include "../extra_object.h"
#include "../../tests/core/container_rows.h"

#define SAMPLE_NR_SITES 8
#define SAMPLE_NR_FUNCS 4

struct sample_world {
	struct core_row_images images;
	struct core_input blobs;
	struct base_btf base;
	struct extra_base base_sum;
	u8 file[CONTAINER_MAX_SIZE] __aligned(8);
	u32 file_size;
	/* what the kernel says: */
	int build_id_error;
	u8 build_id[EXTRA_BUILD_ID_MAX];
	u32 build_id_size;
	int base_error;
	struct extra_bytes module_btf;	/* of each module; data NULL: what it really has */
	int place_error;
	u32 nr_asked;		/* how often it was asked for its base */
	u32 slide;		/* see sample_text() */
};

extern const struct object_host sample_host;

/* For kunit_suite.init and .exit; test->priv is the world after it. */
int sample_init(struct kunit *test);
void sample_exit(struct kunit *test);

/* The plain file anew, with the blobs as they are by now. */
void sample_write(struct sample_world *world);

/* Makes an object whose sections are at the given slide. ERR_PTR() as it comes. */
struct extra_object *sample_create(struct sample_world *world, const char *name, u32 slide);

/* Bit by bit, apart from the kernel's. */
u32 sample_crc32(const u8 *data, size_t size);

/* The run-time address of .text; slides overlap with no other, 0 is at no address. */
static inline unsigned long sample_text(u32 slide)
{
	return slide * 0x100000ul + CONTAINER_TEXT;
}

#endif
