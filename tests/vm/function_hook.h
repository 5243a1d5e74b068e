// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Tells how far the body of a function may be after its symbol: on arm64 GCC 12 has it after the
// two NOPs that ftrace makes a call of.
#ifndef BTF_EXTRA_FUNCTION_HOOK_H
#define BTF_EXTRA_FUNCTION_HOOK_H

#include <cstdint>

#if defined(__aarch64__)
constexpr uint64_t kFunctionHook = 8;
#else
constexpr uint64_t kFunctionHook = 0;
#endif

#endif
