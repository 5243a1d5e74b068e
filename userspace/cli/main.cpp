// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>

#include <fmt/format.h>

#include "userspace/cli/command.h"

namespace btf_extra {

int fail(const Error &error) {
    std::string line = error.message;
    for (char &c : line)
        if (static_cast<unsigned char>(c) < ' ')
            c = '?';
    std::fflush(stdout);
    fmt::print(stderr, "btf-extra: {}\n", line);
    return kExitFailed;
}

}  // namespace btf_extra

int main(int argc, char **argv) {
    using namespace btf_extra;
    CLI::App app("Location BTF for inlined and out-of-line kernel functions", "btf-extra");
    app.require_subcommand(1);
    int exit_code = kExitDone;
    add_generate(app, exit_code);
    add_stat(app, exit_code);
    add_dump(app, exit_code);
    add_check(app, exit_code);
    add_lookup(app, exit_code);
    try {
        app.parse(argc, argv);
        if (std::fflush(stdout) != 0 || std::ferror(stdout))
            return fail(Error{fmt::format("stdout: {}", std::strerror(errno))});
    } catch (const CLI::ParseError &error) {
        return app.exit(error) == 0 ? kExitDone : kExitUsage;
    } catch (const std::exception &error) {
        return fail(Error{error.what()});  // out of memory, or stdout closed on the way
    }
    return exit_code;
}
