// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/lib/probing/probe_rules.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "include/uapi/linux/btf_extra.h"
#include "userspace/format/core_api.h"

namespace btf_extra {
namespace {

constexpr char kBlacklist[] = "/sys/kernel/debug/kprobes/blacklist";

}  // namespace

Result<ProbeRules> ProbeRules::of_file(const ElfImage &elf, const Symbols &symbols) {
    const std::vector<ElfSymbol> file_symbols = TRY(elf_symbols(elf));
    const CodeTables tables = code_tables(elf, file_symbols);
    const loc_arch *arch = loc_arch_of(elf.machine());
    ProbeRules out;
    out.elf_ = &elf;
    out.traced_ =
        functions_at(symbols, tables.ftrace_calls, arch != nullptr ? arch->hook_before : 0);
    out.blacklisted_ = functions_at(symbols, tables.blacklisted, 0);
    out.closed_ = tables.closed;
    out.instructions_.emplace(elf, tables);
    return out;
}

ProbeRules ProbeRules::of_running(const Symbols &symbols) {
    ProbeRules out;
    out.running_ = std::make_shared<RunningCode>();
    out.closed_ = closed_text([&](std::string_view name) -> std::optional<uint64_t> {
        const auto found = symbols.places(name);
        return found.size() == 1 ? std::optional(found[0].offset) : std::nullopt;
    });
    out.traced_ = traced_functions(symbols);
    std::ifstream blacklist(kBlacklist);
    // "0xffffffff81000000-0xffffffff81000010\tname"
    for (std::string line; std::getline(blacklist, line);) {
        if (const uint64_t begin = std::strtoull(line.c_str(), nullptr, 16))
            out.blacklisted_.places.insert({0, begin});
        out.blacklisted_.names.insert(line.substr(line.find('\t') + 1));
    }
    return out;
}

std::vector<uint8_t> ProbeRules::code(const Place &place, size_t size) const {
    if (running_)
        return running_->read(place.offset, size);
    for (const ElfSection &section : elf_->sections()) {
        if (section.index != place.section)
            continue;
        const auto bytes = elf_->bytes(section);
        if (!bytes || place.offset >= bytes->size())
            break;
        const auto found = bytes->subspan(place.offset);
        const auto *begin = reinterpret_cast<const uint8_t *>(found.data());
        return {begin, begin + std::min(size, found.size())};
    }
    return {};
}

const char *ProbeRules::refusal_of_code(const Place &place, uint64_t distance) const {
    if (instructions_)
        return instructions_->refusal(place, distance);
    return running_ && running_->is_prefixed_call(place.offset) ? kPrefixedCall : nullptr;
}

ProbeRefusal ProbeRules::refusal(const Place &place, const std::string &symbol, uint64_t distance,
                                 bool with_notrace) const {
    const bool closed =
        std::ranges::any_of(closed_, [&](const ClosedText &text) { return text.holds(place); });
    const Place function = {place.section, place.offset - distance};
    if (closed || blacklisted_.has(function, symbol))
        return {BTF_EXTRA_REASON_KPROBE, "on the kprobe blacklist"};
    if (const char *why = refusal_of_code(place, distance))
        return {BTF_EXTRA_REASON_KPROBE, why};
    if (!with_notrace && !is_traced(place, symbol, distance).value_or(true))
        return {BTF_EXTRA_REASON_NOTRACE, "ftrace does not list its function"};
    return {0, nullptr};
}

std::optional<bool> ProbeRules::is_traced(const Place &place, const std::string &symbol,
                                          uint64_t distance) const {
    if (!knows_traced() || symbol.empty())
        return {};
    return traced_.has({place.section, place.offset - distance}, symbol);
}

}  // namespace btf_extra
