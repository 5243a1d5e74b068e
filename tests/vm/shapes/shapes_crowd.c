// SPDX-License-Identifier: GPL-2.0
/* A function with SHAPES_CROWD instances: 64 in each of 32 functions. */
#include "shapes_module.h"

static u32 crowd_last;

static __always_inline void shape_crowd(u32 number)
{
	WRITE_ONCE(crowd_last, number);
}

#define TIMES_4(...) __VA_ARGS__ __VA_ARGS__ __VA_ARGS__ __VA_ARGS__
#define TIMES_64(...) TIMES_4(TIMES_4(TIMES_4(__VA_ARGS__)))

#define CROWD(n) \
	static noinline void crowd_##n(u32 number) { TIMES_64(shape_crowd(number++ ^ 0x##n);) }
#define CROWD_CALL(n) crowd_##n(0);

TIMES_16(CROWD, 0)
TIMES_16(CROWD, 1)

void shapes_crowd(void)
{
	TIMES_16(CROWD_CALL, 0)
	TIMES_16(CROWD_CALL, 1)
}
