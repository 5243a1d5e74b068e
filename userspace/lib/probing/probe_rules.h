// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Tells where the kernel takes no kprobe events: in text that kprobes keep out of, and in functions
// that ftrace does not know.
#ifndef BTF_EXTRA_PROBE_RULES_H
#define BTF_EXTRA_PROBE_RULES_H

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "userspace/code/code_tables.h"
#include "userspace/code/probed_instructions.h"
#include "userspace/code/running_code.h"
#include "userspace/format/elf_image.h"
#include "userspace/format/result.h"
#include "userspace/lib/probing/traced_functions.h"
#include "userspace/lib/tables/symbols.h"

namespace btf_extra {

struct ProbeRefusal {
    uint32_t reason;  // BTF_EXTRA_REASON_KPROBE or _NOTRACE; 0: nothing is known against a probe
    const char *why;  // NULL: the same
};

class ProbeRules {
  public:
    // The rules of vmlinux or of a module. The file must outlive them.
    static Result<ProbeRules> of_file(const ElfImage &elf, const Symbols &symbols);
    static ProbeRules of_running(const Symbols &symbols);

    // Returns whether the functions that ftrace lists are known.
    bool knows_traced() const { return !traced_.names.empty(); }

    // Returns the code at a place, up to that many bytes; empty: it is not known.
    std::vector<uint8_t> code(const Place &place, size_t size) const;

    // Returns why no probe is possible at a place this far after that symbol. with_notrace: the
    // kprobe is not an event, and may be in functions that ftrace does not list.
    ProbeRefusal refusal(const Place &place, const std::string &symbol, uint64_t distance,
                         bool with_notrace) const;

    // Returns whether ftrace lists the function at a place this far after that symbol. Nothing: not
    // known.
    std::optional<bool> is_traced(const Place &place, const std::string &symbol,
                                  uint64_t distance) const;

  private:
    const char *refusal_of_code(const Place &place, uint64_t distance) const;

    const ElfImage *elf_ = nullptr;  // NULL: of the running kernel
    std::vector<ClosedText> closed_;
    std::optional<ProbedInstructions> instructions_;  // of a file
    std::shared_ptr<const RunningCode> running_;      // NULL: of a file
    FunctionSet blacklisted_;
    FunctionSet traced_;  // empty: not known
};

}  // namespace btf_extra

#endif
