// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The name that a kernel module has when it is loaded, by the name of its file.
#ifndef BTF_EXTRA_MODULE_NAME_H
#define BTF_EXTRA_MODULE_NAME_H

#include <string>

namespace btf_extra {

// A file "x-y.ko", "x-y.ko.debug" or "x-y.ko.xz" is module "x_y", as in /proc/modules. Empty: it is
// no module.
std::string module_name(const std::string &path);

}  // namespace btf_extra

#endif
