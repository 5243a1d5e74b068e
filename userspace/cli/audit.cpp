// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// btf-extra audit: which attach points miss calls, on which kernels.
#include <algorithm>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include "userspace/audit/attach_points.h"
#include "userspace/audit/attached_points.h"
#include "userspace/audit/audit_text.h"
#include "userspace/cli/command.h"
#include "userspace/lib/attach/completed_links.h"

namespace btf_extra {
namespace {

using audit::Verdict;

struct Options {
    std::vector<std::string> kernels;
    std::vector<std::string> targets;
    std::vector<std::string> fail_on;
    bool json = false;
};

// Returns the verdicts that make the command fail.
Result<std::set<Verdict>> failing(const std::vector<std::string> &names) {
    std::set<Verdict> out;
    for (const std::string &list : names) {
        std::istringstream words(list);
        for (std::string name; std::getline(words, name, ',');) {
            const auto verdict = audit::verdict_of_name(name);
            if (!verdict)
                return Error{fmt::format("--fail-on {}: no such verdict; there are {}", name,
                                         fmt::join(audit::verdict_names(), ", "))};
            out.insert(*verdict);
        }
    }
    if (names.empty())
        for (const std::string_view name : audit::verdict_names())
            if (name != audit::verdict_name(Verdict::kWhole))
                out.insert(*audit::verdict_of_name(name));
    return out;
}

Result<std::vector<audit::AttachPoint>> points_of(const std::vector<std::string> &targets) {
    std::vector<audit::AttachPoint> out;
    for (const std::string &target : targets) {
        auto read = TRY(audit::read_attach_points(target));
        if (read.others != 0)
            fmt::print(stderr, "btf-extra: {}: {} programs attach to no function by its name\n",
                       target, read.others);
        std::ranges::move(read.points, std::back_inserter(out));
    }
    return out;
}

std::vector<std::string> kernels_of(const std::vector<std::string> &texts) {
    if (texts.empty())
        return {""};
    std::vector<std::string> out;
    for (const std::string &text : texts)
        std::ranges::move(audit::AuditedKernel::kernels_of(text), std::back_inserter(out));
    return out;
}

Result<audit::Audit> audit_of_targets(const Options &options) {
    auto points = TRY(points_of(options.targets));
    return audit::audit_points(std::move(points), kernels_of(options.kernels));
}

Result<audit::Audit> audit_of_machine(const Options &options) {
    auto running = TRY(audit::AuditedKernel::open(""));
    auto attached = TRY(audit::attached_points(running->tables()));
    if (attached.others != 0)
        fmt::print(stderr, "btf-extra: {} probes are at no function that is known\n",
                   attached.others);
    if (!attached.knows_completed && access("/sys/module/btf_extra", F_OK) == 0)
        fmt::print(stderr,
                   "btf-extra: {} cannot be read, so calls that follow reaches count as missed\n",
                   kLinksFile);
    if (!options.kernels.empty()) {
        running.reset();
        for (audit::AttachPoint &point : attached.points)
            point.completed = 0;
    }
    return audit::audit_points(std::move(attached.points), kernels_of(options.kernels),
                               std::move(running));
}

// Returns true if a finding is one to fail for.
Result<bool> run(const Options &options) {
    const auto fails = TRY(failing(options.fail_on));
    const audit::Audit audit =
        TRY(options.targets.empty() ? audit_of_machine(options) : audit_of_targets(options));
    bool failed = false;
    for (const audit::Audit::Row &row : audit.rows)
        failed |= std::ranges::any_of(row.findings, [&](const audit::Finding &finding) {
            return fails.contains(finding.verdict);
        });
    if (options.json)
        print_object(audit::audit_json(audit));
    else
        fmt::print("{}", audit::audit_text(audit));
    return failed;
}

}  // namespace

void add_audit(CLI::App &app, int &exit_code) {
    auto options = std::make_shared<Options>();
    CLI::App *command = app.add_subcommand(
        "audit", "Report which calls the programs of a tool would miss, on one kernel or many");
    command->add_option("TARGET", options->targets,
                        "A BPF object, a program that contains one, a bpftrace script, a probe "
                        "(kprobe:NAME, fentry:MODULE:NAME), or - for a probe a line on stdin; "
                        "by default all that is attached on this machine");
    repeatable(command->add_option("--kernel", options->kernels,
                                   "A release with installed tables, or a file or folder of "
                                   "tables; by default the running kernel"));
    repeatable(command->add_option(
        "--fail-on", options->fail_on,
        "Exit with 1 only for these verdicts, with commas between; by default for all but whole"));
    command->add_flag("--json", options->json, "Print one JSON object");
    command->callback([options, &exit_code] {
        const auto failed = run(*options);
        // A script reads 1 as a finding.
        exit_code = !failed ? fail(failed.error(), kExitUsage) : *failed ? kExitFailed : kExitDone;
    });
}

}  // namespace btf_extra
