// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// btf-extra dump: every record, in bpftool's raw form.
#include <cstdio>
#include <memory>
#include <vector>

#include <fmt/format.h>

#include "userspace/cli/btf_dump.h"
#include "userspace/cli/command.h"
#include "userspace/cli/object_options.h"
#include "userspace/format/base_stack.h"
#include "userspace/format/btf_image.h"
#include "userspace/format/extra_file.h"

namespace btf_extra {
namespace {

// Records are gathered up to this size before they are written.
constexpr size_t kChunk = 1 << 20;

struct Options {
    std::string file;
    ObjectPaths object;
    bool json = false;
};

using Images = std::vector<std::unique_ptr<BtfImage>>;

struct Stack {
    Images below;  // not dumped
    Images dumped;

    const BtfImage *top() const {
        const Images &last = dumped.empty() ? below : dumped;
        return last.empty() ? nullptr : last.back().get();
    }
};

Result<void> push(Stack &stack, std::string place, std::vector<std::byte> bytes) {
    bool alone = stack.top() == nullptr;
    auto image = BtfImage::open(std::move(place), std::move(bytes), stack.top());
    if (!image && alone)
        return Error{image.error().message + " (if it is split BTF: --btf-base)"};
    if (!image)
        return image.error();
    stack.dumped.push_back(std::move(*image));
    return {};
}

Result<void> push_elf(Stack &stack, const std::string &path) {
    auto elf = TRY(ElfImage::open(path));
    if (const ElfSection *section = elf.find(kProvenanceSection); section != nullptr) {
        auto bytes = TRY(elf.bytes(*section));
        auto provenance = decode_provenance(bytes);
        if (!provenance)
            return elf.error(kProvenanceSection, provenance.error().message);
        uint32_t end_id = provenance->base_end_id;
        uint32_t end_string = provenance->base_end_string;
        if (stack.below.empty())
            stack.below.push_back(BtfImage::from_counts(end_id, end_string));
        else
            TRY(stack.below.back()->check_counts(end_id, end_string, path));
    }
    for (const char *name : {kTypesSection, kFuncInfoSection}) {
        const ElfSection *section = elf.find(name);
        if (section == nullptr)
            continue;
        auto bytes = TRY(elf.bytes(*section));
        TRY(push(stack, fmt::format("{}: {}", path, name), {bytes.begin(), bytes.end()}));
    }
    if (stack.dumped.empty())
        return elf.error(kTypesSection, "not there");
    return {};
}

Result<void> push_file(Stack &stack, const std::string &path) {
    const bool is_elf = TRY(is_elf_file(path));
    if (is_elf)
        return push_elf(stack, path);
    auto bytes = TRY(read_whole_file(path));
    return push(stack, path + ": BTF", std::move(bytes));
}

// Pushes the levels of base BTF.
Result<void> push_base(Stack &stack, const ObjectPaths &paths) {
    if (!paths.btf_base.empty()) {
        auto base = TRY(open_base_btf(paths.btf_base));
        stack.below.push_back(std::move(base));
    }
    for (const std::string &path : {paths.vmlinux, paths.module}) {
        if (path.empty())
            continue;
        auto elf = TRY(ElfImage::open(path));
        // A module may have none.
        if (!stack.below.empty() && !module_btf_is_level(elf))
            continue;
        auto level = TRY(open_elf_btf(elf, stack.top()));
        stack.below.push_back(std::move(level));
    }
    return {};
}

void flush(fmt::memory_buffer &out, size_t limit) {
    if (out.size() < limit)
        return;
    fmt::print("{}", std::string_view(out.data(), out.size()));
    out.clear();
}

void print(const Stack &stack, bool json) {
    fmt::memory_buffer out;
    RecordSink sink(out, json);
    if (json)
        out.append(std::string_view(R"({"types":[)"));
    for (const auto &image : stack.dumped) {
        const btf_blob &blob = image->blob();
        for (uint32_t id = blob.first_id; id < btf_blob_end_id(&blob); id++) {
            dump_record(blob, id, sink);
            flush(out, kChunk);
        }
    }
    if (json)
        out.append(std::string_view("]}\n"));
    flush(out, 0);
}

Result<void> run(const Options &options) {
    Stack stack;
    TRY(push_base(stack, options.object));
    TRY(push_file(stack, options.file));
    print(stack, options.json);
    return {};
}

}  // namespace

void add_dump(CLI::App &app, int &exit_code) {
    auto options = std::make_shared<Options>();
    CLI::App *command = app.add_subcommand("dump", "Print every record in bpftool's raw form");
    command->add_option("FILE", options->file, "A .btf_extra file, raw BTF, or an ELF file's .BTF")
        ->required();
    add_object_options(*command, options->object);
    add_base_option(*command, options->object);
    command->add_flag("--json", options->json, "Print one JSON object");
    command->callback([options, &exit_code] { exit_code = finish(run(*options)); });
}

}  // namespace btf_extra
