// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// btf-extra doctor: what works on this machine, what does not, and what to do.
#include <memory>

#include <fmt/format.h>

#include "userspace/cli/command.h"
#include "userspace/host/checkup.h"
#include "userspace/text/json_text.h"

namespace btf_extra {
namespace {

using host::Checkup;
using host::Finding;

void print_json(const Checkup &checkup) {
    ordered_json findings = ordered_json::array();
    for (const Finding &each : checkup.findings)
        findings.push_back(
            {{"what", each.what},
             {"state", host::text(each.state)},
             {"seen", each.seen},
             {"advice", each.advice.empty() ? ordered_json(nullptr) : ordered_json(each.advice)},
             {"required", each.required}});
    const bool works = checkup.obstacles().empty();
    print_object({{"works", works},
                  {"by", works ? ordered_json(checkup.by_module ? "module" : "perf")
                               : ordered_json(nullptr)},
                  {"findings", std::move(findings)}});
}

void print_text(const Checkup &checkup) {
    for (const Finding &each : checkup.findings)
        fmt::print("{:<22}  {:<7}  {}{}{}\n", each.what, host::text(each.state), each.seen,
                   each.advice.empty() ? "" : "; ", each.advice);
    if (checkup.obstacles().empty())
        fmt::print("tracing inlined calls works, with {}\n",
                   checkup.by_module ? "btf_extra.ko" : "perf kprobes");
}

Result<void> run(bool json) {
    const Checkup checkup = host::check_up(host::this_host());
    if (json)
        print_json(checkup);
    else
        print_text(checkup);
    if (const auto obstacles = checkup.obstacles(); !obstacles.empty())
        return Error{fmt::format("tracing inlined calls does not work here: {}",
                                 fmt::join(obstacles, ", "))};
    return {};
}

}  // namespace

void add_doctor(CLI::App &app, int &exit_code) {
    auto json = std::make_shared<bool>(false);
    CLI::App *command = app.add_subcommand(
        "doctor", "Check what works on this machine, and print how to mend the rest");
    command->add_flag("--json", *json, "Print one JSON object");
    command->callback([json, &exit_code] { exit_code = finish(run(*json)); });
}

}  // namespace btf_extra
