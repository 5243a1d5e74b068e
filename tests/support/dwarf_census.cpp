// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Sites as libdw sees them: an independent witness.
#include <algorithm>
#include <optional>
#include <stdexcept>

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "tests/support/fixture_build.h"

namespace btf_extra::test {
namespace {

// DW_AT_entry_pc as an address, else as an offset; else where code begins.
std::optional<Dwarf_Addr> begin_of(Dwarf_Die *die) {
    std::optional<Dwarf_Addr> first;
    Dwarf_Addr low = 0;
    if (dwarf_lowpc(die, &low) == 0)
        first = low;
    Dwarf_Addr base = 0, start = 0, end = 0;
    for (ptrdiff_t at = 0; !first && (at = dwarf_ranges(die, at, &base, &start, &end)) > 0;)
        if (start != end)
            first = start;
    Dwarf_Attribute attribute;
    if (dwarf_attr(die, DW_AT_entry_pc, &attribute) == nullptr)
        return first;
    Dwarf_Addr address = 0;
    if (dwarf_formaddr(&attribute, &address) == 0)
        return address;
    Dwarf_Word offset = 0;
    if (first && dwarf_formudata(&attribute, &offset) == 0)
        return *first + offset;
    return std::nullopt;
}

std::string name_of(Dwarf_Die *die) {
    Dwarf_Attribute attribute;
    const char *name = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_name, &attribute));
    return name != nullptr ? name : "?";
}

void walk(Dwarf_Die *die, std::vector<std::string> &out) {
    const int tag = dwarf_tag(die);
    if (tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine)
        if (const auto address = begin_of(die))
            out.push_back(fmt::format("{}@{:x} {}", name_of(die), *address,
                                      tag == DW_TAG_subprogram ? "body" : "inline"));
    Dwarf_Die child;
    if (dwarf_child(die, &child) != 0)
        return;
    do
        walk(&child, out);
    while (dwarf_siblingof(&child, &child) == 0);
}

}  // namespace

std::vector<std::string> dwarf_census(const std::string &path) {
    const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    Dwarf *dwarf = fd < 0 ? nullptr : dwarf_begin(fd, DWARF_C_READ);
    if (dwarf == nullptr)
        throw std::runtime_error(fmt::format("{}: {}", path, dwarf_errmsg(-1)));
    std::vector<std::string> out;
    Dwarf_CU *unit = nullptr;
    Dwarf_Die die;
    while (dwarf_get_units(dwarf, unit, &unit, nullptr, nullptr, &die, nullptr) == 0)
        walk(&die, out);
    dwarf_end(dwarf);
    close(fd);
    std::ranges::sort(out);
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

}  // namespace btf_extra::test
