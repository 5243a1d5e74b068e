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
#include "userspace/lib/probing/placed_site.h"
#include "userspace/lib/tables/attach_names.h"
#include "userspace/lib/tables/inline_chain.h"
#include "userspace/lib/tables/symbolizer.h"
#include "userspace/text/c_type.h"
#include "userspace/text/json_text.h"

namespace btf_extra {
namespace {

struct Options {
    std::vector<std::string> funcs;
    TablesChoice tables;
    bool json = false;
    bool probes = false;
    bool verbose = false;
};

struct ListedParam {
    std::string_view name;
    uint32_t located = 0;  // sites at which it has a location
};

// The plain name of a function, as a kprobe or an fentry program takes it.
struct ListedVerdict {
    NameVerdict verdict;
    uint32_t missed = 0;  // kAttaches: sites that are not hit
};

struct ListedNames {
    std::map<std::string_view, uint32_t> symbols;  // of the bodies, which are counted; "": none
    ListedVerdict kprobe, fentry;
};

// Sites are those at which a call begins. Names are in the blobs.
struct ListedFunc {
    SharedObject object;
    uint32_t id;
    std::string_view name;
    std::optional<std::string> file;
    bool shares_name = false;
    uint32_t inlined = 0, bodies = 0;
    uint32_t parts = 0;    // rests of calls, not among the sites
    uint32_t freed = 0;    // of both, in text that is freed after boot
    uint32_t located = 0;  // sites at which all parameters have a location
    std::vector<ListedParam> params;
    std::vector<uint32_t> true_signatures;         // functions foo.isra.0 at its bodies
    std::optional<ListedNames> names;              // nothing: no symbols can be seen
    std::map<std::string_view, uint32_t> refused;  // sites that take no probe, by the reason
    std::map<std::string_view, uint32_t> files;    // sites by body_file_at(); "": not known

    uint32_t sites() const { return inlined + bodies; }
};

void count_site(const btf_type *proto, bool variadic, ListedFunc &func) {
    const uint32_t count = loc_vlen(proto) - (variadic && loc_vlen(proto) != 0);
    func.params.resize(count);
    bool all = true;
    for (uint32_t i = 0; i < count; i++) {
        const bool located = loc_proto_ids(proto)[i] != 0;
        func.params[i].located += located;
        all = all && located;
    }
    func.located += all;
}

// Other functions that the compiler has found equal may share the body.
void add_true_signatures(const ObjectView &view, uint32_t body, ListedFunc &func) {
    for (const uint32_t other : view.true_signatures(body)) {
        const std::string_view name = view.func_name(other);
        if (name.starts_with(func.name) && name.substr(func.name.size()).starts_with('.'))
            func.true_signatures.push_back(other);
    }
}

// The code there holds locks of BPF maps: see CAVEATS in btf-extra(1).
bool may_lock_bpf_maps(std::string_view file) {
    constexpr std::string_view kFolder = "/kernel/bpf/";
    return file.starts_with(kFolder.substr(1)) || file.find(kFolder) != file.npos;
}

// begins: the places of the symbols of its bodies, as far as they are known.
ListedNames listed_names(const AttachNames &names, const ListedFunc &func,
                         const std::vector<Place> &begins) {
    ListedNames out;
    for (const Place &begin : begins)
        out.symbols[names.symbol_of_body(begin, func.name)]++;
    NameFacts facts = names.facts(*func.object, func.name);
    facts.has_llvm = std::ranges::any_of(out.symbols, [](const auto &symbol) {
        return symbol.first.find(".llvm.") != std::string_view::npos;
    });
    const auto listed = [&](NameVerdict verdict) {
        uint32_t missed = func.sites();
        if (verdict.symbol && verdict.symbol->object == func.object->name)
            missed -= static_cast<uint32_t>(std::ranges::count(begins, verdict.symbol->place));
        return ListedVerdict{std::move(verdict), missed};
    };
    out.kprobe = listed(kprobe_by_name(facts));
    out.fentry = listed(fentry_by_name(facts));
    return out;
}

// placer: also finds sites without a probe; may be NULL. files: also the files of sites.
ListedFunc listed(const FoundFunc &found, const AttachNames &names, const SitePlacer *placer,
                  bool files) {
    const ObjectView &view = *found.object->view;
    const btf_blob &blob = view.locations().blob();
    ListedFunc out = {};
    out.object = found.object;
    out.id = found.id;
    out.name = view.func_name(found.id);
    out.file = view.func_file(found.id);
    out.shares_name = view.shares_name(found.id);
    const bool variadic = view.is_variadic(found.id);
    const bool of_source = !view.is_true_signature(found.id);
    std::vector<Place> begins;  // of its bodies
    for (const btf_extra_site &site : found.sites) {
        if ((site.flags & BTF_EXTRA_SITE_PART) != 0) {
            out.parts++;
            continue;
        }
        const bool body = site.site_class == BTF_EXTRA_CLASS_BODY;
        (body ? out.bodies : out.inlined)++;
        if (body && names.has_symbols())
            if (const auto begin = names.begin_of_body(*found.object, site.number))
                begins.push_back(*begin);
        if (body && of_source)
            add_true_signatures(view, site.number, out);
        const bool freed = (site.flags & BTF_EXTRA_SITE_FREED) != 0;
        out.freed += freed;
        if (placer != nullptr && !freed)
            if (const char *why = placer->refusal(*found.object, site).why)
                out.refused[why]++;
        if (files) {
            const SitePosition at = position_of(*found.object, site.number);
            out.files[body_file_at(*found.object, at.elf_section, at.offset).value_or("")]++;
        }
        count_site(btf_blob_type(&blob, site.loc_proto), variadic, out);
    }
    if (names.has_symbols())
        out.names = listed_names(names, out, begins);
    const FuncParams known = func_params(blob, found.id);
    for (uint32_t i = 0; i < out.params.size() && i < known.count; i++)
        if (const char *name = btf_blob_string(&blob, known.params[i].name_off))
            out.params[i].name = name;
    return out;
}

// Each function once. One pattern finds them nearly in this order.
struct InOrder {
    bool operator()(const ListedFunc &a, const ListedFunc &b) const {
        return std::tie(a.object->name, a.name, a.file, a.id) <
               std::tie(b.object->name, b.name, b.file, b.id);
    }
};
using ListedFuncs = std::set<ListedFunc, InOrder>;

// There may be 70,000 lines. To append their parts takes a fifth of the time that formats take.
void append(std::string &out, std::initializer_list<std::string_view> parts) {
    for (const std::string_view part : parts)
        out += part;
}

std::string_view digits(const fmt::format_int &number) {
    return {number.data(), number.size()};
}

// Appends the text of a function that `trace` and `probes` take.
void append_text(std::string &out, const ListedFunc &func) {
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
std::string verdict_text(const ListedFunc &func, const ListedVerdict &listed) {
    const NameVerdict &verdict = listed.verdict;
    const auto symbols = [&] { return fmt::format("{} symbols {}", verdict.symbols, func.name); };
    switch (verdict.kind) {
    case NameVerdict::Kind::kSeveralSymbols:
        return fmt::format("EADDRNOTAVAIL ({})", symbols());
    case NameVerdict::Kind::kNoSymbol:
        return fmt::format("ENOENT (no symbol {})", func.name);
    case NameVerdict::Kind::kNoFunc:
        return fmt::format("ESRCH (no FUNC {} in the kernel's BTF)", func.name);
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

bool sees_all_but(const ListedVerdict &listed, uint32_t missed) {
    return listed.verdict.kind == NameVerdict::Kind::kAttaches && listed.verdict.symbols == 1 &&
           listed.missed == missed;
}

// Appends what tools see by the plain name of a function with bodies.
void append_names(std::string &out, const ListedFunc &func) {
    if (!func.names) {
        append(out,
               {func.inlined != 0 ? "partially inlined" : "body only", ": symbols are not known"});
        return;
    }
    const ListedNames &names = *func.names;
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

void append_how(std::string &out, const ListedFunc &func) {
    if (func.sites() == 0) {
        out += "no site at which a call begins";
        return;
    }
    if (func.bodies == 0)
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

void append_files(std::string &out, const ListedFunc &func) {
    for (const auto &[file, sites] : func.files)
        append(out, {"    ", file.empty() ? "file not known" : file, ": ",
                     digits(fmt::format_int(sites)), sites == 1 ? " site" : " sites",
                     may_lock_bpf_maps(file) ? ", where a BPF map may be locked\n" : "\n"});
}

void print_text(const ListedFuncs &funcs) {
    const size_t width = text_width(funcs);
    std::string line;
    for (const ListedFunc &func : funcs) {
        const fmt::format_int count(func.sites());
        const std::string_view sites = digits(count);
        line.clear();
        append_text(line, func);
        line.append(width - std::min(width, line.size()), ' ');
        line.append(6 - std::min<size_t>(5, sites.size()), ' ');
        append(line, {sites, func.sites() == 1 ? " site   " : " sites  "});
        append_how(line, func);
        for (const ListedParam &param : func.params)
            append(line, {&param == func.params.data() ? "  " : ", ",
                          param.name.empty() ? "?" : param.name, " ",
                          digits(fmt::format_int(param.located)), "/", sites});
        line += '\n';
        append_files(line, func);
        std::fwrite(line.data(), 1, line.size(), stdout);
    }
}

ordered_json refused_json(const ListedFunc &func) {
    ordered_json out = ordered_json::array();
    for (const auto &[reason, sites] : func.refused)
        out.push_back({{"reason", reason}, {"sites", sites}});
    return out;
}

ordered_json files_json(const ListedFunc &func) {
    ordered_json out = ordered_json::array();
    for (const auto &[file, sites] : func.files)
        out.push_back({{"file", file.empty() ? ordered_json(nullptr) : ordered_json(file)},
                       {"sites", sites},
                       {"may_lock_bpf_maps", may_lock_bpf_maps(file)}});
    return out;
}

const char *result_name(NameVerdict::Kind kind) {
    switch (kind) {
    case NameVerdict::Kind::kAttaches:
        return "attaches";
    case NameVerdict::Kind::kSeveralSymbols:
        return "EADDRNOTAVAIL";
    case NameVerdict::Kind::kNoSymbol:
        return "ENOENT";
    case NameVerdict::Kind::kNoFunc:
        return "ESRCH";
    case NameVerdict::Kind::kNotKnown:
        break;
    }
    return "not known";
}

// Returns null where no symbols can be seen.
ordered_json verdict_json(const ListedFunc &func, const ListedVerdict ListedNames::*which) {
    if (!func.names)
        return nullptr;
    const ListedVerdict &listed = *func.names.*which;
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

ordered_json symbols_json(const ListedFunc &func) {
    if (!func.names)
        return nullptr;
    ordered_json out = ordered_json::array();
    for (const auto &[symbol, bodies] : func.names->symbols)
        out.push_back({{"name", symbol.empty() ? ordered_json(nullptr) : ordered_json(symbol)},
                       {"bodies", bodies}});
    return out;
}

// Returns null unless an fentry program on the plain name hits a body of the function.
ordered_json missed_by_fentry(const ListedFunc &func) {
    const ordered_json fentry = verdict_json(func, &ListedNames::fentry);
    if (fentry.is_null() || fentry["missed"].is_null() || fentry["missed"] == func.sites())
        return nullptr;
    return fentry["missed"];
}

void print_json(const ListedFuncs &funcs, const Options &options) {
    ordered_json list = ordered_json::array();
    for (const ListedFunc &func : funcs) {
        ordered_json params = ordered_json::array();
        for (const ListedParam &param : func.params)
            params.push_back({{"name", param.name}, {"located", param.located}});
        ordered_json signatures = ordered_json::array();
        for (const uint32_t id : func.true_signatures)
            signatures.push_back({{"name", func.object->view->func_name(id)}, {"id", id}});
        list.push_back({{"object", func.object->name},
                        {"name", func.name},
                        {"id", func.id},
                        {"file", or_null(func.file)},
                        {"prototype",
                         or_null(known_prototype(func.object->view->locations().blob(), func.id))},
                        {"how", func.bodies == 0    ? "inlined"
                                : func.inlined == 0 ? "body"
                                                    : "partially inlined"},
                        {"sites", func.sites()},
                        {"inline_sites", func.inlined},
                        {"body_sites", func.bodies},
                        {"missed_by_fentry", missed_by_fentry(func)},
                        {"symbols", symbols_json(func)},
                        {"kprobe", verdict_json(func, &ListedNames::kprobe)},
                        {"perf", verdict_json(func, &ListedNames::kprobe)},
                        {"fentry", verdict_json(func, &ListedNames::fentry)},
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
            funcs.emplace_hint(funcs.end(),
                               listed(found, names, placer ? &*placer : nullptr, options.verbose));
        });
        if (!each && done)
            done = each;
    }
    if (options.json)
        print_json(funcs, options);
    else
        print_text(funcs);
    return done;
}

}  // namespace

void add_list(CLI::App &app, int &exit_code) {
    auto options = std::make_shared<Options>();
    CLI::App *command = app.add_subcommand(
        "list", "List functions that can be traced, and what a kprobe on them would miss");
    add_func_option(*command, options->funcs)->required();
    add_tables_options(*command, options->tables);
    command->add_flag("--json", options->json, "Print one JSON object");
    command->add_flag("--probes", options->probes,
                      "Also count, by reason, the sites that cannot be probed");
    command->add_flag("-v,--verbose", options->verbose, "Also count the sites in each source file");
    command->callback([options, &exit_code] { exit_code = finish(run(*options)); });
}

}  // namespace btf_extra
