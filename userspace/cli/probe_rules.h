// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Where the kernel takes no kprobe events: text that kprobes keep out of, and
// functions that ftrace does not know.
#ifndef BTF_EXTRA_PROBE_RULES_H
#define BTF_EXTRA_PROBE_RULES_H

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "userspace/format/elf_image.h"
#include "userspace/lib/tables/symbols.h"

namespace btf_extra {

class ProbeRules {
  public:
    static ProbeRules of_kernel(const ElfImage &kernel, const Symbols &symbols);
    static ProbeRules of_running(const Symbols &symbols);

    // Why there can be none at an address in the function of that symbol; NULL: nothing is known
    // against it.
    const char *refusal(uint64_t address, const std::string &symbol) const;

  private:
    using AddressOf = std::function<std::optional<uint64_t>(const char *symbol)>;
    void add_ranges(const AddressOf &address_of);

    std::vector<std::pair<uint64_t, uint64_t>> ranges_;
    std::unordered_set<uint64_t> jump_labels_;  // of the file; nothing tells of those that run
    std::unordered_set<std::string> blacklisted_;
    std::unordered_set<std::string> traced_;  // none: not known
};

}  // namespace btf_extra

#endif
