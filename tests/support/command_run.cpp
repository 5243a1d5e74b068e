// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "tests/support/command_run.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace btf_extra::test {

namespace fs = std::filesystem;

TemporaryFolder::TemporaryFolder() : path_(fs::temp_directory_path() / "btf-extra-test.XXXXXX") {
    if (mkdtemp(path_.data()) == nullptr)
        throw std::runtime_error("no temporary folder");
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
}

std::string TemporaryFolder::path(std::string_view name) const {
    return (fs::path(path_) / name).string();
}

std::vector<std::string> TemporaryFolder::names() const {
    std::vector<std::string> out;
    for (const auto &entry : fs::directory_iterator(path_))
        out.push_back(entry.path().filename().string());
    std::ranges::sort(out);
    return out;
}

void write_file(const std::string &path, std::string_view text) {
    // Removing the old file is faster: ext4 waits for the disk if a file is truncated and written
    // again.
    fs::remove(path);
    std::ofstream(path, std::ios::binary) << text;
}

void write_file(const std::string &path, std::span<const std::byte> bytes) {
    write_file(path, std::string_view(reinterpret_cast<const char *>(bytes.data()), bytes.size()));
}

std::string read_file(const std::string &path) {
    std::ostringstream out;
    out << std::ifstream(path, std::ios::binary).rdbuf();
    return out.str();
}

CommandResult run_command(const std::vector<std::string> &arguments) {
    TemporaryFolder folder;
    std::string out = folder.path("out"), err = folder.path("err");
    std::vector<char *> argv;
    for (const std::string &argument : arguments)
        argv.push_back(const_cast<char *>(argument.c_str()));
    argv.push_back(nullptr);

    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    constexpr int kFlags = O_WRONLY | O_CREAT | O_TRUNC;
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, out.c_str(), kFlags, 0600);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, err.c_str(), kFlags, 0600);
    pid_t child = 0;
    int error = posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error != 0)
        throw std::runtime_error("cannot run " + arguments[0]);
    int status = 0;
    waitpid(child, &status, 0);
    int exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return {exit_code, read_file(out), read_file(err)};
}

CommandResult run_btf_extra(std::vector<std::string> arguments) {
    const char *build = std::getenv("BTF_EXTRA_BUILD");
    if (build == nullptr)
        throw std::runtime_error("BTF_EXTRA_BUILD is not set: run the tests through make check");
    arguments.insert(arguments.begin(), std::string(build) + "/btf-extra");
    return run_command(arguments);
}

void expect_failed(const CommandResult &result, std::string message, int exit_code) {
    EXPECT_EQ(result.exit_code, exit_code);
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(result.err.find('\n'), result.err.size() - 1) << result.err;
    message = "btf-extra: " + message;
    if (message.ends_with("..."))
        EXPECT_EQ(result.err.substr(0, message.size() - 3) + "...", message);
    else
        EXPECT_EQ(result.err, message + "\n");
}

}  // namespace btf_extra::test
