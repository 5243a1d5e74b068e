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
    std::string base;
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
    auto elf = ElfImage::open(path);
    if (!elf)
        return elf.error();
    if (const ElfSection *section = elf->find(kProvenanceSection); section != nullptr) {
        auto bytes = elf->bytes(*section);
        if (!bytes)
            return bytes.error();
        auto provenance = decode_provenance(*bytes);
        if (!provenance)
            return elf->error(kProvenanceSection, provenance.error().message);
        uint32_t end_id = provenance->base_end_id;
        uint32_t end_string = provenance->base_end_string;
        if (stack.below.empty())
            stack.below.push_back(BtfImage::from_counts(end_id, end_string));
        else if (auto checked = stack.below.back()->check_counts(end_id, end_string, path);
                 !checked)
            return checked;
    }
    for (const char *name : {kTypesSection, kFuncInfoSection}) {
        const ElfSection *section = elf->find(name);
        if (section == nullptr)
            continue;
        auto bytes = elf->bytes(*section);
        if (!bytes)
            return bytes.error();
        auto pushed =
            push(stack, fmt::format("{}: {}", path, name), {bytes->begin(), bytes->end()});
        if (!pushed)
            return pushed;
    }
    if (stack.dumped.empty())
        return elf->error(kTypesSection, "not there");
    return {};
}

Result<void> push_file(Stack &stack, const std::string &path) {
    auto elf = is_elf_file(path);
    if (!elf)
        return elf.error();
    if (*elf)
        return push_elf(stack, path);
    auto bytes = read_whole_file(path);
    if (!bytes)
        return bytes.error();
    return push(stack, path + ": BTF", std::move(*bytes));
}

// The levels of base BTF.
Result<void> push_object(Stack &stack, const ObjectPaths &paths) {
    for (const std::string &path : {paths.vmlinux, paths.module}) {
        if (path.empty())
            continue;
        auto elf = ElfImage::open(path);
        if (!elf)
            return elf.error();
        // A module may have none.
        if (!stack.below.empty() && !module_btf_is_level(*elf))
            continue;
        auto level = open_elf_btf(*elf, stack.top());
        if (!level)
            return level.error();
        stack.below.push_back(std::move(*level));
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
    TextSink text_sink(out);
    JsonSink json_sink(out);
    RecordSink &sink = json ? static_cast<RecordSink &>(json_sink) : text_sink;
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

int run(const Options &options) {
    Stack stack;
    if (!options.base.empty()) {
        auto base = open_base_btf(options.base);
        if (!base)
            return fail(base.error());
        stack.below.push_back(std::move(*base));
    } else if (!options.object.vmlinux.empty()) {
        if (auto pushed = push_object(stack, options.object); !pushed)
            return fail(pushed.error());
    }
    if (auto pushed = push_file(stack, options.file); !pushed)
        return fail(pushed.error());
    print(stack, options.json);
    return kExitDone;
}

}  // namespace

void add_dump(CLI::App &app, int &exit_code) {
    auto options = std::make_shared<Options>();
    CLI::App *command = app.add_subcommand("dump", "Print every record in bpftool's raw form");
    command->add_option("FILE", options->file, "A .btf_extra file, raw BTF, or an ELF file's .BTF")
        ->required();
    auto *base = command->add_option("--btf-base", options->base, "Base BTF, raw or an ELF file's");
    add_object_options(*command, options->object)->excludes(base);
    command->add_flag("--json", options->json, "Print one JSON object");
    command->callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace btf_extra
