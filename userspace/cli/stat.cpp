// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// btf-extra stat: how much a file covers.
#include <cmath>
#include <cstdio>
#include <memory>
#include <numeric>

#include <fmt/format.h>

#include "userspace/cli/command.h"
#include "userspace/cli/coverage.h"
#include "userspace/cli/object_options.h"
#include "userspace/lib/tables/object_view.h"
#include "userspace/text/json_text.h"

namespace btf_extra {
namespace {

struct Options {
    std::string file;
    ObjectPaths object;
    bool running = false;
    bool json = false;
};

std::string_view reason_text(size_t code) {
    return code == 0 ? "unknown" : text(static_cast<MissingReason>(code));
}

struct LeftOutName {
    const char *key;
    const char *of_sites, *of_functions;
};
constexpr LeftOutName kLeftOutNames[kLeftOutReasons] = {
    {"closed", "in closed code", "only in closed code"},
    {"no_entry", "entry not known", "with an unknown entry"},
    {"loop_head", "at the head of a loop", "with a loop head"},
    {"instruction", "at code without kprobes", "with code without kprobes"},
};

ordered_json to_json(const LeftOutCounts &counts) {
    ordered_json out = ordered_json::object();
    for (size_t reason = 0; reason < kLeftOutReasons; reason++)
        out[kLeftOutNames[reason].key] = counts[reason];
    return out;
}

ordered_json to_json(const std::optional<AttachedWhole> &whole) {
    if (!whole)
        return nullptr;
    return {{"functions", whole->functions},
            {"whole", whole->whole},
            {"refused", to_json(whole->refused)}};
}

ordered_json variables_left_out(const Coverage &coverage) {
    if (!coverage.vars_left_out)
        return nullptr;
    ordered_json out = ordered_json::object();
    for (uint8_t code = kVariableReasonFirst; code <= kVariableReasonLast; code++)
        if ((*coverage.vars_left_out)[code] != 0)
            out[std::string(text(static_cast<VariableReason>(code)))] =
                (*coverage.vars_left_out)[code];
    return out;
}

void print_json(const ObjectView &view, const Coverage &coverage) {
    ordered_json reasons = ordered_json::object();
    for (size_t code = 0; code < coverage.not_available.size(); code++)
        if (coverage.not_available[code] != 0)
            reasons[std::string(reason_text(code))] = coverage.not_available[code];
    const std::string build_id = view.build_id();

    print_object(
        {{"functions", coverage.functions},
         {"inline_instances", or_null(coverage.inline_instances)},
         {"skipped_rust_units", or_null(coverage.rust_units)},
         {"contradicted", or_null(coverage.contradicted)},
         {"sites", coverage.sites},
         {"inline_sites", coverage.inline_sites},
         {"body_sites", coverage.body_sites},
         {"true_signatures", coverage.true_signatures},
         {"inline_sites_all_params", coverage.inline_sites_all_params},
         {"inline_sites_some_params", coverage.inline_sites_some_params},
         {"inline_sites_no_params", coverage.inline_sites_no_params},
         {"inline_sites_all_with_expressions", coverage.inline_sites_all_with_expressions},
         {"loop_heads", or_null(coverage.loop_heads)},
         {"without_entry", or_null(coverage.without_entry)},
         {"parts", or_null(coverage.parts)},
         {"inline_sites_kept", coverage.inline_sites_reached
                                   ? ordered_json(coverage.inline_sites_kept)
                                   : ordered_json(nullptr)},
         {"inline_sites_reached", or_null(coverage.inline_sites_reached)},
         {"inline_sites_reached_all_params", or_null(coverage.inline_sites_reached_all_params)},
         {"inline_sites_reached_all_with_expressions",
          coverage.inline_sites_reached
              ? ordered_json(coverage.inline_sites_reached_all_with_expressions)
              : ordered_json(nullptr)},
         {"inline_sites_left_out", coverage.inline_sites_reached
                                       ? to_json(coverage.inline_sites_left_out)
                                       : ordered_json(nullptr)},
         {"attached_whole_inlined", to_json(coverage.whole_inlined)},
         {"attached_whole_many_sites", to_json(coverage.whole_many_sites)},
         {"params", coverage.params},
         {"params_located", coverage.params_located},
         {"params_computed", coverage.params_computed},
         {"not_available", reasons},
         {"loc_params", coverage.loc_params},
         {"loc_protos", coverage.loc_protos},
         {"added_funcs", coverage.added_funcs},
         {"added_types", coverage.added_types},
         {"variables", coverage.added_vars},
         {"variables_left_out", variables_left_out(coverage)},
         {"bytes_types", coverage.bytes_types},
         {"bytes_variables", coverage.bytes_vars},
         {"bytes_func_info", coverage.bytes_func_info},
         {"expressions", coverage.expressions},
         {"bytes_expressions", coverage.bytes_expressions},
         {"bytes_repeated_protos", coverage.bytes_repeated_protos},
         {"expression_bytes_per_site",
          std::round(coverage.expression_bytes_per_site() * 1000) / 1000},
         {"frames_instances", or_null(coverage.frames_instances)},
         {"frames_bodies", or_null(coverage.frames_bodies)},
         {"bytes_frames", or_null(coverage.bytes_frames)},
         {"line_rows", or_null(coverage.line_rows)},
         {"bytes_lines", or_null(coverage.bytes_lines)},
         {"bytes_per_site", std::round(coverage.bytes_per_site() * 100) / 100},
         {"build_id", build_id.empty() ? ordered_json(nullptr) : ordered_json(build_id)}});
}

void print_share(std::string_view label, uint64_t part, uint64_t whole) {
    double percent =
        whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
    fmt::print("  {:<28} {:>9}  {:5.1f}%\n", label, part, percent);
}

void print_count(std::string_view label, uint64_t count) {
    fmt::print("{:<30} {:>9}\n", label, count);
}

void print_whole(std::string_view label, const AttachedWhole &whole) {
    print_count(label, whole.functions);
    print_share("attached whole", whole.whole, whole.functions);
    for (size_t reason = 0; reason < kLeftOutReasons; reason++)
        if (whole.refused[reason] != 0)
            print_share(kLeftOutNames[reason].of_functions, whole.refused[reason], whole.functions);
}

void print_variables(const Coverage &coverage) {
    if (!coverage.vars_left_out) {
        if (coverage.added_vars != 0)
            print_count("variables", coverage.added_vars);
        return;
    }
    const auto &left_out = *coverage.vars_left_out;
    const uint64_t all = std::accumulate(left_out.begin(), left_out.end(), coverage.added_vars);
    print_count("variables in DWARF", all);
    print_share("in the types", coverage.added_vars, all);
    for (uint8_t code = kVariableReasonFirst; code <= kVariableReasonLast; code++)
        if (left_out[code] != 0)
            print_share(text(static_cast<VariableReason>(code)), left_out[code], all);
}

void print_text(const ObjectView &view, const Coverage &coverage) {
    fmt::print("{}  build-id {}\n", view.path(), view.build_id());
    print_count("functions", coverage.functions);
    if (coverage.inline_instances)
        print_count("inlined instances in DWARF", *coverage.inline_instances);
    if (coverage.rust_units.value_or(0) != 0)
        print_count("units in Rust, skipped", *coverage.rust_units);
    if (coverage.contradicted)
        print_count("left out, contradicted", *coverage.contradicted);
    print_count("sites", coverage.sites);
    print_count("out-of-line bodies", coverage.body_sites);
    print_count("true signatures of bodies", coverage.true_signatures);
    print_count("inlined sites", coverage.inline_sites);
    print_share("all parameters located", coverage.inline_sites_all_params, coverage.inline_sites);
    if (coverage.inline_sites_all_with_expressions != 0)
        print_share("all, with expressions",
                    coverage.inline_sites_all_params + coverage.inline_sites_all_with_expressions,
                    coverage.inline_sites);
    print_share("some parameters located", coverage.inline_sites_some_params,
                coverage.inline_sites);
    print_share("none located", coverage.inline_sites_no_params, coverage.inline_sites);
    if (coverage.loop_heads)
        print_share("heads of their own loops", *coverage.loop_heads, coverage.inline_sites);
    if (coverage.without_entry)
        print_share("without a known entry", *coverage.without_entry, coverage.inline_sites);
    if (coverage.inline_sites_reached) {
        print_count("inlined calls, not freed", coverage.inline_sites_kept);
        print_share("reached by default", *coverage.inline_sites_reached,
                    coverage.inline_sites_kept);
        print_share("reached, with all parameters", *coverage.inline_sites_reached_all_params,
                    coverage.inline_sites_kept);
        if (coverage.inline_sites_reached_all_with_expressions != 0)
            print_share("reached, with expressions",
                        *coverage.inline_sites_reached_all_params +
                            coverage.inline_sites_reached_all_with_expressions,
                        coverage.inline_sites_kept);
        for (size_t reason = 0; reason < kLeftOutReasons; reason++)
            if (coverage.inline_sites_left_out[reason] != 0)
                print_share(kLeftOutNames[reason].of_sites, coverage.inline_sites_left_out[reason],
                            coverage.inline_sites_kept);
        print_whole("functions that are inlined", *coverage.whole_inlined);
        print_whole(fmt::format("functions with over {} sites", kManySites),
                    *coverage.whole_many_sites);
    }
    if (coverage.parts)
        print_count("rests of calls, split off", *coverage.parts);
    print_count("parameters at all sites", coverage.params);
    print_share("located", coverage.params_located, coverage.params);
    if (coverage.params_computed != 0)
        print_share("computed by expressions", coverage.params_computed, coverage.params);
    for (size_t code = 0; code < coverage.not_available.size(); code++)
        if (coverage.not_available[code] != 0)
            print_share(reason_text(code), coverage.not_available[code], coverage.params);
    print_count("distinct locations", coverage.loc_params);
    print_count("distinct lists of locations", coverage.loc_protos);
    print_count("functions added to the base", coverage.added_funcs);
    print_count("other records added", coverage.added_types);
    print_variables(coverage);
    print_count("bytes of types", coverage.bytes_types);
    print_count("bytes of func_info", coverage.bytes_func_info);
    if (coverage.expressions != 0) {
        print_count("distinct expressions", coverage.expressions);
        print_count("bytes of expressions", coverage.bytes_expressions);
        fmt::print("{:<30} {:>9.2f}\n", "bytes of expressions per site",
                   coverage.expression_bytes_per_site());
    }
    if (coverage.bytes_frames) {
        print_count("inlined instances in frames", *coverage.frames_instances);
        print_count("bodies in frames", *coverage.frames_bodies);
        print_count("bytes of frames", *coverage.bytes_frames);
    }
    if (coverage.bytes_lines) {
        print_count("rows of lines", *coverage.line_rows);
        print_count("bytes of lines", *coverage.bytes_lines);
    }
    fmt::print("{:<30} {:>9.2f}\n", "bytes per site", coverage.bytes_per_site());
}

Result<void> run(const Options &options) {
    if (options.running)
        return print_running_stat(options.json);
    const auto files = TRY(ObjectFiles::open(options.object));
    const auto view = TRY(files.view(options.file));
    const Coverage coverage = measure_coverage(*view);
    if (options.json)
        print_json(*view, coverage);
    else
        print_text(*view, coverage);
    return {};
}

}  // namespace

void add_stat(CLI::App &app, int &exit_code) {
    auto options = std::make_shared<Options>();
    CLI::App *command = app.add_subcommand("stat", "Count functions, sites and located parameters");
    auto *file = command->add_option("FILE", options->file, "A .btf_extra file");
    add_object_options(*command, options->object);
    add_base_option(*command, options->object);
    command
        ->add_flag("--running", options->running, "The running kernel's tables, not those of FILE")
        ->excludes(file)
        ->excludes("--btf-base")
        ->excludes("--vmlinux");
    command->add_flag("--json", options->json, "Print one JSON object");
    command->callback([options, &exit_code] {
        if (!options->running && options->file.empty())
            throw CLI::RequiredError("FILE or --running");
        exit_code = finish(run(*options));
    });
}

}  // namespace btf_extra
