// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Tells compilers apart by what their debug information means.
#ifndef BTF_EXTRA_COMPILER_H
#define BTF_EXTRA_COMPILER_H

#include <string_view>

namespace btf_extra::generator {

enum class Compiler {
    kOther,
    // GCC 8 and later: it marks the instruction where an inlined call begins, and numbers the views
    // of an address.
    kGcc,
    // GCC with -flto: it does neither. All its views are 0.
    kGccLto,
    // LLVM: a location at an address is the last one that the source has there.
    kClang,
};

// producer is DW_AT_producer.
Compiler compiler_of(std::string_view producer);

}  // namespace btf_extra::generator

#endif
