// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/lib/tables/attach_rules.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <tuple>
#include <utility>

namespace btf_extra {
namespace {

using Kind = NameVerdict::Kind;

// Found by reading the sources of 6.1.192, 6.12.117 and 7.3.4, and the lists of commits of 6.1.60,
// 6.1.71 and 7.0.10.
constexpr KernelRule::Series kOneSymbolSeries[] = {{6, 1, 60, 59}};
constexpr KernelRule::Series kCountModulesSeries[] = {{6, 1, 71, 70}};
constexpr KernelRule::Series kVmlinuxFirstSeries[] = {
    {6, 1, {}, 192}, {6, 12, {}, 117}, {7, 0, 10, 9}};
constexpr KernelRule::Series kOwnModuleSeries[] = {{6, 1, {}, 192}};
constexpr KernelRule::Series kDirectCallsArm64Series[] = {{6, 1, {}, 192}};
constexpr KernelRule::Series kStackArgumentsX86Series[] = {{6, 1, {}, 192}};
constexpr KernelRule::Series kStackArgumentsArm64Series[] = {{6, 1, {}, 192}, {6, 12, {}, 117}};

constexpr KernelRule kRules[] = {
    {AttachRule::kOneSymbol,
     {6, 6, 0},
     "number_of_same_symbols() in kernel/trace/trace_kprobe.c",
     "b022f0c7e404 (tracing/kprobes: Return EADDRNOTAVAIL when func matches several symbols)",
     kOneSymbolSeries},
    {AttachRule::kCountModules,
     {6, 6, 0},
     "number_of_same_symbols() in kernel/trace/trace_kprobe.c",
     "926fe783c8a6 (tracing/kprobes: Fix symbol counting logic by looking at modules as well)",
     kCountModulesSeries},
    {AttachRule::kVmlinuxFirst,
     {7, 1, 0},
     "number_of_same_symbols() in kernel/trace/trace_kprobe.c",
     "1870ddcd94b0 (bpf: Prefer vmlinux symbols over module symbols for unqualified kprobes)",
     kVmlinuxFirstSeries},
    {AttachRule::kOwnModule,
     {6, 4, 0},
     "bpf_check_attach_target() in kernel/bpf/verifier.c",
     "31bf1dbccfb0 (bpf: Fix attaching fentry/fexit/fmod_ret/lsm to modules)",
     kOwnModuleSeries},
    {AttachRule::kDirectCallsArm64,
     {6, 4, 0},
     "bpf_trampoline_update() in kernel/bpf/trampoline.c",
     "2aa6ac03516d (arm64: ftrace: Add direct call support)",
     kDirectCallsArm64Series},
    {AttachRule::kStackArgumentsX86,
     {6, 6, 0},
     "arch_prepare_bpf_trampoline() in arch/x86/net/bpf_jit_comp.c",
     "473e3150e30a (bpf, x86: allow function arguments up to 12 for TRACING)",
     kStackArgumentsX86Series},
    {AttachRule::kStackArgumentsArm64,
     {6, 16, 0},
     "arch_prepare_bpf_trampoline() in arch/arm64/net/bpf_jit_comp.c",
     "9014cf56f13d (bpf, arm64: Support up to 12 function arguments)",
     kStackArgumentsArm64Series},
};

// Reads "6.1.192", or "6.1" as far as it goes.
std::optional<KernelVersion> parse_numbers(std::string_view text) {
    uint32_t numbers[3] = {};
    size_t count = 0;
    const char *at = text.data(), *const end = text.data() + text.size();
    for (; count < 3; count++) {
        if (count != 0 && (at == end || *at++ != '.'))
            break;
        const auto [after, error] = std::from_chars(at, end, numbers[count]);
        if (error != std::errc{})
            break;
        at = after;
    }
    if (count < 2)
        return {};
    return KernelVersion{numbers[0], numbers[1],
                         count == 3 ? std::optional(numbers[2]) : std::nullopt};
}

NameVerdict attaches(const NamedSymbol &symbol, size_t symbols) {
    return {.kind = Kind::kAttaches, .symbol = symbol, .symbols = symbols};
}

NameVerdict not_known(size_t symbols, std::optional<AttachRule> rule = {}) {
    return {.kind = Kind::kNotKnown, .symbols = symbols, .unknown = rule};
}

// kallsyms_lookup_name() takes the first symbol of vmlinux, otherwise that of the first module in
// the list of modules. The order of that list is not visible.
NameVerdict looked_up(const NameFacts &facts) {
    const size_t count = facts.vmlinux.size() + facts.modules.size();
    if (!facts.vmlinux.empty())
        return attaches(facts.vmlinux.front(), count);
    if (facts.modules.size() == 1)
        return attaches(facts.modules.front(), count);
    return count == 0 ? NameVerdict{.kind = Kind::kNoSymbol} : not_known(count);
}

// Returns the function whose code a program of fentry is for.
NameVerdict fentry_function(const NameFacts &facts) {
    const size_t all = facts.vmlinux.size() + facts.modules.size();
    if (!facts.func || facts.has_llvm)
        return not_known(all);
    // libbpf looks in vmlinux BTF first.
    if (*facts.func)
        return looked_up(facts);
    if (!facts.module_func)
        return not_known(all);
    if (!*facts.module_func)
        return {.kind = Kind::kNoFunc, .symbols = all};
    const auto own_module = has_rule(AttachRule::kOwnModule, facts.version);
    if (!own_module)
        return not_known(all, AttachRule::kOwnModule);
    if (!*own_module)
        return looked_up(facts);
    std::vector<NamedSymbol> own;
    for (const NamedSymbol &symbol : facts.modules)
        if (symbol.object == facts.object)
            own.push_back(symbol);
    if (own.empty())
        return {.kind = Kind::kNoSymbol};
    // It takes the first of the module's symbol table, whose order is not visible.
    return own.size() == 1 ? attaches(own.front(), 1) : not_known(own.size());
}

// The trampolines of an architecture.
struct TrampolineRules {
    uint32_t machine;
    std::optional<AttachRule> exist;  // nothing: all versions have them
    AttachRule stack_arguments;
    bool count_words;  // of the arguments; else those on the stack are any
};

constexpr TrampolineRules kTrampolineRules[] = {
    {LOC_MACHINE_X86_64, {}, AttachRule::kStackArgumentsX86, true},
    {LOC_MACHINE_AARCH64, AttachRule::kDirectCallsArm64, AttachRule::kStackArgumentsArm64, false},
};

const TrampolineRules *trampoline_rules(const loc_arch *arch) {
    const auto found = std::ranges::find_if(kTrampolineRules, [&](const TrampolineRules &rules) {
        return arch != nullptr && rules.machine == arch->machine;
    });
    return found != std::end(kTrampolineRules) ? found : nullptr;
}

// Returns the reason why a trampoline does not take the function; nothing: it does.
std::optional<NameVerdict> trampoline_verdict(const NameFacts &facts, size_t symbols) {
    if (!facts.shape)
        return {};
    const FuncShape &shape = *facts.shape;
    const TrampolineRules *rules = trampoline_rules(shape.arch);
    const NameVerdict refused = {.kind = Kind::kTrampoline, .symbols = symbols};
    const auto lacking = [&](AttachRule rule) -> std::optional<NameVerdict> {
        const auto has = has_rule(rule, facts.version);
        if (!has)
            return not_known(symbols, rule);
        return *has ? std::nullopt : std::optional(refused);
    };
    if (!shape.fits)
        return NameVerdict{.kind = Kind::kPrototype, .symbols = symbols};
    if (rules == nullptr)
        return not_known(symbols);
    if (rules->exist)
        if (auto out = lacking(*rules->exist))
            return out;
    if (shape.words <= shape.arch->nr_arguments)
        return {};
    if (rules->count_words && shape.words > ARG_SLOTS_PARAMS)
        return refused;
    return lacking(rules->stack_arguments);
}

}  // namespace

std::span<const KernelRule> kernel_rules() {
    return kRules;
}

std::optional<KernelVersion> KernelVersion::parse(std::string_view banner) {
    constexpr std::string_view kBefore = "Linux version ";
    if (!banner.starts_with(kBefore))
        return {};
    const std::string_view release = banner.substr(kBefore.size());
    auto out = parse_numbers(release.substr(0, release.find(' ')));
    if (!out)
        return {};
    // A distribution counts its own builds after "6.1.0-".
    if (out->patch == 0u && release.substr(0, release.find(' ')).find('-') != release.npos)
        out->patch.reset();
    constexpr std::string_view kDebian = " Debian ";
    for (size_t at = banner.find(kDebian); !out->patch && at != banner.npos;
         at = banner.find(kDebian, at + 1))
        if (const auto stable = parse_numbers(banner.substr(at + kDebian.size()));
            stable && stable->major == out->major && stable->minor == out->minor)
            out->patch = stable->patch;
    return out;
}

std::optional<bool> has_rule(AttachRule rule, const std::optional<KernelVersion> &version) {
    const KernelRule &known = kRules[static_cast<size_t>(rule)];
    if (!version)
        return {};
    if (std::tuple(version->major, version->minor) >=
        std::tuple(known.since.major, known.since.minor))
        return true;
    for (const KernelRule::Series &series : known.series) {
        if (series.major != version->major || series.minor != version->minor || !version->patch)
            continue;
        if (series.since && *version->patch >= *series.since)
            return true;
        if (series.before && *version->patch <= *series.before)
            return false;
    }
    return {};  // distributions and stable kernels take commits from later versions
}

NameVerdict kprobe_by_name(const NameFacts &facts) {
    if (facts.has_llvm)
        return not_known(facts.vmlinux.size() + facts.modules.size());
    const auto one_symbol = has_rule(AttachRule::kOneSymbol, facts.version);
    const auto count_modules = has_rule(AttachRule::kCountModules, facts.version);
    const size_t in_vmlinux = facts.vmlinux.size(), in_modules = facts.modules.size();
    const size_t all = in_vmlinux + in_modules;
    if (all == 0)
        return {.kind = Kind::kNoSymbol};
    if (in_vmlinux == 1 && in_modules == 0)
        return attaches(facts.vmlinux.front(), 1);
    if (!one_symbol)
        return not_known(all, AttachRule::kOneSymbol);
    if (!*one_symbol)
        return looked_up(facts);
    if (in_vmlinux > 1)
        return {.kind = Kind::kSeveralSymbols, .symbols = in_vmlinux};
    if (!count_modules)
        return not_known(all, AttachRule::kCountModules);
    if (!*count_modules)
        return in_vmlinux == 0 ? NameVerdict{.kind = Kind::kNoSymbol}
                               : attaches(facts.vmlinux.front(), 1);
    if (in_vmlinux == 0)
        return in_modules == 1 ? attaches(facts.modules.front(), 1)
                               : NameVerdict{.kind = Kind::kSeveralSymbols, .symbols = in_modules};
    const auto vmlinux_first = has_rule(AttachRule::kVmlinuxFirst, facts.version);
    if (!vmlinux_first)
        return not_known(all, AttachRule::kVmlinuxFirst);
    return *vmlinux_first ? attaches(facts.vmlinux.front(), 1)
                          : NameVerdict{.kind = Kind::kSeveralSymbols, .symbols = all};
}

NameVerdict fentry_by_name(const NameFacts &facts) {
    NameVerdict out = fentry_function(facts);
    if (out.kind == Kind::kAttaches)
        if (auto refused = trampoline_verdict(facts, out.symbols))
            return std::move(*refused);
    return out;
}

std::optional<uint32_t> trampoline_words(const loc_arch *arch,
                                         const std::optional<KernelVersion> &version) {
    const TrampolineRules *rules = trampoline_rules(arch);
    if (rules == nullptr)
        return {};
    const std::optional<bool> exist = rules->exist ? has_rule(*rules->exist, version) : true;
    const std::optional<bool> stack = has_rule(rules->stack_arguments, version);
    if (exist == false)
        return 0;
    if (!exist || !stack)
        return {};
    return *stack ? ARG_SLOTS_PARAMS : arch->nr_arguments;
}

int error_of(NameVerdict::Kind kind) {
    switch (kind) {
    case Kind::kSeveralSymbols:
        return EADDRNOTAVAIL;
    case Kind::kNoSymbol:
        return ENOENT;
    case Kind::kNoFunc:
        return ESRCH;
    case Kind::kPrototype:
        return EINVAL;
    case Kind::kTrampoline:
        return kErrnoNotSupp;
    case Kind::kAttaches:
    case Kind::kNotKnown:
        break;
    }
    return 0;
}

std::string_view error_name(int error) {
    const char *name = strerrorname_np(error);
    return name != nullptr ? name : error == kErrnoNotSupp ? "ENOTSUPP" : "unknown";
}

}  // namespace btf_extra
