// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// A function of the C API.
#ifndef BTF_EXTRA_API_FUNC_H
#define BTF_EXTRA_API_FUNC_H

#include "userspace/lib/btf_extra.h"
#include "userspace/lib/tables/described_func.h"

struct btf_extra_func : btf_extra::DescribedFunc {
    using DescribedFunc::DescribedFunc;
};

#endif
