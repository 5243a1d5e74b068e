// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// btf-extra dump: every location record, in bpftool's raw form.
#include <cstdio>
#include <memory>
#include <vector>

#include <fmt/format.h>

#include "userspace/cli/command.h"
#include "userspace/cli/loc_dump.h"
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

// BTF on top of BTF.
class Levels {
  public:
    const BtfImage *top() const { return levels_.empty() ? nullptr : levels_.back().get(); }

    void push(std::unique_ptr<BtfImage> image) { levels_.push_back(std::move(image)); }

    Result<void> push(std::string place, std::vector<std::byte> bytes) {
        const bool alone = levels_.empty();
        auto image = BtfImage::open(std::move(place), std::move(bytes), top());
        if (!image && alone)
            return Error{image.error().message + " (if it is split BTF: --btf-base)"};
        if (!image)
            return image.error();
        push(std::move(*image));
        return {};
    }

    // Pushes the levels of base BTF.
    Result<void> push_base(const ObjectPaths &paths) {
        if (!paths.btf_base.empty()) {
            auto base = TRY(open_base_btf(paths.btf_base));
            push(std::move(base));
        }
        for (const std::string &path : {paths.vmlinux, paths.module}) {
            if (path.empty())
                continue;
            auto elf = TRY(ElfImage::open(path));
            // A module may have none.
            if (!levels_.empty() && !module_btf_is_level(elf))
                continue;
            auto level = TRY(open_elf_btf(elf, top()));
            push(std::move(level));
        }
        return {};
    }

    // Pushes the counts of the base that the file names, or compares them with those of the base.
    Result<void> push_counts(const Provenance &provenance, const std::string &path) {
        const uint32_t end_id = provenance.base_end_id, end_string = provenance.base_end_string;
        if (!levels_.empty())
            return levels_.back()->check_counts(end_id, end_string, path);
        push(BtfImage::from_counts(end_id, end_string));
        return {};
    }

  private:
    std::vector<std::unique_ptr<BtfImage>> levels_;
};

// Pushes the types of the file, and the locations on top of them.
Result<void> push_file(Levels &levels, const std::string &path) {
    auto elf = TRY(ElfImage::open(path));
    if (elf.find(kFuncInfoSection) == nullptr)
        return elf.error(kFuncInfoSection, "not there");
    if (const ElfSection *section = elf.find(kProvenanceSection); section != nullptr) {
        auto bytes = TRY(elf.bytes(*section));
        auto provenance = decode_provenance(bytes);
        if (!provenance)
            return elf.error(kProvenanceSection, provenance.error().message);
        TRY(levels.push_counts(*provenance, path));
    }
    for (const char *name : {kTypesSection, kFuncInfoSection}) {
        const ElfSection *section = elf.find(name);
        if (section == nullptr)
            continue;
        auto bytes = TRY(elf.bytes(*section));
        TRY(levels.push(fmt::format("{}: {}", path, name), {bytes.begin(), bytes.end()}));
    }
    return {};
}

void flush(fmt::memory_buffer &out, size_t limit) {
    if (out.size() < limit)
        return;
    fmt::print("{}", std::string_view(out.data(), out.size()));
    out.clear();
}

void print(const btf_blob &locations, bool json) {
    fmt::memory_buffer out;
    RecordSink sink(out, json);
    if (json)
        out.append(std::string_view(R"({"types":[)"));
    for (uint32_t id = locations.first_id; id < btf_blob_end_id(&locations); id++) {
        dump_record(locations, id, sink);
        flush(out, kChunk);
    }
    if (json)
        out.append(std::string_view("]}\n"));
    flush(out, 0);
}

Result<void> run(const Options &options) {
    Levels levels;
    TRY(levels.push_base(options.object));
    TRY(push_file(levels, options.file));
    print(levels.top()->blob(), options.json);
    return {};
}

}  // namespace

void add_dump(CLI::App &app, int &exit_code) {
    auto options = std::make_shared<Options>();
    CLI::App *command =
        app.add_subcommand("dump", "Print every location record, in bpftool's raw form");
    command
        ->add_option("FILE", options->file, "A .btf_extra file, or an ELF file with its sections")
        ->required();
    add_object_options(*command, options->object);
    add_base_option(*command, options->object);
    command->add_flag("--json", options->json, "Print one JSON object");
    command->callback([options, &exit_code] { exit_code = finish(run(*options)); });
}

}  // namespace btf_extra
