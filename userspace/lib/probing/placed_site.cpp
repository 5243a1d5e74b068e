// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/lib/probing/placed_site.h"

#include <algorithm>
#include <tuple>

#include "userspace/lib/probing/probe_place.h"

namespace btf_extra {
namespace {

// Returns why there can be no probe, by the flags of the site; NULL: there can.
const char *refusal_of(uint32_t flags) {
    if ((flags & BTF_EXTRA_SITE_FREED) != 0)
        return "its text is freed after boot";
    if ((flags & BTF_EXTRA_SITE_PART) != 0)
        return "continues a split function";
    if ((flags & BTF_EXTRA_SITE_NO_ENTRY) != 0)
        return "no known entry";
    if ((flags & BTF_EXTRA_SITE_LOOP_HEAD) != 0)
        return "loop head: hit once per iteration";
    return nullptr;
}

}  // namespace

Result<SitePlacer> SitePlacer::open(const SiteTables &tables) {
    if (const ElfImage *elf = tables.elf()) {
        auto rules = TRY(ProbeRules::of_file(*elf, *tables.symbols()));
        return SitePlacer(tables, std::move(rules), loc_arch_of(elf->machine()), 0);
    }
    if (tables.source() == SiteTables::Source::kForeign)
        return Error{tables.name() + ": made for another kernel: --vmlinux names its ELF file"};
    if (tables.symbols() == nullptr)
        return Error{std::string("/proc/kallsyms: ") + kHiddenAddresses};
    const std::vector<Place> stext = tables.symbols()->places("_stext");
    if (stext.size() != 1)
        return Error{"/proc/kallsyms: no symbol _stext, or several"};
    return SitePlacer(tables, ProbeRules::of_running(*tables.symbols()), loc_arch_running(),
                      stext[0].offset);
}

ProbeRefusal SitePlacer::refusal(const SiteObject &object, const btf_extra_site &site) const {
    return refusal(object, site, (site.flags & BTF_EXTRA_SITE_UNLISTED) != 0);
}

ProbeRefusal SitePlacer::event_refusal(const SiteObject &object, const btf_extra_site &site) const {
    return refusal(object, site, false);
}

std::optional<bool> SitePlacer::is_traced(const SiteObject &object,
                                          const btf_extra_site &body) const {
    if (tables_.running() && body.address == 0)
        return {};
    const Place at = place_of(object, body.number);
    const auto symbol = tables_.symbols()->around(at);
    return symbol ? rules_.is_traced(at, std::string(symbol->symbol), symbol->distance)
                  : std::nullopt;
}

std::optional<uint32_t> SitePlacer::distance_to_probe(const btf_extra_site &site,
                                                      const Place &at) const {
    return probe_distance(site, arch_, [&](size_t size) { return rules_.code(at, size); });
}

ProbeRefusal SitePlacer::refusal(const SiteObject &object, const btf_extra_site &site,
                                 bool with_notrace) const {
    if (tables_.running() && site.address == 0)
        return {};
    const Place at = place_of(object, site.number);
    const auto symbol = tables_.symbols()->around(at);
    const auto probe = distance_to_probe(site, at);
    if (!probe)
        return {BTF_EXTRA_REASON_KPROBE, "the code is not that of a static key"};
    const ProbeRefusal known =
        rules_.refusal({at.section, at.offset + *probe}, std::string(symbol ? symbol->symbol : ""),
                       symbol ? symbol->distance + *probe : 0, with_notrace);
    if (known.why == nullptr && tables_.running() && rules_.knows_traced() &&
        object.view->is_left_out(site.number))
        return {BTF_EXTRA_REASON_KPROBE, "the kernel refuses a kprobe"};
    return known;
}

PlacedSite SitePlacer::place(const SiteObject &object, const btf_extra_site &site) const {
    PlacedSite out = {};
    out.number = site.number;
    out.body = site.site_class == BTF_EXTRA_CLASS_BODY;
    out.dead = refusal_of(site.flags);
    const bool running = tables_.running();
    if (running && site.address == 0) {
        if (out.dead == nullptr)
            out.dead = "its address is not known";
        return out;
    }
    const Place at = place_of(object, site.number);
    const auto found = tables_.symbols()->around(at);
    if (found) {
        out.symbol = found->symbol;
        out.distance = found->distance;
        out.namesakes = tables_.symbols()->places(found->symbol).size();
    }
    if (object.name == "vmlinux")
        out.from_stext = site.address - (running ? stext_ : object.text);
    out.probe = distance_to_probe(site, at).value_or(0);
    if (out.dead == nullptr)
        out.dead = event_refusal(object, site).why;
    return out;
}

std::vector<PlacedSite> SitePlacer::place(const FoundFunc &func) const {
    std::vector<PlacedSite> out;
    for (const btf_extra_site &site : func.sites)
        out.push_back(place(*func.object, site));
    std::ranges::stable_sort(out, {}, [](const PlacedSite &site) {
        return std::tuple(site.from_stext.value_or(0), site.number);
    });
    return out;
}

}  // namespace btf_extra
