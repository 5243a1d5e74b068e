// SPDX-License-Identifier: GPL-2.0
#include "build_id.h"
#include "placement.h"
#include "running_kernel.h"
#include "vmlinux_btf.h"

const struct object_host running_kernel = {
	.build_id = build_id_get,
	.base = vmlinux_btf,
	.module_base = base_btf_open_module,
	.place = placement_find,
};
