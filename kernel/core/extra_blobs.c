// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "extra_blobs.h"
#include "loc_arch.h"
#include "loc_validate.h"
#include "site_marks.h"

const char *extra_part_name(enum extra_part part)
{
	static const char *const names[] = {
		[EXTRA_FILE] = "file",
		[EXTRA_TYPES] = ".BTF",
		[EXTRA_FUNC_INFO] = ".BTF.func_info",
		[EXTRA_MARKS] = ".btf_extra.site_marks",
		[EXTRA_EXPRESSIONS] = ".btf_extra.expressions",
		[EXTRA_FRAMES] = ".btf_extra.frames",
	};

	return names[part];
}

static int blobs_refuse(struct extra_fault *fault, enum btf_fault_code code, u64 offset)
{
	fault->in.code = code;
	fault->in.type_id = 0;
	fault->in.offset = (u32)offset;
	return -EINVAL;
}

static int open_blob(struct btf_blob *blob, const struct extra_bytes *bytes,
		     const struct btf_blob *below, struct extra_memory *memory,
		     struct extra_fault *fault)
{
	u32 *offsets;

	if (btf_blob_open(blob, bytes->data, bytes->size, below, &fault->in))
		return -EINVAL;
	if (memory->plenty)
		blob->step_bits = 0;
	offsets = memory->get(memory, (btf_blob_nr_offsets(blob) + 1) * sizeof(*offsets));
	if (!offsets)
		return -ENOMEM;
	btf_blob_index(blob, offsets);
	return 0;
}

static int open_types(struct extra_blobs *blobs, const struct extra_elf *elf,
		      const struct btf_blob *base, struct extra_memory *memory,
		      struct extra_fault *fault)
{
	int err;

	fault->part = EXTRA_TYPES;
	err = open_blob(&blobs->types, &elf->types, base, memory, fault);
	if (err)
		return err;
	return loc_validate_types(&blobs->types, &fault->in);
}

/* The object's own ids are those of the types, or the later ones of a module's own BTF. */
static int tell_own_ids(struct extra_blobs *blobs, const struct extra_elf *elf,
			const struct btf_blob *base, struct extra_fault *fault)
{
	u32 nr;

	blobs->first_own_id = blobs->types.first_id;
	/* Without its bytes, the start of a module's ids is unknown. */
	if (!elf->own_types.data || !base->data)
		return 0;
	fault->part = EXTRA_FILE;
	memcpy(&nr, elf->own_types.data, sizeof(nr));
	if (!base->base || nr > base->nr_types)
		return blobs_refuse(fault, BTF_FAULT_ELF_OWN_TYPES,
				    (u64)((const u8 *)elf->own_types.data - elf->data));
	blobs->first_own_id = base->first_id + nr;
	return 0;
}

static int refuse_site(const struct loc_index *index, const struct loc_section *section,
		       const void *field, struct btf_fault *fault)
{
	fault->code = BTF_FAULT_SITE_RANGE;
	fault->type_id = section->type_id;
	fault->offset = (u32)((const u8 *)field - index->func_info->data);
	return -EINVAL;
}

int site_bounds_check(const struct loc_index *index, const struct extra_elf *elf,
		      struct btf_fault *fault)
{
	u32 i, j;

	for (i = 0; i < index->nr_sections; i++) {
		const struct loc_section *section = &index->sections[i];
		struct extra_section place;

		if (!extra_elf_find(elf, index->elf_sections[section->elf].name, &place) ||
		    !(place.flags & SHF_EXECINSTR))
			return refuse_site(index, section,
					   btf_blob_type(index->func_info, section->type_id),
					   fault);
		for (j = 0; j < section->nr_sites; j++)
			if (section->sites[j].offset >= place.size)
				return refuse_site(index, section, &section->sites[j].offset,
						   fault);
	}
	return 0;
}

static int open_func_info(struct extra_blobs *blobs, const struct extra_elf *elf,
			  struct extra_memory *memory, struct extra_fault *fault)
{
	struct loc_index_room room;
	void *tables, *scratch;
	int err;

	fault->part = EXTRA_FUNC_INFO;
	err = open_blob(&blobs->func_info, &elf->func_info, &blobs->types, memory, fault);
	if (!err)
		err = loc_validate(&blobs->func_info, elf->machine, &fault->in);
	if (err)
		return err;
	if (!loc_index_measure(&blobs->func_info, &room))
		return blobs_refuse(fault, BTF_FAULT_TOO_MANY_LOCSECS, 0);
	tables = memory->get(memory, room.memory);
	if (!tables)
		return -ENOMEM;
	scratch = memory->get(memory, room.scratch);
	if (!scratch)
		return -ENOMEM;
	err = loc_index_build(&blobs->index, &blobs->func_info, tables, room.memory, scratch,
			      room.scratch);
	memory->put(memory);
	if (!err && elf->data)
		err = site_bounds_check(&blobs->index, elf, &fault->in);
	return err;
}

static int take_marks(struct extra_blobs *blobs, const struct extra_elf *elf,
		      struct extra_fault *fault)
{
	fault->part = EXTRA_MARKS;
	blobs->marks = elf->site_marks.data;
	blobs->marks_size = elf->site_marks.size;
	return site_marks_check(blobs->marks, blobs->marks_size, blobs->index.nr_sites,
				&fault->in);
}

static int take_expressions(struct extra_blobs *blobs, const struct extra_elf *elf,
			    struct extra_fault *fault)
{
	fault->part = EXTRA_EXPRESSIONS;
	return loc_expressions_open(&blobs->expressions, &elf->expressions, &blobs->func_info,
				    loc_arch_of(elf->machine), &fault->in);
}

static int take_frames(struct extra_blobs *blobs, const struct extra_elf *elf,
		       struct extra_fault *fault)
{
	memset(&blobs->frames, 0, sizeof(blobs->frames));
	if (!elf->frames.data)
		return 0;
	fault->part = EXTRA_FRAMES;
	return inline_frames_open(&blobs->frames, &elf->frames, &blobs->func_info, elf,
				  &fault->in);
}

int extra_blobs_open(struct extra_blobs *blobs, const struct extra_elf *elf,
		     const struct btf_blob *base, struct extra_memory *memory,
		     struct extra_fault *fault)
{
	int err;

	fault->part = EXTRA_FILE;
	if (!elf->types.data)
		return blobs_refuse(fault, BTF_FAULT_ELF_MISSING, 0);
	if (!loc_arch_of(elf->machine))
		return blobs_refuse(fault, BTF_FAULT_ELF_MACHINE, offsetof(Elf64_Ehdr, e_machine));
	err = open_types(blobs, elf, base, memory, fault);
	if (!err)
		err = tell_own_ids(blobs, elf, base, fault);
	if (!err)
		err = open_func_info(blobs, elf, memory, fault);
	if (!err)
		err = take_marks(blobs, elf, fault);
	if (!err)
		err = take_expressions(blobs, elf, fault);
	return err ? err : take_frames(blobs, elf, fault);
}
