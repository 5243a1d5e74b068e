// SPDX-License-Identifier: GPL-2.0
#define pr_fmt(fmt) "btf_extra: " fmt

#include <linux/kallsyms.h>
#include <linux/ktime.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "objects/extra_object.h"
#include "objects/kernel_symbol.h"
#include "objects/object_frames.h"

static int object_refuse(const struct object_source *source, const char *reason, int err)
{
	pr_err("%s: refused: %s\n", source->name, reason);
	return err;
}

static int object_refuse_fault(const struct object_source *source, const char *where,
			       const struct btf_fault *fault)
{
	pr_err("%s: refused: %s: type id %u, byte %u: %s\n", source->name, where, fault->type_id,
	       fault->offset, btf_fault_text(fault->code));
	return -EINVAL;
}

static int check_build_id(struct extra_object *object, const struct object_source *source,
			  const struct extra_elf *elf, const struct object_host *host)
{
	u8 running[EXTRA_BUILD_ID_MAX];
	int size = host->build_id(source->module, running);

	if (size < 0)
		return object_refuse(source, "build-id of the running object is not known", size);
	if (size != elf->build_id.size || memcmp(running, elf->build_id.data, size)) {
		pr_err("%s: refused: made for build-id %*phN, running is %*phN\n", source->name,
		       (int)elf->build_id.size, elf->build_id.data, size, running);
		return -ESTALE;
	}
	memcpy(object->build_id, running, size);
	object->build_id_size = size;
	return 0;
}

/* ---- memory ---- */

static void *get_memory(struct extra_memory *memory, size_t size)
{
	struct object_memory *own = container_of(memory, struct object_memory, memory);
	void *got;

	if (own->nr_held == ARRAY_SIZE(own->held))
		return NULL;
	got = kvmalloc(size, GFP_KERNEL);
	if (!got)
		return NULL;
	own->held[own->nr_held] = got;
	own->sizes[own->nr_held++] = size;
	return got;
}

static void put_memory(struct extra_memory *memory)
{
	struct object_memory *own = container_of(memory, struct object_memory, memory);

	kvfree(own->held[--own->nr_held]);
}

/* Makes a copy of a part, unless the bytes outlive the object anyway. */
static int keep_bytes(const struct object_source *source, struct extra_bytes *bytes, void **copy)
{
	if (source->keep || !bytes->data)
		return 0;
	*copy = kvmalloc(bytes->size, GFP_KERNEL);
	if (!*copy)
		return -ENOMEM;
	bytes->data = memcpy(*copy, bytes->data, bytes->size);
	return 0;
}

static int keep_parts(struct extra_object *object, const struct object_source *source,
		      struct extra_elf *elf)
{
	int err;

	err = keep_bytes(source, &elf->types, &object->copies[0]);
	if (!err)
		err = keep_bytes(source, &elf->func_info, &object->copies[1]);
	if (!err)
		err = keep_bytes(source, &elf->site_marks, &object->copies[2]);
	if (!err)
		err = keep_bytes(source, &elf->expressions, &object->copies[3]);
	return err;
}

/* ---- blobs ---- */

/* Returns what the types blob continues: vmlinux's BTF, or a module's own where it has some. */
static const struct btf_blob *find_base(struct extra_object *object,
					const struct object_source *source,
					const struct extra_elf *elf,
					const struct object_host *host,
					const struct base_btf *vmlinux)
{
	const struct extra_base *sums = elf->bases.data;
	u32 nr_sums = elf->bases.size / sizeof(*sums);
	int err;

	if (nr_sums != 1 && !(nr_sums == 2 && source->module))
		return ERR_PTR(object_refuse(source,
					     "made for another number of levels of base BTF",
					     -EINVAL));
	if (!base_btf_is(vmlinux, &sums[0]))
		return ERR_PTR(object_refuse(source, "made for the base BTF of another kernel",
					     -EINVAL));
	if (nr_sums == 1)
		return &vmlinux->blob;
	err = host->module_base(&object->module_btf, source->module, vmlinux);
	if (err)
		return ERR_PTR(object_refuse(source, "BTF of the module cannot be read", err));
	if (!base_btf_is(&object->module_btf, &sums[1]))
		return ERR_PTR(object_refuse(source, "made for another build of the module",
					     -EINVAL));
	return &object->module_btf.blob;
}

/* Frames are checked with the file, even if they are not kept. */
static int open_kept(struct extra_object *object, const struct object_source *source,
		     const struct extra_elf *elf, const struct btf_blob *base,
		     struct extra_fault *fault)
{
	const bool frames = elf->frames.data && (source->keep || object_frames_wanted());
	struct extra_elf others = *elf;
	int err;

	if (frames)
		others.frames = (struct extra_bytes){};
	err = extra_blobs_open(&object->blobs, &others, base, &object->memory.memory, fault);
	memset(&object->blobs.frames, 0, sizeof(object->blobs.frames));
	if (err || !frames)
		return err;
	fault->part = EXTRA_FRAMES;
	return object_frames_add(object, elf, source->keep, &fault->in);
}

static int open_blobs(struct extra_object *object, const struct object_source *source,
		      struct extra_elf *elf, const struct object_host *host,
		      const struct base_btf *vmlinux)
{
	const struct btf_blob *base = find_base(object, source, elf, host, vmlinux);
	struct extra_fault fault;
	int err;

	if (IS_ERR(base))
		return PTR_ERR(base);
	object->types_module = source->types_module;
	object->memory.memory = (struct extra_memory){ get_memory, put_memory, false };
	err = keep_parts(object, source, elf);
	if (!err)
		err = open_kept(object, source, elf, base, &fault);
	if (err == -ENOMEM)
		return object_refuse(source, "out of memory", err);
	return err ? object_refuse_fault(source, extra_part_name(fault.part), &fault.in) : 0;
}

static int count_sites(struct extra_object *object, const struct object_source *source)
{
	const struct extra_blobs *blobs = &object->blobs;
	u32 i;

	for (i = 0; i < blobs->index.nr_sections; i++)
		object->nr_sites[blobs->index.sections[i].loc_class] +=
			blobs->index.sections[i].nr_sites;
	object->sections = kcalloc(blobs->index.nr_elf_sections + 1, sizeof(*object->sections),
				   GFP_KERNEL);
	if (!object->sections)
		return object_refuse(source, "out of memory", -ENOMEM);
	object->bytes = (size_t)blobs->types.size + blobs->func_info.size +
			blobs->marks_size + blobs->expressions.section.size +
			base_btf_memory(&object->module_btf);
	for (i = 0; i < object->memory.nr_held; i++)
		object->bytes += object->memory.sizes[i];
	return 0;
}

static int list_files(struct extra_object *object, const struct object_source *source)
{
	if (func_files_open(&object->files, &object->blobs.types, object->blobs.first_own_id))
		return object_refuse(source, "out of memory", -ENOMEM);
	object->bytes += object->files.nr * sizeof(*object->files.files);
	return 0;
}

size_t extra_object_bytes(const struct extra_object *object)
{
	return object->bytes + object_frames_bytes(object).size;
}

const char *extra_object_func_file(const struct extra_object *object, u32 func_id)
{
	return func_files_path(&object->files, func_id);
}

const struct object_section *extra_object_section(const struct extra_object *object,
						  const char *name)
{
	int i = loc_index_elf_section(&object->blobs.index, name);

	return i < 0 ? NULL : &object->sections[i];
}

/* ---- the object for queries of the core ---- */

static const struct extra_object *object_of(const struct site_tables *tables)
{
	return container_of(tables, struct extra_object, tables);
}

static struct section_place object_place(const struct site_tables *tables, u32 elf)
{
	const struct extra_object *object = object_of(tables);
	const struct object_section *section = &object->sections[elf];
	struct section_place place = {
		.address = section->address,
		.size = section->size,
		.freed = READ_ONCE(section->freed),
	};

	/* Another module may be there by now. */
	if (place.freed && object->module)
		place.address = 0;
	return place;
}

static bool symbol_begins(const struct site_tables *tables, u32 elf, u32 offset, const char *name,
			  u32 size)
{
	unsigned long section = object_place(tables, elf).address;
	char symbol[KSYM_SYMBOL_LEN];

	return section && kernel_symbol_at(section + offset, symbol) &&
	       !strncmp(symbol, name, size) && !symbol[size];
}

static const char *func_file(const struct site_tables *tables, u32 func)
{
	return extra_object_func_file(object_of(tables), func);
}

static const struct site_tables_ops ops = {
	.place = object_place,
	.symbol_begins = symbol_begins,
	.func_file = func_file,
};

/* The rest of the object is complete by then. */
static void fill_tables(struct extra_object *object)
{
	object->tables = (struct site_tables){
		.index = &object->blobs.index,
		.marks = object->blobs.marks,
		.marks_size = object->blobs.marks_size,
		.ops = &ops,
	};
}

/* ---- creating an object ---- */

static int object_fill(struct extra_object *object, const struct object_source *source,
		       const struct object_host *host)
{
	const struct base_btf *vmlinux;
	struct btf_fault fault;
	struct extra_elf elf;
	int err;

	if (strscpy(object->name, source->name, sizeof(object->name)) < 0)
		return object_refuse(source, "name is too long", -EINVAL);
	object->module = source->module;
	if (source->func_info.data)
		err = extra_elf_open_rest(&elf, source->image, source->image_size, &fault);
	else
		err = extra_elf_open(&elf, source->image, source->image_size, &fault);
	if (err)
		return object_refuse_fault(source, "file", &fault);
	err = check_build_id(object, source, &elf, host);
	if (err)
		return err;
	vmlinux = host->base();
	if (IS_ERR(vmlinux))
		return object_refuse(source, "BTF of the kernel cannot be read", PTR_ERR(vmlinux));
	if (source->types.data)
		elf.types = source->types;
	if (source->func_info.data)
		elf.func_info = source->func_info;
	err = open_blobs(object, source, &elf, host, vmlinux);
	if (!err)
		err = count_sites(object, source);
	if (!err)
		err = list_files(object, source);
	if (!err) {
		err = host->place(object, &elf);
		if (err)
			object_refuse(source, "its sections contradict its functions", err);
	}
	return err;
}

struct extra_object *extra_object_create(const struct object_source *source,
					 const struct object_host *host)
{
	struct extra_object *object = kvzalloc(sizeof(*object), GFP_KERNEL);
	ktime_t begin = ktime_get();
	int err;

	if (!object)
		return ERR_PTR(object_refuse(source, "out of memory", -ENOMEM));
	err = object_fill(object, source, host);
	if (err) {
		extra_object_destroy(object);
		return ERR_PTR(err);
	}
	fill_tables(object);
	object->load_ns = ktime_to_ns(ktime_sub(ktime_get(), begin));
	return object;
}

void extra_object_destroy(struct extra_object *object)
{
	u32 i;

	if (IS_ERR_OR_NULL(object))
		return;
	object_frames_destroy(object);
	func_files_close(&object->files);
	kfree(object->sections);
	while (object->memory.nr_held)
		put_memory(&object->memory.memory);
	for (i = 0; i < ARRAY_SIZE(object->copies); i++)
		kvfree(object->copies[i]);
	base_btf_close(&object->module_btf);
	kvfree(object);
}
