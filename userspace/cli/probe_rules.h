// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Where the kernel takes no kprobe events: text that kprobes keep out of, and
// functions that ftrace does not know.
#ifndef BTF_EXTRA_PROBE_RULES_H
#define BTF_EXTRA_PROBE_RULES_H

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "userspace/format/elf_image.h"
#include "userspace/lib/tables/running_code.h"
#include "userspace/lib/tables/symbols.h"

namespace btf_extra {

struct ProbeRefusal {
    uint32_t reason;  // BTF_EXTRA_REASON_KPROBE or _NOTRACE; 0: nothing is known against a probe
    const char *why;  // NULL: the same
};

class ProbeRules {
  public:
    // The kernel's file must outlive the rules.
    static ProbeRules of_kernel(const ElfImage &kernel, const Symbols &symbols);
    static ProbeRules of_running(const Symbols &symbols);

    // Why there can be none at an address so far behind that symbol. with_notrace: of a kprobe that
    // is no event, which may be in functions that ftrace does not know.
    ProbeRefusal refusal(uint64_t address, const std::string &symbol, uint64_t distance,
                         bool with_notrace) const;

  private:
    using AddressOf = std::function<std::optional<uint64_t>(const char *symbol)>;
    void add_ranges(const AddressOf &address_of);
    const char *refusal_of_code(uint64_t address, uint64_t distance) const;

    std::vector<std::pair<uint64_t, uint64_t>> ranges_;
    const ElfImage *kernel_ = nullptr;  // NULL: the code is what runs
    std::shared_ptr<const RunningCode> running_;
    std::string release_;
    std::unordered_set<uint64_t> jump_labels_, faulting_;
    std::unordered_set<std::string> blacklisted_;
    std::unordered_set<std::string> traced_;  // none: not known
};

}  // namespace btf_extra

#endif
