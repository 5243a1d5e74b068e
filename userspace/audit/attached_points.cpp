// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/audit/attached_points.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <set>
#include <sstream>
#include <tuple>
#include <utility>

#include <bpf/bpf.h>
#include <fmt/format.h>
#include <linux/bpf.h>
#include <unistd.h>

#include "userspace/format/hex_number.h"
#include "userspace/lib/attach/attached_link.h"
#include "userspace/lib/attach/completed_links.h"
#include "userspace/lib/attach/open_descriptors.h"
#include "userspace/text/kprobe_line.h"

namespace btf_extra::audit {
namespace {

// The parts of struct bpf_link_info for links to many functions. The kernel fills that of
// kprobe.multi since 7ac8d0d26192 (6.6).
struct KprobeMultiInfo {
    uint32_t type, id, prog_id, padding;
    uint64_t addresses;
    uint32_t count, flags;
    uint64_t missed, cookies;
};
constexpr uint32_t kReturns = 1;  // BPF_F_KPROBE_MULTI_RETURN

// BPF_LINK_TYPE_TRACING_MULTI, of fentry.multi and the like, as 7.3 has it.
constexpr uint32_t kTracingMulti = 15;
struct TracingMultiInfo {
    uint32_t type, id, prog_id, padding;
    uint32_t attach_type, count, btf_id, more_padding;
    uint64_t func_ids, addresses, cookies;
};

// Fills the information of a link. false: the kernel does not have so much of it.
template <typename Info> bool read_info(int link, Info &info) {
    uint32_t size = sizeof(info);
    return bpf_obj_get_info_by_fd(link, reinterpret_cast<bpf_link_info *>(&info), &size) == 0;
}

std::string text_of(const std::map<uint32_t, LinkOwner> &owners, uint32_t link) {
    const auto owner = owners.find(link);
    return owner == owners.end() ? "pinned or without a process"
                                 : fmt::format("{}[{}]", owner->second.command, owner->second.pid);
}

// A tool may attach several programs to one function, which have one line if they see the same.
void drop_repeated(std::vector<AttachPoint> &points) {
    std::set<std::tuple<std::string, std::string, uint32_t>> seen;
    std::erase_if(points, [&](const AttachPoint &point) {
        return !seen.emplace(point.origin, point.text(), point.completed).second;
    });
}

void add_named(AttachPoints &out, AttachKind kind, const std::string &func, uint64_t offset,
               std::string origin, uint32_t completed = 0) {
    auto text = parse_func_text(func);
    if (!text) {
        out.others++;
        return;
    }
    AttachPoint point = {};
    point.kind = kind;
    point.func = std::move(*text);
    point.offset = offset;
    point.origin = std::move(origin);
    point.completed = completed;
    out.points.push_back(std::move(point));
}

// Adds the function that an address is in.
void add_address(SiteTables &tables, AttachPoints &out, AttachKind kind, uint64_t address,
                 std::string origin) {
    const Symbols *symbols = tables.symbols();
    const auto around =
        symbols != nullptr && address != 0 ? symbols->around({0, address}) : std::nullopt;
    if (around)
        add_named(out, kind, std::string(around->symbol), 0, std::move(origin));
    else
        out.others++;
}

AttachKind kind_of(AttachedLink::Kind kind) {
    switch (kind) {
    case AttachedLink::Kind::kFentry:
        return AttachKind::kFentry;
    case AttachedLink::Kind::kFexit:
        return AttachKind::kFexit;
    case AttachedLink::Kind::kFsession:
        return AttachKind::kFsession;
    default:
        return AttachKind::kFmodRet;
    }
}

void add_kprobe_multi(SiteTables &tables, int link, const std::string &origin, AttachPoints &out) {
    KprobeMultiInfo info = {};
    if (!read_info(link, info) || info.count == 0) {
        out.others++;
        return;
    }
    std::vector<uint64_t> addresses(info.count);
    const uint32_t flags = info.flags;
    info = {};
    info.addresses = reinterpret_cast<uint64_t>(addresses.data());
    info.count = static_cast<uint32_t>(addresses.size());
    if (!read_info(link, info))
        addresses.clear();
    for (const uint64_t address : addresses)
        add_address(tables, out,
                    (flags & kReturns) != 0 ? AttachKind::kKretprobeMulti
                                            : AttachKind::kKprobeMulti,
                    address, origin);
}

AttachKind kind_of_multi(uint32_t attach_type) {
    constexpr uint32_t kFentryMulti = 59, kFexitMulti = 60;  // BPF_TRACE_FENTRY_MULTI, ...
    return attach_type == kFentryMulti  ? AttachKind::kFentryMulti
           : attach_type == kFexitMulti ? AttachKind::kFexitMulti
                                        : AttachKind::kFsessionMulti;
}

void add_tracing_multi(SiteTables &tables, int link, const std::string &origin, AttachPoints &out) {
    TracingMultiInfo info = {};
    if (!read_info(link, info))
        return;
    std::vector<uint32_t> ids(info.count);
    const AttachKind kind = kind_of_multi(info.attach_type);
    auto target = link_target(info.btf_id, 0);
    info = {};
    info.func_ids = reinterpret_cast<uint64_t>(ids.data());
    info.count = static_cast<uint32_t>(ids.size());
    if (ids.empty() || !target || !read_info(link, info))
        return;
    for (const uint32_t id : ids) {
        target->func_id = id;
        if (const auto text = target_text(tables, *target))
            add_named(out, kind, *text, 0, origin);
        else
            out.others++;
    }
}

// A link may end at any time.
Result<void> add_links(SiteTables &tables, const CompletedLinks &completed, AttachPoints &out) {
    const auto ids = TRY(link_ids());
    const auto owners = link_owners();
    for (const uint32_t id : ids) {
        const auto link = attached_link(id);
        if (!link && link.error().code == EPERM)
            return link.error();
        if (link && *link) {
            const auto text = target_text(tables, (*link)->target);
            const auto own = completed.find(id);
            if (text)
                add_named(out, kind_of((*link)->kind), *text, 0, text_of(owners, id),
                          own == completed.end() ? 0 : own->second);
            else
                out.others++;
            continue;
        }
        const FileDescriptor fd(bpf_link_get_fd_by_id(id));
        bpf_link_info info = {};
        if (!fd || !read_info(fd.get(), info))
            continue;
        if (info.type == BPF_LINK_TYPE_KPROBE_MULTI)
            add_kprobe_multi(tables, fd.get(), text_of(owners, id), out);
        else if (info.type == kTracingMulti)
            add_tracing_multi(tables, fd.get(), text_of(owners, id), out);
    }
    return {};
}

void add_perf_event(SiteTables &tables, uint32_t pid, uint32_t fd, const std::string &origin,
                    AttachPoints &out) {
    char name[256] = "";
    uint32_t length = sizeof(name), program = 0, type = 0;
    __u64 offset = 0, address = 0;
    if (bpf_task_fd_query(static_cast<int>(pid), static_cast<int>(fd), 0, name, &length, &program,
                          &type, &offset, &address) != 0)
        return;  // without a program, or gone
    if (type != BPF_FD_TYPE_KPROBE && type != BPF_FD_TYPE_KRETPROBE)
        return;
    const AttachKind kind =
        type == BPF_FD_TYPE_KPROBE ? AttachKind::kKprobe : AttachKind::kKretprobe;
    if (name[0] != '\0')
        add_named(out, kind, name, offset, origin);
    else
        add_address(tables, out, kind, address, origin);
}

void add_perf_events(SiteTables &tables, AttachPoints &out) {
    visit_descriptors("[perf_event]", [&](const OpenDescriptor &descriptor) {
        const LinkOwner owner = owner_of(descriptor.pid);
        add_perf_event(tables, descriptor.pid, descriptor.fd,
                       fmt::format("{}[{}]", owner.command, descriptor.pid), out);
        return true;
    });
}

std::string contents(const char *name) {
    for (const char *folder : {"/sys/kernel/tracing/", "/sys/kernel/debug/tracing/"}) {
        std::ifstream in(std::string(folder) + name);
        if (in) {
            std::ostringstream out;
            out << in.rdbuf();
            return out.str();
        }
    }
    return "";
}

}  // namespace

void add_tracefs_kprobes(std::string_view lines, AttachPoints &out) {
    std::istringstream in{std::string(lines)};
    for (std::string line; std::getline(in, line);) {
        const auto probe = parse_kprobe_line(line);
        if (!probe)
            continue;
        const size_t plus = probe->place.find('+');
        const std::string symbol = probe->place.substr(0, plus);
        const auto offset = plus == probe->place.npos
                                ? std::optional<uint64_t>(0)
                                : parse_number(std::string_view(probe->place).substr(plus + 1));
        // perf counts from _text, and btf-extra from _stext.
        if (!offset || symbol == "_text" || symbol == "_stext" || symbol.starts_with("0x")) {
            out.others++;
            continue;
        }
        add_named(out, probe->at_return ? AttachKind::kKretprobe : AttachKind::kKprobe,
                  probe->module.empty() ? symbol : probe->module + ":" + symbol, *offset,
                  fmt::format("tracefs {}/{}", probe->group, probe->event));
    }
}

void add_ftrace_filter(std::string_view lines, AttachPoints &out) {
    std::istringstream in{std::string(lines)};
    for (std::string line; std::getline(in, line);) {
        std::string name, module;
        std::istringstream words(line);
        words >> name >> module;
        if (name.empty() || name[0] == '#')
            continue;
        if (module.size() > 2 && module.starts_with('[') && module.ends_with(']'))
            name = module.substr(1, module.size() - 2) + ":" + name;
        add_named(out, AttachKind::kFunction, name, 0, "set_ftrace_filter");
    }
}

Result<AttachPoints> attached_points(SiteTables &tables) {
    AttachPoints out;
    const auto completed = completed_links();
    out.knows_completed = completed.has_value();
    TRY(add_links(tables, completed.value_or(CompletedLinks()), out));
    add_perf_events(tables, out);
    add_tracefs_kprobes(contents("kprobe_events"), out);
    add_ftrace_filter(contents("set_ftrace_filter"), out);
    drop_repeated(out.points);
    return out;
}

}  // namespace btf_extra::audit
