// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The machine that a command looks at or changes: where its files are, and which kernel runs.
#ifndef BTF_EXTRA_HOST_H
#define BTF_EXTRA_HOST_H

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace btf_extra::host {

struct Host {
    std::string root;     // goes before each path; "": the machine's own files
    std::string release;  // of the kernel that runs, as uname -r says
    std::string machine;  // as uname -m says

    std::string path(std::string_view absolute) const { return root + std::string(absolute); }
};

Host this_host();

// Returns the contents of a file, of /proc and sysfs as well, without white space at its end.
// Nothing: it cannot be read.
std::optional<std::string> read_text(const std::string &path);

// Return lower-case hex; "": it cannot be read, or there is none.
std::string running_build_id(const Host &host);
std::string loaded_build_id(const Host &host, const std::string &module);

// Returns the names in /proc/modules, sorted. Those of btf_extra itself, its data and its stubs are
// left out, because they are not traced.
std::vector<std::string> other_modules(const Host &host);

}  // namespace btf_extra::host

#endif
