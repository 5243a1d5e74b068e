// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// btf-extra install, uninstall: the tables of a kernel, where all commands and the module find
// them.
#include <algorithm>
#include <memory>
#include <thread>

#include <fmt/format.h>

#include "userspace/cli/command.h"
#include "userspace/cli/progress_line.h"
#include "userspace/host/installation.h"
#include "userspace/host/program_run.h"

namespace btf_extra {
namespace {

using host::InstallTools;

InstallTools tools_with(ProgressLine &line) {
    return {.run =
                [&line](const std::vector<std::string> &arguments, bool quiet) {
                    line.clear();
                    return host::run_program(arguments, quiet);
                },
            .progress = [&line](const host::Progress &progress) { line.show(progress); },
            .note =
                [&line](const std::string &text) {
                    line.clear();
                    fmt::print(stderr, "btf-extra: {}\n", text);
                }};
}

Result<void> install(const host::InstallOptions &options) {
    const host::Host machine = host::this_host();
    ProgressLine line;
    const InstallTools tools = tools_with(line);
    const auto installed = TRY(host::install_tables(machine, options, tools));
    line.clear();
    fmt::print("{}: {} objects, {:.1f} MB{}\n", installed.folder, installed.objects,
               static_cast<double>(installed.bytes) / 1e6,
               installed.fresh ? "" : ", all installed already: nothing to do");
    if (!options.release.empty() && options.release != machine.release)
        return {};
    return host::load_module(machine, installed.fresh, tools);
}

Result<void> uninstall(const std::string &release) {
    ProgressLine line;
    const std::string folder =
        TRY(host::uninstall_tables(host::this_host(), release, tools_with(line)));
    fmt::print("{}\n", folder.empty() ? "nothing is installed" : folder + ": removed");
    return {};
}

}  // namespace

void add_install(CLI::App &app, int &exit_code) {
    auto options = std::make_shared<host::InstallOptions>();
    CLI::App *command =
        app.add_subcommand("install", "Make the tables of a kernel, put them in place, and load "
                                      "btf_extra.ko");
    command->add_option("RELEASE", options->release,
                        "The kernel, as uname -r prints it; by default the running kernel");
    CLI::Option *from = command->add_option(
        "--from", options->from,
        "URL of the output of 'firmware --by-build-id': take the tables from there");
    command
        ->add_flag("-y,--yes", options->run_apt,
                   "Install the package with debug information, if it is needed")
        ->excludes(from);
    options->jobs = std::max(1u, std::thread::hardware_concurrency());
    command->add_option("-j,--jobs", options->jobs, "Threads; the output does not depend on it")
        ->check(CLI::Range(1, 1024))
        ->capture_default_str();
    command->callback([options, &exit_code] { exit_code = finish(install(*options)); });
}

void add_uninstall(CLI::App &app, int &exit_code) {
    auto release = std::make_shared<std::string>();
    CLI::App *command =
        app.add_subcommand("uninstall", "Unload btf_extra.ko, and remove the tables of a kernel");
    command->add_option("RELEASE", *release,
                        "The kernel, as uname -r prints it; by default the running kernel");
    command->callback([release, &exit_code] { exit_code = finish(uninstall(*release)); });
}

}  // namespace btf_extra
