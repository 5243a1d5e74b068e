/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An object with sites: vmlinux or a module, with its blobs, its tables and the places of its
 * sections. It is made complete or not at all. After that the text of sections can only become
 * freed, and frames can be added.
 */
#ifndef BTF_EXTRA_EXTRA_OBJECT_H
#define BTF_EXTRA_EXTRA_OBJECT_H

#include <linux/btf_extra.h>
#include <linux/sysfs.h>

#include "core/extra_blobs.h"
#include "core/site_query.h"
#include "objects/base_btf.h"
#include "objects/func_files.h"

/* An ELF section of the object that has sites. Its number is that of the index. */
struct object_section {
	unsigned long address;	/* at run time; 0: not known */
	unsigned long size;
	bool freed;		/* its text was freed: see BTF_EXTRA_SITE_FREED */
};

/* A part of an object that sysfs shows. */
struct blob_file {
	struct bin_attribute attribute;
	/* with ".types", ".marks", ".expressions" or ".frames" */
	char name[BTF_EXTRA_OBJECT_NAME_LEN + 12];
};

struct module;
struct object_frames;

/* The tables of an object, and scratch space while they are built. */
struct object_memory {
	struct extra_memory memory;
	void *held[4];
	size_t sizes[4];
	u32 nr_held;
};

struct extra_object {
	char name[BTF_EXTRA_OBJECT_NAME_LEN];
	u32 id;				/* given by the registry */
	const struct module *module;	/* NULL: vmlinux. No reference is held. */
	u8 build_id[EXTRA_BUILD_ID_MAX];
	u32 build_id_size;
	struct base_btf module_btf;	/* for modules with BTF of their own */
	struct extra_blobs blobs;
	const struct module *types_module;	/* its BTF has our types; NULL: none */
	struct object_section *sections;	/* [blobs.index.nr_elf_sections] */
	struct func_files files;
	struct site_tables tables;	/* the object for queries */
	struct object_frames __rcu *frames;	/* see object_frames.h; NULL: not kept yet */
	bool no_frames;			/* nor does its firmware file have any */
	void *copies[4];		/* of blobs, marks, expressions; NULL: not ours to free */
	struct object_memory memory;
	u32 nr_sites[2];		/* by enum loc_class */
	size_t bytes;			/* blobs and tables, without frames */
	u64 load_ns;
	struct blob_file shown[5];	/* see blob_files.h */
	u32 nr_shown;
};

/* The parts that an object is made from. */
struct object_source {
	const char *name;
	const struct module *module;	/* NULL: vmlinux */
	const void *image;		/* the container, aligned to 8 */
	size_t image_size;
	struct extra_bytes types;	/* instead of the container's; data NULL: the container's */
	struct extra_bytes func_info;	/* likewise */
	/* The module whose .BTF has the types, so that the kernel knows their ids; NULL: none. */
	const struct module *types_module;
	bool keep;			/* the bytes outlive the object, so they are not copied */
};

/*
 * An object needs this from the running kernel. Each function returns 0 or a negative errno. Tests
 * bring their own.
 */
struct object_host {
	/* Writes up to EXTRA_BUILD_ID_MAX bytes to id. Returns the size or a negative errno. */
	int (*build_id)(const struct module *module, u8 *id);
	/* Returns vmlinux BTF or ERR_PTR(). It stays while objects exist. */
	const struct base_btf *(*base)(void);
	/* Opens the module's own BTF, on vmlinux's; -ENOENT: it has none. */
	int (*module_base)(struct base_btf *base, const struct module *module,
			   const struct base_btf *vmlinux);
	/* Fills object->sections, whose sizes come from elf. */
	int (*place)(struct extra_object *object, const struct extra_elf *elf);
};

/*
 * Checks everything and builds all tables. If the object is refused, returns ERR_PTR() after one
 * line in dmesg with object, type id, byte offset and reason. May sleep.
 */
struct extra_object *extra_object_create(const struct object_source *source,
					 const struct object_host *host);
void extra_object_destroy(struct extra_object *object);

/* Returns the memory that blobs, tables and frames take. */
size_t extra_object_bytes(const struct extra_object *object);

/* Returns the path of a function's source file; NULL: not known. */
const char *extra_object_func_file(const struct extra_object *object, u32 func_id);

/* Returns the section of that name, such as ".text"; NULL: it has no sites. */
const struct object_section *extra_object_section(const struct extra_object *object,
						  const char *name);

/* Returns the name of a function of any level; "": there is no such function. */
static inline const char *extra_object_func_name(const struct extra_object *object, u32 func_id)
{
	return site_func_name(&object->tables, func_id);
}

#endif
