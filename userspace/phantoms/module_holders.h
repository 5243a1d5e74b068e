// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Finds out who keeps a module with stubs from being unloaded.
#ifndef BTF_EXTRA_MODULE_HOLDERS_H
#define BTF_EXTRA_MODULE_HOLDERS_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace btf_extra::phantoms {

// "BPF program 17 'on_headlen' on skb_headlen (pid 4711)", one text for each BPF program that is
// attached to the BTF of the module; what else holds it is a number.
std::string holders_text(const std::string &module, uint64_t users);

// The ids that the text of /proc/PID/fdinfo/N names after a key, as in "prog_id:\t17".
std::vector<uint32_t> fdinfo_ids(std::string_view text, std::string_view key);

}  // namespace btf_extra::phantoms

#endif
