// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Runs commands for tests, in a folder that is removed after the test.
#ifndef BTF_EXTRA_TESTS_COMMAND_RUN_H
#define BTF_EXTRA_TESTS_COMMAND_RUN_H

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace btf_extra::test {

// A folder in the system's folder for temporary files. It is removed with everything in it.
class TemporaryFolder {
  public:
    TemporaryFolder();
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder &) = delete;
    TemporaryFolder &operator=(const TemporaryFolder &) = delete;

    std::string path(std::string_view name) const;

    // Returns the names in the folder, sorted.
    std::vector<std::string> names() const;

  private:
    std::string path_;
};

void write_file(const std::string &path, std::span<const std::byte> bytes);
void write_file(const std::string &path, std::string_view text);
std::string read_file(const std::string &path);

struct CommandResult {
    int exit_code;  // 128 + the signal's number if the command was killed
    std::string out, err;
};

// Looks the program up in PATH; no shell is involved.
CommandResult run_command(const std::vector<std::string> &arguments);

// Runs the btf-extra of the build folder that BTF_EXTRA_BUILD names.
CommandResult run_btf_extra(std::vector<std::string> arguments);

// Expects this exit code, nothing on stdout, and one line: "btf-extra: " and the message. A message
// that ends in "..." is a prefix of the line.
void expect_failed(const CommandResult &result, std::string message, int exit_code = 1);

}  // namespace btf_extra::test

#endif
