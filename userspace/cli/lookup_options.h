// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// What `lookup` asks for, of a file or of the running kernel.
#ifndef BTF_EXTRA_LOOKUP_OPTIONS_H
#define BTF_EXTRA_LOOKUP_OPTIONS_H

#include <cstdint>
#include <optional>
#include <string>

namespace btf_extra {

struct LookupOptions {
    std::optional<std::string> name;
    std::string source_file;
    std::optional<uint32_t> id;
    std::optional<std::string> address;
    std::string object;  // with --running; empty: any
    bool json = false;

    // For the message when there is nothing: "no function foo in file a.c".
    std::string nothing() const;
};

// Of the running kernel. The process's exit code.
int run_running_lookup(const LookupOptions &options);

}  // namespace btf_extra

#endif
