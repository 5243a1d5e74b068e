// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "kernel/core/version.h"
#include "userspace/cli/command.h"
#include "userspace/cli/large_pages.h"
#include "userspace/text/nearest_names.h"

namespace btf_extra {
namespace {

// A link to the command that is called addr2line takes the options of that. Tools run such a link.
std::vector<const char *> arguments_of(int argc, char **argv) {
    std::vector<const char *> arguments(argv, argv + argc);
    if (argc > 0 && std::string_view(argv[0]).ends_with("addr2line"))
        arguments.insert(arguments.begin() + 1, {"symbolize", "--addr2line"});
    return arguments;
}

// CLI11 reports any word that it does not expect, without the expected kind.
std::string unknown_subcommand(const CLI::App &app, const std::vector<const char *> &arguments) {
    const std::string_view word = arguments.size() > 1 ? arguments[1] : "";
    if (word.empty() || word.starts_with('-'))
        return "";
    NearestNames nearest(word);
    for (const CLI::App *command : app.get_subcommands({})) {
        if (command->get_name() == word)
            return "";
        nearest.add(command->get_name());
    }
    return fmt::format("unknown subcommand {}{}; --help lists all", word, nearest_text(nearest));
}

// failure gets the exit code of a failure that has no other.
int run(int argc, char **argv, int &failure) {
    std::vector<const char *> arguments = arguments_of(argc, argv);
    std::vector<std::string> followed = take_followed_command(arguments);
    CLI::App app("Trace inlined functions of the Linux kernel", "btf-extra");
    app.require_subcommand(1);
    app.set_version_flag("--version", "btf-extra " BTF_EXTRA_VERSION);
    int exit_code = kExitDone;
    add_generate(app, exit_code);
    add_firmware(app, exit_code);
    add_stat(app, exit_code);
    add_dump(app, exit_code);
    add_check(app, exit_code);
    add_lookup(app, exit_code);
    add_list(app, exit_code);
    add_audit(app, exit_code);
    // A script reads 1 of audit as a finding.
    app.get_subcommand("audit")->preparse_callback([&](size_t) { failure = kExitUsage; });
    add_value(app, exit_code);
    add_probes(app, exit_code);
    add_symbolize(app, exit_code);
    add_trace(app, exit_code);
    add_expose(app, exit_code);
    add_follow(app, std::move(followed), exit_code);
    add_doctor(app, exit_code);
    add_install(app, exit_code);
    add_uninstall(app, exit_code);
    if (const std::string wrong = unknown_subcommand(app, arguments); !wrong.empty()) {
        fail(Error{wrong});
        return kExitUsage;
    }
    try {
        app.parse(static_cast<int>(arguments.size()), arguments.data());
    } catch (const CLI::ParseError &error) {
        return app.exit(error) == 0 ? kExitDone : kExitUsage;
    }
    if (std::fflush(stdout) != 0 || std::ferror(stdout))
        return fail(Error{fmt::format("stdout: {}", std::strerror(errno))}, failure);
    return exit_code;
}

}  // namespace
}  // namespace btf_extra

int main(int argc, char **argv) {
    btf_extra::take_large_pages(argc, argv);
    int failure = btf_extra::kExitFailed;
    try {
        return btf_extra::run(argc, argv, failure);
    } catch (const std::exception &error) {
        // Out of memory, or fmt::print() that could not write.
        bool output = std::ferror(stdout) != 0;
        std::fprintf(stderr, "btf-extra: %s%s\n", output ? "stdout: " : "", error.what());
        return failure;
    }
}
