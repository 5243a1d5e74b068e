// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/cli/probe_rules.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "include/uapi/linux/btf_extra.h"
#include "userspace/format/core_api.h"
#include "userspace/format/kernel_release.h"
#include "userspace/format/linked_bytes.h"
#include "userspace/generator/sites/instructions.h"

namespace btf_extra {
namespace {

// First and last symbol of text that the kernel keeps kprobes out of.
constexpr const char *kBlacklistedText[][2] = {
    {"__noinstr_text_start", "__noinstr_text_end"},
    {"__kprobes_text_start", "__kprobes_text_end"},
    {"__entry_text_start", "__entry_text_end"},
    {"__hyp_text_start", "__hyp_text_end"},
};

constexpr char kTracedFunctions[] = "/sys/kernel/tracing/available_filter_functions";
// Linux 6.5 has it. In the other file the kernel hides some names: on arm64, 6.12, those of 87
// functions that it does trace.
constexpr char kTracedAddresses[] = "/sys/kernel/tracing/available_filter_functions_addrs";
constexpr char kBlacklist[] = "/sys/kernel/debug/kprobes/blacklist";

const ElfSection *section_of(const ElfImage &kernel, uint32_t index) {
    const auto found = std::ranges::find(kernel.sections(), index, &ElfSection::index);
    return found != kernel.sections().end() ? &*found : nullptr;
}

// A table of the kernel's: its address and its bytes; none: there is no such table.
struct Table {
    uint64_t address = 0;
    std::vector<std::byte> bytes;
};

Table table(const ElfImage &kernel, const Symbols &symbols, const char *first_symbol,
            const char *last_symbol) {
    const auto first = symbols.places(first_symbol), last = symbols.places(last_symbol);
    if (first.size() != 1 || last.size() != 1 || first[0].section != last[0].section ||
        first[0].offset > last[0].offset)
        return {};
    const ElfSection *section = section_of(kernel, first[0].section);
    if (section == nullptr)
        return {};
    const uint64_t address = section->address + first[0].offset;
    return {address, linked_bytes(kernel, address, last[0].offset - first[0].offset)};
}

std::vector<uint64_t> addresses(const Table &table) {
    std::vector<uint64_t> out(table.bytes.size() / sizeof(uint64_t));
    if (!out.empty())
        std::memcpy(out.data(), table.bytes.data(), out.size() * sizeof(uint64_t));
    return out;
}

// The instructions that a table is about: each entry begins with the distance to one.
std::unordered_set<uint64_t> instructions(const Table &table, size_t size) {
    std::unordered_set<uint64_t> out;
    for (size_t at = 0; at + size <= table.bytes.size(); at += size) {
        int32_t distance;
        std::memcpy(&distance, table.bytes.data() + at, sizeof(distance));
        out.insert(table.address + at + static_cast<uint64_t>(int64_t{distance}));
    }
    return out;
}

// The names of the functions that have these addresses in them, or so many bytes before them.
std::unordered_set<std::string> functions(const Symbols &symbols,
                                          const std::vector<uint64_t> &addresses, uint64_t before) {
    std::unordered_set<std::string> out;
    for (uint64_t address : addresses) {
        auto place = symbols.place_of(address + before);
        if (before == 0 || !place || symbols.names(*place).empty())
            place = symbols.place_of(address);
        const auto func = place ? symbols.around(*place) : std::nullopt;
        if (func)
            for (const std::string_view alias :
                 symbols.names({place->section, place->offset - func->distance}))
                out.emplace(alias);
    }
    return out;
}

// For foo.isra.0.cold the kernel looks at foo too, and at nothing between.
bool has(const std::unordered_set<std::string> &names, const std::string &symbol) {
    return names.contains(symbol) || names.contains(symbol.substr(0, symbol.find('.')));
}

}  // namespace

void ProbeRules::add_ranges(const AddressOf &address_of) {
    for (const auto &[first, last] : kBlacklistedText) {
        const auto begin = address_of(first), end = address_of(last);
        if (begin && end)
            ranges_.emplace_back(*begin, *end);
    }
}

ProbeRules ProbeRules::of_kernel(const ElfImage &kernel, const Symbols &symbols) {
    ProbeRules out;
    out.add_ranges([&](const char *name) -> std::optional<uint64_t> {
        const auto found = symbols.places(name);
        const ElfSection *section =
            found.size() == 1 ? section_of(kernel, found[0].section) : nullptr;
        return section != nullptr ? std::optional(section->address + found[0].offset)
                                  : std::nullopt;
    });
    const loc_arch *arch = loc_arch_of(kernel.machine());
    // Calls that ftrace turns on and off.
    out.traced_ = functions(
        symbols, addresses(table(kernel, symbols, "__start_mcount_loc", "__stop_mcount_loc")),
        arch != nullptr ? arch->hook_before : 0);
    out.blacklisted_ = functions(
        symbols,
        addresses(table(kernel, symbols, "__start_kprobe_blacklist", "__stop_kprobe_blacklist")),
        0);
    constexpr size_t kJumpEntry = 16, kFaultEntry = 12;
    out.jump_labels_ = instructions(
        table(kernel, symbols, "__start___jump_table", "__stop___jump_table"), kJumpEntry);
    out.faulting_ = instructions(table(kernel, symbols, "__start___ex_table", "__stop___ex_table"),
                                 kFaultEntry);
    out.kernel_ = &kernel;
    out.release_ = kernel_release(kernel);
    return out;
}

ProbeRules ProbeRules::of_running(const Symbols &symbols) {
    ProbeRules out;
    out.running_ = std::make_shared<RunningCode>();
    out.add_ranges([&](const char *name) -> std::optional<uint64_t> {
        const auto found = symbols.places(name);
        return found.size() == 1 ? std::optional(found[0].offset) : std::nullopt;
    });
    std::vector<uint64_t> calls;
    std::ifstream addresses(kTracedAddresses), traced(kTracedFunctions), blacklist(kBlacklist);
    for (std::string line; std::getline(addresses, line);)
        calls.push_back(std::strtoull(line.c_str(), nullptr, 16));
    out.traced_ = functions(symbols, calls, 0);
    if (calls.empty())
        for (std::string line; std::getline(traced, line);)
            out.traced_.insert(line.substr(0, line.find(' ')));
    // "0xffffffff81000000-0xffffffff81000010\tname"
    for (std::string line; std::getline(blacklist, line);)
        out.blacklisted_.insert(line.substr(line.find('\t') + 1));
    return out;
}

const char *ProbeRules::refusal_of_code(uint64_t address, uint64_t distance) const {
    static constexpr char kPrefixedCall[] = "kprobes return from the call there to a wrong address";
    if (kernel_ == nullptr)
        return running_ && running_->is_prefixed_call(address) ? kPrefixedCall : nullptr;
    const auto section = std::ranges::find_if(kernel_->sections(), [&](const ElfSection &each) {
        return each.executable() && address - each.address < each.size;
    });
    if (section == kernel_->sections().end())
        return nullptr;
    const auto bytes = kernel_->bytes(*section);
    const uint64_t before = std::min(distance, generator::kProbeContext);
    if (!bytes || address - section->address < before ||
        address - section->address >= bytes->size())
        return nullptr;
    const std::span<const uint8_t> code(reinterpret_cast<const uint8_t *>(bytes->data()),
                                        bytes->size());
    const size_t at = address - section->address;
    if (loc_arch_call(loc_arch_of(kernel_->machine()), &code[at],
                      static_cast<uint32_t>(code.size() - at)) == LOC_CALL_PREFIXED)
        return kPrefixedCall;
    return generator::kprobe_refusal(kernel_->machine(),
                                     {code.subspan(at - before, before), code.subspan(at),
                                      faulting_.contains(address), release_});
}

ProbeRefusal ProbeRules::refusal(uint64_t address, const std::string &symbol, uint64_t distance,
                                 bool with_notrace) const {
    const bool inside = std::ranges::any_of(ranges_, [&](const auto &range) {
        return address >= range.first && address < range.second;
    });
    if (inside || has(blacklisted_, symbol))
        return {BTF_EXTRA_REASON_KPROBE, "kprobes keep out of there"};
    if (jump_labels_.contains(address))
        return {BTF_EXTRA_REASON_KPROBE, "a static key changes the instruction there"};
    if (!with_notrace && !traced_.empty() && !symbol.empty() && !has(traced_, symbol))
        return {BTF_EXTRA_REASON_NOTRACE, "ftrace does not know its function"};
    const char *why = symbol.empty() ? nullptr : refusal_of_code(address, distance);
    return {why != nullptr ? uint32_t{BTF_EXTRA_REASON_KPROBE} : 0, why};
}

}  // namespace btf_extra
