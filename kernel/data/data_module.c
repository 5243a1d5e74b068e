// SPDX-License-Identifier: GPL-2.0
/*
 * Data for one kernel. The types blob is the .BTF section of this module, so the kernel itself
 * checks it and gives it ids. The locations are in another section. Both stay in memory as long as
 * the module.
 */
#include <linux/btf_extra.h>
#include <linux/init.h>
#include <linux/module.h>

#include "blobs.h"

static struct btf_extra_data data;

static int __init btf_extra_vmlinux_init(void)
{
	data = (struct btf_extra_data){
		.image = btf_extra_image,
		.image_size = btf_extra_image_end - btf_extra_image,
		.types = btf_extra_types,
		.types_size = btf_extra_types_end - btf_extra_types,
		.owner = THIS_MODULE,
	};
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
