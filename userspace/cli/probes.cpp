// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// btf-extra probes: the sites of a function as other tracers take them.
#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "userspace/cli/command.h"
#include "userspace/cli/func_choice.h"
#include "userspace/cli/object_options.h"
#include "userspace/lib/probing/appended_event.h"
#include "userspace/lib/probing/placed_site.h"
#include "userspace/text/probe_text.h"

namespace btf_extra {
namespace {

enum class Format { kTracefs, kPerf, kBpftrace };

struct Options {
    std::vector<std::string> funcs;
    TablesChoice tables;
    Format format = Format::kTracefs;
    std::string append;  // an event; empty: none
};

// The name of an event has at most 63 bytes (MAX_EVENT_NAME_LEN of kernel/trace). The suffix after
// the name of the function takes the rest.
constexpr size_t kMaxName = 48;

// The default limit of probes in bpftrace.
constexpr size_t kBpftraceProbes = 512;

struct Line {
    std::string text;
    std::string fields;                 // of tracefs: names and types
    std::vector<std::string> left_out;  // arguments, with the reason
    std::string dead;                   // why the line is none; empty: it is one
};

// The names of the events of one output. No two functions share one.
class EventNames {
  public:
    std::string add(const std::string &wanted) {
        std::string name = wanted;
        for (size_t i = 1; !taken_.insert(name).second; i++)
            name = fmt::format("{}_{}", wanted, i);
        return name;
    }

  private:
    std::set<std::string> taken_;
};

// A symbol may have dots, but the name of an event has none.
std::string event_name(std::string_view func) {
    std::string out(func.substr(0, kMaxName));
    std::ranges::replace(out, '.', '_');
    return out;
}

class Writer {
  public:
    // event: to which the lines of tracefs are added; may be NULL.
    Writer(const DescribedFunc &func, Format format, const AppendedEvent *event)
        : func_(func), format_(format), event_(event) {}

    // number: of the site among those of its name. The text of tracefs lacks the event.
    Line line(const PlacedSite &site, size_t number) const {
        Line out;
        if (site.dead != nullptr)
            out.dead = site.dead;
        const std::string place = place_of(site, out);
        if (format_ == Format::kBpftrace)
            out.text = bpftrace(site, place, out);
        else if (format_ == Format::kTracefs)
            out.text = place + (event_ != nullptr ? event_args(site, out) : kprobe_args(site, out));
        else
            out.text =
                fmt::format("perf probe {}-a '{}_{}={}{}'", module() ? "-m " + object() + " " : "",
                            event_name(func_.name), number, place, kprobe_args(site, out));
        return out;
    }

  private:
    const std::string &object() const { return func_.found.object->name; }
    bool module() const { return object() != "vmlinux"; }

    std::string symbol_and_distance(const PlacedSite &site, uint64_t more) const {
        return site.symbol.empty() ? "?"
                                   : fmt::format("{}+{:#x}", site.symbol, site.distance + more);
    }

    // Names the place of the probe as the tracer does. _stext does not move against the rest of the
    // kernel's text.
    std::string place_of(const PlacedSite &site, Line &line) const {
        if (format_ == Format::kTracefs && site.from_stext)
            return fmt::format("_stext+{:#x}", *site.from_stext + site.probe);
        if (line.dead.empty() && site.symbol.empty())
            line.dead = "no symbol is at the address";
        if (line.dead.empty() && site.namesakes > 1)
            line.dead = fmt::format("{} symbols are called {}", site.namesakes, site.symbol);
        return (module() && format_ == Format::kTracefs ? object() + ":" : "") +
               symbol_and_distance(site, site.probe);
    }

    static std::string arg_name(const Parameter &param, size_t number) {
        return param.name.empty() ? fmt::format("arg{}", number) : std::string(param.name);
    }

    static const char *not_available(const Parameter &param) {
        return param.reason ? text(*param.reason).data() : "not available";
    }

    // take(name, loc, type): returns why it cannot use the location or expression, or NULL.
    // missing(name): not used.
    template <class Take, class Missing>
    void for_each_arg(const PlacedSite &site, Line &line, Take take, Missing missing) const {
        const auto params = func_.view().parameters(site.number);
        for (size_t i = 0; i < params.size(); i++) {
            const Parameter &param = params[i];
            const std::string name = arg_name(param, i);
            const ProbeValue value = probe_value(func_.view().locations().blob(), param.type_id);
            const char *why = not_available(param);
            if (param.loc != nullptr)
                why = take(name, param.loc, value);
            else if (param.expression)
                why = take(name, *param.expression, value);
            if (why == nullptr)
                continue;
            line.left_out.push_back(fmt::format("{}: {}", name, why));
            missing(name);
        }
    }

    std::vector<ProbeField> kprobe_fields(const PlacedSite &site, Line &line) const {
        std::vector<ProbeField> out;
        const auto take = [&](const std::string &name, const auto &loc, ProbeValue type) {
            const ProbeArg arg = kprobe_arg(name, loc, func_.view().file().machine, type);
            out.insert(out.end(), arg.fields.begin(), arg.fields.end());
            return arg.why;
        };
        for_each_arg(site, line, take, [](const std::string &) {});
        return out;
    }

    std::string kprobe_args(const PlacedSite &site, Line &line) const {
        std::string out;
        for (const ProbeField &field : kprobe_fields(site, line)) {
            out += " " + field.text();
            line.fields += field.name + ":" + field.type + " ";
        }
        return out;
    }

    // The fields of the event, with its types. The line is none if one of them is missing.
    std::string event_args(const PlacedSite &site, Line &line) const {
        const std::vector<ProbeField> fields = kprobe_fields(site, line);
        line.left_out.clear();
        std::string out;
        for (const auto &[name, type] : event_->fields) {
            const auto field = std::ranges::find(fields, name, &ProbeField::name);
            const bool is_here = field != fields.end();
            if (is_here && bits_of_kprobe_type(type) <= bits_of_kprobe_type(field->type))
                out += fmt::format(" {}={}{}{}", name, field->place, type.empty() ? "" : ":", type);
            else if (line.dead.empty())
                line.dead =
                    fmt::format("{} {}", name, is_here ? "is narrower there" : "is missing there");
        }
        return out;
    }

    std::string bpftrace(const PlacedSite &site, const std::string &place, Line &line) const {
        std::string format = fmt::format("%s-%d {} {} {}", func_.name, symbol_and_distance(site, 0),
                                         site.body ? "body" : "inlined");
        std::string values = ", comm, tid";
        const auto take = [&](const std::string &name, const auto &loc, ProbeValue type) {
            const BpftraceArg arg =
                bpftrace_arg(name, loc, func_.view().file().machine, type, "_stext");
            if (arg.why == nullptr)
                format += " " + arg.format;
            for (const std::string &value : arg.values)
                values += ", " + value;
            return arg.why;
        };
        for_each_arg(site, line, take,
                     [&](const std::string &name) { format += " " + name + "=?"; });
        return fmt::format("kprobe:{} {{ printf(\"{}\\n\"{}); }}", place, format, values);
    }

    const DescribedFunc &func_;
    Format format_;
    const AppendedEvent *event_;
};

// Puts the events in front of the lines. Sites that agree in names and types of their fields are
// one event: a probe whose fields differ from those of its event is refused
// (trace_probe_compare_arg_type() of kernel/trace). The event that is called like the function has
// most of the sites that lack no argument.
void name_events(const std::string &func, EventNames &names, std::vector<Line> &lines) {
    std::map<std::string, size_t> sizes;
    const std::string *whole = nullptr;
    for (const Line &line : lines)
        if (line.left_out.empty())
            if (const size_t size = ++sizes[line.fields]; whole == nullptr || size > sizes[*whole])
                whole = &line.fields;
    std::map<std::string, std::string> events;
    if (whole != nullptr)
        events[*whole] = names.add(func);
    for (Line &line : lines) {
        auto event = events.find(line.fields);
        if (event == events.end())
            event = events.emplace(line.fields, names.add(func + "_partial")).first;
        line.text = fmt::format("p:kloc/{} {}", event->second, line.text);
    }
}

// The kernel accepts no probe twice. Two sites at one address may differ in facts that no probe
// contains.
void drop_doubles(std::vector<Line> &lines) {
    std::set<std::string> texts;
    for (Line &line : lines)
        if (line.dead.empty() && !texts.insert(line.text).second)
            line.dead = "another site has the same probe";
}

// Leaves out the sites at which the event has a probe.
std::vector<PlacedSite> without_probe(std::vector<PlacedSite> sites, const FoundFunc &func,
                                      const Symbols &symbols, const AppendedEvent &event) {
    std::erase_if(sites, [&](const PlacedSite &placed) {
        const auto site = std::ranges::find(func.sites, placed.number, &btf_extra_site::number);
        return site != func.sites.end() && event.has(*func.object, symbols, *site, placed.probe);
    });
    return sites;
}

// number: of the sites of that name, for functions that share it; counted on.
void write(const DescribedFunc &func, const std::vector<PlacedSite> &sites, Format format,
           const AppendedEvent *event, size_t &number, EventNames &names) {
    const Writer writer(func, format, event);
    const std::string comment = format == Format::kBpftrace ? "//" : "#";
    std::vector<Line> lines;
    size_t good = 0;
    for (const PlacedSite &site : sites) {
        lines.push_back(writer.line(site, number++));
        good += lines.back().dead.empty();
    }
    if (event != nullptr)
        for (Line &line : lines)
            line.text = fmt::format("p:{} {}", event->name, line.text);
    else if (format == Format::kTracefs)
        name_events(event_name(func.name), names, lines);
    if (format == Format::kTracefs)
        drop_doubles(lines);
    fmt::print("{} {}: {} of {} sites{}\n", comment, func.prototype, good, lines.size(),
               event != nullptr ? " without a probe of " + event->name : "");
    if (format == Format::kBpftrace && good > kBpftraceProbes)
        fmt::print("// needs BPFTRACE_MAX_PROBES={}\n", good);
    for (const Line &line : lines) {
        for (const std::string &each : line.left_out)
            fmt::print("{} without {}\n", comment, each);
        if (!line.dead.empty())
            fmt::print("{} {}: {}\n", comment, line.dead, line.text);
        else
            fmt::print("{}\n", line.text);
    }
}

Result<void> run(const Options &options) {
    const auto tables = TRY(open_tables(options.tables));
    std::optional<AppendedEvent> event;
    if (!options.append.empty() && !tables->running())
        return Error{tables->name() + ": --append requires tables of the running kernel"};
    if (!options.append.empty())
        event = TRY(find_event(*tables, options.append));
    const bool of_event = event && options.funcs.empty();
    const auto texts = TRY(of_event ? functions_of(*tables, *event) : options.funcs);
    const auto funcs = TRY(choose_funcs(*tables, texts));
    const auto placer = TRY(SitePlacer::open(*tables));
    std::map<std::string, size_t> numbers;
    EventNames names;
    for (const DescribedFunc &func : funcs) {
        auto sites = placer.place(func.found);
        if (event) {
            TRY(check_fields(*event, func));
            sites = without_probe(std::move(sites), func.found, *tables->symbols(), *event);
        }
        write(func, sites, options.format, event ? &*event : nullptr, numbers[func.name], names);
    }
    return {};
}

}  // namespace

void add_probes(CLI::App &app, int &exit_code) {
    auto options = std::make_shared<Options>();
    options->tables.parts = FileParts::kSites;
    CLI::App *command = app.add_subcommand(
        "probes", "Write the sites of functions for tracefs, perf probe or bpftrace");
    add_func_option(*command, options->funcs);
    add_tables_options(*command, options->tables);
    CLI::Option *format =
        command
            ->add_option("--format", options->format,
                         "tracefs: lines of kprobe_events, the default; perf; bpftrace")
            ->transform(CLI::CheckedTransformer(
                std::map<std::string, Format>{{"tracefs", Format::kTracefs},
                                              {"perf", Format::kPerf},
                                              {"bpftrace", Format::kBpftrace}}));
    command
        ->add_option("--append", options->append,
                     "Write probes that are added to this event of tracefs or perf probe")
        ->type_name("GROUP:EVENT")
        ->excludes(format);
    command->callback([options, &exit_code] {
        if (options->funcs.empty() && options->append.empty())
            throw CLI::RequiredError("FUNC or --append");
        exit_code = finish(run(*options));
    });
}

}  // namespace btf_extra
