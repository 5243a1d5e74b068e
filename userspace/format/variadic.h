// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The end of a variadic prototype in BTF.
#ifndef BTF_EXTRA_VARIADIC_H
#define BTF_EXTRA_VARIADIC_H

#include <linux/btf.h>

namespace btf_extra {

// Returns true if the last entry of a FUNC_PROTO is the void without a name that stands for "...".
// BTF has no parameter of type void.
inline bool ends_variadic(const btf_param &last) {
    return last.type == 0 && last.name_off == 0;
}

}  // namespace btf_extra

#endif
