// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// What the parts of running_compare share: its rows, and the objects as their files have them.
#ifndef BTF_EXTRA_RUNNING_COMPARE_H
#define BTF_EXTRA_RUNNING_COMPARE_H

#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "include/uapi/linux/btf_extra.h"
#include "userspace/lib/tables/object_view.h"

// Of the row that goes on: 20 lines of these are printed.
void bad(const std::string &what);
// may_be_none: a small module need not have any.
void end_row(const std::string &name, uint64_t count, bool may_be_none = false);

// Address, object, function, LOC_PROTO, number, class, flags.
using Site = std::tuple<uint64_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t>;

struct Object {
    btf_extra_object info;
    std::string name;
    std::unique_ptr<btf_extra::ObjectView> view;
    std::vector<Site> sites;                  // by number
    std::vector<uint32_t> by_func, by_place;  // numbers, ordered
    std::vector<uint32_t> funcs;              // distinct, ascending
};

// debugfs' sites, against all of them and /proc/kallsyms.
void compare_listing(const std::vector<Object> &objects);

#endif
