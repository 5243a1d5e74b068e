// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The BPF links whose programs btf_extra.ko runs at inlined calls, too: for `follow`, another user
// of its device, or by itself in a patched kernel.
#ifndef BTF_EXTRA_COMPLETED_LINKS_H
#define BTF_EXTRA_COMPLETED_LINKS_H

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>

namespace btf_extra {

// The number of these calls by the id of the BPF link.
using CompletedLinks = std::map<uint32_t, uint32_t>;

inline constexpr char kLinksFile[] = "/sys/kernel/debug/btf_extra/links";

// Reads the file. Returns nothing if that is not possible: btf_extra.ko is not loaded, or debugfs
// is not mounted.
std::optional<CompletedLinks> completed_links();

// Reads the lines of the file. Programs without a BPF link and lines of another form are left out.
CompletedLinks parse_completed_links(std::string_view lines);

}  // namespace btf_extra

#endif
