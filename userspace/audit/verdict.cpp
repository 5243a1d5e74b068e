// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/audit/verdict.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "userspace/audit/argument_check.h"
#include "userspace/lib/tables/unknown_func.h"
#include "userspace/text/c_type.h"

namespace btf_extra::audit {
namespace {

constexpr std::array<std::string_view, 10> kNames = {
    "missing",   "inlined", "renamed",   "ambiguous", "untraceable",
    "arguments", "misses",  "prototype", "not known", "whole"};

std::string plural(size_t count, std::string_view noun) {
    return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

// A kernel that does not take programs of a kind lacks a function.
struct Requirement {
    std::string_view func;
    int error;
    const char *text;
};

// NULL: all kernels take programs of that kind.
const Requirement *requirement_of(AttachKind kind) {
    static constexpr char kNone[] = "EINVAL: this kernel has no programs of this kind";
    static constexpr Requirement kFprobe = {
        "register_fprobe_ips", EOPNOTSUPP,
        "EOPNOTSUPP: this kernel is built without CONFIG_FPROBE"};
    static constexpr Requirement kSession = {"bpf_jit_supports_fsession", EINVAL, kNone};
    static constexpr Requirement kMulti = {"bpf_tracing_multi_link_dealloc", EINVAL, kNone};
    switch (kind) {
    case AttachKind::kKprobeMulti:
    case AttachKind::kKretprobeMulti:
        return &kFprobe;
    case AttachKind::kFsession:
        return &kSession;
    case AttachKind::kFentryMulti:
    case AttachKind::kFexitMulti:
    case AttachKind::kFsessionMulti:
        return &kMulti;
    default:
        return nullptr;
    }
}

// All functions of one name, and what becomes of an attach to that name.
class NameJudge {
  public:
    NameJudge(const AttachPoint &point, const AuditedKernel &kernel, std::string name)
        : point_(point), kernel_(kernel), name_(std::move(name)) {}

    void add(FuncSurvey func) { funcs_.push_back(std::move(func)); }

    // Returns nothing without functions.
    Finding judge();

  private:
    void keep_one_object();
    NameVerdict attach_by_name() const;
    const Requirement *lacked_requirement() const;
    void judge_attached(const NamedSymbol &symbol, size_t symbols);
    void judge_body(const FuncSurvey &func, const SurveyedBody &body, std::string_view symbol);
    void judge_without_attach(const NameVerdict &verdict);
    void judge_many();
    void judge_without_symbols();
    void tell_symbols();
    void tell_funcs();
    void tell_inlined();
    void tell_missed(uint32_t completed = 0);
    void worse(Verdict verdict, std::string line);
    size_t nr_bodies() const;
    // Returns true if a body has the plain name as its symbol.
    bool has_symbol() const;

    const AttachPoint &point_;
    const AuditedKernel &kernel_;
    std::string name_;
    std::vector<FuncSurvey> funcs_;
    Finding out_ = {Verdict::kWhole};
};

void NameJudge::worse(Verdict verdict, std::string line) {
    out_.verdict = std::min(out_.verdict, verdict);
    if (!line.empty())
        out_.lines.push_back(std::move(line));
}

size_t NameJudge::nr_bodies() const {
    size_t out = 0;
    for (const FuncSurvey &func : funcs_)
        out += func.bodies.size();
    return out;
}

bool NameJudge::has_symbol() const {
    return std::ranges::any_of(funcs_, [&](const FuncSurvey &func) {
        return func.names && func.names->symbols.contains(name_);
    });
}

// A plain name is one of vmlinux if vmlinux has it.
void NameJudge::keep_one_object() {
    const std::string object = funcs_.front().object->name;
    std::erase_if(funcs_, [&](const FuncSurvey &func) { return func.object->name != object; });
}

// Names the symbols of the bodies, and for what is certain the remaining parameters.
void NameJudge::tell_symbols() {
    for (const FuncSurvey &func : funcs_) {
        if (!func.names)
            continue;
        for (const auto &[symbol, bodies] : func.names->symbols)
            if (!symbol.empty() && symbol != name_)
                out_.lines.push_back(fmt::format(
                    "body {}{}", symbol, bodies > 1 ? fmt::format(" ({} of them)", bodies) : ""));
        std::map<std::string, uint32_t> signatures;
        for (const uint32_t id : func.true_signatures)
            signatures[c_prototype(func.object->view->locations().blob(), id)]++;
        for (const auto &[signature, bodies] : signatures)
            out_.lines.push_back(fmt::format("true signature{}: {}",
                                             bodies > 1 ? fmt::format(" of {} bodies", bodies) : "",
                                             signature));
    }
}

void NameJudge::tell_funcs() {
    for (const FuncSurvey &func : funcs_)
        out_.lines.push_back(fmt::format(
            "{}:{}: {}, {}", func.object->name, func.object->view->func_label(func.id),
            func.bodies.size() == 1 ? "1 body" : fmt::format("{} bodies", func.bodies.size()),
            plural(func.inlined, "inlined site")));
}

// Says which calls a probe at a body would miss, too.
void NameJudge::tell_inlined() {
    uint32_t inlined = 0;
    for (const FuncSurvey &func : funcs_)
        inlined += func.inlined;
    if (inlined != 0)
        out_.lines.push_back(fmt::format("{} of {} {} inlined, which kloc and follow reach",
                                         inlined, plural(out_.calls, "call site"),
                                         inlined == 1 ? "is" : "are"));
}

// Says how many calls are missed, and what of them can be seen otherwise. completed: inlined calls
// that are not missed.
void NameJudge::tell_missed(uint32_t completed) {
    uint32_t inlined = 0, located = 0;
    for (const FuncSurvey &func : funcs_) {
        inlined += func.inlined;
        located += func.located;
    }
    inlined -= std::min(inlined, completed);
    std::string line =
        fmt::format("{} of {} are missed", out_.missed, plural(out_.calls, "call site"));
    if (inlined != 0)
        line += fmt::format("; {} {} inlined, which kloc and follow reach", inlined,
                            inlined == 1 ? "is" : "are");
    worse(Verdict::kMisses, fmt::format("{}; all arguments are available at {}", line, located));
    if (sees_return(point_.kind))
        out_.lines.push_back("returns of inlined calls cannot be seen");
}

void NameJudge::judge_body(const FuncSurvey &func, const SurveyedBody &body,
                           std::string_view symbol) {
    const ObjectView &view = *func.object->view;
    const SitePlacer *placer = kernel_.placer();
    std::string why;
    if ((body.site.flags & BTF_EXTRA_SITE_FREED) != 0)
        why = "its text is freed after boot";
    else if (placer != nullptr && is_by_btf(point_.kind) &&
             !placer->is_traced(*func.object, body.site).value_or(true))
        why = "ftrace does not list it";
    else if (const char *refusal = placer != nullptr && !is_by_btf(point_.kind)
                                       ? placer->event_refusal(*func.object, body.site).why
                                       : nullptr)
        why = refusal;
    else if (placer == nullptr && view.is_left_out(body.site.number))
        why = "ftrace does not list it, or kprobes refuse its code";
    if (!why.empty()) {
        worse(Verdict::kUntraceable, why);
        out_.attaches = false;
    }
    const ArgumentFaults faults = argument_faults(point_, func, body, symbol, kernel_.arch());
    for (const std::string &line : faults.read)
        worse(Verdict::kArguments, line);
    for (const std::string &line : faults.others)
        out_.lines.push_back(line);
}

void NameJudge::judge_attached(const NamedSymbol &symbol, size_t symbols) {
    const FuncSurvey *attached = nullptr;
    const SurveyedBody *at = nullptr;
    for (const FuncSurvey &func : funcs_)
        for (const SurveyedBody &body : func.bodies)
            if (func.object->name == symbol.object && body.begin == symbol.place) {
                attached = &func;
                at = &body;
            }
    if (symbols > 1) {
        worse(Verdict::kAmbiguous,
              fmt::format("{} symbols {}: the kernel takes the first", symbols, name_));
        tell_funcs();
    }
    if (attached == nullptr) {
        worse(symbols > 1 ? Verdict::kAmbiguous : Verdict::kNotKnown,
              fmt::format("the symbol {} is not a body that these tables describe", name_));
        return;
    }
    // fmod_ret also requires that errors may be injected into the function.
    if (point_.kind != AttachKind::kFmodRet)
        out_.attaches = true;
    out_.address = symbol.address;
    judge_body(*attached, *at, name_);
    if (point_.offset != 0)
        out_.lines.push_back(fmt::format("the probe is {:#x} bytes inside the function: not each "
                                         "call comes there",
                                         point_.offset));
    if (funcs_.size() > 1 && symbols == 1)
        tell_funcs();
    out_.missed = out_.calls - 1;
    const uint32_t completed = std::min(point_.completed, out_.missed);
    out_.missed -= completed;
    if (attached->bodies.size() > 1)
        tell_symbols();
    if (out_.missed != 0)
        tell_missed(completed);
    if (completed != 0)
        out_.lines.push_back(fmt::format("btf_extra.ko also runs the program at {}",
                                         plural(completed, "inlined call")));
}

// Many probes stand at all bodies of the name.
void NameJudge::judge_many() {
    uint32_t hit = 0;
    for (const FuncSurvey &func : funcs_)
        for (const SurveyedBody &body : func.bodies)
            if (body.begin && kernel_.names().symbol_of_body(*body.begin, name_) == name_) {
                hit++;
                judge_body(func, body, name_);
            }
    out_.missed = out_.calls - hit;
    if (hit == 0)
        worse(nr_bodies() == 0 ? Verdict::kInlined : Verdict::kRenamed,
              nr_bodies() == 0 ? fmt::format("{}, no body", plural(out_.calls, "inlined site"))
                               : fmt::format("no symbol {}", name_));
    else if (out_.missed != 0)
        tell_missed();
    if (hit != nr_bodies())
        tell_symbols();
}

void NameJudge::judge_without_attach(const NameVerdict &verdict) {
    out_.error = error_of(verdict.kind);
    if (out_.error != 0)
        out_.attaches = false;
    if (nr_bodies() == 0) {
        worse(Verdict::kInlined,
              fmt::format("{}, no body: kloc attaches there, expose makes a function of them",
                          plural(out_.calls, "inlined site")));
        return;
    }
    switch (verdict.kind) {
    case NameVerdict::Kind::kSeveralSymbols:
        worse(Verdict::kAmbiguous,
              fmt::format("EADDRNOTAVAIL: {} symbols {}", verdict.symbols, name_));
        tell_funcs();
        break;
    case NameVerdict::Kind::kNoSymbol:
        worse(Verdict::kRenamed, fmt::format("ENOENT: no symbol {}", name_));
        tell_symbols();
        tell_inlined();
        break;
    case NameVerdict::Kind::kNoFunc:
        worse(has_symbol() ? Verdict::kUntraceable : Verdict::kRenamed,
              fmt::format("ESRCH: no FUNC {} in the kernel's BTF", name_));
        tell_symbols();
        tell_inlined();
        break;
    case NameVerdict::Kind::kPrototype:
        worse(Verdict::kUntraceable,
              "EINVAL: fentry takes no variadic function, no structure as the result, and at most "
              "12 arguments of at most 16 bytes");
        break;
    case NameVerdict::Kind::kTrampoline: {
        const uint32_t words = kernel_.names().trampoline_words(kernel_.arch()).value_or(0);
        worse(Verdict::kUntraceable,
              words == 0 ? "ENOTSUPP: this kernel has no trampolines for fentry"
                         : fmt::format("ENOTSUPP: the trampolines of this kernel pass on {} words "
                                       "of arguments, and this function has more",
                                       words));
        break;
    }
    default:
        worse(Verdict::kNotKnown,
              verdict.symbols > 1
                  ? fmt::format("{} symbols {}: the rule of this version is not known",
                                verdict.symbols, name_)
                  : "the rule of this version is not known");
        break;
    }
}

// Which symbol a body has stays not known.
void NameJudge::judge_without_symbols() {
    if (nr_bodies() == 0)
        return judge_without_attach({.kind = NameVerdict::Kind::kNotKnown});
    worse(Verdict::kNotKnown, "the symbols of this kernel are not known");
    for (const FuncSurvey &func : funcs_)
        if (!func.true_signatures.empty())
            worse(Verdict::kRenamed, "the compiler has changed its signature");
    tell_symbols();
    if (nr_bodies() < out_.calls)
        out_.lines.push_back(fmt::format("{} of {} at inlined sites", out_.calls - nr_bodies(),
                                         plural(out_.calls, "call")));
}

NameVerdict NameJudge::attach_by_name() const {
    const FuncSurvey &func = funcs_.front();
    if (func.name == name_)
        return is_by_btf(point_.kind) ? func.names->fentry.verdict : func.names->kprobe.verdict;
    // A symbol of a body, such as foo.isra.0.
    const NameFacts facts = kernel_.names().facts(*func.object, func.id, name_);
    return is_by_btf(point_.kind) ? fentry_by_name(facts) : kprobe_by_name(facts);
}

// NULL: the kernel lacks nothing, or it is not known.
const Requirement *NameJudge::lacked_requirement() const {
    const Requirement *required = requirement_of(point_.kind);
    const Symbols *symbols = kernel_.tables().symbols();
    return required != nullptr && symbols != nullptr && symbols->places(required->func).empty()
               ? required
               : nullptr;
}

Finding NameJudge::judge() {
    keep_one_object();
    for (const FuncSurvey &func : funcs_)
        out_.calls += func.sites();
    if (funcs_.size() == 1) {
        const ObjectView &view = *funcs_[0].object->view;
        out_.prototype = known_prototype(view.locations().blob(), funcs_[0].id).value_or("");
        out_.identity = identity_of(view, funcs_[0].id);
    }
    // Programs by BTF are at the one address of each FUNC, however many there are.
    const bool many = point_.kind == AttachKind::kFunction ||
                      (!is_by_btf(point_.kind) && (point_.func.is_glob() || is_multi(point_.kind)));
    const Requirement *lacked = lacked_requirement();
    if (lacked != nullptr) {
        worse(Verdict::kUntraceable, lacked->text);
        out_.attaches = false;
        out_.error = lacked->error;
        out_.missed = out_.calls;
    } else if (!funcs_.front().names) {
        judge_without_symbols();
    } else if (many) {
        judge_many();
    } else {
        const NameVerdict verdict = attach_by_name();
        if (verdict.kind == NameVerdict::Kind::kAttaches)
            judge_attached(*verdict.symbol, verdict.symbols);
        else
            judge_without_attach(verdict);
    }
    return std::move(out_);
}

// Returns the sum of what is seen by a pattern: the worst of all, and how many are so.
Finding sum(const std::vector<std::pair<std::string, Finding>> &each) {
    constexpr size_t kShown = 3;
    Finding out = {Verdict::kWhole};
    std::map<Verdict, std::vector<std::string>> names;
    for (const auto &[name, finding] : each) {
        out.calls += finding.calls;
        out.missed += finding.missed;
        out.verdict = std::min(out.verdict, finding.verdict);
        names[finding.verdict].push_back(name);
    }
    for (auto &[verdict, of] : names) {
        if (verdict == Verdict::kWhole)
            continue;
        const size_t count = of.size();
        of.resize(std::min(count, kShown));
        out.lines.push_back(fmt::format("{}: {} of {} functions: {}{}", verdict_name(verdict),
                                        count, each.size(), fmt::join(of, ", "),
                                        count > kShown ? ", ..." : ""));
    }
    return out;
}

}  // namespace

std::string_view verdict_name(Verdict verdict) {
    return kNames[static_cast<size_t>(verdict)];
}

std::optional<Verdict> verdict_of_name(std::string_view name) {
    const auto found = std::ranges::find(kNames, name);
    if (found == kNames.end())
        return {};
    return static_cast<Verdict>(found - kNames.begin());
}

std::span<const std::string_view> verdict_names() {
    return kNames;
}

std::optional<FuncIdentity> identity_of(const ObjectView &view, uint32_t func_id) {
    const btf_blob &blob = view.locations().blob();
    const auto file = view.func_file(func_id);
    if (!file || !has_known_prototype(blob, func_id))
        return {};
    return FuncIdentity{std::string(*file),
                        c_declaration(blob, btf_blob_type(&blob, func_id)->type, "")};
}

std::string Finding::text() const {
    if (verdict == Verdict::kMisses)
        return fmt::format("misses {} of {}", missed, calls);
    return std::string(verdict_name(verdict));
}

Finding judge(const AttachPoint &point, const AuditedKernel &kernel) {
    FuncText text = point.func;
    if (point.is_syscall && kernel.arch() != nullptr)
        text.name.insert(0, kernel.arch()->syscall_prefix);
    std::map<std::string, NameJudge> names;
    const auto visited = kernel.tables().visit(text, [&](const FoundFunc &found) {
        const std::string name =
            text.is_glob() ? std::string(found.object->view->func_name(found.id)) : text.name;
        FuncSurvey func = survey_func(found, kernel.names(), nullptr, false);
        if (func.sites() == 0)
            return;
        names.try_emplace(name, point, kernel, name).first->second.add(std::move(func));
    });
    if (!visited)
        return {.verdict = Verdict::kMissing, .lines = {visited.error().message}};
    if (names.empty()) {
        const Symbols *symbols = kernel.tables().symbols();
        const bool is_symbol = !text.is_glob() && symbols != nullptr &&
                               std::ranges::any_of(symbols->places(text.name), [&](Place place) {
                                   return symbols->is_code(text.name, place);
                               });
        return {.verdict = is_symbol ? Verdict::kNotKnown : Verdict::kMissing,
                .lines = {unknown_func(kernel.tables(), text, text.name).message}};
    }
    if (!text.is_glob())
        return names.begin()->second.judge();
    std::vector<std::pair<std::string, Finding>> each;
    for (auto &[name, judge] : names)
        each.emplace_back(name, judge.judge());
    return sum(each);
}

void compare_prototypes(std::vector<Finding> &findings) {
    const auto first = std::ranges::find_if(
        findings, [](const Finding &finding) { return !finding.prototype.empty(); });
    if (first == findings.end())
        return;
    for (auto later = first + 1; later != findings.end(); later++) {
        if (later->prototype.empty() || later->prototype == first->prototype)
            continue;
        later->verdict = std::min(later->verdict, Verdict::kPrototype);
        later->lines.push_back("prototype " + later->prototype);
    }
}

}  // namespace btf_extra::audit
