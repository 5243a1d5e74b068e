/* SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause) */
/*
 * Names are printed as they are, to terminals and into files of tracefs. So they are UTF-8 without
 * control characters.
 */
#ifndef BTF_EXTRA_PLAIN_TEXT_H
#define BTF_EXTRA_PLAIN_TEXT_H

#include "core_env.h"

/* Returns how many bytes of strings, each with its NUL, are such text up to the first other. */
u32 plain_text_size(const void *text, u32 size);

/* Returns true if a byte is within a character of UTF-8. No name begins with it. */
static inline bool plain_text_continues(u8 byte)
{
	return (byte & 0xc0) == 0x80;
}

#endif
