// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// btf-extra check: everything that can be wrong with a file.
#include <algorithm>
#include <cstdio>
#include <memory>

#include <fmt/format.h>

#include "userspace/cli/command.h"
#include "userspace/cli/object_options.h"
#include "userspace/format/elf_image.h"
#include "userspace/lib/tables/object_view.h"

namespace btf_extra {
namespace {

struct Options {
    std::string file;
    ObjectPaths object;
};

uint32_t byte_of(const ObjectView &view, const void *record) {
    return static_cast<uint32_t>(static_cast<const u8 *>(record) - view.locations().blob().data);
}

// The sections that the file tells of are the kernel's.
Result<void> check_sections(const ObjectView &view, const ElfImage &kernel) {
    auto check = [&](const ObjectSection &section, const char *name) -> Result<void> {
        const ElfSection *theirs = kernel.find(name);
        if (theirs != nullptr && theirs->address == section.address && theirs->size == section.size)
            return {};
        std::string found = theirs == nullptr ? "is not there"
                                              : fmt::format("has {:#x} bytes at {:#x}",
                                                            theirs->size, theirs->address);
        return Error{fmt::format("{}: {}: {:#x} bytes at {:#x}, but {} of {} {}", view.path(),
                                 section.name, section.size, section.address, name, kernel.path(),
                                 found)};
    };
    for (const ObjectSection &section : view.file().sections)
        if (auto checked = check(section, section.name.c_str()); !checked)
            return checked;
    return view.file().vmlinux_btf ? check(*view.file().vmlinux_btf, kTypesSection)
                                   : Result<void>{};
}

// Every site lies in a section that the file tells of.
Result<void> check_offsets(const ObjectView &view) {
    const std::vector<ObjectSection> &places = view.file().sections;
    const loc_index &index = view.index();
    for (uint32_t i = 0; i < index.nr_sections && !places.empty(); i++) {
        const loc_section &section = index.sections[i];
        const char *name = index.elf_sections[section.elf].name;
        const auto place = std::ranges::find(places, name, &ObjectSection::name);
        const uint64_t size = place != places.end() ? place->size : 0;
        for (uint32_t j = 0; j < section.nr_sites; j++)
            if (section.sites[j].offset >= size)
                return Error{fmt::format("{}: type {}, byte {:#x}: offset {:#x} lies outside {}, "
                                         "which has {:#x} bytes",
                                         view.locations().place(), section.type_id,
                                         byte_of(view, &section.sites[j]), section.sites[j].offset,
                                         name, size)};
    }
    return {};
}

// Every site lies in an executable section of the kernel.
Result<void> check_places(const ObjectView &view, const ElfImage &kernel) {
    const loc_index &index = view.index();
    for (uint32_t i = 0; i < index.nr_sections; i++) {
        const loc_section &section = index.sections[i];
        const char *name = index.elf_sections[section.elf].name;
        auto fault = [&](const void *record, const std::string &reason) {
            return Error{fmt::format("{}: type {}, byte {:#x}: {}", view.locations().place(),
                                     section.type_id, byte_of(view, record), reason)};
        };
        const btf_type *record = btf_blob_type(&view.locations().blob(), section.type_id);
        const ElfSection *place = kernel.find(name);
        if (place == nullptr)
            return fault(record, fmt::format("{} has no section {}", kernel.path(), name));
        if (!place->executable())
            return fault(record, fmt::format("{} of {} is not executable", name, kernel.path()));
        for (uint32_t j = 0; j < section.nr_sites; j++)
            if (section.sites[j].offset >= place->size)
                return fault(
                    &section.sites[j],
                    fmt::format("offset {:#x} lies outside {} of {}, which has {:#x} bytes",
                                section.sites[j].offset, name, kernel.path(), place->size));
    }
    return {};
}

int run(const Options &options) {
    std::string against;
    Result<std::unique_ptr<ObjectView>> view = Error{};
    if (options.object.vmlinux.empty()) {
        view = ObjectView::open(options.file);
        if (!view)
            return fail(view.error());
    } else {
        auto files = ObjectFiles::open(options.object);
        if (!files)
            return fail(files.error());
        view = files->view(options.file);
        if (!view)
            return fail(view.error());
        if (auto sections = check_sections(**view, files->object()); !sections)
            return fail(sections.error());
        if (auto places = check_places(**view, files->object()); !places)
            return fail(places.error());
        against = fmt::format(", base BTF and every offset, against {}", files->object().path());
    }
    if (auto offsets = check_offsets(**view); !offsets)
        return fail(offsets.error());
    const loc_index &index = (*view)->index();
    std::string build_id = (*view)->build_id();
    fmt::print("{}: good: {} sites of {} functions in {} LOCSECs; checked: every record{}; {}\n",
               options.file, index.nr_sites, index.nr_funcs, index.nr_sections, against,
               build_id.empty() ? "no build-id" : "build-id " + build_id);
    return kExitDone;
}

}  // namespace

void add_check(CLI::App &app, int &exit_code) {
    auto options = std::make_shared<Options>();
    CLI::App *command =
        app.add_subcommand("check", "Validate a file, also against its kernel or module");
    command->add_option("FILE", options->file, "A .btf_extra file")->required();
    add_object_options(*command, options->object);
    command->callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace btf_extra
