// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// What the kernel does with the plain name of a function: where a kprobe or an fentry program on
// "foo" attaches to, or how it fails. The rules differ between versions. The table in
// attach_rules.cpp names the function of the kernel and the commit of each.
//
// A kprobe by name is that of /sys/kernel/tracing/kprobe_events and of perf_event_open(2), which
// libbpf and `perf probe` without debug information use. It uses the literal symbol: "foo" never
// matches foo.isra.0. Errors are those of perf_event_open(2); tracefs of 7.3.4 returns EINVAL for
// them.
#ifndef BTF_EXTRA_ATTACH_RULES_H
#define BTF_EXTRA_ATTACH_RULES_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "userspace/format/core_api.h"
#include "userspace/format/place.h"

namespace btf_extra {

struct KernelVersion {
    uint32_t major, minor;
    std::optional<uint32_t> patch;  // nothing: not known of a distribution's "6.1.0-28-amd64"

    // Reads /proc/version. For Debian's kernels it contains the stable release, too: "Debian
    // 6.1.192-2".
    static std::optional<KernelVersion> parse(std::string_view banner);
};

enum class AttachRule : uint8_t {
    kOneSymbol,            // a kprobe by a name that several symbols of vmlinux have is refused
    kCountModules,         // symbols of modules count, too
    kVmlinuxFirst,         // they do not count if vmlinux has the name
    kOwnModule,            // fentry takes a function of a module's BTF from that module
    kDirectCallsArm64,     // arm64 has trampolines for fentry
    kStackArgumentsX86,    // they pass arguments on that are on the stack
    kStackArgumentsArm64,  // the same
};

struct KernelRule {
    AttachRule rule;
    KernelVersion since;          // of mainline
    const char *kernel_function;  // that does it
    const char *commit;           // that began it
    // Series of stable kernels older than `since`. Others are not known.
    struct Series {
        uint32_t major, minor;
        std::optional<uint32_t> since;   // the first release that has it
        std::optional<uint32_t> before;  // the last release that was seen without it
    };
    std::span<const Series> series;
};

// All rules, by AttachRule.
std::span<const KernelRule> kernel_rules();

// Returns whether a kernel has a rule. Nothing: not known.
std::optional<bool> has_rule(AttachRule rule, const std::optional<KernelVersion> &version);

struct NamedSymbol {
    std::string_view object;  // "vmlinux" or a module
    Place place;
    uint64_t address;  // 0: not known
};

// The arguments and the result that a trampoline of fentry has to pass on.
struct FuncShape {
    const loc_arch *arch;  // NULL: not known
    // No end of a variadic prototype, no structure as the result, and at most ARG_SLOTS_PARAMS
    // parameters of at most 16 bytes.
    bool fits;
    uint32_t words;  // of its arguments
};

// All that decides about a name.
struct NameFacts {
    std::optional<KernelVersion> version;
    std::string_view object;           // that has the function
    std::vector<NamedSymbol> vmlinux;  // its symbols of that name, in order of address
    std::vector<NamedSymbol> modules;  // those of modules
    std::optional<bool> func;          // vmlinux BTF has a FUNC of that name; nothing: not known
    std::optional<bool> module_func;   // the BTF of the module has one; false for vmlinux
    std::optional<FuncShape> shape;    // of the function; nothing: no FUNC to attach to is known
    // A body has a symbol "foo.llvm.1234". cleanup_symbol_name() of a kernel that clang's LTO built
    // takes it for "foo" in 6.1.192, and is gone from 7.3.4.
    bool has_llvm = false;
};

struct NameVerdict {
    enum class Kind : uint8_t {
        kAttaches,
        kSeveralSymbols,  // EADDRNOTAVAIL
        kNoSymbol,        // ENOENT
        kNoFunc,          // ESRCH from libbpf: no BTF has the FUNC
        kPrototype,       // EINVAL: no trampoline takes functions like this
        kTrampoline,      // ENOTSUPP: this kernel's trampoline does not take it
        kNotKnown,
    };
    Kind kind;
    std::optional<NamedSymbol> symbol = {};  // to which it attaches
    size_t symbols = 0;                      // that count
    std::optional<AttachRule> unknown = {};  // kNotKnown: the rule that decides, if it is a rule
};

NameVerdict kprobe_by_name(const NameFacts &facts);
NameVerdict fentry_by_name(const NameFacts &facts);

// Returns how many words of arguments the trampolines of a kernel pass on; 0: it has none. Nothing:
// not known.
std::optional<uint32_t> trampoline_words(const loc_arch *arch,
                                         const std::optional<KernelVersion> &version);

// The kernel's own errno, which user space knows no name of.
inline constexpr int kErrnoNotSupp = 524;

// Returns the errno of a failure; 0 if it attaches or if that is not known.
int error_of(NameVerdict::Kind kind);

// Returns "ENOENT", or "ENOTSUPP" for kErrnoNotSupp.
std::string_view error_name(int error);

}  // namespace btf_extra

#endif
