// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// btf-extra trace: every call of some functions, inlined or not, with its arguments.
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "userspace/cli/command.h"
#include "userspace/cli/object_options.h"
#include "userspace/cli/trace_output.h"
#include "userspace/cli/trace_program.h"
#include "userspace/cli/trace_target.h"

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
    TargetOptions target;
    OutputOptions output;
};

Result<void> run(const Options &options) {
    const auto target = TRY(TraceTarget::find(options.funcs, options.target));
    const auto program =
        TRY(TraceProgram::load(target->nr_params(), target->nr_sites(), options.target.stacks));
    // There is no probe yet: from here on all is taken away in order.
    catch_signals();
    TRY(target->attach(*program));

    TraceOutput output(target->text(), options.output);
    Result<void> waited;
    while (!interrupted && !output.done() && waited)
        waited = output.take(*program, std::min(kPatience, output.milliseconds_left()));
    // Probes first: then nothing is counted that is not shown.
    target->detach();
    if (waited && !output.enough())
        waited = output.take(*program, 0);
    target->print_summary(program->counts(), output.shown());
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
    command->add_option("--count", output.count, "End after that many calls");
    command->add_option("--duration", output.seconds, "End after that many seconds");
    command->add_flag("--json", output.json, "Print a JSON object a line");
    command->add_flag("--stack", target.stacks,
                      "Print who called, too, with the functions that are inlined there");
    auto *inlined =
        command->add_flag("--inline-only", target.inline_only, "Only inlined calls, no bodies");
    command->add_flag("--body-only", target.body_only, "Only bodies, no inlined calls")
        ->excludes(inlined);
    command->add_option("--max-sites", target.max_sites, "Refuse a function with more sites");
    repeatable(command->add_option("--require", target.required,
                                   "A parameter that must have a location at each site"));
    command->add_flag("--best-effort", target.best_effort,
                      "Trace the other sites where some can have no probe");
    command->add_flag("--inexact", target.inexact,
                      "Also sites that are not hit once a call: the heads of loops, and where it "
                      "is not known with what a call begins");
    command->add_flag("--notrace", target.notrace,
                      "Also functions that the kernel keeps tracers out of");
    command->callback([options, &exit_code] { exit_code = finish(run(*options)); });
}

}  // namespace btf_extra
