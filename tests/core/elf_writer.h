/* SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause) */
/*
 * Writes .btf_extra containers for tests, without any check. The section headers follow the file
 * header, so that header i is at 64 + 64 * i. Then come the bytes of each section, aligned to 8.
 * The names, of header 1, come last. The caller owns all memory. Bytes that do not fit are left
 * out, and then elf_finish() returns 0.
 */
#ifndef BTF_EXTRA_TESTS_ELF_WRITER_H
#define BTF_EXTRA_TESTS_ELF_WRITER_H

#include "../../kernel/core/core_env.h"

#define ELF_HEADER_AT(i) (64u + 64u * (i))

#define ELF_WRITER_NAMES 1024

struct elf_writer {
	u8 *image;		/* aligned to 8 */
	u32 room;
	u32 size;
	u32 nr_headers;
	u32 next_header;
	char names[ELF_WRITER_NAMES];
	u32 names_len;
	bool full;
};

/* nr_headers is the number of sections to come, plus 2. Missing sections are SHT_NULL. */
void elf_start(struct elf_writer *writer, void *image, u32 room, u32 nr_headers);

/* Adds a section with these bytes. */
void elf_bytes(struct elf_writer *writer, const char *name, u32 type, const void *data, u32 size);

/* Adds a section of the object, which has no bytes in the file. */
void elf_place(struct elf_writer *writer, const char *name, u64 address, u64 size, u64 flags);

/* Returns the size of the file in bytes, or 0 if something did not fit. */
u32 elf_finish(struct elf_writer *writer, u32 machine);

#endif
