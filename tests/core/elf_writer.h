/* SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause) */
/*
 * Writes .btf_extra containers for tests, without any check. The section headers
 * come right behind the file header, so that header i is at 64 + 64 * i; then the
 * bytes of each section, on 8; the names, of header 1, come last. All memory is
 * the caller's; what does not fit is left out, and elf_finish() then says 0.
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

/* nr_headers: of all sections to come, and 2. Those that do not come are SHT_NULL. */
void elf_begin(struct elf_writer *writer, void *image, u32 room, u32 nr_headers);

/* A section with these bytes. */
void elf_bytes(struct elf_writer *writer, const char *name, u32 type, const void *data, u32 size);

/* One of the object: no bytes. */
void elf_place(struct elf_writer *writer, const char *name, u64 address, u64 size, u64 flags);

/* The size of the file in bytes, or 0 where something had no room. */
u32 elf_finish(struct elf_writer *writer, u32 machine);

#endif
