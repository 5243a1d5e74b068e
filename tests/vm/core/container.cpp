// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The rows of the container: the kernel says of each file what the table says, in the words of the
// core in userspace.
#include <fmt/format.h>

#include "tests/vm/core/running.h"

namespace rows {
namespace {

// The memory of extra_blobs_open().
struct Memory : extra_memory {
    Memory() : extra_memory{take, give, false} {}
    static void *take(extra_memory *memory, size_t size) {
        auto &held = static_cast<Memory *>(memory)->held;
        return held.emplace_back(size / 8 + 1).data();
    }
    static void give(extra_memory *memory) { static_cast<Memory *>(memory)->held.pop_back(); }
    std::vector<std::vector<u64>> held;
};

// Returns the line that the kernel must log. It is empty if the kernel takes the file.
std::string verdict(const container_row &row, const u8 *file, u32 size, const Running &running,
                    guest::Row &test) {
    extra_elf elf = {};
    btf_fault fault = {};
    if (size == 0)  // the firmware loader does not hand it over
        return fmt::format("{}: in the manifest, but its file cannot be read", kModule);
    const int error = extra_elf_open(&elf, file, size, &fault);
    test.expect((error != 0) == (row.code != BTF_FAULT_NONE), "another verdict in userspace");
    if (row.code != BTF_FAULT_NONE)
        return fmt::format("{}: refused: file: type id 0, byte {}: {}", kModule, row.offset,
                           btf_fault_text(row.code));
    // A module's build-id has 20 bytes.
    if (elf.build_id.size != CONTAINER_BUILD_ID_SIZE)
        return fmt::format("{}: refused: made for build-id ", kModule);
    Memory memory;
    extra_blobs blobs = {};
    extra_fault whole = {};
    extra_blobs_open(&blobs, &elf, &running.base().blob(), &memory, &whole);
    test.equal(whole.in.code, row.whole, "the fault in userspace");
    if (row.whole == BTF_FAULT_NONE)
        return "";
    return fmt::format("{}: refused: {}: type id {}, byte {}: {}", kModule,
                       extra_part_name(whole.part), whole.in.type_id, whole.in.offset,
                       btf_fault_text(row.whole));
}

// Once, and in one line.
void expect_said(const std::vector<std::string> &said, const std::string &wanted,
                 guest::Row &test) {
    test.equal(static_cast<int64_t>(said.size()), wanted.empty() ? 0 : 1, "lines in dmesg");
    for (const std::string &line : said)
        test.expect(!wanted.empty() && line.starts_with(wanted), line + ", not " + wanted);
}

void expect_row(const container_row &row, const extra_base &sum, core_row_images &images,
                Running &running) {
    File words(CONTAINER_MAX_SIZE / 8);
    u8 *file = reinterpret_cast<u8 *>(words.data());
    u32 size = container_row_file(&row, &images, file);
    guest::Row test(std::string("file: ") + row.name);
    test.expect(size != 0, "the row itself is wrong");
    if (row.cut == 0xffffffff)
        size = 0;
    running.adapt(file, size, &sum);
    const std::string wanted = verdict(row, file, size, running, test);
    expect_said(running.load(file, size), wanted, test);
    test.equal(running.shown().empty(), !wanted.empty(), "it is no object");
    running.unload();
}

// Files that are right, but not for this kernel.
void expect_other(core_row_images &images, Running &running, const extra_base *sum,
                  const char *wanted) {
    File words(CONTAINER_MAX_SIZE / 8);
    u8 *file = reinterpret_cast<u8 *>(words.data());
    const u32 size = container_row_file(&container_rows[0], &images, file);
    guest::Row test(std::string("file: ") + wanted);
    running.adapt(file, size, sum, sum == nullptr);
    expect_said(running.load(file, size), fmt::format("{}: refused: {}", kModule, wanted), test);
    test.expect(running.shown().empty(), "it is an object");
    running.unload();
}

}  // namespace

void container(Running &running) {
    const auto images = std::make_unique<core_row_images>();
    running.shift(*images);
    core_input blobs;
    core_row_input(&core_rows[0], images.get(), &blobs);
    const extra_base sum = container_base(&blobs);
    for (u32 i = 0; i < container_nr_rows; i++)
        if (container_rows[i].shift == 0)  // firmware begins on a page
            expect_row(container_rows[i], sum, *images, running);
    expect_other(*images, running, &sum, "made for build-id");
    expect_other(*images, running, nullptr, "made for the base BTF of another kernel");
}

}  // namespace rows
