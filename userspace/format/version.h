// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#ifndef BTF_EXTRA_VERSION_H
#define BTF_EXTRA_VERSION_H

namespace btf_extra {

// MAJOR.MINOR: what a kernel build asks of its generator. The minor one grows with what a build can
// ask for, the major one when what is generated is no longer read as before.
inline constexpr char kVersion[] = "1.0";

}  // namespace btf_extra

#endif
