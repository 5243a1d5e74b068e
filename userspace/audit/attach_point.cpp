// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/audit/attach_point.h"

#include <algorithm>
#include <cerrno>
#include <span>

#include <fmt/format.h>

#include "userspace/format/hex_number.h"

namespace btf_extra::audit {
namespace {

struct Prefix {
    std::string_view text;
    AttachKind kind;
    bool is_syscall = false;
};

// bpftrace 0.17 to 0.23.
constexpr Prefix kProbes[] = {
    {"kprobe", AttachKind::kKprobe},
    {"k", AttachKind::kKprobe},
    {"kretprobe", AttachKind::kKretprobe},
    {"kr", AttachKind::kKretprobe},
    {"fentry", AttachKind::kFentry},
    {"kfunc", AttachKind::kFentry},
    {"f", AttachKind::kFentry},
    {"fexit", AttachKind::kFexit},
    {"kretfunc", AttachKind::kFexit},
    {"fr", AttachKind::kFexit},
};

// section_defs in libbpf.c of Linux 7.3.4.
constexpr Prefix kSections[] = {
    {"kprobe", AttachKind::kKprobe},
    {"kretprobe", AttachKind::kKretprobe},
    {"ksyscall", AttachKind::kKprobe, true},
    {"kretsyscall", AttachKind::kKretprobe, true},
    {"kprobe.multi", AttachKind::kKprobeMulti},
    {"kretprobe.multi", AttachKind::kKretprobeMulti},
    {"kprobe.session", AttachKind::kKprobeMulti},
    {"fentry", AttachKind::kFentry},
    {"fentry.s", AttachKind::kFentry},
    {"fexit", AttachKind::kFexit},
    {"fexit.s", AttachKind::kFexit},
    {"fmod_ret", AttachKind::kFmodRet},
    {"fmod_ret.s", AttachKind::kFmodRet},
    {"fsession", AttachKind::kFsession},
    {"fsession.s", AttachKind::kFsession},
    {"fentry.multi", AttachKind::kFentryMulti},
    {"fentry.multi.s", AttachKind::kFentryMulti},
    {"fexit.multi", AttachKind::kFexitMulti},
    {"fexit.multi.s", AttachKind::kFexitMulti},
    {"fsession.multi", AttachKind::kFsessionMulti},
    {"fsession.multi.s", AttachKind::kFsessionMulti},
};

Result<std::optional<AttachPoint>> parse(std::string_view text, char separator,
                                         std::span<const Prefix> prefixes) {
    const size_t end = text.find(separator);
    if (end == text.npos)
        return std::optional<AttachPoint>();
    const auto prefix = std::ranges::find(prefixes, text.substr(0, end), &Prefix::text);
    if (prefix == prefixes.end())
        return std::optional<AttachPoint>();
    AttachPoint out = {};
    out.kind = prefix->kind;
    out.is_syscall = prefix->is_syscall;
    std::string_view func = text.substr(end + 1);
    if (const size_t plus = func.find('+'); plus != func.npos && !is_by_btf(out.kind)) {
        const auto offset = parse_number(func.substr(plus + 1));
        if (!offset)
            return Error{fmt::format("'{}': '{}' is no offset", text, func.substr(plus + 1)),
                         EINVAL};
        out.offset = *offset;
        func = func.substr(0, plus);
    }
    if (func.empty())
        return Error{fmt::format("'{}': the name of a function is missing", text), EINVAL};
    auto parsed = parse_func_text(std::string(func));
    if (!parsed)
        return parsed.error();
    out.func = std::move(*parsed);
    return std::optional(std::move(out));
}

}  // namespace

std::string_view kind_name(AttachKind kind) {
    switch (kind) {
    case AttachKind::kKprobe:
        return "kprobe";
    case AttachKind::kKretprobe:
        return "kretprobe";
    case AttachKind::kKprobeMulti:
        return "kprobe.multi";
    case AttachKind::kKretprobeMulti:
        return "kretprobe.multi";
    case AttachKind::kFentry:
        return "fentry";
    case AttachKind::kFexit:
        return "fexit";
    case AttachKind::kFmodRet:
        return "fmod_ret";
    case AttachKind::kFsession:
        return "fsession";
    case AttachKind::kFentryMulti:
        return "fentry.multi";
    case AttachKind::kFexitMulti:
        return "fexit.multi";
    case AttachKind::kFsessionMulti:
        return "fsession.multi";
    case AttachKind::kFunction:
        return "function";
    }
    return "";
}

std::string AttachPoint::text() const {
    std::string out =
        fmt::format("{}:", is_syscall ? kind == AttachKind::kKprobe ? "ksyscall" : "kretsyscall"
                                      : kind_name(kind));
    if (!func.object.empty())
        out += func.object + ":";
    out += func.name;
    if (!func.file.empty())
        out += "@" + func.file;
    if (offset != 0)
        out += fmt::format("+{:#x}", offset);
    return out;
}

Result<std::optional<AttachPoint>> parse_bpftrace_probe(std::string_view text) {
    auto probe = parse(text, ':', kProbes);
    return probe && !*probe ? parse(text, ':', kSections) : std::move(probe);
}

Result<std::optional<AttachPoint>> parse_section_name(std::string_view text) {
    if (text.starts_with('?'))  // not loaded unless the program asks for it
        text.remove_prefix(1);
    return parse(text, '/', kSections);
}

}  // namespace btf_extra::audit
