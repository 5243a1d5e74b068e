// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/cli/placed_site.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "userspace/cli/probe_rules.h"
#include "userspace/lib/tables/kallsyms.h"
#include "userspace/lib/tables/running_view.h"
#include "userspace/lib/tables/symbol_table.h"

namespace btf_extra {
namespace {

constexpr char kFreed[] = "its text is freed after boot";
constexpr char kLoopHead[] = "a loop begins there: hit once a turn";
constexpr char kNoEntry[] = "where a call begins is not known";
constexpr char kPart[] = "the rest of a call that began at another site";

std::vector<PlacedSite> sites_of(const Table &table, uint32_t func_id) {
    const loc_index &index = table.view->index();
    std::vector<PlacedSite> out;
    for (uint32_t i = 0; i < index.nr_sections; i++) {
        const loc_section &section = index.sections[i];
        const loc_range range = loc_index_by_func(&index, i, func_id);
        for (uint32_t j = range.first; j < range.end; j++) {
            PlacedSite site = {};
            site.number = section.first_site + j;
            site.body = section.loc_class == LOC_CLASS_BODY;
            const uint32_t marks = table.view->site_marks(site.number);
            if ((marks & SITE_MARK_LOOP_HEAD) != 0)
                site.dead = kLoopHead;
            if ((marks & SITE_MARK_NO_ENTRY) != 0)
                site.dead = kNoEntry;
            if ((marks & SITE_MARK_PART) != 0)
                site.dead = kPart;
            if (freed_after_boot(table, index.elf_sections[section.elf].name))
                site.dead = kFreed;
            out.push_back(std::move(site));
        }
    }
    return out;
}

struct Position {
    const char *section;  // name
    uint32_t offset;
};

Position position_of(const Table &table, const PlacedSite &site) {
    const loc_index &index = table.view->index();
    const loc_section *section;
    const loc_site *record = loc_index_site(&index, site.number, &section);
    return {index.elf_sections[section->elf].name, record->offset};
}

// ---- in the ELF file ----

Result<void> place_in_elf(const ElfImage &object, const Table &table,
                          std::vector<PlacedSite> &sites) {
    auto symbols = SymbolTable::load(object);
    if (!symbols)
        return symbols.error();
    const ElfSection *text = object.find(".text");
    const auto rules =
        object.relocatable() ? ProbeRules() : ProbeRules::of_kernel(object, *symbols);
    for (PlacedSite &site : sites) {
        const Position at = position_of(table, site);
        const ElfSection *section = object.find(at.section);
        if (section == nullptr)
            return object.error(at.section, "not there");
        if (const Symbol *symbol = symbols->containing(section->index, at.offset)) {
            site.symbol = symbol->name;
            site.distance = at.offset - symbol->offset;
            site.namesakes = symbols->named(symbol->name).size();
        }
        if (object.relocatable() || text == nullptr)
            continue;
        site.from_stext = section->address + at.offset - text->address;
        if (site.dead == nullptr)
            site.dead = rules.refusal(section->address + at.offset, site.symbol);
    }
    return {};
}

// ---- in the running kernel ----

// Addresses by number; the module knows them, or else the sections of the file do.
Result<std::map<uint32_t, uint64_t>> running_addresses(Tables &tables, const Table &table,
                                                       uint32_t func_id, uint64_t stext,
                                                       std::vector<PlacedSite> &sites) {
    std::map<uint32_t, uint64_t> out;
    if (tables.kernel == nullptr) {
        const auto &sections = table.view->file().sections;
        const auto text = std::ranges::find(sections, ".text", &ObjectSection::name);
        for (const PlacedSite &site : sites) {
            const Position at = position_of(table, site);
            const auto section = std::ranges::find(sections, at.section, &ObjectSection::name);
            if (text != sections.end() && section != sections.end())
                out[site.number] = stext + section->address + at.offset - text->address;
        }
        return out;
    }
    RunningQuery query = {};
    query.by = BTF_EXTRA_BY_ID;
    query.object = table.object;
    query.func_id = func_id;
    auto found = tables.kernel->lookup(query);
    if (!found)
        return found.error();
    for (const btf_extra_site &each : found->sites) {
        auto site = std::ranges::find(sites, each.number, &PlacedSite::number);
        if (site == sites.end())
            return Error{table.object + ": another one has come: try again"};
        if (each.flags & BTF_EXTRA_SITE_FREED)
            site->dead = kFreed;
        if (each.address != 0)
            out[each.number] = each.address;
    }
    return out;
}

Result<void> place_running(Tables &tables, const Table &table, uint32_t func_id,
                           std::vector<PlacedSite> &sites) {
    auto symbols = Kallsyms::load();
    if (!symbols)
        return symbols.error();
    if (symbols->hidden())
        return Error{"/proc/kallsyms: addresses are hidden: needs CAP_SYSLOG, and "
                     "kernel.kptr_restrict below 2"};
    const auto stext = symbols->named("_stext");
    if (stext.size() != 1)
        return Error{"/proc/kallsyms: no symbol _stext, or several"};
    auto addresses = running_addresses(tables, table, func_id, stext[0], sites);
    if (!addresses)
        return addresses.error();
    const auto rules = ProbeRules::of_running(*symbols);
    for (PlacedSite &site : sites) {
        const auto address = addresses->find(site.number);
        if (address == addresses->end()) {
            if (site.dead == nullptr)
                site.dead = "its address is not known";
            continue;
        }
        if (table.object == "vmlinux")
            site.from_stext = address->second - stext[0];
        const auto text = symbols->text(address->second);
        if (text) {
            site.symbol = text->substr(0, text->rfind('+'));
            const auto named = symbols->named(site.symbol);
            site.namesakes = named.size();
            for (uint64_t begin : named)
                if (begin <= address->second)
                    site.distance = address->second - begin;
        }
        if (site.dead == nullptr)
            site.dead = rules.refusal(address->second, site.symbol);
    }
    return {};
}

}  // namespace

Result<std::vector<PlacedSite>> place_sites(Tables &tables, const Table &table, uint32_t func_id) {
    std::vector<PlacedSite> sites = sites_of(table, func_id);
    const auto placed = tables.files ? place_in_elf(tables.files->object(), table, sites)
                                     : place_running(tables, table, func_id, sites);
    if (!placed)
        return placed.error();
    std::ranges::stable_sort(sites, {}, [](const PlacedSite &site) {
        return std::tuple(site.from_stext.value_or(0), site.number);
    });
    return sites;
}

}  // namespace btf_extra
