// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// A tree of files that stands for a whole machine.
#ifndef BTF_EXTRA_TESTS_MADE_UP_HOST_H
#define BTF_EXTRA_TESTS_MADE_UP_HOST_H

#include <string>
#include <string_view>

#include "tests/support/command_run.h"
#include "userspace/host/host.h"

namespace btf_extra::test {

class MadeUpHost {
  public:
    explicit MadeUpHost(const std::string &release = "6.1.0-test");

    const host::Host &host() const { return host_; }
    std::string path(std::string_view absolute) const { return host_.path(absolute); }

    // Writes a file with all folders above it.
    void write(std::string_view absolute, std::string_view text) const;
    // Removes a file, or a folder with everything in it.
    void remove(std::string_view absolute) const;
    // Writes a file of notes, with a build-id of hex digits.
    void write_notes(std::string_view absolute, std::string_view build_id) const;

  private:
    TemporaryFolder folder_;
    host::Host host_;
};

// Returns the bytes of a GNU build-id note.
std::string build_id_note(std::string_view build_id);

}  // namespace btf_extra::test

#endif
