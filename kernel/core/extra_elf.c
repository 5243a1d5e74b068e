// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
/*
 * The .btf_extra container. Headers are copied out, so that their alignment does not matter; only
 * the contents that others read must be aligned.
 */
#include "byte_view.h"
#include "extra_elf.h"
#include "plain_text.h"

/* More than any object has; they bound the cost of a hostile file. */
#define MAX_HEADERS 1024u
#define MAX_NAMES_SIZE 65536u
#define MAX_NAME_SIZE 1024u	/* with the NUL */

/* uapi/linux/elf.h does not have it. */
#ifndef SHF_COMPRESSED
#define SHF_COMPRESSED 0x800
#endif

static int elf_refuse(struct btf_fault *fault, enum btf_fault_code code, u64 offset)
{
	fault->code = code;
	fault->type_id = 0;
	fault->offset = (u32)offset;
	return -EINVAL;
}

static bool read_at(const struct extra_elf *elf, u64 offset, void *value, size_t size)
{
	struct byte_view view = byte_view_of(elf->data, elf->size, offset);

	return byte_view_read(&view, value, size);
}

static u64 header_offset(const struct extra_elf *elf, u32 i)
{
	return elf->headers_off + byte_array_size(i, sizeof(Elf64_Shdr));
}

/* All headers are known to lie in the file. */
static Elf64_Shdr section_header(const struct extra_elf *elf, u32 i)
{
	Elf64_Shdr header = {};

	read_at(elf, header_offset(elf, i), &header, sizeof(header));
	return header;
}

/* Names end inside their section: see check_names(). */
static const char *section_name(const struct extra_elf *elf, const Elf64_Shdr *header)
{
	const void *name = elf->data + section_header(elf, elf->names).sh_offset + header->sh_name;

	return name;
}

static int read_file_header(struct extra_elf *elf, struct btf_fault *fault)
{
	static const u8 expected[] = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT };
	Elf64_Ehdr header;

	if (!read_at(elf, 0, &header, sizeof(header)))
		return elf_refuse(fault, BTF_FAULT_ELF_CUT, 0);
	if (memcmp(header.e_ident, expected, sizeof(expected)))
		return elf_refuse(fault, BTF_FAULT_ELF_HEADER, 0);
	if (header.e_type != ET_REL)
		return elf_refuse(fault, BTF_FAULT_ELF_HEADER, offsetof(Elf64_Ehdr, e_type));
	if (header.e_shentsize != sizeof(Elf64_Shdr))
		return elf_refuse(fault, BTF_FAULT_ELF_HEADER, offsetof(Elf64_Ehdr, e_shentsize));
	if (!byte_range_fits(header.e_shoff, byte_array_size(header.e_shnum, sizeof(Elf64_Shdr)),
			     elf->size))
		return elf_refuse(fault, BTF_FAULT_ELF_CUT, offsetof(Elf64_Ehdr, e_shoff));
	if (header.e_shnum > MAX_HEADERS)
		return elf_refuse(fault, BTF_FAULT_ELF_HEADER, offsetof(Elf64_Ehdr, e_shnum));
	if (header.e_shstrndx >= header.e_shnum)
		return elf_refuse(fault, BTF_FAULT_ELF_NAMES, offsetof(Elf64_Ehdr, e_shstrndx));
	elf->headers_off = header.e_shoff;
	elf->nr_headers = header.e_shnum;
	elf->names = header.e_shstrndx;
	elf->machine = header.e_machine;
	return 0;
}

/* Returns true if a name ends in time. The last byte of the names is a NUL. */
static bool name_ends(const struct extra_elf *elf, const Elf64_Shdr *header, u64 left)
{
	return memchr(section_name(elf, header), 0, left < MAX_NAME_SIZE ? left : MAX_NAME_SIZE);
}

/* Every section with bytes lies in the file, and every name in the names. */
static int check_headers(const struct extra_elf *elf, struct btf_fault *fault)
{
	const Elf64_Shdr names = section_header(elf, elf->names);
	u32 i;

	if (names.sh_type != SHT_STRTAB || !names.sh_size ||
	    names.sh_size > MAX_NAMES_SIZE || names.sh_flags & SHF_COMPRESSED ||
	    !byte_range_fits(names.sh_offset, names.sh_size, elf->size) ||
	    elf->data[names.sh_offset + names.sh_size - 1])
		return elf_refuse(fault, BTF_FAULT_ELF_NAMES, header_offset(elf, elf->names));
	for (i = 0; i < elf->nr_headers; i++) {
		const Elf64_Shdr header = section_header(elf, i);

		if (header.sh_type == SHT_NULL)
			continue;
		if (header.sh_name >= names.sh_size ||
		    !name_ends(elf, &header, names.sh_size - header.sh_name))
			return elf_refuse(fault, BTF_FAULT_ELF_NAMES, header_offset(elf, i));
		if (header.sh_type != SHT_NOBITS &&
		    !byte_range_fits(header.sh_offset, header.sh_size, elf->size))
			return elf_refuse(fault, BTF_FAULT_ELF_CUT, header_offset(elf, i));
		if (header.sh_type == SHT_NOBITS &&
		    !byte_range_fits(header.sh_addr, header.sh_size, ~0ull))
			return elf_refuse(fault, BTF_FAULT_ELF_SECTION, header_offset(elf, i));
	}
	return 0;
}

/* Takes the bytes of the one section of that name. If there is none, *bytes stays as it is. */
static int take_section(const struct extra_elf *elf, const char *name, u32 type, u32 min_size,
			struct extra_bytes *bytes, struct btf_fault *fault)
{
	u32 i;

	for (i = 0; i < elf->nr_headers; i++) {
		const Elf64_Shdr header = section_header(elf, i);

		if (header.sh_type != type || strcmp(section_name(elf, &header), name))
			continue;
		if (bytes->data)
			return elf_refuse(fault, BTF_FAULT_ELF_DUPLICATE, header_offset(elf, i));
		if (header.sh_offset % 4 || header.sh_size < min_size ||
		    header.sh_size > 0xffffffffu || header.sh_flags & SHF_COMPRESSED)
			return elf_refuse(fault, BTF_FAULT_ELF_SECTION, header_offset(elf, i));
		bytes->data = elf->data + header.sh_offset;
		bytes->size = (u32)header.sh_size;
	}
	return 0;
}

/* Puts the id in place of the note around it. */
static int take_build_id(struct extra_elf *elf, struct btf_fault *fault)
{
	const struct extra_bytes note = elf->build_id;

	if (!note.data)
		return elf_refuse(fault, BTF_FAULT_ELF_MISSING, 0);
	elf->build_id = build_id_find(note.data, note.size);
	return elf->build_id.data ? 0 : elf_refuse(fault, BTF_FAULT_ELF_BUILD_ID,
						   (u64)((const u8 *)note.data - elf->data));
}

/* Two sections of the object with one name would be ambiguous. */
static int check_object_sections(const struct extra_elf *elf, struct btf_fault *fault)
{
	struct extra_section section, other;
	u32 size, i, j;

	for (i = 0; i < elf->nr_headers; i++) {
		if (!extra_elf_section(elf, i, &section))
			continue;
		size = (u32)strlen(section.name);
		if (plain_text_continues(*section.name) ||
		    plain_text_size(section.name, size) < size)
			return elf_refuse(fault, BTF_FAULT_ELF_NAMES, header_offset(elf, i));
		for (j = 0; j < i; j++)
			if (extra_elf_section(elf, j, &other) &&
			    !strcmp(section.name, other.name))
				return elf_refuse(fault, BTF_FAULT_ELF_DUPLICATE,
						  header_offset(elf, i));
	}
	return 0;
}

int extra_elf_open_rest(struct extra_elf *elf, const void *data, u64 size, struct btf_fault *fault)
{
	struct extra_elf opened = { .data = data, .size = size };
	const struct {
		const char *name;
		u32 type, min_size;
		struct extra_bytes *bytes;
	} parts[] = {
		{ ".BTF", SHT_PROGBITS, 1, &opened.types },
		{ ".BTF.func_info", SHT_PROGBITS, 1, &opened.func_info },
		{ ".btf_extra.base", SHT_PROGBITS, 1, &opened.bases },
		{ ".btf_extra.site_marks", SHT_PROGBITS, 0, &opened.site_marks },
		{ ".btf_extra.expressions", SHT_PROGBITS, 1, &opened.expressions },
		{ ".btf_extra.own_types", SHT_PROGBITS, sizeof(u32), &opened.own_types },
		{ ".btf_extra.frames", SHT_PROGBITS, 1, &opened.frames },
		{ ".note.gnu.build-id", SHT_NOTE, 1, &opened.build_id },
	};
	int err;
	u32 i;

	if ((size_t)data % 8)
		return elf_refuse(fault, BTF_FAULT_ELF_HEADER, 0);
	err = read_file_header(&opened, fault);
	if (!err)
		err = check_headers(&opened, fault);
	for (i = 0; !err && i < sizeof(parts) / sizeof(*parts); i++)
		err = take_section(&opened, parts[i].name, parts[i].type, parts[i].min_size,
				   parts[i].bytes, fault);
	if (!err)
		err = take_build_id(&opened, fault);
	if (!err)
		err = check_object_sections(&opened, fault);
	if (err)
		return err;
	if (!opened.bases.data || opened.bases.size % sizeof(struct extra_base))
		return elf_refuse(fault, BTF_FAULT_ELF_MISSING, 0);
	if (opened.bases.size > EXTRA_BASES_MAX * sizeof(struct extra_base))
		return elf_refuse(fault, BTF_FAULT_ELF_LEVELS,
				  (u64)((const u8 *)opened.bases.data - opened.data));
	if (opened.own_types.data && opened.own_types.size != sizeof(u32))
		return elf_refuse(fault, BTF_FAULT_ELF_SECTION,
				  (u64)((const u8 *)opened.own_types.data - opened.data));
	*elf = opened;
	return 0;
}

int extra_elf_open(struct extra_elf *elf, const void *data, u64 size, struct btf_fault *fault)
{
	struct extra_elf opened;
	int err = extra_elf_open_rest(&opened, data, size, fault);

	if (err)
		return err;
	if (!opened.func_info.data)
		return elf_refuse(fault, BTF_FAULT_ELF_MISSING, 0);
	*elf = opened;
	return 0;
}

int extra_elf_part(const struct extra_elf *elf, const char *name, struct extra_bytes *bytes,
		   struct btf_fault *fault)
{
	struct extra_bytes found = {};
	int err = take_section(elf, name, SHT_PROGBITS, 1, &found, fault);

	if (!err)
		*bytes = found;
	return err;
}

bool extra_elf_section(const struct extra_elf *elf, u32 i, struct extra_section *section)
{
	const Elf64_Shdr header = section_header(elf, i);

	if (header.sh_type != SHT_NOBITS || !header.sh_size)
		return false;
	section->name = section_name(elf, &header);
	section->address = header.sh_addr;
	section->size = header.sh_size;
	section->flags = header.sh_flags;
	return true;
}

bool extra_elf_find(const struct extra_elf *elf, const char *name, struct extra_section *section)
{
	u32 i;

	for (i = 0; i < elf->nr_headers; i++)
		if (extra_elf_section(elf, i, section) && !strcmp(section->name, name))
			return true;
	return false;
}
