// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The frames and the lines of a real kernel against libdw.
#include <algorithm>
#include <filesystem>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "tests/support/libdw_frames.h"
#include "tests/support/libdw_lines.h"
#include "tests/support/vmlinux_suite.h"

namespace btf_extra {
namespace {

using test::LibdwFrame;
using test::LibdwFrames;

class VmlinuxFrames : public test::VmlinuxSuite {
  protected:
    std::vector<LibdwFrame> ours(uint64_t address) const {
        const inline_frames &frames = view_->frames();
        for (const ElfSection &section : kernel_->sections()) {
            const int number = inline_frames_find_section(&frames, section.name.c_str());
            if (number < 0 || address - section.address >= section.size)
                continue;
            inline_frame found[INLINE_FRAMES_DEPTH];
            const uint32_t nr = inline_frames_at(&frames, static_cast<uint32_t>(number),
                                                 static_cast<uint32_t>(address - section.address),
                                                 found, INLINE_FRAMES_DEPTH);
            std::vector<LibdwFrame> out;
            for (uint32_t i = 0; i < nr; i++)
                out.push_back({.name = std::string(view_->func_name(found[i].func)),
                               .call_file = found[i].call_file != 0
                                                ? inline_frames_file(&frames, found[i].call_file)
                                                : "",
                               .call_line = found[i].call_line});
            return out;
        }
        return {};
    }

    std::optional<SourceLine> our_line(uint64_t address) const {
        for (const ElfSection &section : kernel_->sections())
            if (section.executable() && address - section.address < section.size)
                return view_->lines()->find(section.name, address - section.address);
        return {};
    }

    // Addresses that are given, and random ones between them; in order.
    static std::vector<uint64_t> with_random(std::vector<uint64_t> addresses) {
        std::mt19937_64 random(20261123);
        std::uniform_int_distribution<uint64_t> any(*std::ranges::min_element(addresses),
                                                    *std::ranges::max_element(addresses));
        for (int i = 0; i < 100'000; i++)
            addresses.push_back(any(random));
        std::ranges::sort(addresses);
        const auto repeats = std::ranges::unique(addresses);
        addresses.erase(repeats.begin(), repeats.end());
        return addresses;
    }

    static std::string text(const std::vector<LibdwFrame> &chain) {
        std::string out;
        for (const LibdwFrame &frame : chain)
            out += fmt::format("{} {}:{}; ", frame.name, frame.call_file, frame.call_line);
        return out;
    }

    // Theirs are as the compiler was told them: "/build/linux-6.1/net/core/dev.c",
    // "include/trace/../../arch/x86//vsyscall_trace.h".
    static bool same_file(const std::string &mine, const std::string &theirs) {
        const std::string normal = std::filesystem::path(theirs).lexically_normal();
        return normal == mine || (!mine.empty() && normal.ends_with("/" + mine));
    }
    static bool same(const std::vector<LibdwFrame> &mine, const std::vector<LibdwFrame> &theirs) {
        return std::ranges::equal(mine, theirs, [](const LibdwFrame &a, const LibdwFrame &b) {
            return a.name == b.name && a.call_line == b.call_line &&
                   same_file(a.call_file, b.call_file);
        });
    }
};

// Every edge of every range, and random addresses between.
TEST_F(VmlinuxFrames, AgreeWithLibdw) {
    const LibdwFrames theirs(kernel_path_);
    const std::vector<uint64_t> addresses = with_random(theirs.edges());

    uint64_t differing = 0, inlined = 0, longest = 0;
    for (const uint64_t address : addresses) {
        const auto mine = ours(address);
        const auto expected = theirs.at(address);
        inlined += expected.size() > 1 ? 1 : 0;
        longest = std::max<uint64_t>(longest, expected.size());
        if (same(mine, expected))
            continue;
        if (differing++ < 20)
            ADD_FAILURE() << fmt::format("{:#x}: {}\n  libdw: {}", address, text(mine),
                                         text(expected));
    }
    fmt::print("{} addresses, {} in inlined code, longest chain {}, {} differ\n", addresses.size(),
               inlined, longest, differing);
    fmt::print("instances: {} in the tables, {} with code in libdw\n",
               view_->frames().counts.nr_instances, theirs.instances());
    EXPECT_EQ(differing, 0u);
    EXPECT_GT(inlined, addresses.size() / 4);
}

// Every row of every line program that is in code, the byte before it, and random addresses
// between.
TEST_F(VmlinuxFrames, LinesAgreeWithLibdw) {
    ASSERT_NE(view_->lines(), nullptr);
    const test::LibdwLines theirs(kernel_path_);
    std::vector<uint64_t> addresses;
    for (const uint64_t row : theirs.rows())
        for (const ElfSection &section : kernel_->sections())
            if (section.executable() && row - section.address < section.size)
                addresses.insert(addresses.end(), {row, row - 1});
    addresses = with_random(std::move(addresses));

    uint64_t differing = 0, known = 0, undecided = 0;
    for (const uint64_t address : addresses) {
        const auto mine = our_line(address);
        const auto expected = theirs.at(address);
        known += expected ? 1 : 0;
        if (mine ? expected && mine->line == expected->line &&
                       same_file(std::string(mine->file), expected->file)
                 : !expected)
            continue;
        if (!mine && expected && expected->at_end) {
            undecided++;
            continue;
        }
        if (differing++ < 20)
            ADD_FAILURE() << fmt::format("{:#x}: {}:{}\n  libdw: {}:{}", address,
                                         mine ? mine->file : "none", mine ? mine->line : 0,
                                         expected ? expected->file : "none",
                                         expected ? expected->line : 0);
    }
    fmt::print("{} addresses, {} with a line, {} differ, {} undecided\n", addresses.size(), known,
               differing, undecided);
    fmt::print("lines: {} rows, {:.2f} bytes a row\n", view_->lines()->rows(),
               static_cast<double>(view_->file().lines.size()) / view_->lines()->rows());
    EXPECT_EQ(differing, 0u);
    EXPECT_LT(undecided, addresses.size() / 10'000);
    EXPECT_GT(known, addresses.size() / 2);
}

}  // namespace
}  // namespace btf_extra
