// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Where a probe stands. The instructions are those of objdump.
#include <algorithm>

#include <gtest/gtest.h>

#include "userspace/lib/probing/probe_place.h"

namespace btf_extra {
namespace {

using Bytes = std::vector<uint8_t>;

TEST(ProbePlace, AfterTheInstructionOfAKey) {
    struct Row {
        const char *text;
        uint16_t machine;
        Bytes code;
        uint32_t distance;  // 0: no static key is there
    } rows[] = {
        {"nopl 0x0(%rax,%rax,1)", LOC_MACHINE_X86_64, {0x0f, 0x1f, 0x44, 0x00, 0x00, 0xc3}, 5},
        {"the same at the end", LOC_MACHINE_X86_64, {0x0f, 0x1f, 0x44, 0x00, 0x00}, 5},
        {"xchg %ax,%ax", LOC_MACHINE_X86_64, {0x66, 0x90, 0xc3}, 2},
        {"jmp rel8", LOC_MACHINE_X86_64, {0xeb, 0x10, 0xc3}, 2},
        {"jmp rel32", LOC_MACHINE_X86_64, {0xe9, 0x10, 0x00, 0x00, 0x00}, 5},
        {"a jump that is cut off", LOC_MACHINE_X86_64, {0xe9, 0x10, 0x00, 0x00}, 0},
        {"a short one", LOC_MACHINE_X86_64, {0xeb}, 0},
        {"a NOP that is cut off", LOC_MACHINE_X86_64, {0x0f, 0x1f, 0x44, 0x00}, 0},
        {"nopl 0x0(%rax)", LOC_MACHINE_X86_64, {0x0f, 0x1f, 0x40, 0x00, 0xc3}, 0},
        {"nop", LOC_MACHINE_X86_64, {0x90, 0x90, 0x90, 0x90, 0x90}, 0},
        {"call", LOC_MACHINE_X86_64, {0xe8, 0x10, 0x00, 0x00, 0x00}, 0},
        {"int3", LOC_MACHINE_X86_64, {0xcc, 0x1f, 0x44, 0x00, 0x00}, 0},
        {"je", LOC_MACHINE_X86_64, {0x74, 0x10, 0xc3}, 0},
        {"nothing", LOC_MACHINE_X86_64, {}, 0},
        {"nop", LOC_MACHINE_AARCH64, {0x1f, 0x20, 0x03, 0xd5}, 4},
        {"b forwards", LOC_MACHINE_AARCH64, {0x04, 0x00, 0x00, 0x14}, 4},
        {"b backwards", LOC_MACHINE_AARCH64, {0xff, 0xff, 0xff, 0x17}, 4},
        {"bl", LOC_MACHINE_AARCH64, {0x04, 0x00, 0x00, 0x94}, 0},
        {"bti c", LOC_MACHINE_AARCH64, {0x5f, 0x24, 0x03, 0xd5}, 0},
        {"a NOP that is cut off", LOC_MACHINE_AARCH64, {0x1f, 0x20, 0x03}, 0},
        {"a NOP of another machine", 0, {0x1f, 0x20, 0x03, 0xd5, 0x90}, 0},
    };
    for (const Row &row : rows) {
        SCOPED_TRACE(row.text);
        const auto read = [&](size_t size) {
            return Bytes(row.code.begin(), row.code.begin() + static_cast<ptrdiff_t>(
                                                                  std::min(size, row.code.size())));
        };
        btf_extra_site site = {};
        const loc_arch *arch = loc_arch_of(row.machine);
        EXPECT_EQ(probe_distance(site, arch, read), 0u);
        site.flags = BTF_EXTRA_SITE_AFTER_KEY;
        EXPECT_EQ(probe_distance(site, arch, read),
                  row.distance != 0 ? std::optional(row.distance) : std::nullopt);
    }
}

}  // namespace
}  // namespace btf_extra
