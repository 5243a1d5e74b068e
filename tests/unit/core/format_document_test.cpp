// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The bytes in kernel/core/FORMAT.md are valid blobs, and they mean what the text below them says.
#include <fstream>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "userspace/format/core_api.h"
#include "userspace/format/line_table.h"

namespace {

std::string document() {
    std::ifstream file(std::string(getenv("BTF_EXTRA_SOURCE")) + "/kernel/core/FORMAT.md");
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

// A block of hex in the document. A line has an offset, two spaces, up to 16 bytes in hex, two
// spaces, and words. The bytes are kept in words, so that they are aligned.
struct HexBlock {
    std::vector<uint32_t> words;
    uint32_t size = 0;
};

HexBlock hex_block(const std::string &name) {
    const std::string text = document();
    const size_t begin = text.find("```hex " + name + "\n");
    EXPECT_NE(begin, text.npos) << name;
    std::istringstream lines(text.substr(begin));
    std::string bytes, line;
    std::getline(lines, line);
    while (std::getline(lines, line) && line != "```") {
        if (line.starts_with(' '))
            continue;
        EXPECT_EQ(std::stoul(line.substr(0, 4), nullptr, 16), bytes.size()) << line;
        std::istringstream row(line.substr(6, 48));
        for (unsigned byte; row >> std::hex >> byte;)
            bytes += static_cast<char>(byte);
    }
    HexBlock block;
    block.size = static_cast<uint32_t>(bytes.size());
    block.words.resize((bytes.size() + 3) / 4);
    memcpy(block.words.data(), bytes.data(), bytes.size());
    return block;
}

// A blob of the document, on top of another one.
struct Blob {
    HexBlock bytes;
    std::vector<uint32_t> offsets;
    btf_blob blob{};

    Blob(const std::string &name, const btf_blob &base) : bytes(hex_block(name)) {
        btf_fault fault{};
        EXPECT_EQ(btf_blob_open(&blob, bytes.words.data(), bytes.size, &base, &fault), 0)
            << btf_fault_text(fault.code) << " at " << fault.offset;
        offsets.resize(btf_blob_nr_offsets(&blob) + 1);
        btf_blob_index(&blob, offsets.data());
    }
};

TEST(FormatDocument, ItsExampleIsValidAndHasItsSites) {
    btf_blob base{};
    btf_blob_open_counts(&base, 3, 13);
    const Blob types("types", base);
    EXPECT_EQ(types.bytes.size, 77u);
    const Blob locations("func_info", types.blob);
    EXPECT_EQ(locations.bytes.size, 350u);

    btf_fault fault{};
    EXPECT_EQ(loc_validate_types(&types.blob, &fault), 0) << btf_fault_text(fault.code);
    ASSERT_EQ(loc_validate(&locations.blob, LOC_MACHINE_X86_64, &fault), 0)
        << btf_fault_text(fault.code) << " at " << fault.offset;

    loc_index index{};
    loc_index_room room = {};
    ASSERT_TRUE(loc_index_measure(&locations.blob, &room));
    std::vector<uint64_t> memory(room.memory / 8 + 1);
    std::vector<uint64_t> scratch(room.scratch / 8 + 1);
    ASSERT_EQ(loc_index_build(&index, &locations.blob, memory.data(), memory.size() * 8,
                              scratch.data(), scratch.size() * 8),
              0);
    const loc_range funcs = loc_index_by_name(&index, "trim");
    ASSERT_EQ(funcs.end - funcs.first, 1u);
    EXPECT_EQ(index.funcs[funcs.first], 5u);

    // The document says below the bytes: class, offset, and a LOC_PARAM for each parameter.
    std::string sites;
    for (uint32_t number = 0; number < index.nr_sites; number++) {
        const loc_section *section = nullptr;
        const loc_site *site = loc_index_site(&index, number, &section);
        std::ostringstream row;
        row << (section->loc_class == LOC_CLASS_BODY ? "body" : "inline") << " "
            << index.elf_sections[section->elf].name << "+0x" << std::hex << site->offset;
        const btf_type *proto = btf_blob_type(&locations.blob, site->loc_proto);
        for (uint32_t i = 0; i < loc_vlen(proto); i++)
            row << " [" << std::dec << loc_proto_ids(proto)[i] << "]";
        sites += row.str() + "\n";
    }
    EXPECT_EQ(sites, "inline .text+0x42 [6] [8]\n"
                     "inline .text+0x98 [0] [9]\n"
                     "body .text+0x10 [6] [7]\n");
}

// One 64-bit word of memory, at 0x1018.
bool load_word(void *value, u64 address, u32 bytes) {
    const u64 word = 0x100000;
    if (address != 0x1018 || bytes != sizeof(word))
        return false;
    memcpy(value, &word, sizeof(word));
    return true;
}

TEST(FormatDocument, ItsExpressionIsFoundAndHasItsValue) {
    btf_blob base{};
    btf_blob_open_counts(&base, 3, 13);
    const Blob types("types", base);
    const Blob locations("func_info", types.blob);
    const HexBlock block = hex_block("expressions");
    EXPECT_EQ(block.size, 36u);
    const extra_bytes bytes{block.words.data(), block.size};
    const loc_arch *arch = loc_arch_of(LOC_MACHINE_X86_64);
    loc_expressions expressions{};
    btf_fault fault{};
    ASSERT_EQ(loc_expressions_open(&expressions, &bytes, &locations.blob, arch, &fault), 0)
        << btf_fault_text(fault.code) << " at " << fault.offset;
    EXPECT_EQ(expressions.nr_entries, 1u);

    // skb of LOC_PROTO 10 is *(%rdi + 0x18) + (%rcx << 6).
    loc_expression expression{};
    ASSERT_TRUE(loc_expressions_find(&expressions, 10, 0, &expression));
    EXPECT_EQ(expression.size, 8u);
    std::vector<u64> registers(32);
    registers[112 / 8] = 0x1000;  // rdi
    registers[88 / 8] = 3;        // rcx
    const loc_machine_state state{registers.data(), 0};
    u64 value[2] = {};
    ASSERT_TRUE(loc_steps_run(expression.steps, expression.nr_steps, &state, load_word, value));
    EXPECT_EQ(value[0], 0x1000c0u);
}

// Returns the chain of a place in the first section: functions, and where they are called from.
std::string chain_at(const inline_frames &frames, uint32_t offset) {
    std::vector<inline_frame> chain(INLINE_FRAMES_DEPTH);
    chain.resize(inline_frames_at(&frames, 0, offset, chain.data(), INLINE_FRAMES_DEPTH));
    std::ostringstream text;
    for (const inline_frame &frame : chain) {
        text << frame.func << " ";
        if (frame.call_file != 0)
            text << inline_frames_file(&frames, frame.call_file) << ":" << frame.call_line << " ";
    }
    return text.str();
}

TEST(FormatDocument, ItsFramesHaveTheirChains) {
    const HexBlock block = hex_block("frames");
    EXPECT_EQ(block.size, 105u);
    const extra_bytes bytes{block.words.data(), block.size};
    btf_blob funcs{};
    btf_blob_open_counts(&funcs, 7, 1);
    const extra_elf elf{};
    inline_frames frames{};
    btf_fault fault{};
    ASSERT_EQ(inline_frames_open(&frames, &bytes, &funcs, &elf, &fault), 0)
        << btf_fault_text(fault.code) << " at " << fault.offset;
    EXPECT_EQ(inline_frames_find_section(&frames, ".text"), 0);
    struct {
        uint32_t begin, end;
        const char *chain;
    } const rows[] = {
        {0, 0x40, ""},
        {0x40, 0x48, "5 "},
        {0x48, 0x4c, "6 a.c:12 5 "},
        {0x4c, 0x50, "7 a.c:3 6 a.c:12 5 "},
        {0x50, 0x54, "5 "},
        {0x54, 0x56, "7 a.c:3 6 a.c:12 5 "},
        {0x56, 0x58, "6 a.c:12 5 "},
        {0x58, 0x70, "5 "},
        {0x70, 0x80, ""},
    };
    for (const auto &row : rows)
        for (uint32_t offset = row.begin; offset < row.end; offset++)
            EXPECT_EQ(chain_at(frames, offset), row.chain) << offset;
}

TEST(FormatDocument, ItsLinesHold) {
    const HexBlock block = hex_block("lines");
    EXPECT_EQ(block.size, 82u);
    const auto table =
        btf_extra::LineTable::open(std::as_bytes(std::span(block.words)).first(block.size));
    ASSERT_TRUE(table) << table.error().message;
    struct {
        uint32_t begin, end;
        const char *line;
    } const rows[] = {
        {0, 0x10, ""},          {0x10, 0x14, "a.c:12"}, {0x14, 0x15, "b.h:3"},
        {0x15, 0x20, "a.c:11"}, {0x20, 0x24, ""},
    };
    for (const auto &row : rows)
        for (uint32_t offset = row.begin; offset < row.end; offset++) {
            const auto found = table->find(".text", offset);
            EXPECT_EQ(found ? std::string(found->file) + ":" + std::to_string(found->line) : "",
                      row.line)
                << offset;
        }
}

}  // namespace
