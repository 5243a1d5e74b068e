/* SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause) */
/* A value of fewer than 64 bits, extended by zeros or by its sign. */
#ifndef BTF_EXTRA_NARROW_VALUE_H
#define BTF_EXTRA_NARROW_VALUE_H

#include "core_env.h"

/* shift: 64 less the number of bits that count, 0 to 63. */
static inline u64 narrow_extend_shift(u64 value, u32 shift, bool is_signed)
{
	value <<= shift;
	return is_signed ? (u64)((s64)value >> shift) : value >> shift;
}

/* The low bits of value count; 64 bits or more: it stays as it is; none: 0. */
static inline u64 narrow_extend_bits(u64 value, u32 bits, bool is_signed)
{
	if (!bits)
		return 0;
	return bits < 64 ? narrow_extend_shift(value, 64 - bits, is_signed) : value;
}

static inline u64 narrow_extend(u64 value, u32 bytes, bool is_signed)
{
	return bytes < 8 ? narrow_extend_bits(value, 8 * bytes, is_signed) : value;
}

#endif
