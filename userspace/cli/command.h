// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The subcommands. Each add_*() registers its options on the app and a callback
// that does the work and leaves the process's exit code in exit_code.
#ifndef BTF_EXTRA_COMMAND_H
#define BTF_EXTRA_COMMAND_H

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "userspace/format/result.h"

namespace btf_extra {

enum ExitCode {
    kExitDone = 0,
    kExitFailed = 1,  // failure; one line on stderr has the reason
    kExitUsage = 2,
};

// app and exit_code outlive the parse.
void add_generate(CLI::App &app, int &exit_code);
void add_firmware(CLI::App &app, int &exit_code);
void add_audit(CLI::App &app, int &exit_code);
void add_stat(CLI::App &app, int &exit_code);
void add_dump(CLI::App &app, int &exit_code);
void add_check(CLI::App &app, int &exit_code);
void add_lookup(CLI::App &app, int &exit_code);
void add_list(CLI::App &app, int &exit_code);
void add_probes(CLI::App &app, int &exit_code);
void add_symbolize(CLI::App &app, int &exit_code);
void add_trace(CLI::App &app, int &exit_code);
void add_expose(CLI::App &app, int &exit_code);
// followed: the command that take_followed_command() returned.
void add_follow(CLI::App &app, std::vector<std::string> followed, int &exit_code);
void add_value(CLI::App &app, int &exit_code);
void add_doctor(CLI::App &app, int &exit_code);
void add_install(CLI::App &app, int &exit_code);
void add_uninstall(CLI::App &app, int &exit_code);

// Removes "-- COMMAND..." from the arguments of `follow`, and returns COMMAND. All other words that
// follow "--" are operands.
std::vector<std::string> take_followed_command(std::vector<const char *> &arguments);

// `stat --running`: prints what the running kernel has loaded.
Result<void> print_running_stat(bool json);

// Such an option may be given more than once, each time with one value. The next words are not its
// values: by default CLI11 (2.1) takes all words that follow.
inline void repeatable(CLI::Option *option) {
    option->expected(1)->allow_extra_args(false)->multi_option_policy(
        CLI::MultiOptionPolicy::TakeAll);
}

// Prints "btf-extra: <message>" to stderr, in one line. Returns exit_code.
int fail(const Error &error, int exit_code = kExitFailed);

// The exit code of what a subcommand has done. Prints the error, if there is one.
inline int finish(const Result<void> &done) {
    return done ? kExitDone : fail(done.error());
}

}  // namespace btf_extra

#endif
