// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// btf-extra lookup: the sites of a function, or what stands at an address.
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "userspace/cli/command.h"
#include "userspace/cli/lookup_options.h"
#include "userspace/cli/object_files.h"
#include "userspace/cli/site_printer.h"
#include "userspace/format/elf_image.h"
#include "userspace/lib/tables/object_view.h"
#include "userspace/lib/tables/site_query.h"
#include "userspace/lib/tables/symbol_table.h"

namespace btf_extra {
namespace {

struct Options {
    std::string file;
    bool running = false;
    ObjectPaths object;
    LookupOptions what;
};

std::string address_text(const ElfImage &object, const ElfSection *section, uint64_t offset) {
    if (section == nullptr)
        return "?";
    return object.relocatable() ? fmt::format("{}+{:#x}", section->name, offset)
                                : fmt::format("{:#x}", section->address + offset);
}

// A CONST|ADDR counts from the start of .text.
std::string name_address(const ElfImage &object, const SymbolTable &symbols, uint64_t offset) {
    const ElfSection *base = object.find(".text");
    uint64_t address = (base != nullptr ? base->address : 0) + offset;
    for (const ElfSection &section : object.sections()) {
        if (!section.allocated() || address < section.address ||
            address - section.address >= section.size)
            continue;
        const Symbol *symbol = symbols.containing(section.index, address - section.address);
        if (symbol == nullptr)
            continue;
        uint64_t distance = address - section.address - symbol->offset;
        return distance == 0 ? symbol->name : fmt::format("{}+{:#x}", symbol->name, distance);
    }
    return text_offset(offset);
}

int run(const Options &options) {
    auto files = ObjectFiles::open(options.object);
    if (!files)
        return fail(files.error());
    const ElfImage &object = files->object();
    auto view = files->view(options.file);
    if (!view)
        return fail(view.error());
    auto symbols = SymbolTable::load(object);
    if (!symbols)
        return fail(symbols.error());

    SiteQuery query(**view, object, *symbols);
    const LookupOptions &what = options.what;
    auto found = what.name ? query.by_name(*what.name, what.source_file)
                 : what.id ? query.by_func(*what.id)
                           : query.by_address(*what.address);
    std::vector<PrintedSite> sites;
    for (uint32_t number : found ? *found : std::vector<uint32_t>{}) {
        const loc_section *section;
        const loc_site *site = loc_index_site(&(*view)->index(), number, &section);
        const ElfSection *elf = query.elf_section(number);
        PrintedSite printed = {};
        printed.view = view->get();
        printed.number = number;
        if ((*view)->file().site_marks)
            printed.marks = (*view)->site_marks(number);
        printed.address = address_text(object, elf, site->offset);
        printed.symbol = elf != nullptr ? symbols->text(*elf, site->offset) : "?";
        sites.push_back(std::move(printed));
    }
    if (what.json)
        print_sites_json(sites, false);
    if (!found)
        return fail(Error{options.file + ": " + found.error().message});
    if (sites.empty())
        return fail(Error{options.file + ": " + what.nothing()});
    if (!what.json)
        print_sites_text(sites, [&](const PrintedSite &, uint64_t offset) {
            return name_address(object, *symbols, offset);
        });
    return kExitDone;
}

}  // namespace

std::string LookupOptions::nothing() const {
    if (name)
        return "no function " + *name + (source_file.empty() ? "" : " in file " + source_file);
    if (id)
        return fmt::format("no sites of a function with id {}", *id);
    return "no site at address " + *address;
}

void add_lookup(CLI::App &app, int &exit_code) {
    auto options = std::make_shared<Options>();
    CLI::App *command = app.add_subcommand(
        "lookup", "Print the sites of a function, or at an address, with their parameters");
    auto *file = command->add_option("FILE", options->file, "A .btf_extra file");
    auto *vmlinux = add_object_options(*command, options->object);
    auto *running = command->add_flag("--running", options->running,
                                      "Ask the running kernel, in place of FILE and --vmlinux");
    running->excludes(file)->excludes(vmlinux);
    command
        ->add_option("--object", options->what.object,
                     "With --running: vmlinux or a module alone (with --id, vmlinux if not given)")
        ->needs(running);
    auto *what = command->add_option_group("what", "One of");
    auto *name = what->add_option("--name", options->what.name,
                                  "Function, or the symbol of one body such as foo.isra.0");
    what->add_option("--id", options->what.id, "BTF id of the function");
    what->add_option(
        "--addr", options->what.address,
        "Address in hex (as linked, not in modules; with --running as in /proc/kallsyms), "
        "symbol+0xoffset or section+0xoffset");
    what->require_option(1);
    command
        ->add_option("--file", options->what.source_file,
                     "With --name: the file that declares the function, or the end of its path")
        ->needs(name);
    command->add_flag("--json", options->what.json, "Print one JSON object");
    command->callback([options, &exit_code] {
        if (!options->running && options->file.empty())
            throw CLI::RequiredError("FILE or --running");
        if (!options->running && options->object.vmlinux.empty())
            throw CLI::RequiredError("--vmlinux");
        exit_code = options->running ? run_running_lookup(options->what) : run(*options);
    });
}

}  // namespace btf_extra
