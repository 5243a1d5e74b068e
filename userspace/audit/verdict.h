// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Decides what a tracing program at an attach point sees on a kernel: every call, some, or none.
#ifndef BTF_EXTRA_VERDICT_H
#define BTF_EXTRA_VERDICT_H

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "userspace/audit/attach_point.h"
#include "userspace/audit/audited_kernel.h"

namespace btf_extra::audit {

// The worst first.
enum class Verdict : uint8_t {
    kMissing,      // no such function
    kInlined,      // it has no body: the attach fails
    kRenamed,      // its bodies have other symbols: foo.isra.0
    kAmbiguous,    // several bodies have the name
    kUntraceable,  // the kernel refuses the attach
    kArguments,    // a parameter that the program reads is not where it looks
    kMisses,       // some calls are inlined
    kPrototype,    // it has another prototype than on an earlier kernel
    kNotKnown,
    kWhole,  // every call begins at the attach point
};

// Returns the words of the table: "inlined".
std::string_view verdict_name(Verdict verdict);
std::optional<Verdict> verdict_of_name(std::string_view name);
std::span<const std::string_view> verdict_names();

// A function that the source renames keeps these.
struct FuncIdentity {
    std::string file;
    std::string types;  // "int (int, struct path *)"

    auto operator<=>(const FuncIdentity &) const = default;
};

// Nothing: its file or its prototype is not known.
std::optional<FuncIdentity> identity_of(const ObjectView &view, uint32_t func_id);

struct Finding {
    Verdict verdict = Verdict::kNotKnown;
    uint32_t calls = 0;   // sites at which a call begins
    uint32_t missed = 0;  // those of them that the program does not see
    // true if the kernel attaches the program somewhere; nothing: not known, or a pattern.
    std::optional<bool> attaches = {};
    int error = 0;         // errno of an attach that fails; 0: not known
    uint64_t address = 0;  // of the symbol that it attaches to; 0: not known, or a pattern
    std::vector<std::string> lines = {};  // of detail
    std::string prototype = {};           // of the only function; empty: not known, or several
    std::optional<FuncIdentity> identity = {};  // likewise

    // Returns "misses 3 of 5", or the name of the verdict.
    std::string text() const;
};

Finding judge(const AttachPoint &point, const AuditedKernel &kernel);

// Makes a finding of each later kernel one of kPrototype if all calls are seen, but the prototype
// is not that of the first kernel that has one. findings: of one attach point, by kernel.
void compare_prototypes(std::vector<Finding> &findings);

}  // namespace btf_extra::audit

#endif
