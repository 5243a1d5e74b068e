// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "elf_writer.h"

#define NAMES_HEADER 1

/* Adds size bytes at the end, aligned to 8, and returns their offset. */
static u32 reserve(struct elf_writer *writer, u32 size)
{
	u32 at = (writer->size + 7) & ~7u;

	if (writer->full || at > writer->room || size > writer->room - at) {
		writer->full = true;
		return 0;
	}
	memset(writer->image + writer->size, 0, at - writer->size);
	writer->size = at + size;
	return at;
}

static u32 add_name(struct elf_writer *writer, const char *name)
{
	u32 at = writer->names_len;
	size_t size = strlen(name) + 1;

	if (size > sizeof(writer->names) - at) {
		writer->full = true;
		return 0;
	}
	memcpy(writer->names + at, name, size);
	writer->names_len += (u32)size;
	return at;
}

static void put_header(struct elf_writer *writer, u32 i, const Elf64_Shdr *header)
{
	if (i < writer->nr_headers)
		memcpy(writer->image + ELF_HEADER_AT(i), header, sizeof(*header));
	else
		writer->full = true;
}

void elf_start(struct elf_writer *writer, void *image, u32 room, u32 nr_headers)
{
	memset(writer, 0, sizeof(*writer));
	writer->image = image;
	writer->room = room;
	writer->nr_headers = nr_headers;
	writer->next_header = NAMES_HEADER + 1;
	reserve(writer, ELF_HEADER_AT(nr_headers));
	if (!writer->full)
		memset(image, 0, writer->size);
	add_name(writer, "");
	add_name(writer, ".shstrtab");
}

void elf_bytes(struct elf_writer *writer, const char *name, u32 type, const void *data, u32 size)
{
	Elf64_Shdr header = { .sh_type = type, .sh_size = size, .sh_addralign = 4 };

	header.sh_name = add_name(writer, name);
	header.sh_offset = reserve(writer, size);
	if (!writer->full)
		memcpy(writer->image + header.sh_offset, data, size);
	put_header(writer, writer->next_header++, &header);
}

void elf_place(struct elf_writer *writer, const char *name, u64 address, u64 size, u64 flags)
{
	Elf64_Shdr header = {
		.sh_type = SHT_NOBITS, .sh_flags = flags, .sh_addr = address, .sh_size = size
	};

	header.sh_name = add_name(writer, name);
	put_header(writer, writer->next_header++, &header);
}

u32 elf_finish(struct elf_writer *writer, u32 machine)
{
	Elf64_Shdr names = { .sh_name = 1, .sh_type = SHT_STRTAB, .sh_addralign = 1 };
	Elf64_Ehdr header = {
		.e_ident = { 0x7f, 'E', 'L', 'F', 2, 1, 1 },
		.e_type = ET_REL,
		.e_machine = (u16)machine,
		.e_version = 1,
		.e_shoff = ELF_HEADER_AT(0),
		.e_ehsize = 64,
		.e_shentsize = 64,
		.e_shnum = (u16)writer->nr_headers,
		.e_shstrndx = NAMES_HEADER,
	};

	names.sh_size = writer->names_len;
	names.sh_offset = reserve(writer, writer->names_len);
	put_header(writer, NAMES_HEADER, &names);
	if (writer->full)
		return 0;
	memcpy(writer->image + names.sh_offset, writer->names, writer->names_len);
	memcpy(writer->image, &header, sizeof(header));
	return writer->size;
}
