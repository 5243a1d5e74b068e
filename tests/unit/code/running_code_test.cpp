// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The bytes of instructions are those of GNU as.
#include "userspace/code/running_code.h"

#include <cstring>
#include <filesystem>

#include <elf.h>
#include <gtest/gtest.h>

#include "tests/support/command_run.h"
#include "userspace/format/core_api.h"

namespace btf_extra {
namespace {

using Bytes = std::vector<uint8_t>;

struct Segment {
    uint64_t address;
    Bytes bytes;
};

class CoreFile {
  public:
    explicit CoreFile(const std::vector<Segment> &segments) {
        Elf64_Ehdr file = {};
        std::memcpy(file.e_ident, ELFMAG, SELFMAG);
        file.e_ident[EI_CLASS] = ELFCLASS64;
        file.e_phoff = sizeof(file);
        file.e_phentsize = sizeof(Elf64_Phdr);
        file.e_phnum = static_cast<uint16_t>(segments.size() + 1);
        std::string headers(reinterpret_cast<const char *>(&file), sizeof(file)), data;
        uint64_t offset = sizeof(file) + file.e_phnum * sizeof(Elf64_Phdr);
        // /proc/kcore has one, too.
        Elf64_Phdr note = {};
        note.p_type = PT_NOTE;
        note.p_offset = offset;
        note.p_vaddr = 0x1000;
        note.p_filesz = 64;
        headers.append(reinterpret_cast<const char *>(&note), sizeof(note));
        for (const auto &[address, bytes] : segments) {
            Elf64_Phdr load = {};
            load.p_type = PT_LOAD;
            load.p_offset = offset + data.size();
            load.p_vaddr = address;
            load.p_filesz = load.p_memsz = bytes.size();
            headers.append(reinterpret_cast<const char *>(&load), sizeof(load));
            data.append(bytes.begin(), bytes.end());
        }
        test::write_file(path, std::string_view(headers + data));
    }
    ~CoreFile() { std::filesystem::remove(path); }

    const std::string path = testing::TempDir() + "running_code_test.core";
};

TEST(RunningCode, Segments) {
    const CoreFile core({{0x1000, {1, 2, 3, 4}}, {0xffffffff81000000, {5, 6, 7}}});
    const RunningCode code(core.path);
    EXPECT_EQ(code.read(0x1000, 2), (Bytes{1, 2}));
    EXPECT_EQ(code.read(0x1002, 15), (Bytes{3, 4}));
    EXPECT_EQ(code.read(0xffffffff81000002, 1), Bytes{7});
    EXPECT_EQ(code.read(0x1004, 1), Bytes{});
    EXPECT_EQ(code.read(0xfff, 1), Bytes{});
    EXPECT_EQ(code.read(0xffffffff81000003, 1), Bytes{});
}

TEST(RunningCode, WhatCannotBeRead) {
    const std::string path = testing::TempDir() + "running_code_test.short";
    for (const std::string text :
         {"", "no ELF file, but longer than a header of one: 64 bytes and more"}) {
        test::write_file(path, std::string_view(text));
        EXPECT_EQ(RunningCode(path).read(0, 1), Bytes{}) << text;
    }
    std::filesystem::remove(path);
    EXPECT_EQ(RunningCode(path).read(0, 1), Bytes{});
    EXPECT_FALSE(RunningCode(path).is_prefixed_call(0));
}

TEST(RunningCode, Calls) {
    struct Row {
        const char *text;
        Bytes bytes;
        loc_call wanted;
    };
    const Row rows[] = {
        {"call", {0xe8, 0xcd, 0xf5, 0xc7, 0x00}, LOC_CALL_NONE},
        {"cs call", {0x2e, 0xe8, 0xcd, 0xf5, 0xc7, 0x00}, LOC_CALL_PREFIXED},
        {"addr32 call", {0x67, 0xe8, 0xcd, 0xf5, 0xc7, 0x00}, LOC_CALL_PREFIXED},
        {"rex.W call", {0x48, 0xe8, 0xcd, 0xf5, 0xc7, 0x00}, LOC_CALL_PREFIXED},
        {"cs addr32 call", {0x2e, 0x67, 0xe8, 0xcd, 0xf5, 0xc7, 0x00}, LOC_CALL_PREFIXED},
        {"nothing but prefixes", {0x2e, 0x67}, LOC_CALL_NONE},
        {"call *%rax", {0xff, 0xd0}, LOC_CALL_REGISTER},
        {"call *%r11", {0x41, 0xff, 0xd3}, LOC_CALL_REGISTER},
        {"the half of it", {0x41, 0xff}, LOC_CALL_NONE},
        {"jmp *%rax", {0xff, 0xe0}, LOC_CALL_NONE},
        {"call *0x10(%rip)", {0xff, 0x15, 0x10, 0, 0, 0}, LOC_CALL_NONE},
        {"push %rax; call", {0x50, 0xe8, 0xcd, 0xf5, 0xc7, 0x00}, LOC_CALL_NONE},
        {"cs jmp", {0x2e, 0xe9, 0xcd, 0xf5, 0xc7, 0x00}, LOC_CALL_NONE},
        {"mov %rbx,%r12", {0x49, 0x89, 0xdc}, LOC_CALL_NONE},
        {"int3, under which is the prefix of a call", {0xcc, 0xe8, 0, 0, 0, 0}, LOC_CALL_NONE},
    };
    for (const auto &[text, bytes, wanted] : rows) {
        const auto size = static_cast<uint32_t>(bytes.size());
        EXPECT_EQ(loc_arch_call(loc_arch_of(LOC_MACHINE_X86_64), bytes.data(), size), wanted)
            << text;
        EXPECT_EQ(loc_arch_call(loc_arch_of(LOC_MACHINE_AARCH64), bytes.data(), size),
                  LOC_CALL_NONE)
            << text;
        EXPECT_EQ(loc_arch_call(nullptr, bytes.data(), size), LOC_CALL_NONE) << text;
        const CoreFile core({{0x1000, bytes}});
        EXPECT_EQ(RunningCode(core.path).is_prefixed_call(0x1000),
                  wanted == LOC_CALL_PREFIXED && loc_arch_running()->machine == LOC_MACHINE_X86_64)
            << text;
    }
    EXPECT_EQ(loc_arch_call(loc_arch_of(LOC_MACHINE_X86_64), nullptr, 0), LOC_CALL_NONE);
}

}  // namespace
}  // namespace btf_extra
