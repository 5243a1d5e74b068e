/* SPDX-License-Identifier: GPL-2.0 */
/* The differences, from kernel 6.1 on, in what kernels offer to modules. */
#ifndef BTF_EXTRA_KERNEL_COMPAT_H
#define BTF_EXTRA_KERNEL_COMPAT_H

#include <linux/bpf.h>
#include <linux/btf.h>
#include <linux/filter.h>
#include <linux/module.h>
#include <linux/sysfs.h>
#include <linux/version.h>

/* Since 6.17 callbacks see the attribute as const; 6.13 prepared that with read_new. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 17, 0)
typedef const struct bin_attribute bin_attribute_arg;
#else
typedef struct bin_attribute bin_attribute_arg;
#endif

static inline ssize_t bin_attribute_read(struct bin_attribute *attribute, struct kobject *kobj,
					 char *buffer, size_t size)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0) && LINUX_VERSION_CODE < KERNEL_VERSION(6, 17, 0)
	if (attribute->read_new)
		return attribute->read_new(NULL, kobj, attribute, buffer, 0, size);
#endif
	if (!attribute->read)
		return -EOPNOTSUPP;
	return attribute->read(NULL, kobj, attribute, buffer, 0, size);
}

/* Returns the bytes that such a file shows, if the attribute has them in memory. */
static inline const void *bin_attribute_bytes(const struct bin_attribute *attribute)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 17, 0)
	if (attribute->read == sysfs_bin_attr_simple_read)
		return attribute->private;
#endif
	return NULL;
}

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

/* Our blobs in a module, which the loader of a patched kernel keeps; data NULL: it has none. */
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

/* 6.9 moved it. */
static inline bool bpf_prog_is_sleepable(const struct bpf_prog *prog)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 9, 0)
	return prog->sleepable;
#else
	return prog->aux->sleepable;
#endif
}

/* From 6.18 on programs may change the registers of uprobes. */
static inline bool bpf_prog_writes_registers(const struct bpf_prog *prog)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 18, 0)
	return prog->aux->kprobe_write_ctx;
#else
	return false;
#endif
}

/*
 * 6.7 put brackets around kfuncs, 6.3 marks each of them, and 6.9 separates them from other sets.
 */
#ifndef __bpf_kfunc
#define __bpf_kfunc __used noinline
#endif
#ifndef __bpf_kfunc_start_defs
#define __bpf_kfunc_start_defs()                                               \
	__diag_push();                                                         \
	__diag_ignore_all("-Wmissing-prototypes", "kfuncs are called by BPF programs alone")
#define __bpf_kfunc_end_defs() __diag_pop()
#endif
#ifndef BTF_KFUNCS_START
#define BTF_KFUNCS_START(name) BTF_SET8_START(name)
#define BTF_KFUNCS_END(name) BTF_SET8_END(name)
#endif

/* Since 6.4 a module can refuse its kfuncs to a program when that is loaded. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 4, 0)
#define KFUNC_SETS_HAVE_FILTERS
#endif

#endif
