// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// A place to which a tracing program attaches by the name of a function: the SEC() of a BPF program
// ("fentry/tcp_v4_rcv") or a probe of bpftrace ("kprobe:tcp_*").
#ifndef BTF_EXTRA_ATTACH_POINT_H
#define BTF_EXTRA_ATTACH_POINT_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "userspace/audit/context_reads.h"
#include "userspace/format/result.h"
#include "userspace/text/func_text.h"

namespace btf_extra::audit {

// How the kernel finds the function, and what the program sees.
enum class AttachKind : uint8_t {
    kKprobe,  // by symbol, one
    kKretprobe,
    kKprobeMulti,  // by symbol or pattern, many
    kKretprobeMulti,
    kFentry,  // by the FUNC in BTF
    kFexit,
    kFmodRet,
    kFsession,     // at the entry and the return
    kFentryMulti,  // by the FUNC in BTF, many
    kFexitMulti,
    kFsessionMulti,
    kFunction,  // the function tracer of ftrace, at all of a name
};

constexpr bool is_by_btf(AttachKind kind) {
    return kind >= AttachKind::kFentry && kind <= AttachKind::kFsessionMulti;
}

// Returns true if a program is at many functions.
constexpr bool is_multi(AttachKind kind) {
    return kind == AttachKind::kKprobeMulti || kind == AttachKind::kKretprobeMulti ||
           (kind >= AttachKind::kFentryMulti && kind <= AttachKind::kFsessionMulti);
}

// Returns true if the program runs when the function returns.
constexpr bool sees_return(AttachKind kind) {
    return kind == AttachKind::kKretprobe || kind == AttachKind::kKretprobeMulti ||
           kind == AttachKind::kFexit || kind == AttachKind::kFexitMulti ||
           kind == AttachKind::kFsession || kind == AttachKind::kFsessionMulti;
}

// Returns the name as bpftrace writes it: "kprobe".
std::string_view kind_name(AttachKind kind);

struct AttachPoint {
    AttachKind kind;
    FuncText func;  // a pattern, if kprobes by pattern or bpftrace expand it
    bool is_syscall =
        false;            // func is a system call: the kernel adds the prefix of its architecture
    uint64_t offset = 0;  // kprobe:foo+0x10
    ContextReads reads;   // of the program
    std::string origin;   // "tool.bpf.o: on_open"; empty: given on the command line
    uint32_t completed = 0;  // inlined calls at which btf_extra.ko runs the program as well

    // Returns "kprobe:xfs:foo+0x10".
    std::string text() const;
};

// Reads a probe of bpftrace, or what AttachPoint::text() returns. Nothing: it is none of a kernel
// function ("tracepoint:...", "BEGIN"). It is an error if it is, but names none.
Result<std::optional<AttachPoint>> parse_bpftrace_probe(std::string_view text);

// Reads the name of a section of a libbpf object in the same way: "fentry.s/xfs:foo".
Result<std::optional<AttachPoint>> parse_section_name(std::string_view text);

}  // namespace btf_extra::audit

#endif
