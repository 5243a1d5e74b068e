// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Shared by the parts of running_compare: the rows, and the objects as their files describe them.
#ifndef BTF_EXTRA_RUNNING_COMPARE_H
#define BTF_EXTRA_RUNNING_COMPARE_H

#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "include/uapi/linux/btf_extra.h"
#include "userspace/lib/tables/object_view.h"

// Notes an error of the current row. 20 lines of these are printed.
void bad(const std::string &what);
// may_be_none: a small module may have none.
void end_row(const std::string &name, uint64_t count, bool may_be_none = false);

// Address, object, function, LOC_PROTO, number, class and flags.
using Site = std::tuple<uint64_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t>;

struct Object {
    btf_extra_object info;
    std::string name;
    std::unique_ptr<btf_extra::ObjectView> view;
    std::vector<Site> sites;                  // in order of number
    std::vector<uint32_t> by_func, by_place;  // numbers, sorted
    std::vector<uint32_t> funcs;              // distinct and ascending
};

// Compares debugfs' sites with all of the sites and with /proc/kallsyms.
void compare_listing(const std::vector<Object> &objects);

#endif
