// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "tests/support/libdw_lines.h"

#include <algorithm>
#include <stdexcept>

#include <fcntl.h>
#include <unistd.h>

namespace btf_extra::test {

LibdwLines::LibdwLines(const std::string &path)
    : fd_(open(path.c_str(), O_RDONLY | O_CLOEXEC)), dwarf_(dwarf_begin(fd_, DWARF_C_READ)) {
    if (dwarf_ == nullptr)
        throw std::runtime_error(path + ": no DWARF");
    Dwarf_CU *unit = nullptr;
    Dwarf_Die die;
    while (dwarf_get_units(dwarf_, unit, &unit, nullptr, nullptr, &die, nullptr) == 0) {
        Dwarf_Lines *lines = nullptr;
        size_t count = 0;
        if (dwarf_getsrclines(&die, &lines, &count) != 0)
            continue;
        for (size_t i = 0; i < count; i++) {
            Dwarf_Line *row = dwarf_onesrcline(lines, i);
            Dwarf_Addr address = 0;
            bool ends = false;
            if (dwarf_lineaddr(row, &address) != 0 || dwarf_lineendsequence(row, &ends) != 0)
                continue;
            rows_.push_back(address);
            if (ends)
                ends_.push_back(address);
        }
    }
    std::ranges::sort(ends_);
}

LibdwLines::~LibdwLines() {
    dwarf_end(dwarf_);
    if (fd_ >= 0)
        close(fd_);
}

std::optional<LibdwLine> LibdwLines::at(uint64_t address) const {
    Dwarf_Die unit;
    if (dwarf_addrdie(dwarf_, address, &unit) == nullptr)
        return {};
    Dwarf_Line *row = dwarf_getsrc_die(&unit, address);
    int line = 0;
    const char *file = row != nullptr ? dwarf_linesrc(row, nullptr, nullptr) : nullptr;
    if (file == nullptr || dwarf_lineno(row, &line) != 0)
        return {};
    Dwarf_Addr begin = 0;
    dwarf_lineaddr(row, &begin);
    return LibdwLine{.file = file,
                     .line = static_cast<uint32_t>(line),
                     .at_end = std::ranges::binary_search(ends_, begin)};
}

}  // namespace btf_extra::test
