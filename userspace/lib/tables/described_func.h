// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// A function that was found, with what its BTF says of it.
#ifndef BTF_EXTRA_DESCRIBED_FUNC_H
#define BTF_EXTRA_DESCRIBED_FUNC_H

#include <optional>
#include <string>
#include <vector>

#include "userspace/lib/tables/site_object.h"

namespace btf_extra {

struct DescribedFunc {
    explicit DescribedFunc(FoundFunc func);

    // Returns a text for messages: "vmlinux:foo" or "vmlinux:foo@fs/bar.c", as
    // ObjectView::func_label() has it; "vmlinux:foo (#1234)" if no path is unique.
    std::string text() const;

    // The object's view is its own.
    const ObjectView &view() const { return *found.object->view; }

    FoundFunc found;
    std::string name;
    std::optional<std::string> file;
    std::string prototype;
    std::vector<std::string> params;
};

}  // namespace btf_extra

#endif
