// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// btf-extra list: which functions can be traced, and what a kprobe would miss.
#include <algorithm>
#include <cstdio>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "userspace/cli/command.h"
#include "userspace/cli/func_choice.h"
#include "userspace/cli/object_options.h"
#include "userspace/cli/variable_printer.h"
#include "userspace/lib/probing/func_survey.h"
#include "userspace/lib/tables/symbolizer.h"
#include "userspace/text/c_type.h"
#include "userspace/text/json_text.h"

namespace btf_extra {
namespace {

struct Options {
    std::vector<std::string> funcs, variables;
    TablesChoice tables;
    bool json = false;
    bool probes = false;
    bool verbose = false;
};

// The code there holds locks of BPF maps: see CAVEATS in btf-extra(1).
bool may_lock_bpf_maps(std::string_view file) {
    constexpr std::string_view kFolder = "/kernel/bpf/";
    return file.starts_with(kFolder.substr(1)) || file.find(kFolder) != file.npos;
}

// Each function once. One pattern finds them nearly in this order.
struct InOrder {
    bool operator()(const FuncSurvey &a, const FuncSurvey &b) const {
        return std::tie(a.object->name, a.name, a.file, a.id) <
               std::tie(b.object->name, b.name, b.file, b.id);
    }
};
using ListedFuncs = std::set<FuncSurvey, InOrder>;

// There may be 70,000 lines. To append their parts takes a fifth of the time that formats take.
void append(std::string &out, std::initializer_list<std::string_view> parts) {
    for (const std::string_view part : parts)
        out += part;
}

std::string_view digits(const fmt::format_int &number) {
    return {number.data(), number.size()};
}

// Appends the text of a function that `trace` and `probes` take.
void append_text(std::string &out, const FuncSurvey &func) {
    append(out, {func.object->name, ":"});
    if (!func.shares_name)
        return append(out, {func.name});
    const std::string label = func.object->view->func_label(func.id);
    if (label.starts_with('#'))
        append(out, {func.name, " (", label, ")"});
    else
        append(out, {label});
}

// Returns the result of a kprobe or an fentry program on the plain name.
std::string verdict_text(const FuncSurvey &func, const NameOutcome &listed) {
    const NameVerdict &verdict = listed.verdict;
    const auto symbols = [&] { return fmt::format("{} symbols {}", verdict.symbols, func.name); };
    switch (verdict.kind) {
    case NameVerdict::Kind::kSeveralSymbols:
        return fmt::format("EADDRNOTAVAIL ({})", symbols());
    case NameVerdict::Kind::kNoSymbol:
        return fmt::format("ENOENT (no symbol {})", func.name);
    case NameVerdict::Kind::kNoFunc:
        return fmt::format("ESRCH (no FUNC {} in the kernel's BTF)", func.name);
    case NameVerdict::Kind::kPrototype:
        return "EINVAL (fentry takes no such prototype)";
    case NameVerdict::Kind::kTrampoline:
        return "ENOTSUPP (this kernel's trampoline does not take it)";
    case NameVerdict::Kind::kNotKnown:
        return verdict.symbols > 1 ? fmt::format("not known ({})", symbols()) : "not known";
    case NameVerdict::Kind::kAttaches:
        break;
    }
    const std::string first =
        verdict.symbols > 1 ? fmt::format(" (the first of {})", symbols()) : "";
    if (listed.missed == func.sites())
        return fmt::format("another function{}", first);
    return fmt::format("{} of {} missed{}", listed.missed, func.sites(), first);
}

bool sees_all_but(const NameOutcome &listed, uint32_t missed) {
    return listed.verdict.kind == NameVerdict::Kind::kAttaches && listed.verdict.symbols == 1 &&
           listed.missed == missed;
}

// Appends what tools see by the plain name of a function with bodies.
void append_names(std::string &out, const FuncSurvey &func) {
    if (!func.names) {
        append(out,
               {func.inlined != 0 ? "partially inlined" : "body only", ": symbols are not known"});
        return;
    }
    const SurveyedNames &names = *func.names;
    const uint32_t missed = names.kprobe.missed;
    append(out, {func.inlined != 0 ? "partially inlined" : "body only"});
    if (sees_all_but(names.kprobe, missed) && sees_all_but(names.fentry, missed) &&
        missed < func.sites()) {
        if (missed != 0)
            append(out, {": kprobe, fentry on it miss ", digits(fmt::format_int(missed)), " of ",
                         digits(fmt::format_int(func.sites()))});
    } else {
        const std::string kprobe = verdict_text(func, names.kprobe);
        const std::string fentry = verdict_text(func, names.fentry);
        if (kprobe == fentry)
            append(out, {": kprobe, fentry: ", kprobe});
        else
            append(out, {": kprobe: ", kprobe, "; fentry: ", fentry});
    }
    const char *before = "; symbols: ";
    for (const auto &[symbol, bodies] : names.symbols) {
        // The name itself says nothing new, and true signatures follow.
        const bool told =
            symbol == func.name || std::ranges::any_of(func.true_signatures, [&](uint32_t id) {
                return func.object->view->func_name(id) == symbol;
            });
        if (told && names.symbols.size() == 1)
            continue;
        append(out, {before});
        if (bodies != 1)
            append(out, {digits(fmt::format_int(bodies)), " "});
        append(out, {symbol.empty() ? "none" : symbol});
        before = ", ";
    }
}

void append_how(std::string &out, const FuncSurvey &func) {
    if (func.sites() == 0) {
        out += "no site at which a call begins";
        return;
    }
    if (func.bodies.empty())
        out += "inlined only: a kprobe cannot see it";
    else
        append_names(out, func);
    if (func.freed == func.sites())
        out += ", freed after boot";
    std::map<std::string_view, uint32_t> signatures;
    for (const uint32_t id : func.true_signatures)
        signatures[func.object->view->func_name(id)]++;
    const char *before = "; signature changed: ";
    for (const auto &[name, count] : signatures) {
        append(out, {before});
        if (count != 1)
            append(out, {digits(fmt::format_int(count)), " "});
        append(out, {name});
        before = ", ";
    }
    for (const auto &[reason, sites] : func.refused)
        append(out, {"; no probe at ", digits(fmt::format_int(sites)), ": ", reason});
}

// Returns the width of the texts, at most 50, by which the next column is aligned.
size_t text_width(const ListedFuncs &funcs) {
    constexpr size_t kMost = 50;
    size_t width = 0;
    std::string text;
    for (auto func = funcs.begin(); func != funcs.end() && width < kMost; func++) {
        text.clear();
        append_text(text, *func);
        width = std::max(width, text.size());
    }
    return std::min(width, kMost);
}

void append_files(std::string &out, const FuncSurvey &func) {
    for (const auto &[file, sites] : func.files)
        append(out, {"    ", file.empty() ? "file not known" : file, ": ",
                     digits(fmt::format_int(sites)), sites == 1 ? " site" : " sites",
                     may_lock_bpf_maps(file) ? ", where a BPF map may be locked\n" : "\n"});
}

void append_computed(std::string &out, const FuncSurvey &func) {
    for (const SurveyedParam &param : func.params)
        if (param.computed != 0)
            append(out, {"    ", param.name.empty() ? "?" : param.name, ": an expression at ",
                         digits(fmt::format_int(param.computed)),
                         param.computed == 1 ? " site\n" : " sites\n"});
}

void print_text(const ListedFuncs &funcs, bool verbose) {
    const size_t width = text_width(funcs);
    std::string line;
    for (const FuncSurvey &func : funcs) {
        const fmt::format_int count(func.sites());
        const std::string_view sites = digits(count);
        line.clear();
        append_text(line, func);
        line.append(width - std::min(width, line.size()), ' ');
        line.append(6 - std::min<size_t>(5, sites.size()), ' ');
        append(line, {sites, func.sites() == 1 ? " site   " : " sites  "});
        append_how(line, func);
        for (const SurveyedParam &param : func.params)
            append(line, {&param == func.params.data() ? "  " : ", ",
                          param.name.empty() ? "?" : param.name, " ",
                          digits(fmt::format_int(param.located)), "/", sites});
        line += '\n';
        append_files(line, func);
        if (verbose)
            append_computed(line, func);
        std::fwrite(line.data(), 1, line.size(), stdout);
    }
}

ordered_json refused_json(const FuncSurvey &func) {
    ordered_json out = ordered_json::array();
    for (const auto &[reason, sites] : func.refused)
        out.push_back({{"reason", reason}, {"sites", sites}});
    return out;
}

ordered_json files_json(const FuncSurvey &func) {
    ordered_json out = ordered_json::array();
    for (const auto &[file, sites] : func.files)
        out.push_back({{"file", file.empty() ? ordered_json(nullptr) : ordered_json(file)},
                       {"sites", sites},
                       {"may_lock_bpf_maps", may_lock_bpf_maps(file)}});
    return out;
}

std::string_view result_name(NameVerdict::Kind kind) {
    if (const int error = error_of(kind))
        return error_name(error);
    return kind == NameVerdict::Kind::kAttaches ? "attaches" : "not known";
}

// Returns null where no symbols can be seen.
ordered_json verdict_json(const FuncSurvey &func, const NameOutcome SurveyedNames::*which) {
    if (!func.names)
        return nullptr;
    const NameOutcome &listed = *func.names.*which;
    const auto &symbol = listed.verdict.symbol;
    ordered_json out = {{"result", result_name(listed.verdict.kind)},
                        {"symbols", listed.verdict.symbols},
                        {"object", nullptr},
                        {"address", nullptr},
                        {"missed", nullptr}};
    if (symbol) {
        out["object"] = symbol->object;
        if (symbol->address != 0)
            out["address"] = fmt::format("{:#x}", symbol->address);
        out["missed"] = listed.missed;
    }
    return out;
}

ordered_json symbols_json(const FuncSurvey &func) {
    if (!func.names)
        return nullptr;
    ordered_json out = ordered_json::array();
    for (const auto &[symbol, bodies] : func.names->symbols)
        out.push_back({{"name", symbol.empty() ? ordered_json(nullptr) : ordered_json(symbol)},
                       {"bodies", bodies}});
    return out;
}

// Returns null unless an fentry program on the plain name hits a body of the function.
ordered_json missed_by_fentry(const FuncSurvey &func) {
    const ordered_json fentry = verdict_json(func, &SurveyedNames::fentry);
    if (fentry.is_null() || fentry["missed"].is_null() || fentry["missed"] == func.sites())
        return nullptr;
    return fentry["missed"];
}

void print_json(const ListedFuncs &funcs, const Options &options) {
    ordered_json list = ordered_json::array();
    for (const FuncSurvey &func : funcs) {
        ordered_json params = ordered_json::array();
        for (const SurveyedParam &param : func.params)
            params.push_back(
                {{"name", param.name}, {"located", param.located}, {"computed", param.computed}});
        ordered_json signatures = ordered_json::array();
        for (const uint32_t id : func.true_signatures)
            signatures.push_back({{"name", func.object->view->func_name(id)}, {"id", id}});
        list.push_back({{"object", func.object->name},
                        {"name", func.name},
                        {"id", func.id},
                        {"file", or_null(func.file)},
                        {"prototype",
                         or_null(known_prototype(func.object->view->locations().blob(), func.id))},
                        {"how", func.bodies.empty() ? "inlined"
                                : func.inlined == 0 ? "body"
                                                    : "partially inlined"},
                        {"sites", func.sites()},
                        {"inline_sites", func.inlined},
                        {"body_sites", func.bodies.size()},
                        {"missed_by_fentry", missed_by_fentry(func)},
                        {"symbols", symbols_json(func)},
                        {"kprobe", verdict_json(func, &SurveyedNames::kprobe)},
                        {"perf", verdict_json(func, &SurveyedNames::kprobe)},
                        {"fentry", verdict_json(func, &SurveyedNames::fentry)},
                        {"true_signatures", std::move(signatures)},
                        {"part_sites", func.parts},
                        {"freed_sites", func.freed},
                        {"sites_all_params", func.located},
                        {"params", std::move(params)}});
        if (options.probes)
            list.back()["no_probe"] = refused_json(func);
        if (options.verbose)
            list.back()["files"] = files_json(func);
    }
    print_object({{"functions", std::move(list)}});
}

Result<void> run(const Options &options) {
    TablesChoice choice = options.tables;
    choice.parts = options.verbose ? FileParts::kAll : FileParts::kSites;
    const auto tables =
        TRY(options.verbose ? open_tables_with_frames(choice) : open_tables(choice));
    TRY(tables->objects());
    const auto names = TRY(AttachNames::open(*tables, options.tables.elf));
    std::optional<SitePlacer> placer;
    if (options.probes) {
        auto opened = TRY(SitePlacer::open(*tables));
        placer.emplace(std::move(opened));
    }
    ListedFuncs funcs;
    Result<void> done;
    for (const std::string &text : options.funcs) {
        const auto each = visit_some(*tables, text, [&](const FoundFunc &found) {
            funcs.emplace_hint(funcs.end(), survey_func(found, names, placer ? &*placer : nullptr,
                                                        options.verbose));
        });
        if (!each && done)
            done = each;
    }
    if (options.json)
        print_json(funcs, options);
    else
        print_text(funcs, options.verbose);
    return done;
}

Result<void> list_variables(const Options &options) {
    const auto tables = TRY(open_tables(options.tables));
    return print_variables(*tables, options.variables, options.json);
}

}  // namespace

void add_list(CLI::App &app, int &exit_code) {
    auto options = std::make_shared<Options>();
    CLI::App *command = app.add_subcommand(
        "list", "List functions that can be traced, and what a kprobe on them would miss");
    CLI::Option *funcs = add_func_option(*command, options->funcs);
    repeatable(command
                   ->add_option("--variables", options->variables,
                                "List variables instead: foo, 'tcp_*'; of one object: vmlinux:foo")
                   ->excludes(funcs));
    add_tables_options(*command, options->tables);
    command->add_flag("--json", options->json, "Print one JSON object");
    command->add_flag("--probes", options->probes,
                      "Also count, by reason, the sites that cannot be probed");
    command->add_flag("-v,--verbose", options->verbose, "Also count the sites in each source file");
    command->callback([options, &exit_code] {
        if (options->funcs.empty() && options->variables.empty())
            throw CLI::RequiredError("FUNC or --variables");
        exit_code = finish(options->variables.empty() ? run(*options) : list_variables(*options));
    });
}

}  // namespace btf_extra
