// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// btf-extra lookup: the sites of functions, and what stands at an address.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "userspace/cli/command.h"
#include "userspace/cli/func_choice.h"
#include "userspace/cli/object_options.h"
#include "userspace/cli/site_printer.h"
#include "userspace/cli/variable_printer.h"
#include "userspace/lib/tables/site_tables.h"

namespace btf_extra {
namespace {

struct Options {
    std::vector<std::string> funcs, addresses, variables;
    TablesChoice tables;
    bool json = false;
};

// Returns the address that the object was linked at; nothing: its sections have no address.
std::optional<std::string> linked_address(const SiteObject &object, const SitePosition &at) {
    for (const ObjectSection &section : object.view->file().sections)
        if (section.name == at.section && section.address != 0)
            return fmt::format("{:#x}", section.address + at.offset);
    return {};
}

PrintedSite printed_site(const SiteTables &tables, const SiteObject &object,
                         const btf_extra_site &site) {
    const SitePosition at = position_of(object, site.number);
    const std::string in_section = fmt::format("{}+{:#x}", at.section, at.offset);
    PrintedSite out = {};
    out.view = object.view.get();
    out.site = site;
    out.object = tables.running() ? object.name : "";
    out.text = object.text;
    out.freed = tables.running() && (site.flags & BTF_EXTRA_SITE_FREED) != 0;
    if (site.address != 0)
        out.address = fmt::format("{:#x}", site.address);
    else if (tables.source() == SiteTables::Source::kElf)
        out.address = in_section;
    else if (tables.source() == SiteTables::Source::kForeign)
        out.address = linked_address(object, at).value_or(in_section);
    else if (tables.symbols() != nullptr)
        out.absent = "gone";  // with the memory that a module's init text was in
    if (tables.symbols() != nullptr && out.address)
        out.symbol = tables.symbols()->text(place_of(object, site.number));
    if (!out.symbol && (tables.source() == SiteTables::Source::kElf ||
                        tables.source() == SiteTables::Source::kForeign))
        out.symbol = in_section;
    return out;
}

// The functions are in order; so are their sites after this.
void append_sites(const SiteTables &tables, std::vector<FoundFunc> found,
                  std::vector<PrintedSite> &out) {
    for (FoundFunc &func : found) {
        std::ranges::sort(func.sites, {}, [&](const btf_extra_site &site) {
            const SitePosition at = position_of(*func.object, site.number);
            return std::tuple(at.elf_section, at.offset, site.site_class, site.number);
        });
        for (const btf_extra_site &site : func.sites)
            out.push_back(printed_site(tables, *func.object, site));
    }
}

Result<std::vector<FoundFunc>> find_at(SiteTables &tables, const std::string &address) {
    auto found = tables.find_at(address);
    if (found && found->empty())
        return Error{fmt::format("{}: no site at address {}", tables.name(), address)};
    return found;
}

// The name of what a location means by an offset from the base of .text.
std::string name_address(const SiteTables &tables, const PrintedSite &site, uint64_t offset) {
    if (tables.symbols() == nullptr || site.text == 0)
        return text_offset(offset);
    const auto place = tables.symbols()->place_of(site.text + offset);
    std::string name =
        (place ? tables.symbols()->text(*place) : std::nullopt).value_or(text_offset(offset));
    return name.ends_with("+0x0") ? name.substr(0, name.size() - 4) : name;
}

Result<void> run(const Options &options) {
    const auto tables = TRY(open_tables(options.tables));
    if (!options.variables.empty())
        return print_variables(*tables, options.variables, options.json);
    std::vector<PrintedSite> sites;
    Result<void> done;
    const auto take = [&](Result<std::vector<FoundFunc>> found) {
        if (found)
            append_sites(*tables, std::move(*found), sites);
        else if (done)
            done = found.error();
    };
    for (const std::string &func : options.funcs)
        take(find_some(*tables, func));
    for (const std::string &address : options.addresses)
        take(find_at(*tables, address));
    if (options.json)
        print_sites_json(sites, tables->running());
    else
        print_sites_text(sites, [&](const PrintedSite &site, uint64_t offset) {
            return name_address(*tables, site, offset);
        });
    return done;
}

}  // namespace

void add_lookup(CLI::App &app, int &exit_code) {
    auto options = std::make_shared<Options>();
    CLI::App *command = app.add_subcommand(
        "lookup", "Print the sites of functions, or at an address, with their parameters");
    CLI::Option *funcs = add_func_option(*command, options->funcs);
    CLI::Option *addresses = command->add_option(
        "--addr", options->addresses,
        "Address in hex (as in /proc/kallsyms; with --vmlinux as linked, not in modules), "
        "symbol+0xoffset or section+0xoffset");
    repeatable(addresses);
    repeatable(command
                   ->add_option("--variable", options->variables,
                                "Print variables of that name instead, with the reason if no "
                                "program can read them")
                   ->excludes(funcs, addresses));
    add_tables_options(*command, options->tables);
    command->add_flag("--json", options->json, "Print one JSON object");
    command->callback([options, &exit_code] {
        if (options->funcs.empty() && options->addresses.empty() && options->variables.empty())
            throw CLI::RequiredError("FUNC, --addr or --variable");
        exit_code = finish(run(*options));
    });
}

}  // namespace btf_extra
