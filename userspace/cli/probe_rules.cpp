// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/cli/probe_rules.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "include/uapi/linux/btf_extra.h"
#include "userspace/format/core_api.h"

namespace btf_extra {
namespace {

constexpr char kTracedFunctions[] = "/sys/kernel/tracing/available_filter_functions";
// Linux 6.5 has it. In the other file the kernel hides some names: on arm64, 6.12, those of 87
// functions that it does trace.
constexpr char kTracedAddresses[] = "/sys/kernel/tracing/available_filter_functions_addrs";
constexpr char kBlacklist[] = "/sys/kernel/debug/kprobes/blacklist";

// The functions that have these places in them, or so many bytes before them.
FunctionSet functions(const Symbols &symbols, const std::vector<Place> &places, uint64_t before) {
    FunctionSet out;
    for (const Place &each : places) {
        Place place = {each.section, each.offset + before};
        if (before == 0 || symbols.names(place).empty())
            place = each;
        if (const auto func = symbols.around(place))
            out.add(symbols, {place.section, place.offset - func->distance});
    }
    return out;
}

}  // namespace

void FunctionSet::add(const Symbols &symbols, const Place &function) {
    places.insert(function);
    for (const std::string_view alias : symbols.names(function))
        names.emplace(alias);
}

// The kernel looks for a part foo.isra.0.cold by its place, then for foo by name, and for nothing
// between.
bool FunctionSet::has(const Place &function, const std::string &symbol) const {
    if (places.empty() ? names.contains(symbol) : places.contains(function))
        return true;
    const size_t suffix = symbol.find('.');
    return suffix != std::string::npos && names.contains(symbol.substr(0, suffix));
}

Result<ProbeRules> ProbeRules::of_file(const ElfImage &elf, const Symbols &symbols) {
    const std::vector<ElfSymbol> file_symbols = TRY(elf_symbols(elf));
    const generator::CodeTables tables = generator::code_tables(elf, file_symbols);
    const loc_arch *arch = loc_arch_of(elf.machine());
    ProbeRules out;
    out.traced_ = functions(symbols, tables.ftrace_calls, arch != nullptr ? arch->hook_before : 0);
    out.blacklisted_ = functions(symbols, tables.blacklisted, 0);
    out.closed_ = tables.closed;
    out.instructions_.emplace(elf, tables);
    return out;
}

ProbeRules ProbeRules::of_running(const Symbols &symbols) {
    ProbeRules out;
    out.running_ = std::make_shared<RunningCode>();
    out.closed_ = generator::closed_text([&](std::string_view name) -> std::optional<uint64_t> {
        const auto found = symbols.places(name);
        return found.size() == 1 ? std::optional(found[0].offset) : std::nullopt;
    });
    std::vector<Place> calls;
    std::ifstream addresses(kTracedAddresses), traced(kTracedFunctions), blacklist(kBlacklist);
    for (std::string line; std::getline(addresses, line);)
        calls.push_back({0, std::strtoull(line.c_str(), nullptr, 16)});
    out.traced_ = functions(symbols, calls, 0);
    if (calls.empty())
        for (std::string line; std::getline(traced, line);)
            out.traced_.names.insert(line.substr(0, line.find(' ')));
    // "0xffffffff81000000-0xffffffff81000010\tname"
    for (std::string line; std::getline(blacklist, line);) {
        if (const uint64_t begin = std::strtoull(line.c_str(), nullptr, 16))
            out.blacklisted_.places.insert({0, begin});
        out.blacklisted_.names.insert(line.substr(line.find('\t') + 1));
    }
    return out;
}

const char *ProbeRules::refusal_of_code(const Place &place, uint64_t distance) const {
    if (instructions_)
        return instructions_->refusal(place, distance);
    return running_ && running_->is_prefixed_call(place.offset) ? generator::kPrefixedCall
                                                                : nullptr;
}

ProbeRefusal ProbeRules::refusal(const Place &place, const std::string &symbol, uint64_t distance,
                                 bool with_notrace) const {
    const bool closed = std::ranges::any_of(
        closed_, [&](const generator::ClosedText &text) { return text.holds(place); });
    const Place function = {place.section, place.offset - distance};
    if (closed || blacklisted_.has(function, symbol))
        return {BTF_EXTRA_REASON_KPROBE, "kprobes keep out of there"};
    if (const char *why = refusal_of_code(place, distance))
        return {BTF_EXTRA_REASON_KPROBE, why};
    if (!with_notrace && knows_traced() && !symbol.empty() && !traced_.has(function, symbol))
        return {BTF_EXTRA_REASON_NOTRACE, "ftrace does not know its function"};
    return {0, nullptr};
}

}  // namespace btf_extra
