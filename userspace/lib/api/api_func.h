// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// A function of the C API.
#ifndef BTF_EXTRA_API_FUNC_H
#define BTF_EXTRA_API_FUNC_H

#include <optional>
#include <string>
#include <vector>

#include "userspace/lib/btf_extra.h"
#include "userspace/lib/tables/site_tables.h"

struct btf_extra_func {
    explicit btf_extra_func(btf_extra::FoundFunc func);

    // Returns a text for messages: "vmlinux:foo@fs/bar.c", or "vmlinux:#1234 (foo)" if the file is
    // not known.
    std::string text() const;

    btf_extra::FoundFunc found;
    std::string name;
    std::optional<std::string> file;
    std::string prototype;
    std::vector<std::string> params;
};

#endif
