// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "tests/support/libdw_frames.h"

#include <algorithm>
#include <stdexcept>

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <unistd.h>

namespace btf_extra::test {

namespace {

struct Node {
    Dwarf_Die die{};
    int64_t caller = -1;
    uint32_t depth = 0;
};

struct Interval {
    uint64_t begin = 0, end = 0;
    uint32_t node = 0;
};

uint32_t number_of(Dwarf_Die *die, unsigned name) {
    Dwarf_Attribute attribute;
    Dwarf_Word value = 0;
    return dwarf_formudata(dwarf_attr(die, name, &attribute), &value) == 0
               ? static_cast<uint32_t>(value)
               : 0;
}

}  // namespace

struct LibdwFrames::Data {
    int fd = -1;
    Dwarf *dwarf = nullptr;
    std::vector<Node> nodes;
    std::vector<Interval> bodies;  // in order of begin
    // They are those of the instances in each body, in no order.
    std::vector<std::vector<Interval>> inlined;
    uint64_t instances = 0;

    ~Data() {
        dwarf_end(dwarf);
        if (fd >= 0)
            close(fd);
    }

    void walk(Dwarf_Die parent, int64_t caller, int64_t body);
    void visit(Dwarf_Die die, int64_t caller, int64_t body);
};

void LibdwFrames::Data::walk(Dwarf_Die parent, int64_t caller, int64_t body) {
    Dwarf_Die die;
    if (dwarf_child(&parent, &die) != 0)
        return;
    do
        visit(die, caller, body);
    while (dwarf_siblingof(&die, &die) == 0);
}

void LibdwFrames::Data::visit(Dwarf_Die die, int64_t caller, int64_t body) {
    const int tag = dwarf_tag(&die);
    if (tag == DW_TAG_lexical_block)
        walk(die, caller, body);
    const bool is_body = tag == DW_TAG_subprogram;
    if (!is_body && (tag != DW_TAG_inlined_subroutine || body < 0))
        return;
    std::vector<Interval> intervals;
    Dwarf_Addr base = 0, begin = 0, end = 0;
    for (ptrdiff_t at = 0; (at = dwarf_ranges(&die, at, &base, &begin, &end)) > 0;)
        if (begin < end)
            intervals.push_back({begin, end, static_cast<uint32_t>(nodes.size())});
    if (is_body && intervals.empty())
        return;
    const auto number = static_cast<int64_t>(nodes.size());
    nodes.push_back({die, caller, caller < 0 ? 0 : nodes[static_cast<size_t>(caller)].depth + 1});
    if (is_body) {
        body = static_cast<int64_t>(inlined.size());
        inlined.emplace_back();
        for (Interval &each : intervals)
            bodies.push_back({each.begin, each.end, static_cast<uint32_t>(body)});
        inlined.back().push_back({0, 0, static_cast<uint32_t>(number)});  // the body itself
    } else {
        auto &all = inlined[static_cast<size_t>(body)];
        all.insert(all.end(), intervals.begin(), intervals.end());
        instances += intervals.empty() ? 0 : 1;
    }
    walk(die, number, body);
}

LibdwFrames::LibdwFrames(const std::string &path) : data_(std::make_unique<Data>()) {
    data_->fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    data_->dwarf = dwarf_begin(data_->fd, DWARF_C_READ);
    if (data_->dwarf == nullptr)
        throw std::runtime_error(path + ": no DWARF");
    Dwarf_CU *unit = nullptr;
    Dwarf_Die die;
    while (dwarf_get_units(data_->dwarf, unit, &unit, nullptr, nullptr, &die, nullptr) == 0) {
        const uint32_t language = number_of(&die, DW_AT_language);
        // Assembly has no instances, and the names of Rust are not those of BTF.
        if (language != DW_LANG_Mips_Assembler && language != DW_LANG_Rust)
            data_->walk(die, -1, -1);
    }
    std::ranges::sort(data_->bodies, {}, &Interval::begin);
}

LibdwFrames::~LibdwFrames() = default;

std::vector<LibdwFrame> LibdwFrames::at(uint64_t address) const {
    auto body = std::ranges::upper_bound(data_->bodies, address, {}, &Interval::begin);
    if (body == data_->bodies.begin() || address >= (--body)->end)
        return {};
    const auto &all = data_->inlined[body->node];
    const Interval *found = &all.front();
    for (const Interval &each : all)
        if (each.begin <= address && address < each.end &&
            data_->nodes[each.node].depth >= data_->nodes[found->node].depth)
            found = &each;
    std::vector<LibdwFrame> out;
    for (int64_t n = found->node; n >= 0; n = data_->nodes[static_cast<size_t>(n)].caller) {
        Dwarf_Die die = data_->nodes[static_cast<size_t>(n)].die;
        const char *name = dwarf_diename(&die);
        LibdwFrame frame{.name = name != nullptr ? name : "",
                         .call_file = "",
                         .call_line = number_of(&die, DW_AT_call_line)};
        Dwarf_Files *files = nullptr;
        Dwarf_Die unit;
        if (frame.call_line != 0 && dwarf_diecu(&die, &unit, nullptr, nullptr) != nullptr &&
            dwarf_getsrcfiles(&unit, &files, nullptr) == 0)
            if (const char *file =
                    dwarf_filesrc(files, number_of(&die, DW_AT_call_file), nullptr, nullptr))
                frame.call_file = file;
        out.push_back(std::move(frame));
    }
    return out;
}

std::vector<uint64_t> LibdwFrames::edges() const {
    std::vector<uint64_t> out;
    const auto add = [&](const Interval &each) {
        if (each.end != 0)
            out.insert(out.end(), {each.begin - 1, each.begin, each.end - 1, each.end});
    };
    std::ranges::for_each(data_->bodies, add);
    for (const auto &all : data_->inlined)
        std::ranges::for_each(all, add);
    return out;
}

uint64_t LibdwFrames::instances() const {
    return data_->instances;
}

}  // namespace btf_extra::test
