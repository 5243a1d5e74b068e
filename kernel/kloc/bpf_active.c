// SPDX-License-Identifier: GPL-2.0
#define pr_fmt(fmt) "btf_extra: " fmt

#include <linux/btf.h>
#include <linux/kernel_stat.h>
#include <linux/printk.h>
#include <linux/string.h>

#include "kloc/bpf_active.h"

int __percpu *bpf_active;

/* A per-CPU variable. */
struct variable {
	const char *name;
	u32 size;
	u32 id;			/* id of its VAR; 0: there is none */
	u32 offset;		/* offset in the per-CPU section */
	bool found;
};

static void find_ids(const struct btf_blob *blob, struct variable *variables, u32 nr)
{
	const struct btf_type *type = blob->nr_types ? btf_blob_record(blob, 0) : NULL;
	const char *name;
	u32 i, k;

	for (i = 0; i < blob->nr_types; i++, type = btf_blob_next(blob, type)) {
		if (BTF_INFO_KIND(type->info) != BTF_KIND_VAR)
			continue;
		name = btf_blob_string(blob, type->name_off);
		for (k = 0; name && k < nr; k++)
			if (!strcmp(name, variables[k].name))
				variables[k].id = blob->first_id + i;
	}
}

static void find_in_section(const struct btf_type *section, struct variable *variables, u32 nr)
{
	const struct btf_var_secinfo *info = (const void *)(section + 1);
	u32 i, k;

	for (i = 0; i < BTF_INFO_VLEN(section->info); i++) {
		for (k = 0; k < nr; k++) {
			if (!variables[k].id || info[i].type != variables[k].id)
				continue;
			variables[k].offset = info[i].offset;
			variables[k].found = info[i].size == variables[k].size;
		}
	}
}

static void find_offsets(const struct btf_blob *blob, struct variable *variables, u32 nr)
{
	const struct btf_type *type = blob->nr_types ? btf_blob_record(blob, 0) : NULL;
	const char *name;
	u32 i;

	for (i = 0; i < blob->nr_types; i++, type = btf_blob_next(blob, type)) {
		if (BTF_INFO_KIND(type->info) != BTF_KIND_DATASEC)
			continue;
		name = btf_blob_string(blob, type->name_off);
		if (name && !strcmp(name, ".data..percpu"))
			find_in_section(type, variables, nr);
	}
}

void bpf_active_init(const struct btf_blob *vmlinux)
{
	enum { STAT, CPUSTAT, ACTIVE };
	/* The first two are exported. Both must give the same place for the section. */
	struct variable variables[] = {
		[STAT] = { .name = "kstat", .size = sizeof(struct kernel_stat) },
		[CPUSTAT] = { .name = "kernel_cpustat", .size = sizeof(struct kernel_cpustat) },
		[ACTIVE] = { .name = "bpf_prog_active", .size = sizeof(int) },
	};
	unsigned long section;

	find_ids(vmlinux, variables, ARRAY_SIZE(variables));
	find_offsets(vmlinux, variables, ARRAY_SIZE(variables));
	section = (unsigned long)&kstat - variables[STAT].offset;
	if (!variables[STAT].found || !variables[CPUSTAT].found || !variables[ACTIVE].found ||
	    (unsigned long)&kernel_cpustat - variables[CPUSTAT].offset != section) {
		pr_notice("cannot attach programs: bpf_prog_active not found in vmlinux BTF\n");
		return;
	}
	bpf_active = (int __percpu *)(section + variables[ACTIVE].offset);
}
