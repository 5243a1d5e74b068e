// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The one function of some tables that a text stands for: "foo", "foo@fs/bar.c",
// "#1234"; with "vmlinux:" or "<module>:" before it, of that object alone.
#ifndef BTF_EXTRA_FUNC_CHOICE_H
#define BTF_EXTRA_FUNC_CHOICE_H

#include <cstdint>
#include <string>
#include <vector>

#include "userspace/cli/tables.h"
#include "userspace/format/result.h"

namespace btf_extra {

struct FuncChoice {
    const Table *table;
    uint32_t id;
};

// Where it stands for several, those are listed on stderr first.
Result<FuncChoice> choose_func(const Tables &tables, const std::string &text);

// "  vmlinux:foo@fs/bar.c  #1234  int foo(int a)"
struct NamedFunc {
    std::string object, name, file, prototype;  // file may be empty
    uint32_t id;
};
// Lists them on stderr; the error says that one is to be chosen.
Error choice_needed(const std::string &text, const std::vector<NamedFunc> &funcs);

}  // namespace btf_extra

#endif
