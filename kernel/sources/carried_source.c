// SPDX-License-Identifier: GPL-2.0
#include <linux/btf.h>

#include "compat/module_compat.h"
#include "sources/carried_source.h"

bool carried_source(const struct module *module, struct object_source *source)
{
	/* The module's BTF already contains the types, so their blob is only an empty header. */
	static const u32 no_types[] = { BTF_MAGIC | BTF_VERSION << 16, 24, 0, 0, 0, 0 };
	const struct module_bytes func_info = module_func_info(module);
	const struct module_bytes rest = module_btf_extra(module);

	if (!func_info.data || !rest.data)
		return false;
	*source = (struct object_source){
		.name = module->name,
		.module = module,
		.image = rest.data,
		.image_size = rest.size,
		.types = { .data = no_types, .size = sizeof(no_types) },
		.func_info = { .data = func_info.data, .size = func_info.size },
		.types_module = module,
		.keep = true,
	};
	return true;
}
