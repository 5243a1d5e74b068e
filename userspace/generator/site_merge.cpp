// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/generator/site_merge.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <unordered_map>

namespace btf_extra {

namespace {

// What makes two definitions one source function: not the unit, and not the
// names of the parameters.
bool same_prototype(const SourceFunction &a, const SourceFunction &b) {
    return a.return_type == b.return_type && a.variadic == b.variadic &&
           a.param_types == b.param_types;
}

struct SameFunction {
    bool operator()(const SourceFunction *a, const SourceFunction *b) const {
        return a->name == b->name && a->file == b->file && same_prototype(*a, *b);
    }
};

struct FunctionHash {
    size_t operator()(const SourceFunction *function) const {
        uint64_t hash = hash_mix(hash_of(function->name), hash_of(function->file));
        hash = hash_mix(hash, function->return_type);
        for (const TypeId type : function->param_types)
            hash = hash_mix(hash, type);
        return hash_mix(hash, function->variadic);
    }
};

// The FUNC of the base with that name and prototype, or 0.
uint32_t base_function(const SourceFunction &function, const BaseTypes &base) {
    for (const uint32_t id : base.named(BTF_KIND_FUNC, function.name)) {
        const btf_type *proto = base.type(base.type(id)->type);
        const size_t nr_params = function.param_types.size() + (function.variadic ? 1 : 0);
        if (!proto || loc_kind(proto) != BTF_KIND_FUNC_PROTO || loc_vlen(proto) != nr_params ||
            proto->type != function.return_type)
            continue;
        const auto *params = reinterpret_cast<const btf_param *>(proto + 1);
        bool same = true;
        for (size_t i = 0; i < nr_params && same; ++i)
            same = params[i].type ==
                   (i < function.param_types.size() ? function.param_types[i] : 0);
        if (same)
            return id;
    }
    return 0;
}

class Merge {
  public:
    Merge(const std::vector<UnitSites> &units, const BaseTypes &base)
        : units_(units), base_(base) {}

    MergedSites run() {
        collect_functions();
        order_functions();
        collect_loc_params();
        collect_sites();
        for (MergedSection &section : merged_.sections)
            sort_sites(section);
        return std::move(merged_);
    }

  private:
    void collect_functions();
    void order_functions();
    void collect_loc_params();
    void collect_sites();
    void sort_sites(MergedSection &section);

    const std::vector<UnitSites> &units_;
    const BaseTypes &base_;
    MergedSites merged_;
    std::vector<const SourceFunction *> distinct_;
    // By unit: the unit's numbers to those of distinct_, then of merged_.
    std::vector<std::vector<uint32_t>> function_numbers_;
    std::vector<std::vector<uint32_t>> loc_param_numbers_;
};

void Merge::collect_functions() {
    std::unordered_map<const SourceFunction *, uint32_t, FunctionHash, SameFunction> known;
    function_numbers_.resize(units_.size());
    for (size_t u = 0; u < units_.size(); ++u) {
        const UnitSites &unit = units_[u];
        merged_.inline_instances += unit.inline_instances;
        merged_.outside_sections += unit.outside_sections;
        merged_.skipped_rust_units += unit.skipped_rust ? 1 : 0;
        std::vector<bool> has_sites(unit.functions.size());
        for (const Site &site : unit.sites)
            has_sites[site.function] = true;
        function_numbers_[u].resize(unit.functions.size());
        for (size_t f = 0; f < unit.functions.size(); ++f) {
            if (!has_sites[f])
                continue;
            const auto [entry, fresh] =
                known.try_emplace(&unit.functions[f], static_cast<uint32_t>(distinct_.size()));
            if (fresh)
                distinct_.push_back(&unit.functions[f]);
            function_numbers_[u][f] = entry->second;
        }
    }
}

void Merge::order_functions() {
    std::vector<uint32_t> order(distinct_.size());
    std::iota(order.begin(), order.end(), 0);
    // The rest of the order, for equal units, is that of first appearance.
    const auto key = [&](uint32_t n) {
        const SourceFunction &f = *distinct_[n];
        return std::tie(f.name, f.file, f.unit);
    };
    std::stable_sort(order.begin(), order.end(),
                     [&](uint32_t a, uint32_t b) { return key(a) < key(b); });

    std::vector<std::pair<MergedFunction, uint32_t>> added;
    std::vector<std::pair<MergedFunction, uint32_t>> in_base;
    for (size_t first = 0, end = 0; first < order.size(); first = end) {
        const std::string &name = distinct_[order[first]]->name;
        for (end = first + 1; end < order.size() && distinct_[order[end]]->name == name;)
            ++end;
        for (size_t i = first; i < end; ++i) {
            MergedFunction function{.source = distinct_[order[i]]};
            const auto same_file = [&](size_t other) {
                return distinct_[order[other]]->file == function.source->file;
            };
            if (end - first == 1) {
                function.base_id = base_function(*function.source, base_);
            } else {
                function.tag_file = true;
                function.tag_unit =
                    (i > first && same_file(i - 1)) || (i + 1 < end && same_file(i + 1));
            }
            (function.base_id ? in_base : added).emplace_back(function, order[i]);
        }
    }
    std::sort(in_base.begin(), in_base.end(), [](const auto &a, const auto &b) {
        return a.first.base_id < b.first.base_id;
    });

    std::vector<uint32_t> number(distinct_.size());
    for (const auto *part : {&in_base, &added}) {
        for (const auto &[function, distinct] : *part) {
            number[distinct] = static_cast<uint32_t>(merged_.functions.size());
            merged_.functions.push_back(function);
        }
    }
    for (std::vector<uint32_t> &numbers : function_numbers_)
        for (uint32_t &n : numbers)
            n = number.empty() ? 0 : number[n];
}

void Merge::collect_loc_params() {
    std::map<LocParam, uint32_t> known;
    for (const UnitSites &unit : units_)
        for (const LocParam &param : unit.loc_params)
            known.try_emplace(param, 0);
    merged_.loc_params.reserve(known.size());
    for (auto &[param, number] : known) {
        number = static_cast<uint32_t>(merged_.loc_params.size());
        merged_.loc_params.push_back(param);
    }
    loc_param_numbers_.resize(units_.size());
    for (size_t u = 0; u < units_.size(); ++u)
        for (const LocParam &param : units_[u].loc_params)
            loc_param_numbers_[u].push_back(known.find(param)->second);
}

void Merge::collect_sites() {
    std::map<std::pair<uint32_t, SiteClass>, MergedSection> sections;
    size_t nr_params = 0;
    for (const UnitSites &unit : units_)
        nr_params += unit.params.size();
    merged_.params.reserve(nr_params);
    MergedSection *section = nullptr;
    for (size_t u = 0; u < units_.size(); ++u) {
        const auto base = static_cast<uint32_t>(merged_.params.size());
        for (const ParamSlot slot : units_[u].params)
            merged_.params.push_back(slot & kMissing ? slot : loc_param_numbers_[u][slot]);
        for (const Site &site : units_[u].sites) {
            if (!section || section->section != site.section ||
                section->site_class != site.site_class) {
                section = &sections[{site.section, site.site_class}];
                section->section = site.section;
                section->site_class = site.site_class;
            }
            section->sites.push_back({.function = function_numbers_[u][site.function],
                                      .offset = site.offset,
                                      .first_param = base + site.first_param});
        }
    }
    for (auto &[key, entry] : sections)
        merged_.sections.push_back(std::move(entry));
}

// In order of (function, offset, locations), without repeats: of sites that
// differ in the reasons for what they lack only, the lowest reasons stay.
void Merge::sort_sites(MergedSection &section) {
    const auto params = [&](const MergedSite &site) {
        const size_t count = merged_.functions[site.function].source->param_types.size();
        return std::span(merged_.params).subspan(site.first_param, count);
    };
    // The locations, with all reasons alike.
    const auto compare_locations = [&](const MergedSite &a, const MergedSite &b) {
        const auto pa = params(a);
        const auto pb = params(b);
        return std::lexicographical_compare_three_way(
            pa.begin(), pa.end(), pb.begin(), pb.end(), [](ParamSlot x, ParamSlot y) {
                return std::min(x, kMissing) <=> std::min(y, kMissing);
            });
    };
    const auto less = [&](const MergedSite &a, const MergedSite &b) {
        if (a.function != b.function)
            return a.function < b.function;
        if (a.offset != b.offset)
            return a.offset < b.offset;
        if (const auto order = compare_locations(a, b); order != 0)
            return order < 0;
        const auto pa = params(a);
        const auto pb = params(b);
        return std::lexicographical_compare(pa.begin(), pa.end(), pb.begin(), pb.end());
    };
    const auto repeated = [&](const MergedSite &a, const MergedSite &b) {
        return a.function == b.function && a.offset == b.offset && compare_locations(a, b) == 0;
    };
    std::sort(section.sites.begin(), section.sites.end(), less);
    section.sites.erase(std::unique(section.sites.begin(), section.sites.end(), repeated),
                        section.sites.end());
}

}  // namespace

MergedSites merge_sites(const std::vector<UnitSites> &units, const BaseTypes &base) {
    return Merge(units, base).run();
}

}  // namespace btf_extra
