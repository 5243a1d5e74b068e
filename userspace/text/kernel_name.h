// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The name of a kernel, as the kernel itself, perf and crash write it into a text with stacks.
#ifndef BTF_EXTRA_KERNEL_NAME_H
#define BTF_EXTRA_KERNEL_NAME_H

#include <optional>
#include <string>
#include <string_view>

namespace btf_extra {

// Empty parts are not known.
struct KernelName {
    std::string release{};   // "6.1.0-18-amd64"
    std::string version{};   // "#1", the first word of `uname -v`
    std::string package{};   // "6.1.76-1": Debian's kernels print it
    std::string build_id{};  // in hex digits

    // Returns the first part that both have and that differs, "release 6.1.0-18-amd64", as this
    // name has it; "": both can be one kernel.
    std::string difference(const KernelName &other) const;
};

// Reads the name from a line that says which kernel the lines after it are of; nothing: it is no
// such line.
std::optional<KernelName> find_kernel_name(std::string_view line);

}  // namespace btf_extra

#endif
