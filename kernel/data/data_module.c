// SPDX-License-Identifier: GPL-2.0
/*
 * Data for one kernel. The types blob is the .BTF section of this module, so the kernel itself
 * checks it and gives it ids. The locations are in another section. Both stay in memory as long as
 * the module.
 */
#include <linux/btf_extra.h>
#include <linux/init.h>
#include <linux/module.h>

#include "data/blobs.h"

/*
 * GCC 12 takes the address of a weak symbol from a GOT on arm64, and modules there have none. These
 * variables have the address itself. READ_ONCE() keeps the compiler from knowing it.
 */
struct bounds {
	const u8 *first, *end;
};

static struct bounds image = { btf_extra_image, btf_extra_image_end };
static struct bounds types = { btf_extra_types, btf_extra_types_end };

static struct btf_extra_data data;

static int __init btf_extra_vmlinux_init(void)
{
	data = (struct btf_extra_data){
		.image = READ_ONCE(image.first),
		.types = READ_ONCE(types.first),
		.owner = THIS_MODULE,
	};
	data.image_size = READ_ONCE(image.end) - (const u8 *)data.image;
	data.types_size = READ_ONCE(types.end) - (const u8 *)data.types;
	return btf_extra_add_vmlinux(&data);
}

static void __exit btf_extra_vmlinux_exit(void)
{
	btf_extra_del_vmlinux(&data);
}

module_init(btf_extra_vmlinux_init);
module_exit(btf_extra_vmlinux_exit);

MODULE_DESCRIPTION("Locations of the functions of one kernel, for btf_extra");
MODULE_LICENSE("GPL");
