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
    std::string btf_base;
    ObjectPaths object;
};

// The sections that the file describes are the kernel's, so its sites are in the kernel's text.
Result<void> check_sections(const ObjectView &view, const ElfImage &kernel) {
    auto check = [&](const ObjectSection &section, const char *name) -> Result<void> {
        const ElfSection *theirs = kernel.find(name);
        const bool executable = (section.flags & SHF_EXECINSTR) != 0;
        std::string found;
        if (theirs == nullptr)
            found = "is not there";
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
        if (auto checked = check(section, section.name.c_str()); !checked)
            return checked;
    return view.file().vmlinux_btf ? check(*view.file().vmlinux_btf, kTypesSection)
                                   : Result<void>{};
}

int run(const Options &options) {
    std::string against;
    Result<std::unique_ptr<ObjectView>> view = Error{};
    if (options.object.vmlinux.empty()) {
        view = options.btf_base.empty()
                   ? ObjectView::open(options.file)
                   : ObjectView::open_with_base(options.file, options.btf_base);
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
        against = fmt::format(", base BTF and every offset, against {}", files->object().path());
    }
    const loc_index &index = (*view)->index();
    fmt::print(
        "{}: good: {} sites of {} functions in {} LOCSECs; checked: every record{}; build-id {}\n",
        options.file, index.nr_sites, index.nr_funcs, index.nr_sections, against,
        (*view)->build_id());
    return kExitDone;
}

}  // namespace

void add_check(CLI::App &app, int &exit_code) {
    auto options = std::make_shared<Options>();
    CLI::App *command =
        app.add_subcommand("check", "Validate a file, also against its kernel or module");
    command->add_option("FILE", options->file, "A .btf_extra file")->required();
    CLI::Option *vmlinux = add_object_options(*command, options->object);
    command
        ->add_option("--btf-base", options->btf_base,
                     "The base BTF of vmlinux, raw or in an ELF file, where nothing else of the "
                     "kernel is at hand")
        ->excludes(vmlinux);
    command->callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace btf_extra
