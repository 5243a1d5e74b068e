// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
/* Prints "NAME SITES" for each object that /dev/btf_extra knows. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/ioctl.h>

#include "include/uapi/linux/btf_extra.h"

int main(void)
{
	struct btf_extra_object objects[256];
	struct btf_extra_info info = {
		.objects = (unsigned long)objects,
		.capacity = 256,
	};
	int device = open(BTF_EXTRA_DEVICE, O_RDONLY);
	unsigned int i;

	if (device < 0 || ioctl(device, BTF_EXTRA_IOC_INFO, &info)) {
		perror(BTF_EXTRA_DEVICE);
		return 1;
	}
	for (i = 0; i < info.count; i++)
		printf("%s %u\n", objects[i].name, objects[i].nr_inline + objects[i].nr_bodies);
	return 0;
}
