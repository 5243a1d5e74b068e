// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The sites that a look-up found, as text for people or as JSON.
#ifndef BTF_EXTRA_SITE_PRINTER_H
#define BTF_EXTRA_SITE_PRINTER_H

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "include/uapi/linux/btf_extra.h"
#include "userspace/lib/tables/object_view.h"

namespace btf_extra {

// A site of a table, with facts that the table does not contain.
struct PrintedSite {
    const ObjectView *view;
    btf_extra_site site;
    std::string object;  // name; empty: there is but one
    std::optional<std::string> address;
    std::optional<std::string> symbol;  // and distance
    const char *absent = "hidden";      // why there is no address, or no symbol
    bool freed = false;                 // its text is no more
    uint64_t text = 0;                  // what locations that are addresses count from
};

// The name of what stands at an offset from the start of .text, as "jiffies+0x8".
using NameAddress = std::function<std::string(const PrintedSite &site, uint64_t offset)>;

// ".text+0x10", ".text-0x10": for an offset without a name.
std::string text_offset(uint64_t offset);

// The sites of one function are printed together, under its prototype.
void print_sites_text(const std::vector<PrintedSite> &sites, const NameAddress &name_address);

// One object: {"sites": [...]}. running: each site with the keys that tell of a running kernel.
void print_sites_json(const std::vector<PrintedSite> &sites, bool running);

}  // namespace btf_extra

#endif
