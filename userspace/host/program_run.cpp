// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/host/program_run.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "userspace/format/file_descriptor.h"

extern char **environ;

namespace btf_extra::host {
namespace {

std::string last_line(std::string text) {
    text.erase(text.find_last_not_of(" \t\r\n") + 1);
    return text.substr(text.find_last_of('\n') + 1);
}

std::string read_to_end(int fd) {
    std::string out;
    std::array<char, 4096> part;
    for (ssize_t size;
         (size = read(fd, part.data(), part.size())) > 0 || (size < 0 && errno == EINTR);)
        if (size > 0)
            out.append(part.data(), static_cast<size_t>(size));
    return out;
}

}  // namespace

Result<void> run_program(const std::vector<std::string> &arguments, bool quiet) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return Error{fmt::format("{}: {}", arguments[0], std::strerror(errno)), errno};
    FileDescriptor from(ends[0]), into(ends[1]);
    std::vector<char *> argv;
    for (const std::string &argument : arguments)
        argv.push_back(const_cast<char *>(argument.c_str()));
    argv.push_back(nullptr);

    const int output = quiet ? into.get() : STDERR_FILENO;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO);
    // A StagedFolder has blocked signals, and a program would inherit that.
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    pid_t child = 0;
    const int error = posix_spawnp(&child, argv[0], &actions, &attributes, argv.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    if (error != 0)
        return Error{fmt::format("{}: {}", arguments[0], std::strerror(error)), error};
    into.reset();
    const std::string printed = quiet ? read_to_end(from.get()) : "";
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return {};
    std::string reason = last_line(printed);
    if (reason.empty())
        reason = WIFEXITED(status) ? fmt::format("exit code {}", WEXITSTATUS(status))
                                   : fmt::format("killed by signal {}", WTERMSIG(status));
    return Error{fmt::format("{}: {}", fmt::join(arguments, " "), reason)};
}

}  // namespace btf_extra::host
