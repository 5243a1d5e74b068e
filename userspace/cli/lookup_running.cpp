// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// btf-extra lookup --running: the same of the kernel that runs here.
#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "userspace/cli/command.h"
#include "userspace/cli/lookup_options.h"
#include "userspace/cli/site_printer.h"
#include "userspace/format/hex_number.h"
#include "userspace/lib/tables/kallsyms.h"
#include "userspace/lib/tables/running_kernel.h"
#include "userspace/lib/tables/running_view.h"
#include "userspace/lib/tables/site_query.h"

namespace btf_extra {
namespace {

constexpr char kRunning[] = "running kernel";

// "0xffffffff81000000", or a symbol and a distance, which may stand for several.
Result<std::vector<uint64_t>> parse_address(const std::string &text, const Kallsyms &symbols) {
    if (auto address = parse_hex(text))
        return std::vector<uint64_t>{*address};
    const std::string name = text.substr(0, text.find('+'));
    std::optional<uint64_t> offset = 0;
    if (name.size() != text.size())
        offset = parse_hex(std::string_view(text).substr(name.size() + 1));
    if (!offset)
        return Error{fmt::format("'{}' is neither an address nor symbol+0xoffset", text)};
    if (symbols.hidden())
        return Error{"addresses of symbols are hidden"};
    std::vector<uint64_t> found = symbols.named(name);
    if (found.empty())
        return Error{fmt::format("'{}' is neither an address nor a symbol", name)};
    for (uint64_t &address : found)
        address += *offset;
    return found;
}

Result<std::vector<RunningQuery>> queries_of(const LookupOptions &options,
                                             const Kallsyms &symbols) {
    RunningQuery query = {};
    query.object = options.object;
    if (options.name) {
        query.by = BTF_EXTRA_BY_NAME;
        query.name = *options.name;
        query.file = std::filesystem::path(options.source_file).lexically_normal().string();
        return std::vector{query};
    }
    if (options.id) {
        query.by = BTF_EXTRA_BY_ID;
        query.func_id = *options.id;
        if (query.object.empty())
            query.object = "vmlinux";
        return std::vector{query};
    }
    auto addresses = parse_address(*options.address, symbols);
    if (!addresses)
        return addresses.error();
    std::vector<RunningQuery> out;
    query.by = BTF_EXTRA_BY_ADDRESS;
    for (uint64_t address : *addresses) {
        query.address = address;
        out.push_back(query);
    }
    return out;
}

// The kernel knows but one of the symbols at an address. By another one, where the compiler has
// made one body of several functions, foo.part.0 is the body of foo at the address of that symbol.
std::vector<RunningQuery> alias_queries(const LookupOptions &options, const Kallsyms &symbols) {
    std::vector<RunningQuery> out;
    if (!options.name || func_suffix_strip(options.name->c_str()) == options.name->size())
        return out;
    RunningQuery query = {};
    query.by = BTF_EXTRA_BY_ADDRESS;
    query.object = options.object;
    query.flags = BTF_EXTRA_BODY_ONLY;
    for (uint64_t address : symbols.named(*options.name)) {
        query.address = address;
        out.push_back(query);
    }
    return out;
}

void keep_named(RunningLookup &found, const LookupOptions &options) {
    const std::string source = options.name->substr(0, func_suffix_strip(options.name->c_str()));
    std::erase_if(found.sites.sites, [&](const btf_extra_site &site) {
        const ObjectView &view = *found.views.at(site.object);
        auto file = view.func_file(site.func_id);
        return view.func_name(site.func_id) != source ||
               (!options.source_file.empty() &&
                !(file && file_matches(*file, options.source_file)));
    });
}

// In the order of SiteQuery, object after object.
void sort_sites(RunningLookup &found) {
    std::ranges::sort(found.sites.sites, {}, [&](const btf_extra_site &site) {
        const ObjectView &view = *found.views.at(site.object);
        const loc_section *section;
        const loc_site *record = loc_index_site(&view.index(), site.number, &section);
        return std::tuple(site.object, view.func_name(site.func_id), site.func_id, section->elf,
                          record->offset, section->loc_class, site.number);
    });
}

PrintedSite printed_site(const btf_extra_site &site, const RunningLookup &found,
                         const Kallsyms &symbols) {
    PrintedSite out = {};
    out.view = found.views.at(site.object).get();
    out.number = site.number;
    out.marks = site.flags;
    out.freed = (site.flags & BTF_EXTRA_SITE_FREED) != 0;
    for (const btf_extra_object &object : found.objects.objects) {
        if (object.id != site.object)
            continue;
        out.object = object_name(object);
        out.text = object.text;
    }
    if (site.address != 0)
        out.address = fmt::format("{:#x}", site.address);
    else if (!found.sites.hidden)
        out.absent = "gone";  // with the memory that a module's init text was in
    if (site.address != 0 && !symbols.hidden())
        out.symbol = symbols.text(site.address);
    return out;
}

std::string name_address(const PrintedSite &site, const Kallsyms &symbols, uint64_t offset) {
    if (site.text == 0 || symbols.hidden())
        return text_offset(offset);
    std::string name = symbols.text(site.text + offset).value_or(text_offset(offset));
    return name.ends_with("+0x0") ? name.substr(0, name.size() - 4) : name;
}

}  // namespace

int run_running_lookup(const LookupOptions &options) {
    auto device = open_query_device();
    if (!device)
        return fail(device.error());
    RunningKernel kernel(std::move(*device));
    auto symbols = Kallsyms::load();
    if (!symbols)
        return fail(symbols.error());
    auto objects = kernel.objects();
    if (!objects)
        return fail(objects.error());
    if (!options.object.empty() && objects->find(options.object) == nullptr)
        return fail(Error{fmt::format("{}: no object {}", kRunning, options.object)});
    auto queries = queries_of(options, *symbols);
    if (!queries)
        return fail(Error{fmt::format("{}: {}", kRunning, queries.error().message)});

    std::vector<RunningLookup> answers;
    std::vector<PrintedSite> sites;
    auto ask = [&](const RunningQuery &query, bool by_alias) -> Result<void> {
        auto found = look_up(kernel, query);
        if (!found)
            return found.error();
        if (by_alias)
            keep_named(*found, options);
        sort_sites(*found);
        for (const btf_extra_site &site : found->sites.sites)
            sites.push_back(printed_site(site, *found, *symbols));
        answers.push_back(std::move(*found));
        return {};
    };
    for (const RunningQuery &query : *queries)
        if (auto asked = ask(query, false); !asked)
            return fail(asked.error());
    if (sites.empty())
        for (const RunningQuery &query : alias_queries(options, *symbols))
            if (auto asked = ask(query, true); !asked)
                return fail(asked.error());
    if (options.json)
        print_sites_json(sites, true);
    if (sites.empty())
        return fail(Error{fmt::format("{}: {}", kRunning, options.nothing())});
    if (!options.json)
        print_sites_text(sites, [&](const PrintedSite &site, uint64_t offset) {
            return name_address(site, *symbols, offset);
        });
    return kExitDone;
}

}  // namespace btf_extra
