// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The sites of a function with all the names that other tracers take for a place.
#ifndef BTF_EXTRA_PLACED_SITE_H
#define BTF_EXTRA_PLACED_SITE_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "userspace/format/result.h"
#include "userspace/lib/probing/probe_rules.h"
#include "userspace/lib/tables/site_tables.h"

namespace btf_extra {

struct PlacedSite {
    uint32_t number;  // in the index of its view
    bool body;
    std::optional<uint64_t> from_stext;  // distance from _stext; nothing for a module's
    std::string symbol;                  // that it is in; empty: not known
    uint64_t distance = 0;               // from the symbol
    uint64_t probe = 0;                  // from the site to its probe
    size_t namesakes = 0;                // symbols of that name
    const char *dead = nullptr;          // why nothing can be put there
};

// Places the sites of tables, and finds those where the kernel refuses probes.
class SitePlacer {
  public:
    // The tables must outlive it.
    static Result<SitePlacer> open(const SiteTables &tables);

    // Returns them in order of address, or of number where the address is not known.
    std::vector<PlacedSite> place(const FoundFunc &func) const;

    // Returns why btf_extra.ko puts no probe at a site, besides the reasons in its flags.
    ProbeRefusal refusal(const SiteObject &object, const btf_extra_site &site) const;
    // Returns why perf and tracefs put no probe there. They refuse each function that ftrace does
    // not list.
    ProbeRefusal event_refusal(const SiteObject &object, const btf_extra_site &site) const;

    // Returns whether ftrace lists the function that a body is of. Nothing: not known.
    std::optional<bool> is_traced(const SiteObject &object, const btf_extra_site &body) const;

  private:
    SitePlacer(const SiteTables &tables, ProbeRules rules, const loc_arch *arch, uint64_t stext)
        : tables_(tables), rules_(std::move(rules)), arch_(arch), stext_(stext) {}
    PlacedSite place(const SiteObject &object, const btf_extra_site &site) const;
    std::optional<uint32_t> distance_to_probe(const btf_extra_site &site, const Place &at) const;
    ProbeRefusal refusal(const SiteObject &object, const btf_extra_site &site,
                         bool with_notrace) const;

    const SiteTables &tables_;
    ProbeRules rules_;
    const loc_arch *arch_;
    uint64_t stext_;  // 0: an ELF file, where it is the base of .text
};

}  // namespace btf_extra

#endif
