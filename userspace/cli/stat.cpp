// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// btf-extra stat: how much a file covers.
#include <cmath>
#include <cstdio>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "userspace/cli/command.h"
#include "userspace/cli/coverage.h"
#include "userspace/cli/object_options.h"
#include "userspace/cli/stat_running.h"
#include "userspace/lib/tables/object_view.h"

namespace btf_extra {
namespace {

struct Options {
    std::string file;
    std::string base;
    ObjectPaths object;
    bool running = false;
    bool json = false;
};

std::string_view reason_text(size_t code) {
    return code == 0 ? "unknown" : text(static_cast<MissingReason>(code));
}

void print_json(const ObjectView &view, const Coverage &coverage) {
    nlohmann::ordered_json reasons = nlohmann::ordered_json::object();
    for (size_t code = 0; code < coverage.not_available.size(); code++)
        if (coverage.not_available[code] != 0)
            reasons[std::string(reason_text(code))] = coverage.not_available[code];

    nlohmann::ordered_json out;
    out["functions"] = coverage.functions;
    out["inline_instances"] = nullptr;
    if (coverage.inline_instances)
        out["inline_instances"] = *coverage.inline_instances;
    out["sites"] = coverage.sites;
    out["inline_sites"] = coverage.inline_sites;
    out["body_sites"] = coverage.body_sites;
    out["true_signatures"] = coverage.true_signatures;
    out["inline_sites_all_params"] = coverage.inline_sites_all_params;
    out["inline_sites_some_params"] = coverage.inline_sites_some_params;
    out["inline_sites_no_params"] = coverage.inline_sites_no_params;
    out["loop_heads"] = nullptr;
    if (coverage.loop_heads)
        out["loop_heads"] = *coverage.loop_heads;
    out["without_entry"] = nullptr;
    if (coverage.without_entry)
        out["without_entry"] = *coverage.without_entry;
    out["parts"] = nullptr;
    if (coverage.parts)
        out["parts"] = *coverage.parts;
    out["params"] = coverage.params;
    out["params_located"] = coverage.params_located;
    out["not_available"] = reasons;
    out["loc_params"] = coverage.loc_params;
    out["loc_protos"] = coverage.loc_protos;
    out["added_funcs"] = coverage.added_funcs;
    out["added_types"] = coverage.added_types;
    out["bytes_types"] = coverage.bytes_types;
    out["bytes_func_info"] = coverage.bytes_func_info;
    out["bytes_per_site"] = std::round(coverage.bytes_per_site() * 100) / 100;
    out["build_id"] = nullptr;
    if (!view.build_id().empty())
        out["build_id"] = view.build_id();
    fmt::print("{}\n", out.dump(2));
}

void print_share(std::string_view label, uint64_t part, uint64_t whole) {
    double percent =
        whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
    fmt::print("  {:<28} {:>9}  {:5.1f}%\n", label, part, percent);
}

void print_count(std::string_view label, uint64_t count) {
    fmt::print("{:<30} {:>9}\n", label, count);
}

void print_text(const ObjectView &view, const Coverage &coverage) {
    std::string build_id = view.build_id();
    fmt::print("{}  build-id {}\n", view.path(), build_id);
    print_count("functions", coverage.functions);
    if (coverage.inline_instances)
        print_count("inlined instances in DWARF", *coverage.inline_instances);
    print_count("sites", coverage.sites);
    print_count("out-of-line bodies", coverage.body_sites);
    print_count("true signatures of bodies", coverage.true_signatures);
    print_count("inlined sites", coverage.inline_sites);
    print_share("all parameters located", coverage.inline_sites_all_params, coverage.inline_sites);
    print_share("some parameters located", coverage.inline_sites_some_params,
                coverage.inline_sites);
    print_share("none located", coverage.inline_sites_no_params, coverage.inline_sites);
    if (coverage.loop_heads)
        print_share("heads of their own loops", *coverage.loop_heads, coverage.inline_sites);
    if (coverage.without_entry)
        print_share("without a known entry", *coverage.without_entry, coverage.inline_sites);
    if (coverage.parts)
        print_count("rests of calls, split off", *coverage.parts);
    print_count("parameters at all sites", coverage.params);
    print_share("located", coverage.params_located, coverage.params);
    for (size_t code = 0; code < coverage.not_available.size(); code++)
        if (coverage.not_available[code] != 0)
            print_share(reason_text(code), coverage.not_available[code], coverage.params);
    print_count("distinct locations", coverage.loc_params);
    print_count("distinct lists of locations", coverage.loc_protos);
    print_count("functions added to the base", coverage.added_funcs);
    print_count("other records added", coverage.added_types);
    print_count("bytes of types", coverage.bytes_types);
    print_count("bytes of func_info", coverage.bytes_func_info);
    fmt::print("{:<30} {:>9.2f}\n", "bytes per site", coverage.bytes_per_site());
}

Result<std::unique_ptr<ObjectView>> open_view(const Options &options) {
    if (!options.base.empty())
        return ObjectView::open_with_base(options.file, options.base);
    if (options.object.vmlinux.empty())
        return ObjectView::open(options.file);
    auto files = ObjectFiles::open(options.object);
    if (!files)
        return files.error();
    return files->view(options.file);
}

int run(const Options &options) {
    auto view = open_view(options);
    if (!view)
        return fail(view.error());
    Coverage coverage = measure_coverage(**view);
    if (options.json)
        print_json(**view, coverage);
    else
        print_text(**view, coverage);
    return kExitDone;
}

}  // namespace

void add_stat(CLI::App &app, int &exit_code) {
    auto options = std::make_shared<Options>();
    CLI::App *command = app.add_subcommand("stat", "Count functions, sites and located parameters");
    auto *file = command->add_option("FILE", options->file, "A .btf_extra file");
    auto *base =
        command->add_option("--btf-base", options->base,
                            "Base BTF, raw or an ELF file's; for files that do not know its size");
    auto *vmlinux = add_object_options(*command, options->object)->excludes(base);
    command
        ->add_flag("--running", options->running,
                   "What the running kernel has loaded, in place of FILE")
        ->excludes(file)
        ->excludes(base)
        ->excludes(vmlinux);
    command->add_flag("--json", options->json, "Print one JSON object");
    command->callback([options, &exit_code] {
        if (!options->running && options->file.empty())
            throw CLI::RequiredError("FILE or --running");
        exit_code = options->running ? run_running_stat(options->json) : run(*options);
    });
}

}  // namespace btf_extra
