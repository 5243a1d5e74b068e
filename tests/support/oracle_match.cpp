// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "tests/support/oracle_match.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "tests/support/code_reference.h"
#include "tests/support/record_reference.h"
#include "tests/support/type_text.h"
#include "userspace/text/expression_text.h"
#include "userspace/text/loc_text.h"

namespace btf_extra::test {

namespace {

constexpr size_t kShown = 10;
constexpr uint32_t kRegisters = 17;

using Key = std::tuple<std::string_view, uint64_t, bool, std::string_view>;

struct FileSite {
    Key key;
    uint32_t number;  // number in the index
    bool wanted = false;
};

struct DwarfSite {
    Key key;
    const OracleSite *site;
};

std::vector<FileSite> file_sites(const ObjectView &view) {
    std::vector<FileSite> sites;
    for (uint32_t number = 0; number < view.index().nr_sites; number++) {
        const loc_section *section = nullptr;
        const loc_site *site = loc_index_site(&view.index(), number, &section);
        // DWARF has only the signature of the source.
        if (view.is_true_signature(site->func))
            continue;
        sites.push_back({.key = {view.index().elf_sections[section->elf].name, site->offset,
                                 section->loc_class == LOC_CLASS_BODY, view.func_name(site->func)},
                         .number = number});
    }
    std::sort(sites.begin(), sites.end(), [](const FileSite &a, const FileSite &b) {
        return std::tie(a.key, a.number) < std::tie(b.key, b.number);
    });
    return sites;
}

std::vector<DwarfSite> dwarf_sites(const LibdwOracle &oracle) {
    std::vector<DwarfSite> sites;
    for (const OracleSite &site : oracle.sites())
        sites.push_back(
            {.key = {site.section, site.offset, site.body, site.function}, .site = &site});
    std::sort(sites.begin(), sites.end(), [](const DwarfSite &a, const DwarfSite &b) {
        return std::tie(a.key, a.site->die) < std::tie(b.key, b.site->die);
    });
    return sites;
}

class Matcher {
  public:
    Matcher(const ObjectView &view, const LibdwOracle &oracle, const std::vector<Machine> &machines)
        : view_(view), oracle_(oracle), machines_(machines) {}

    OracleMatch run() {
        std::vector<FileSite> file = file_sites(view_);
        const std::vector<DwarfSite> dwarf = dwarf_sites(oracle_);
        size_t f = 0, d = 0;
        while (f < file.size() || d < dwarf.size()) {
            Key key = f == file.size()    ? dwarf[d].key
                      : d == dwarf.size() ? file[f].key
                                          : std::min(file[f].key, dwarf[d].key);
            size_t f_end = f, d_end = d;
            while (f_end < file.size() && file[f_end].key == key)
                f_end++;
            while (d_end < dwarf.size() && dwarf[d_end].key == key)
                d_end++;
            group(std::span(file).subspan(f, f_end - f), std::span(dwarf).subspan(d, d_end - d));
            f = f_end;
            d = d_end;
        }
        return std::move(match_);
    }

  private:
    static std::string text(const Key &key) {
        const auto &[section, offset, body, function] = key;
        return fmt::format("{} {} at {}+{:#x}", body ? "body of" : "inlined", function, section,
                           offset);
    }

    void disagree(const std::string &what) {
        match_.disagreeing++;
        if (match_.disagreements.size() < kShown)
            match_.disagreements.push_back(what);
    }

    // Exact repeats in DWARF are one site in the file. Each site of DWARF must be in the file, each
    // site of the file must be one of DWARF, and none may be in the file twice.
    void group(std::span<FileSite> file, std::span<const DwarfSite> dwarf) {
        // If repeats differ in the reason for a missing location, the file keeps one reason.
        const bool reasons = file.size() == dwarf.size();
        for (const DwarfSite &site : dwarf) {
            std::string closest;
            bool found = false;
            for (FileSite &candidate : file) {
                std::string difference = compare(*site.site, candidate.number, reasons);
                if (difference.empty()) {
                    if (!found)
                        count(*site.site, candidate.number);
                    found = candidate.wanted = true;
                } else if (closest.empty() || difference.size() < closest.size()) {
                    closest = std::move(difference);
                }
            }
            if (!found)
                disagree(fmt::format("{} (entry {:#x}): {}", text(site.key), site.site->die,
                                     file.empty() ? "not in the file" : closest));
        }
        for (const FileSite &site : file)
            if (!site.wanted)
                disagree(text(site.key) + ": in the file, but not like this in DWARF");
        if (file.size() > dwarf.size())
            disagree(fmt::format("{}: {} times in the file, {} times in DWARF",
                                 text(file.front().key), file.size(), dwarf.size()));
    }

    static std::string words(const PlainLocation &plain) {
        std::string values;
        for (const uint32_t value : plain.values)
            values += fmt::format(" {:#x}", value);
        return fmt::format("size {} flags {:#x} values{}", plain.size, plain.flags, values);
    }

    static PlainLocation record(const btf_type *loc) {
        const uint32_t *values = loc_param_values(loc);
        return {loc->size, loc_param_flags(loc), {values, values + loc_vlen(loc)}};
    }

    bool same_values(const btf_type *loc, const LibdwOracle::Computed &computed,
                     uint64_t size) const {
        LocParam param{.size = loc->size, .flags = loc_param_flags(loc), .vlen = loc_vlen(loc)};
        if (param.vlen > param.values.size())
            return false;
        std::copy_n(loc_param_values(loc), param.vlen, param.values.begin());
        for (size_t i = 0; i < machines_.size(); i++) {
            const auto bytes = record_bytes(param, size, kRegisters, machines_[i]);
            if (!bytes || !is_value(*bytes, computed.values[i]))
                return false;
        }
        return true;
    }

    static bool is_value(std::span<const uint8_t> bytes, const std::optional<ParamValue> &value) {
        return value && std::equal(bytes.begin(), bytes.end(), value->begin());
    }

    // The value may be available on some of the machines only, but there DWARF has the same one.
    bool same_values(const loc_expression &expression, const LibdwOracle::Computed &computed,
                     uint64_t size) const {
        bool available = false;
        for (size_t i = 0; i < machines_.size(); i++) {
            const auto bytes = expression_bytes(expression, view_.file().machine, machines_[i]);
            if (!bytes)
                continue;
            available = true;
            if (bytes->size() != size || !is_value(*bytes, computed.values[i]))
                return false;
        }
        return available;
    }

    // Returns what is wrong with a parameter of the file, or "".
    std::string compare(const OracleParam &dwarf, uint64_t size, const Parameter &file,
                        bool reasons) const {
        if (file.expression && dwarf.kind != OracleParam::kComputed &&
            dwarf.kind != OracleParam::kUndecoded)
            return expression_text(*file.expression) + " where DWARF has no such value";
        switch (dwarf.kind) {
        case OracleParam::kUndecoded:
            return "";
        case OracleParam::kPlain: {
            const PlainLocation &plain = oracle_.plain()[dwarf.number];
            if (!file.loc)
                return words(plain) + " in DWARF, none in the file";
            return record(file.loc) == plain
                       ? ""
                       : words(plain) + " in DWARF, " + words(record(file.loc)) + " in the file";
        }
        case OracleParam::kComputed: {
            const LibdwOracle::Computed &computed = oracle_.computed()[dwarf.number];
            if (file.expression && !same_values(*file.expression, computed, size))
                return expression_text(*file.expression) + " is not the value of " +
                       computed.operations;
            if (!file.loc)
                return reasons && file.reason && *file.reason <= MissingReason::kNoLocationHere
                           ? "a location in DWARF, reason '" + reason(file) + "' in the file"
                           : "";
            return same_values(file.loc, computed, size)
                       ? ""
                       : words(record(file.loc)) + " is not the value of " + computed.operations;
        }
        case OracleParam::kNoValue:
            if (file.loc)
                return words(record(file.loc)) + " where there is no value";
            break;
        default:
            if (file.loc)
                return words(record(file.loc)) + " where DWARF has none";
        }
        static constexpr MissingReason kExpected[] = {
            MissingReason::kOptimizedOut, MissingReason::kNoLocationHere, MissingReason::kSize};
        if (reasons && dwarf.kind <= OracleParam::kBadSize && file.reason &&
            *file.reason != kExpected[dwarf.kind])
            return fmt::format("reason '{}', not '{}'", reason(file),
                               btf_extra::text(kExpected[dwarf.kind]));
        return "";
    }

    static std::string reason(const Parameter &file) {
        return std::string(btf_extra::text(file.reason.value_or(MissingReason{})));
    }

    const std::string &type_text(uint32_t id) {
        const auto [known, fresh] = type_texts_.try_emplace(id);
        if (fresh)
            known->second = btf_type_text(*blob(), id);
        return known->second;
    }

    const btf_blob *blob() const { return &view_.locations().blob(); }

    // Returns what differs between the FUNC and the function: its file or its prototype.
    std::string compare_function(const OracleSite &dwarf, uint32_t func,
                                 const std::vector<Parameter> &file) {
        const auto [known, fresh] = compared_.try_emplace({dwarf.function_number, func});
        std::string &difference = known->second;
        if (!fresh)
            return difference;
        const btf_type *proto = btf_blob_type(blob(), btf_blob_type(blob(), func)->type);
        if (type_text(proto->type) != oracle_.return_type(dwarf))
            difference = fmt::format("\n    returns {}, not {}", type_text(proto->type),
                                     oracle_.return_type(dwarf));
        for (size_t i = 0; i < file.size(); i++)
            if (type_text(file[i].type_id) != oracle_.param_type(dwarf, i))
                difference += fmt::format("\n    {} is {}, not {}", oracle_.param_name(dwarf, i),
                                          type_text(file[i].type_id), oracle_.param_type(dwarf, i));
        const std::string declared =
            std::filesystem::path(oracle_.declared_file(dwarf)).lexically_normal().string();
        const std::string said(view_.func_file(func).value_or(""));
        if (said.empty() || (declared != said && !declared.ends_with('/' + said)))
            difference += fmt::format("\n    is from {}, not from '{}'", declared, said);
        return difference;
    }

    std::string compare(const OracleSite &dwarf, uint32_t file_site, bool reasons) {
        const std::vector<Parameter> file = view_.parameters(file_site);
        const auto params = oracle_.params(dwarf);
        if (file.size() != params.size())
            return fmt::format("{} parameters, not {}", file.size(), params.size());
        const loc_section *section = nullptr;
        const loc_site *site = loc_index_site(&view_.index(), file_site, &section);
        if (view_.is_variadic(site->func) != dwarf.variadic)
            return "variadic in one of them";
        if (std::string difference = compare_function(dwarf, site->func, file); !difference.empty())
            return difference;
        const bool in_base = site->func < view_.types().blob().first_id;
        std::string differences;
        for (size_t i = 0; i < params.size(); i++) {
            // A FUNC of the base may have the parameter names of another definition with the same
            // types.
            std::string difference =
                in_base || file[i].name == oracle_.param_name(dwarf, i)
                    ? compare(params[i], oracle_.param_size(dwarf, i), file[i], reasons)
                    : fmt::format("is called '{}' in the file", file[i].name);
            if (!difference.empty())
                differences += fmt::format("\n    {} (entry {:#x}): {}",
                                           oracle_.param_name(dwarf, i), params[i].die, difference);
        }
        return differences;
    }

    void count(const OracleSite &dwarf, uint32_t file_site) {
        match_.sites++;
        match_.bodies += dwarf.body;
        const std::vector<Parameter> file = view_.parameters(file_site);
        const auto params = oracle_.params(dwarf);
        for (size_t i = 0; i < params.size(); i++) {
            match_.renamed += file[i].name != oracle_.param_name(dwarf, i);
            switch (params[i].kind) {
            case OracleParam::kUndecoded:
                match_.undecoded++;
                match_.undecoded_params.push_back(fmt::format(
                    "{}: {} (entry {:#x}): {}", dwarf.function, oracle_.param_name(dwarf, i),
                    params[i].die, file[i].loc ? loc_text(file[i].loc) : reason(file[i])));
                break;
            case OracleParam::kPlain:
                match_.plain++;
                break;
            case OracleParam::kComputed:
                (file[i].loc          ? match_.simplified
                 : file[i].expression ? match_.computed
                                      : match_.given_up)++;
                break;
            case OracleParam::kNoValue:
                match_.without_value++;
                break;
            default:
                match_.absent++;
            }
        }
    }

    const ObjectView &view_;
    const LibdwOracle &oracle_;
    const std::vector<Machine> &machines_;
    OracleMatch match_;
    std::map<uint32_t, std::string> type_texts_;  // by type id
    std::map<std::pair<uint32_t, uint32_t>, std::string>
        compared_;  // by function and FUNC: what differs
};

}  // namespace

OracleMatch match_oracle(const ObjectView &view, const LibdwOracle &oracle,
                         const std::vector<Machine> &machines) {
    return Matcher(view, oracle, machines).run();
}

}  // namespace btf_extra::test
