// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// btf-extra check: everything that can be wrong with a file.
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

// The sections that the file describes are the kernel's, so its sites are in the kernel's text.
Result<void> check_sections(const ObjectView &view, const ElfImage &kernel) {
    auto check = [&](const ObjectSection &section, const char *name) -> Result<void> {
        const ElfSection *theirs = kernel.find(name);
        const bool executable = (section.flags & SHF_EXECINSTR) != 0;
        std::string found;
        if (theirs == nullptr)
            found = "is missing";
        else if (theirs->address != section.address || theirs->size != section.size)
            found = fmt::format("has {:#x} bytes at {:#x}", theirs->size, theirs->address);
        else if (executable && !theirs->executable())
            found = "is not executable";
        else
            return {};
        return Error{fmt::format("{}: {}: {:#x} bytes at {:#x}, but {} of {} {}", view.path(),
                                 section.name, section.size, section.address, name, kernel.path(),
                                 found)};
    };
    for (const ObjectSection &section : view.file().sections)
        TRY(check(section, section.name.c_str()));
    if (view.file().vmlinux_btf)
        TRY(check(*view.file().vmlinux_btf, kTypesSection));
    return {};
}

Result<void> run(const Options &options) {
    const auto files = TRY(ObjectFiles::open(options.object));
    const auto view = TRY(files.view(options.file));
    std::string against;
    if (const ElfImage *object = files.object()) {
        TRY(check_sections(*view, *object));
        against = fmt::format(", base BTF and every offset, against {}", object->path());
    }
    const loc_index &index = view->index();
    fmt::print(
        "{}: good: {} sites of {} functions in {} LOCSECs; checked: every record{}; build-id {}\n",
        options.file, index.nr_sites, index.nr_funcs, index.nr_sections, against, view->build_id());
    return {};
}

}  // namespace

void add_check(CLI::App &app, int &exit_code) {
    auto options = std::make_shared<Options>();
    CLI::App *command =
        app.add_subcommand("check", "Validate a file, also against its kernel or module");
    command->add_option("FILE", options->file, "A .btf_extra file")->required();
    add_object_options(*command, options->object);
    add_base_option(*command, options->object);
    command->callback([options, &exit_code] { exit_code = finish(run(*options)); });
}

}  // namespace btf_extra
