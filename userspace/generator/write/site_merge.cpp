// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/generator/write/site_merge.h"

#include <algorithm>
#include <bit>
#include <map>
#include <numeric>
#include <tuple>
#include <unordered_map>

#include "userspace/format/core_api.h"
#include "userspace/generator/model/thread_pool.h"

namespace btf_extra::generator {

namespace {

bool same_prototype(const MergedFunction &a, const MergedFunction &b) {
    return a.source->return_type == b.source->return_type &&
           a.source->variadic == b.source->variadic &&
           std::ranges::equal(a.param_types, b.param_types) &&
           std::ranges::equal(a.param_names, b.param_names);
}

// Two definitions in different units are one source function if all of this agrees. A header may
// have two definitions of a name, of which "#if" takes one.
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

// The first eight bytes as a number: numbers compare as the texts do.
uint64_t first_bytes(std::string_view text) {
    uint64_t word = 0;
    for (size_t i = 0; i < 8; ++i)
        word = word << 8 | (i < text.size() ? static_cast<unsigned char>(text[i]) : 0);
    return word;
}

// Maps the numbers of each unit to those of all units.
using Numbers = std::vector<std::vector<uint32_t>>;

// Finds the functions that several units have, and gives all of them one order.
class FunctionMerge {
  public:
    explicit FunctionMerge(const std::vector<UnitSites> &units) : units_(units) {}

    // Returns the functions in the order of their ids.
    std::pair<std::vector<MergedFunction>, Numbers> run() {
        collect();
        order();
        name_units();
        return {std::move(functions_), std::move(numbers_)};
    }

  private:
    void collect();
    void order();
    void name_units();

    const std::vector<UnitSites> &units_;
    std::vector<MergedFunction> distinct_;
    std::vector<MergedFunction> functions_;
    Numbers numbers_;  // into distinct_, after order() into functions_
};

void FunctionMerge::collect() {
    // A table with open addressing: a bucket holds a number in distinct_ + 1.
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
    numbers_.resize(units_.size());
    for (size_t u = 0; u < units_.size(); ++u) {
        const UnitSites &unit = units_[u];
        std::vector<bool> has_sites(unit.functions.size());
        for (const Site &site : unit.sites)
            has_sites[site.function] = true;
        std::vector<bool> is_used = has_sites;
        for (const CodeFrame &frame : unit.frames)
            is_used[frame.function] = true;
        numbers_[u].resize(unit.functions.size());
        for (size_t f = 0; f < unit.functions.size(); ++f)
            if (is_used[f]) {
                numbers_[u][f] = number_of({.source = &unit.functions[f],
                                            .param_types = unit.types_of(unit.functions[f]),
                                            .param_names = unit.names_of(unit.functions[f])});
                distinct_[numbers_[u][f]].declared_inline |= unit.functions[f].declared_inline;
                distinct_[numbers_[u][f]].has_sites |= has_sites[f];
            }
    }
}

void FunctionMerge::order() {
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
        // Functions whose names are all equal stay in order of first appearance.
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
                if ((i > first && same_file(i - 1)) || (i + 1 < end && same_file(i + 1)))
                    function.tag_units.push_back(function.source->unit);
            }
            (function.base_id ? in_base : added).push_back(order[i].second);
        }
    }
    std::sort(in_base.begin(), in_base.end(),
              [&](uint32_t a, uint32_t b) { return distinct_[a].base_id < distinct_[b].base_id; });

    std::vector<uint32_t> number(distinct_.size());
    functions_.reserve(distinct_.size());
    for (const auto *part : {&in_base, &added}) {
        for (const uint32_t distinct : *part) {
            number[distinct] = static_cast<uint32_t>(functions_.size());
            functions_.push_back(distinct_[distinct]);
        }
    }
    for (std::vector<uint32_t> &numbers : numbers_)
        for (uint32_t &n : numbers)
            n = number.empty() ? 0 : number[n];
}

// A function that only its unit distinguishes has the names of all units that it is in.
void FunctionMerge::name_units() {
    for (size_t u = 0; u < units_.size(); ++u)
        for (const Site &site : units_[u].sites) {
            MergedFunction &function = functions_[numbers_[u][site.function]];
            const std::string_view unit = units_[u].functions[site.function].unit;
            if (!function.tag_units.empty() && function.tag_units.back() != unit)
                function.tag_units.push_back(unit);
        }
    for (MergedFunction &function : functions_) {
        std::ranges::sort(function.tag_units);
        const auto repeats = std::ranges::unique(function.tag_units);
        function.tag_units.erase(repeats.begin(), repeats.end());
    }
}

struct CodeHash {
    size_t operator()(const ExpressionCode &code) const {
        return hash_of({reinterpret_cast<const char *>(code.data()), code.size()});
    }
};

// Returns the distinct ones of a member of all units, in ascending order.
template <class Hash, class T>
std::pair<std::vector<T>, Numbers> merge_distinct(const std::vector<UnitSites> &units,
                                                  std::vector<T> UnitSites::*member) {
    std::vector<T> merged;
    Numbers numbers(units.size());
    std::unordered_map<T, uint32_t, Hash> known;
    for (size_t u = 0; u < units.size(); ++u)
        for (const T &each : units[u].*member) {
            const auto [entry, fresh] =
                known.try_emplace(each, static_cast<uint32_t>(merged.size()));
            if (fresh)
                merged.push_back(each);
            numbers[u].push_back(entry->second);
        }
    // They are in order of appearance, and the output has them in order of value.
    std::sort(merged.begin(), merged.end());
    std::vector<uint32_t> rank(merged.size());
    for (uint32_t n = 0; n < rank.size(); ++n)
        rank[known.at(merged[n])] = n;
    for (std::vector<uint32_t> &of_unit : numbers)
        for (uint32_t &n : of_unit)
            n = rank[n];
    return {std::move(merged), std::move(numbers)};
}

// Returns the distinct lists of all units, in their order.
std::pair<std::vector<std::vector<ParamSlot>>, Numbers>
merge_param_lists(const std::vector<UnitSites> &units, const Numbers &loc_params,
                  const Numbers &expressions) {
    InternedLists lists;
    Numbers numbers(units.size());
    std::vector<ParamSlot> slots;
    for (size_t u = 0; u < units.size(); ++u) {
        const InternedLists &of_unit = units[u].param_lists;
        for (uint32_t n = 0; n < of_unit.size(); ++n) {
            slots.clear();
            for (const ParamSlot slot : of_unit.at(n)) {
                if (!(slot & kMissing))
                    slots.push_back(loc_params[u][slot]);
                else if (is_computed(slot))
                    slots.push_back(
                        computed_slot(expressions[u][expression_of(slot)], reason_of(slot)));
                else
                    slots.push_back(slot);
            }
            numbers[u].push_back(lists.add(slots));
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
    std::vector<std::vector<ParamSlot>> ordered;
    ordered.reserve(order.size());
    for (const uint32_t number : order) {
        rank[number] = static_cast<uint32_t>(ordered.size());
        const auto list = lists.at(number);
        ordered.emplace_back(list.begin(), list.end());
    }
    for (std::vector<uint32_t> &of_unit : numbers)
        for (uint32_t &n : of_unit)
            n = rank[n];
    return {std::move(ordered), std::move(numbers)};
}

// Returns the marks of one site that stands for two. The entry of one is an entry of both, so a
// mark stays only if both have it, except that a probe at the head of a loop is hit too often for
// both.
uint32_t marks_of_both(uint32_t a, uint32_t b) {
    return (a & b) | ((a | b) & SITE_MARK_LOOP_HEAD);
}

// Sorts the sites of a section and merges repeats: of sites that differ only in the reasons for
// what they lack, the one with the lowest reasons stays.
void sort_sites(std::vector<MergedSite> &sites,
                const std::vector<std::vector<ParamSlot>> &param_lists) {
    const auto place = [](const MergedSite &site) {
        return uint64_t{site.function} << 32 | site.offset;
    };
    std::sort(sites.begin(), sites.end(), [&](const MergedSite &a, const MergedSite &b) {
        return place(a) != place(b) ? place(a) < place(b) : a.params < b.params;
    });
    const auto repeated = [&](const MergedSite &a, const MergedSite &b) {
        return place(a) == place(b) &&
               (a.params == b.params ||
                compare_locations(param_lists[a.params], param_lists[b.params]) == 0);
    };
    size_t kept = 0;
    for (const MergedSite &site : sites)
        if (kept != 0 && repeated(sites[kept - 1], site))
            sites[kept - 1].marks = marks_of_both(sites[kept - 1].marks, site.marks);
        else
            sites[kept++] = site;
    sites.resize(kept);
}

}  // namespace

std::strong_ordering compare_locations(std::span<const ParamSlot> a, std::span<const ParamSlot> b) {
    const bool a_computed = std::ranges::any_of(a, is_computed);
    const bool b_computed = std::ranges::any_of(b, is_computed);
    if (a_computed != b_computed)
        return a_computed <=> b_computed;
    const auto located = [](ParamSlot slot) {
        return is_computed(slot) ? computed_slot(expression_of(slot), {})
                                 : std::min(slot, kMissing);
    };
    return std::lexicographical_compare_three_way(
        a.begin(), a.end(), b.begin(), b.end(),
        [&](ParamSlot x, ParamSlot y) { return located(x) <=> located(y); });
}

MergedUnits merge_units(const std::vector<UnitSites> &units, size_t threads) {
    MergedUnits merged;
    std::tie(merged.functions, merged.function_numbers) = run_both(
        threads, [&] { return FunctionMerge(units).run(); },
        [&] {
            Numbers loc_params;
            Numbers expressions;
            std::tie(merged.loc_params, loc_params) =
                merge_distinct<LocParamHash>(units, &UnitSites::loc_params);
            std::tie(merged.expressions, expressions) =
                merge_distinct<CodeHash>(units, &UnitSites::expressions);
            std::tie(merged.param_lists, merged.param_list_numbers) =
                merge_param_lists(units, loc_params, expressions);
        });
    for (const UnitSites &unit : units) {
        merged.inline_instances += unit.inline_instances;
        merged.overridden_bodies += unit.overridden_bodies;
        merged.outside_sections += unit.outside_sections;
        merged.contradicted += unit.contradicted;
        merged.skipped_rust_units += unit.skipped_rust ? 1 : 0;
        merged.knows_traced |= unit.knows_traced;
    }
    return merged;
}

std::vector<MergedSection> merge_sites(const std::vector<UnitSites> &units,
                                       const MergedUnits &merged) {
    std::map<std::pair<uint32_t, SiteClass>, MergedSection> collected;
    MergedSection *last = nullptr;
    for (size_t u = 0; u < units.size(); ++u) {
        // The mark of a site that the function around it decides.
        const auto own_mark = [&](const Site &site) -> uint32_t {
            if (!site.untraced || (site.marks & (SITE_MARK_UNLISTED | SITE_MARK_CLOSED)) != 0)
                return 0;
            const bool is_inline =
                site.body != 0 &&
                merged.functions[merged.function_numbers[u][site.body - 1]].declared_inline;
            return is_inline ? SITE_MARK_UNLISTED : SITE_MARK_CLOSED;
        };
        for (const Site &site : units[u].sites) {
            if (!last || last->section != site.section || last->site_class != site.site_class) {
                last = &collected[{site.section, site.site_class}];
                last->section = site.section;
                last->site_class = site.site_class;
            }
            last->sites.push_back({.function = merged.function_numbers[u][site.function],
                                   .offset = site.offset,
                                   .params = merged.param_list_numbers[u][site.params],
                                   .marks = site.marks | own_mark(site),
                                   .no_probe = site.no_probe,
                                   .untraced = site.untraced});
        }
    }
    std::vector<MergedSection> sections;
    for (auto &[key, section] : collected) {
        sort_sites(section.sites, merged.param_lists);
        sections.push_back(std::move(section));
    }
    return sections;
}

}  // namespace btf_extra::generator
