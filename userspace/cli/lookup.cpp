// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// btf-extra lookup: the sites of a function, or what stands at an address.
#include <cstdio>
#include <memory>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "userspace/cli/command.h"
#include "userspace/cli/object_files.h"
#include "userspace/lib/c_type.h"
#include "userspace/lib/elf_image.h"
#include "userspace/lib/loc_text.h"
#include "userspace/lib/object_view.h"
#include "userspace/lib/site_query.h"
#include "userspace/lib/symbol_table.h"

namespace btf_extra {
namespace {

struct Options {
    std::string file;
    ObjectPaths object;
    std::optional<std::string> name;
    std::string source_file;
    std::optional<uint32_t> id;
    std::optional<std::string> address;
    bool json = false;
};

class Printer {
  public:
    Printer(const ObjectView &view, const ElfImage &kernel, const SymbolTable &symbols,
            const SiteQuery &query)
        : view_(view), kernel_(kernel), symbols_(symbols), query_(query) {}

    void text(const std::vector<uint32_t> &numbers) {
        uint32_t last = 0;
        for (uint32_t number : numbers) {
            Place place = place_of(number);
            if (place.func != last) {
                auto file = view_.func_file(place.func);
                auto unit = view_.func_unit(place.func);
                fmt::print("{}{}\n    id {}, {}{}\n", last != 0 ? "\n" : "",
                           c_prototype(blob(), place.func), place.func,
                           file ? *file : "file not known", unit ? " in unit " + *unit : "");
            }
            last = place.func;
            fmt::print("  {} {:<6} {}", place.address, place.class_name, place.symbol);
            for (const Parameter &param : view_.parameters(number))
                fmt::print("  {}={}", param.name.empty() ? "?" : param.name, people(param));
            fmt::print("\n");
        }
    }

    void json(const std::vector<uint32_t> &numbers) {
        using nlohmann::ordered_json;
        ordered_json sites = ordered_json::array();
        for (uint32_t number : numbers) {
            Place place = place_of(number);
            ordered_json site;
            site["address"] = place.address;
            site["class"] = place.class_name;
            site["name"] = view_.func_name(place.func);
            site["id"] = place.func;
            site["symbol"] = place.symbol;
            site["prototype"] = c_prototype(blob(), place.func);
            site["file"] = nullptr;
            if (auto file = view_.func_file(place.func))
                site["file"] = *file;
            site["params"] = ordered_json::array();
            for (const Parameter &param : view_.parameters(number)) {
                ordered_json each = {{"name", param.name}, {"loc", nullptr}, {"reason", nullptr}};
                if (param.loc != nullptr)
                    each["loc"] = loc_text(param.loc);
                if (param.reason)
                    each["reason"] = btf_extra::text(*param.reason);
                site["params"].push_back(std::move(each));
            }
            sites.push_back(std::move(site));
        }
        ordered_json out = {{"sites", std::move(sites)}};
        fmt::print("{}\n", out.dump(2, ' ', false, ordered_json::error_handler_t::replace));
    }

  private:
    struct Place {
        uint32_t func;
        std::string address;  // of the link; of a module "section+0xoffset"
        const char *class_name;
        std::string symbol;
    };

    const btf_blob &blob() const { return view_.locations().blob(); }

    Place place_of(uint32_t number) const {
        const loc_section *section;
        const loc_site *site = loc_index_site(&view_.index(), number, &section);
        const ElfSection *elf = query_.elf_section(number);
        Place place = {.func = site->func,
                       .address = "?",
                       .class_name = section->loc_class == LOC_CLASS_INLINE ? "inline" : "body",
                       .symbol = "?"};
        if (elf != nullptr) {
            place.address = kernel_.relocatable()
                                ? fmt::format("{}+{:#x}", elf->name, site->offset)
                                : fmt::format("{:#x}", elf->address + site->offset);
            place.symbol = symbols_.text(*elf, site->offset);
        }
        return place;
    }

    // A CONST|ADDR counts from the start of .text.
    std::string address_name(uint64_t offset) const {
        const ElfSection *base = kernel_.find(".text");
        uint64_t address = (base != nullptr ? base->address : 0) + offset;
        for (const ElfSection &section : kernel_.sections()) {
            if (!section.allocated() || address < section.address ||
                address - section.address >= section.size)
                continue;
            const Symbol *symbol = symbols_.containing(section.index, address - section.address);
            if (symbol == nullptr)
                continue;
            uint64_t distance = address - section.address - symbol->offset;
            return distance == 0 ? symbol->name : fmt::format("{}+{:#x}", symbol->name, distance);
        }
        return fmt::format(".text{}{:#x}", static_cast<int64_t>(offset) < 0 ? '-' : '+',
                           static_cast<int64_t>(offset) < 0 ? 0 - offset : offset);
    }

    std::string people(const Parameter &param) const {
        if (param.loc != nullptr)
            return loc_text_for_people(param.loc, view_.file().machine,
                                       value_type(blob(), param.type_id),
                                       [this](uint64_t offset) { return address_name(offset); });
        if (param.reason)
            return fmt::format("<not available: {}>", btf_extra::text(*param.reason));
        return "<not available>";
    }

    const ObjectView &view_;
    const ElfImage &kernel_;
    const SymbolTable &symbols_;
    const SiteQuery &query_;
};

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
    Result<std::vector<uint32_t>> found = std::vector<uint32_t>{};
    std::string what;
    if (options.name) {
        what = "no function " + *options.name;
        if (!options.source_file.empty())
            what += " in file " + options.source_file;
        found = query.by_name(*options.name, options.source_file);
    } else if (options.id) {
        what = fmt::format("no sites of a function with id {}", *options.id);
        found = query.by_func(*options.id);
    } else {
        what = "no site at address " + *options.address;
        found = query.by_address(*options.address);
    }

    Printer printer(**view, object, *symbols, query);
    if (options.json)
        printer.json(found ? *found : std::vector<uint32_t>{});
    if (!found)
        return fail(Error{options.file + ": " + found.error().message});
    if (found->empty())
        return fail(Error{options.file + ": " + what});
    if (!options.json)
        printer.text(*found);
    return kExitDone;
}

}  // namespace

void add_lookup(CLI::App &app, int &exit_code) {
    auto options = std::make_shared<Options>();
    CLI::App *command = app.add_subcommand(
        "lookup", "Print the sites of a function, or at an address, with their parameters");
    command->add_option("FILE", options->file, "A .btf_extra file")->required();
    add_object_options(*command, options->object)->required();
    auto *what = command->add_option_group("what", "One of");
    auto *name = what->add_option("--name", options->name,
                                  "Function, or the symbol of one body such as foo.isra.0");
    what->add_option("--id", options->id, "BTF id of the function");
    what->add_option(
        "--addr", options->address,
        "Link-time address in hex (not in modules), symbol+0xoffset or section+0xoffset");
    what->require_option(1);
    command
        ->add_option("--file", options->source_file,
                     "With --name: the file that declares the function, or the end of its path")
        ->needs(name);
    command->add_flag("--json", options->json, "Print one JSON object");
    command->callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace btf_extra
