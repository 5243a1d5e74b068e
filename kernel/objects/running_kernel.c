// SPDX-License-Identifier: GPL-2.0
#include "objects/base_btf.h"
#include "objects/build_id.h"
#include "objects/placement.h"
#include "objects/running_kernel.h"

const struct object_host running_kernel = {
	.build_id = build_id_get,
	.base = vmlinux_btf,
	.module_base = base_btf_open_module,
	.place = placement_find,
};
