// SPDX-License-Identifier: GPL-2.0
#define pr_fmt(fmt) "btf_extra: " fmt

#include <linux/ktime.h>
#include <linux/mm.h>

#include "core/loc_validate.h"
#include "core/site_bounds.h"
#include "extra_object.h"
#include "object_tables.h"

static int refuse(const struct object_source *source, const char *reason, int err)
{
	pr_err("%s: refused: %s\n", source->name, reason);
	return err;
}

static int refuse_fault(const struct object_source *source, const char *where,
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
		return refuse(source, "build-id of what is running is not known", size);
	if (size != elf->build_id.size || memcmp(running, elf->build_id.data, size)) {
		pr_err("%s: refused: made for build-id %*phN, running is %*phN\n", source->name,
		       (int)elf->build_id.size, elf->build_id.data, size, running);
		return -ESTALE;
	}
	memcpy(object->build_id, running, size);
	object->build_id_size = size;
	return 0;
}

/* Returns where the blob's bytes stay. The object must free *copy. */
static const void *keep_bytes(const struct object_source *source, const struct extra_bytes *bytes,
			      void **copy)
{
	if (source->keep)
		return bytes->data;
	*copy = kvmalloc(bytes->size, GFP_KERNEL);
	if (!*copy)
		return NULL;
	return memcpy(*copy, bytes->data, bytes->size);
}

static int open_blob(const struct object_source *source, struct btf_blob *blob, const char *where,
		     const struct extra_bytes *bytes, void **copy, u32 **type_offsets,
		     const struct btf_blob *below)
{
	const void *data = keep_bytes(source, bytes, copy);
	struct btf_fault fault;

	if (!data)
		return refuse(source, "out of memory", -ENOMEM);
	if (btf_blob_open(blob, data, bytes->size, below, &fault))
		return refuse_fault(source, where, &fault);
	*type_offsets = kvmalloc_array(btf_blob_nr_offsets(blob) + 1, sizeof(u32), GFP_KERNEL);
	if (!*type_offsets)
		return refuse(source, "out of memory", -ENOMEM);
	btf_blob_index(blob, *type_offsets);
	return 0;
}

/* Finds the base of the types blob: vmlinux's BTF, or a module's own BTF on top of it. */
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
		return ERR_PTR(refuse(source, "made over another number of levels of base BTF",
				      -EINVAL));
	if (!base_btf_is(vmlinux, &sums[0]))
		return ERR_PTR(refuse(source, "made over base BTF of another kernel", -EINVAL));
	if (nr_sums == 1)
		return &vmlinux->blob;
	err = host->module_base(&object->module_btf, source->module, vmlinux);
	if (err)
		return ERR_PTR(refuse(source, "BTF of the module cannot be read", err));
	if (!base_btf_is(&object->module_btf, &sums[1]))
		return ERR_PTR(refuse(source, "made over BTF of another build of the module",
				      -EINVAL));
	return &object->module_btf.blob;
}

/* Finds which ids are ours: those of the types, or the later ones of a module's own BTF. */
static int tell_own_ids(struct extra_object *object, const struct object_source *source,
			const struct extra_elf *elf)
{
	const struct btf_blob *module_btf = &object->module_btf.blob;
	u32 nr;

	object->types_module = source->types_module;
	object->first_own_id = object->types.first_id;
	if (!elf->own_types.data)
		return 0;
	memcpy(&nr, elf->own_types.data, sizeof(nr));
	if (!source->module || !module_btf->data || nr > module_btf->nr_types)
		return refuse(source, "says of more types than there are which ones are its own",
			      -EINVAL);
	object->first_own_id = module_btf->first_id + nr;
	return 0;
}

static int open_blobs(struct extra_object *object, const struct object_source *source,
		      const struct extra_elf *elf, const struct object_host *host,
		      const struct base_btf *vmlinux)
{
	const struct extra_bytes *types = source->types.data ? &source->types : &elf->types;
	const struct extra_bytes *func_info = source->func_info.data ? &source->func_info :
								       &elf->func_info;
	const struct btf_blob *below;
	struct btf_fault fault;
	int err;

	if (!types->data)
		return refuse(source, "no types", -EINVAL);
	below = find_base(object, source, elf, host, vmlinux);
	if (IS_ERR(below))
		return PTR_ERR(below);
	err = open_blob(source, &object->types, ".BTF", types, &object->types_copy,
			&object->type_offsets[0], below);
	if (err)
		return err;
	if (loc_validate_types(&object->types, &fault))
		return refuse_fault(source, ".BTF", &fault);
	err = tell_own_ids(object, source, elf);
	if (err)
		return err;
	err = open_blob(source, &object->func_info, ".BTF.func_info", func_info,
			&object->func_info_copy, &object->type_offsets[1], &object->types);
	if (err)
		return err;
	if (loc_validate(&object->func_info, elf->machine, &fault))
		return refuse_fault(source, ".BTF.func_info", &fault);
	return 0;
}

static int build_index(struct extra_object *object, const struct object_source *source,
		       const struct extra_elf *elf)
{
	size_t memory_size = loc_index_memory(&object->func_info);
	size_t scratch_size = loc_index_scratch(&object->func_info);
	struct btf_fault fault;
	void *scratch;
	u32 i;
	int err;

	if (!memory_size)
		return refuse(source, "too many location sections", -E2BIG);
	object->index_memory = kvmalloc(memory_size, GFP_KERNEL);
	scratch = kvmalloc(scratch_size, GFP_KERNEL);
	if (!object->index_memory || !scratch) {
		kvfree(scratch);
		return refuse(source, "out of memory", -ENOMEM);
	}
	err = loc_index_build(&object->index, &object->func_info, object->index_memory,
			      memory_size, scratch, scratch_size);
	kvfree(scratch);
	if (err)
		return refuse(source, "no index can be built", err);
	if (site_bounds_check(&object->index, elf, &fault))
		return refuse_fault(source, ".BTF.func_info", &fault);
	for (i = 0; i < object->index.nr_sections; i++)
		object->nr_sites[object->index.sections[i].loc_class] +=
			object->index.sections[i].nr_sites;
	object->sections = kcalloc(object->index.nr_elf_sections + 1, sizeof(*object->sections),
				   GFP_KERNEL);
	if (!object->sections)
		return refuse(source, "out of memory", -ENOMEM);
	object->bytes = (size_t)object->types.size + object->func_info.size + memory_size +
			(btf_blob_nr_offsets(&object->types) +
			 btf_blob_nr_offsets(&object->func_info)) * sizeof(u32) +
			base_btf_memory(&object->module_btf);
	return 0;
}

static int keep_marks(struct extra_object *object, const struct object_source *source,
		      const struct extra_elf *elf)
{
	struct btf_fault fault;

	if (!elf->site_marks.data)
		return 0;
	object->marks = keep_bytes(source, &elf->site_marks, &object->marks_copy);
	if (!object->marks)
		return refuse(source, "out of memory", -ENOMEM);
	object->nr_marks = elf->site_marks.size / sizeof(*object->marks);
	object->bytes += elf->site_marks.size;
	if (site_marks_check(object->marks, object->nr_marks, object->index.nr_sites, &fault))
		return refuse_fault(source, ".btf_extra.site_marks", &fault);
	return 0;
}

static int list_files(struct extra_object *object, const struct object_source *source)
{
	if (func_files_open(&object->files, &object->types, object->first_own_id))
		return refuse(source, "out of memory", -ENOMEM);
	object->bytes += object->files.nr * sizeof(*object->files.files);
	return 0;
}

const char *extra_object_func_file(const struct extra_object *object, u32 func_id)
{
	return func_files_path(&object->files, func_id);
}

const struct object_section *extra_object_section(const struct extra_object *object,
						  const char *name)
{
	int i = loc_index_elf_section(&object->index, name);

	return i < 0 ? NULL : &object->sections[i];
}

/* ---- creating an object ---- */

static int fill(struct extra_object *object, const struct object_source *source,
		const struct object_host *host)
{
	const struct base_btf *vmlinux;
	struct btf_fault fault;
	struct extra_elf elf;
	int err;

	if (strscpy(object->name, source->name, sizeof(object->name)) < 0)
		return refuse(source, "name is too long", -EINVAL);
	object->module = source->module;
	if (source->func_info.data)
		err = extra_elf_open_rest(&elf, source->image, source->image_size, &fault);
	else
		err = extra_elf_open(&elf, source->image, source->image_size, &fault);
	if (err)
		return refuse_fault(source, "file", &fault);
	err = check_build_id(object, source, &elf, host);
	if (err)
		return err;
	vmlinux = host->base();
	if (IS_ERR(vmlinux))
		return refuse(source, "BTF of the kernel cannot be read", PTR_ERR(vmlinux));
	err = open_blobs(object, source, &elf, host, vmlinux);
	if (!err)
		err = build_index(object, source, &elf);
	if (!err)
		err = keep_marks(object, source, &elf);
	if (!err)
		err = list_files(object, source);
	if (!err) {
		err = host->place(object, &elf);
		if (err)
			refuse(source, "its sections are not where its functions say", err);
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
		return ERR_PTR(refuse(source, "out of memory", -ENOMEM));
	err = fill(object, source, host);
	if (err) {
		extra_object_destroy(object);
		return ERR_PTR(err);
	}
	object_tables_init(object);
	object->load_ns = ktime_to_ns(ktime_sub(ktime_get(), begin));
	return object;
}

void extra_object_destroy(struct extra_object *object)
{
	if (IS_ERR_OR_NULL(object))
		return;
	func_files_close(&object->files);
	kfree(object->sections);
	kvfree(object->index_memory);
	kvfree(object->type_offsets[0]);
	kvfree(object->type_offsets[1]);
	kvfree(object->types_copy);
	kvfree(object->func_info_copy);
	kvfree(object->marks_copy);
	base_btf_close(&object->module_btf);
	kvfree(object);
}
