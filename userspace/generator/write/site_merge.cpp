// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/generator/write/site_merge.h"

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>
#include <tuple>
#include <unordered_map>

#include "userspace/generator/model/thread_pool.h"

namespace btf_extra::generator {

namespace {

// What makes two definitions one source function: not the unit, and not the
// names of the parameters.
bool same_prototype(const MergedFunction &a, const MergedFunction &b) {
    return a.source->return_type == b.source->return_type &&
           a.source->variadic == b.source->variadic &&
           std::equal(a.param_types.begin(), a.param_types.end(), b.param_types.begin(),
                      b.param_types.end());
}

bool same_function(const MergedFunction &a, const MergedFunction &b) {
    return a.source->name == b.source->name && a.source->file == b.source->file &&
           a.source->only_body == b.source->only_body && same_prototype(a, b);
}

uint64_t hash_of_function(const MergedFunction &function) {
    const SourceFunction &source = *function.source;
    uint64_t hash = hash_mix(hash_of(source.name), hash_of(source.file));
    hash = hash_mix(hash, source.return_type);
    for (const TypeId type : function.param_types)
        hash = hash_mix(hash, type);
    return hash_mix(hash, source.variadic);
}

// As a number in the order of the bytes.
uint64_t first_bytes(std::string_view text) {
    uint64_t word = 0;
    for (size_t i = 0; i < 8; ++i)
        word = word << 8 | (i < text.size() ? static_cast<unsigned char>(text[i]) : 0);
    return word;
}

class Merge {
  public:
    Merge(const std::vector<UnitSites> &units, size_t threads) : units_(units), threads_(threads) {}

    MergedSites run(const UseFunctions &use_functions) {
        run_both(
            threads_,
            [&] {
                collect_functions();
                order_functions();
            },
            [&] {
                collect_loc_params();
                collect_param_lists();
            });
        run_both(
            threads_,
            [&] {
                if (use_functions)
                    use_functions(merged_.functions);
            },
            [&] {
                collect_sites();
                for (size_t s = 0; s < merged_.sections.size(); ++s)
                    sort_sites(merged_.sections[s], marked_[s]);
            });
        return std::move(merged_);
    }

  private:
    struct MarkedSite {
        MergedSite site;
        uint32_t marks;
    };

    void collect_functions();
    void order_functions();
    void collect_loc_params();
    void collect_param_lists();
    void collect_sites();
    void sort_sites(MergedSection &section, std::span<const MarkedSite> marked);

    const std::vector<UnitSites> &units_;
    size_t threads_;
    MergedSites merged_;
    std::vector<MergedFunction> distinct_;
    // By unit: the unit's numbers to those of distinct_, then of merged_.
    std::vector<std::vector<uint32_t>> function_numbers_;
    std::vector<std::vector<uint32_t>> loc_param_numbers_;
    std::vector<std::vector<uint32_t>> param_list_numbers_;
    std::vector<std::vector<MarkedSite>> marked_;  // by section; few
};

void Merge::collect_functions() {
    // Open addressing, by hash: number in distinct_ + 1.
    size_t nr_functions = 0;
    for (const UnitSites &unit : units_)
        nr_functions += unit.functions.size();
    std::vector<uint32_t> buckets(std::bit_ceil(nr_functions * 2 + 1));
    std::vector<uint64_t> hashes;  // of distinct_
    const auto number_of = [&](const MergedFunction &function) {
        const uint64_t hash = hash_of_function(function);
        for (size_t bucket = hash;; ++bucket) {
            uint32_t &entry = buckets[bucket &= buckets.size() - 1];
            if (entry == 0) {
                distinct_.push_back(function);
                hashes.push_back(hash);
                entry = static_cast<uint32_t>(distinct_.size());
            } else if (hashes[entry - 1] != hash ||
                       !same_function(distinct_[entry - 1], function)) {
                continue;
            }
            return entry - 1;
        }
    };
    function_numbers_.resize(units_.size());
    for (size_t u = 0; u < units_.size(); ++u) {
        const UnitSites &unit = units_[u];
        merged_.inline_instances += unit.inline_instances;
        merged_.overridden_bodies += unit.overridden_bodies;
        merged_.outside_sections += unit.outside_sections;
        merged_.skipped_rust_units += unit.skipped_rust ? 1 : 0;
        std::vector<bool> has_sites(unit.functions.size());
        for (const Site &site : unit.sites)
            has_sites[site.function] = true;
        function_numbers_[u].resize(unit.functions.size());
        for (size_t f = 0; f < unit.functions.size(); ++f)
            if (has_sites[f])
                function_numbers_[u][f] =
                    number_of({.source = &unit.functions[f],
                               .param_types = unit.types_of(unit.functions[f]),
                               .param_names = unit.names_of(unit.functions[f])});
    }
}

void Merge::order_functions() {
    // The first eight bytes of a name decide most comparisons.
    std::vector<std::pair<uint64_t, uint32_t>> order;
    order.reserve(distinct_.size());
    for (uint32_t n = 0; n < distinct_.size(); ++n)
        order.emplace_back(first_bytes(distinct_[n].source->name), n);
    std::sort(order.begin(), order.end(), [&](const auto &a, const auto &b) {
        if (a.first != b.first)
            return a.first < b.first;
        const SourceFunction &f = *distinct_[a.second].source;
        const SourceFunction &g = *distinct_[b.second].source;
        // Where all names are equal, in order of first appearance.
        return std::tie(f.name, f.file, f.unit, a.second) <
               std::tie(g.name, g.file, g.unit, b.second);
    });

    std::vector<uint32_t> added;
    std::vector<uint32_t> in_base;
    for (size_t first = 0, end = 0; first < order.size(); first = end) {
        const auto source = [&](size_t place) -> const SourceFunction & {
            return *distinct_[order[place].second].source;
        };
        for (end = first + 1; end < order.size() && source(end).name == source(first).name;)
            ++end;
        for (size_t i = first; i < end; ++i) {
            MergedFunction &function = distinct_[order[i].second];
            const auto same_file = [&](size_t other) {
                return source(other).file == function.source->file;
            };
            if (end - first == 1) {
                function.base_id = function.source->base_id;
            } else {
                function.tag_file = true;
                function.tag_unit =
                    (i > first && same_file(i - 1)) || (i + 1 < end && same_file(i + 1));
            }
            (function.base_id ? in_base : added).push_back(order[i].second);
        }
    }
    std::sort(in_base.begin(), in_base.end(),
              [&](uint32_t a, uint32_t b) { return distinct_[a].base_id < distinct_[b].base_id; });

    std::vector<uint32_t> number(distinct_.size());
    merged_.functions.reserve(distinct_.size());
    for (const auto *part : {&in_base, &added}) {
        for (const uint32_t distinct : *part) {
            number[distinct] = static_cast<uint32_t>(merged_.functions.size());
            merged_.functions.push_back(distinct_[distinct]);
        }
    }
    for (std::vector<uint32_t> &numbers : function_numbers_)
        for (uint32_t &n : numbers)
            n = number.empty() ? 0 : number[n];
}

void Merge::collect_loc_params() {
    std::unordered_map<LocParam, uint32_t, LocParamHash> known;
    loc_param_numbers_.resize(units_.size());
    for (size_t u = 0; u < units_.size(); ++u)
        for (const LocParam &param : units_[u].loc_params) {
            const auto [entry, fresh] =
                known.try_emplace(param, static_cast<uint32_t>(merged_.loc_params.size()));
            if (fresh)
                merged_.loc_params.push_back(param);
            loc_param_numbers_[u].push_back(entry->second);
        }
    // From order of appearance to order of value.
    std::sort(merged_.loc_params.begin(), merged_.loc_params.end());
    std::vector<uint32_t> rank(merged_.loc_params.size());
    for (uint32_t n = 0; n < rank.size(); ++n)
        rank[known.at(merged_.loc_params[n])] = n;
    for (std::vector<uint32_t> &numbers : loc_param_numbers_)
        for (uint32_t &n : numbers)
            n = rank[n];
}

// Numbers all lists by their order.
void Merge::collect_param_lists() {
    InternedLists lists;
    param_list_numbers_.resize(units_.size());
    std::vector<ParamSlot> slots;
    for (size_t u = 0; u < units_.size(); ++u) {
        const InternedLists &of_unit = units_[u].param_lists;
        for (uint32_t n = 0; n < of_unit.size(); ++n) {
            slots.clear();
            for (const ParamSlot slot : of_unit.at(n))
                slots.push_back(slot & kMissing ? slot : loc_param_numbers_[u][slot]);
            param_list_numbers_[u].push_back(lists.add(slots));
        }
    }
    std::vector<uint32_t> order(lists.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
        const auto la = lists.at(a);
        const auto lb = lists.at(b);
        if (const auto locations = compare_locations(la, lb); locations != 0)
            return locations < 0;
        return std::lexicographical_compare(la.begin(), la.end(), lb.begin(), lb.end());
    });
    std::vector<uint32_t> rank(order.size());
    merged_.param_lists.reserve(order.size());
    for (const uint32_t number : order) {
        rank[number] = static_cast<uint32_t>(merged_.param_lists.size());
        const auto list = lists.at(number);
        merged_.param_lists.emplace_back(list.begin(), list.end());
    }
    for (std::vector<uint32_t> &numbers : param_list_numbers_)
        for (uint32_t &n : numbers)
            n = rank[n];
}

void Merge::collect_sites() {
    struct Collected {
        MergedSection section;
        std::vector<MarkedSite> marked;
    };
    std::map<std::pair<uint32_t, SiteClass>, Collected> sections;
    Collected *collected = nullptr;
    for (size_t u = 0; u < units_.size(); ++u) {
        for (const Site &site : units_[u].sites) {
            if (!collected || collected->section.section != site.section ||
                collected->section.site_class != site.site_class) {
                collected = &sections[{site.section, site.site_class}];
                collected->section.section = site.section;
                collected->section.site_class = site.site_class;
            }
            collected->section.sites.push_back({.function = function_numbers_[u][site.function],
                                                .offset = site.offset,
                                                .params = param_list_numbers_[u][site.params]});
            if (site.marks != 0)
                collected->marked.push_back({collected->section.sites.back(), site.marks});
        }
    }
    for (auto &[key, entry] : sections) {
        merged_.sections.push_back(std::move(entry.section));
        marked_.push_back(std::move(entry.marked));
    }
}

// Without repeats: of sites that differ in the reasons for what they lack
// only, the one with the lowest reasons stays.
void Merge::sort_sites(MergedSection &section, std::span<const MarkedSite> marked) {
    const auto place = [](const MergedSite &site) {
        return uint64_t{site.function} << 32 | site.offset;
    };
    const auto less = [&](const MergedSite &a, const MergedSite &b) {
        return place(a) != place(b) ? place(a) < place(b) : a.params < b.params;
    };
    const auto repeated = [&](const MergedSite &a, const MergedSite &b) {
        return place(a) == place(b) &&
               (a.params == b.params || compare_locations(merged_.param_lists[a.params],
                                                          merged_.param_lists[b.params]) == 0);
    };
    std::sort(section.sites.begin(), section.sites.end(), less);
    section.sites.erase(std::unique(section.sites.begin(), section.sites.end(), repeated),
                        section.sites.end());
    for (const MarkedSite &each : marked) {
        auto site = std::upper_bound(section.sites.begin(), section.sites.end(), each.site, less);
        // The one that stayed has the same reasons or lower ones.
        while (!repeated(*--site, each.site))
            ;
        section.marks[static_cast<uint32_t>(site - section.sites.begin())] |= each.marks;
    }
}

}  // namespace

std::strong_ordering compare_locations(std::span<const ParamSlot> a, std::span<const ParamSlot> b) {
    return std::lexicographical_compare_three_way(
        a.begin(), a.end(), b.begin(), b.end(),
        [](ParamSlot x, ParamSlot y) { return std::min(x, kMissing) <=> std::min(y, kMissing); });
}

MergedSites merge_sites(const std::vector<UnitSites> &units, size_t threads,
                        const UseFunctions &use_functions) {
    return Merge(units, threads).run(use_functions);
}

}  // namespace btf_extra::generator
