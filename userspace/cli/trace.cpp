// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// btf-extra trace: every call of some functions, inlined or not, with its arguments.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "userspace/cli/command.h"
#include "userspace/cli/func_choice.h"
#include "userspace/cli/object_options.h"
#include "userspace/trace/trace_output.h"
#include "userspace/trace/trace_plan.h"
#include "userspace/trace/trace_program.h"
#include "userspace/trace/trace_summary.h"
#include "userspace/trace/trace_target.h"

namespace btf_extra {
namespace {

// Calls wait no longer than that for their line.
constexpr int kPatience = 50;

volatile sig_atomic_t interrupted;

void note_signal(int) {
    interrupted = 1;
}

// Not restarted, so that a wait ends.
void catch_signals() {
    struct sigaction action = {};
    action.sa_handler = note_signal;
    for (int signal : {SIGINT, SIGTERM})
        sigaction(signal, &action, nullptr);
    // A reader that has gone is an error of stdout.
    std::signal(SIGPIPE, SIG_IGN);
}

struct Options {
    std::vector<std::string> funcs;
    std::string filter, show, summary;
    bool self = false;
    TargetOptions target;
    OutputOptions output;
};

// The table of --summary: printed each second on a terminal, and once at the end.
class SummaryOutput {
  public:
    SummaryOutput(const TraceTarget &target, const TraceProgram &program, bool json)
        : target_(target), program_(program), json_(json),
          refreshes_(!json && isatty(STDOUT_FILENO)) {}

    void refresh() {
        const auto now = std::chrono::steady_clock::now();
        if (!refreshes_ || now - shown_ < std::chrono::seconds(1))
            return;
        shown_ = now;
        fmt::print("{}{}", kClear, target_.summary(program_).table(kRows, program_.ungrouped()));
        std::fflush(stdout);
    }

    void finish() const {
        const TraceSummary summary = target_.summary(program_);
        const uint64_t others = program_.ungrouped();
        fmt::print("{}{}", refreshes_ ? kClear : "",
                   json_ ? summary.json(others) : summary.table(SIZE_MAX, others));
    }

  private:
    static constexpr size_t kRows = 20;
    static constexpr const char *kClear = "\033[H\033[J";

    const TraceTarget &target_;
    const TraceProgram &program_;
    bool json_, refreshes_;
    std::chrono::steady_clock::time_point shown_;
};

Result<void> run(Options &options) {
    options.target.query = TRY(TraceQuery::parse(options.filter, options.show, options.summary));
    auto tables = TRY(open_tables(options.target.tables));
    auto funcs = TRY(choose_funcs(*tables, options.funcs));
    const auto target = TRY(TraceTarget::make(std::move(tables), std::move(funcs), options.target));
    const auto program =
        TRY(TraceProgram::load(target->plans(), target->nr_sites(), target->settings()));
    // There is no probe yet: from here on all is taken away in order.
    catch_signals();
    TRY(target->attach(*program));
    TRY(program->begin(options.self));
    target->print_attached();

    TraceOutput output(target->text(), options.output);
    std::optional<SummaryOutput> summary;
    if (!options.summary.empty())
        summary.emplace(*target, *program, options.output.json);
    Result<void> waited;
    while (!interrupted && !output.done() && waited) {
        waited = output.take(*program, std::min(kPatience, output.milliseconds_left()));
        if (summary)
            summary->refresh();
    }
    // Nothing is counted that is not shown, and no function longer than another.
    program->end();
    target->detach();
    if (waited && !output.enough())
        waited = output.take(*program, 0);
    if (summary)
        summary->finish();
    target->print_counts(*program, output.shown());
    return waited;
}

}  // namespace

void add_trace(CLI::App &app, int &exit_code) {
    auto options = std::make_shared<Options>();
    CLI::App *command = app.add_subcommand(
        "trace", "Print every call of functions, inlined or not, with its arguments");
    TargetOptions &target = options->target;
    OutputOptions &output = options->output;
    add_func_option(*command, options->funcs)->required();
    add_running_tables_options(*command, target.tables);
    auto *count = command->add_option("--count", output.count, "End after that many calls");
    command->add_option("--duration", output.seconds, "End after that many seconds");
    command->add_flag("--json", output.json, "Print a JSON object per line");
    auto *stack =
        command->add_flag("--stack", target.stacks,
                          "Print the callers, too, with the functions that are inlined there");
    command->add_option("--filter", options->filter,
                        "Only calls for which this is true: 'len > 1000 && comm == \"curl\"'");
    auto *show = command->add_option("--show", options->show,
                                     "Print these values, too: 'skb->len, skb->dev->name'");
    command
        ->add_option("--summary", options->summary,
                     "Count calls instead, by site, by caller, or by a value like 'skb->dev->name'")
        ->excludes(count)
        ->excludes(stack)
        ->excludes(show);
    auto *inlined =
        command->add_flag("--inline-only", target.inline_only, "Only inlined calls, no bodies");
    command->add_flag("--body-only", target.body_only, "Only bodies, no inlined calls")
        ->excludes(inlined);
    command->add_option("--max-sites", target.max_sites, "Refuse a function with more sites");
    repeatable(command->add_option("--require", target.required,
                                   "Only sites where this parameter has a location"));
    command->add_flag("--all-or-none", target.all_or_none,
                      "Refuse a function if a site outside closed code is left out");
    command->add_flag("--all", target.all,
                      "Refuse a function if any site is left out, even in closed code");
    // Scripts of version 1.0 say so. It is the default.
    command->add_flag("--best-effort", target.best_effort)->group("");
    command->add_flag("--inexact", target.inexact,
                      "Also probe sites that may not be hit exactly once per call: loop heads and "
                      "sites without a known entry");
    command->add_flag("--notrace", target.notrace,
                      "Also probe functions that the kernel keeps tracers out of");
    command->add_flag("--self", options->self, "Also trace calls in the threads of this command");
    command->add_flag("-v,--verbose", target.verbose, "Print each site that is left out");
    command->callback([options, &exit_code] { exit_code = finish(run(*options)); });
}

}  // namespace btf_extra
