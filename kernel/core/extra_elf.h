/* SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause) */
/*
 * The container that a pair of blobs comes in: a small relocatable ELF64 file
 * with these sections, those in brackets not always:
 *
 *	[.BTF]			the types blob; a data module has it in its own .BTF
 *	.BTF.func_info		the locations
 *	.note.gnu.build-id	of the object that the blobs describe
 *	.btf_extra.base		struct extra_base [], from vmlinux's .BTF upwards
 *	[.btf_extra.site_marks]	see site_marks.h; absent: nothing is known
 *	[.btf_extra.expressions]	see loc_expression.h
 *	[.btf_extra.frames]	see inline_frames.h
 *	[.btf_extra.own_types]	u32, in a module that carries its blobs in itself, with the
 *				types inside of its .BTF: how many of these it has without
 *				them. They are the first ones.
 *	.text, .init.text, ...	no bytes: link address and size of each executable
 *				section of the object
 *	[.BTF.vmlinux]		no bytes: the same of vmlinux's .BTF
 *
 * Other sections are ignored. The container is checked here, the blobs by loc_validate(), and the
 * marks by site_marks_check(). Nothing here allocates, all bytes are the caller's.
 */
#ifndef BTF_EXTRA_EXTRA_ELF_H
#define BTF_EXTRA_EXTRA_ELF_H

#include "btf_blob.h"
#include "build_id_note.h"

/* One level of BTF below the types blob. */
struct extra_base {
	u32 size;		/* bytes */
	u32 crc32;		/* of these bytes: CRC-32 of IEEE 802.3, as zlib has it */
};

struct extra_elf {
	const u8 *data;
	u64 size;
	u64 headers_off;	/* the section headers, ... */
	u32 nr_headers;
	u32 names;		/* ... and the one of their names */
	u32 machine;		/* e_machine of the object */
	struct extra_bytes types, func_info;
	struct extra_bytes build_id;	/* the id itself, without the note around it */
	struct extra_bytes bases;	/* struct extra_base [size / sizeof] */
	struct extra_bytes site_marks;	/* may be of size 0 */
	struct extra_bytes own_types;	/* u32 */
	struct extra_bytes expressions;
	struct extra_bytes frames;
};

/* A section of the object that the blobs describe. */
struct extra_section {
	const char *name;
	u64 address;		/* as linked; 0 in a relocatable object */
	u64 size;		/* bytes, more than 0 */
	u64 flags;		/* SHF_*, EXTRA_SHF_BEHIND_HOOKS */
};

/*
 * A section flag in the range that ELF reserves for each system: if a function of the section
 * begins with a hook for tracers, its body begins after that (DW_AT_low_pc of GCC 12 on aarch64).
 * Otherwise bodies begin at their symbols.
 */
#define EXTRA_SHF_BEHIND_HOOKS 0x00100000u

#define EXTRA_BASES_MAX 2u	/* vmlinux and a module */

/*
 * 0, or -EINVAL with *fault filled and *elf untouched: BTF_FAULT_ELF_* codes, offsets in the file.
 * data is aligned to 8. A file with two sections of one name is refused, and so is a file without
 * locations, build-id or bases.
 */
int extra_elf_open(struct extra_elf *elf, const void *data, u64 size, struct btf_fault *fault);

/* The same without .BTF.func_info, which is somewhere else. */
int extra_elf_open_rest(struct extra_elf *elf, const void *data, u64 size,
			struct btf_fault *fault);

/*
 * The bytes of another part, by its name; data NULL: there is none. -EINVAL as above if it exists
 * twice, or is empty, compressed, or not aligned to 4.
 */
int extra_elf_part(const struct extra_elf *elf, const char *name, struct extra_bytes *bytes,
		   struct btf_fault *fault);

/* The i-th section header, i < nr_headers: false for one that is not of the object. */
bool extra_elf_section(const struct extra_elf *elf, u32 i, struct extra_section *section);

/* The section of the object of that name; false: none. */
bool extra_elf_find(const struct extra_elf *elf, const char *name, struct extra_section *section);

#endif
