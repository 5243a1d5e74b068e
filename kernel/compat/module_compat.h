/* SPDX-License-Identifier: GPL-2.0 */
/* The differences, from kernel 6.1 on, in what a module has in memory. */
#ifndef BTF_EXTRA_MODULE_COMPAT_H
#define BTF_EXTRA_MODULE_COMPAT_H

#include <linux/module.h>
#include <linux/version.h>

/* Returns the read-only data of a module. */
static inline const void *module_read_only(const struct module *module, size_t *size)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 4, 0)
	*size = module->mem[MOD_RODATA].size;
	return module->mem[MOD_RODATA].base;
#else
	*size = module->core_layout.ro_size - module->core_layout.text_size;
	return module->core_layout.base + module->core_layout.text_size;
#endif
}

/* Returns the text that a module keeps after its init. */
static inline const void *module_text(const struct module *module, size_t *size)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 4, 0)
	*size = module->mem[MOD_TEXT].size;
	return module->mem[MOD_TEXT].base;
#else
	*size = module->core_layout.text_size;
	return module->core_layout.base;
#endif
}

/* The blobs inside a module, which the loader of a patched kernel keeps; data NULL: it has none. */
struct module_bytes {
	const void *data;
	unsigned int size;
};

static inline struct module_bytes module_func_info(const struct module *module)
{
#ifdef CONFIG_DEBUG_INFO_BTF_EXTRA_MODULES
	return (struct module_bytes){ module->btf_func_info_data, module->btf_func_info_size };
#else
	return (struct module_bytes){};
#endif
}

static inline struct module_bytes module_btf_extra(const struct module *module)
{
#ifdef CONFIG_DEBUG_INFO_BTF_EXTRA_MODULES
	return (struct module_bytes){ module->btf_extra_data, module->btf_extra_size };
#else
	return (struct module_bytes){};
#endif
}

#endif
