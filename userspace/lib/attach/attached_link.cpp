// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/lib/attach/attached_link.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <utility>

#include <bpf/bpf.h>
#include <fmt/format.h>
#include <linux/bpf.h>
#include <unistd.h>

#include "userspace/format/hex_number.h"
#include "userspace/lib/attach/open_descriptors.h"

namespace btf_extra {
namespace {

// BPF_TRACE_FSESSION, since Linux 7.0.
constexpr uint32_t kFsession = 58;

std::optional<AttachedLink::Kind> kind_of(const bpf_link_info &info) {
    if (info.type != BPF_LINK_TYPE_TRACING)
        return {};
    switch (info.tracing.attach_type) {
    case BPF_TRACE_FENTRY:
        return AttachedLink::Kind::kFentry;
    case BPF_TRACE_FEXIT:
        return AttachedLink::Kind::kFexit;
    case BPF_MODIFY_RETURN:
        return AttachedLink::Kind::kModifyReturn;
    case kFsession:
        return AttachedLink::Kind::kFsession;
    default:
        return {};
    }
}

std::optional<uint64_t> id_of(const OpenDescriptor &descriptor) {
    std::ifstream file(fmt::format("/proc/{}/fdinfo/{}", descriptor.pid, descriptor.fd));
    for (std::string key, value; file >> key && std::getline(file >> std::ws, value);)
        if (key == "link_id:")
            return parse_number(value);
    return {};
}

}  // namespace

const char *text(AttachedLink::Kind kind) {
    switch (kind) {
    case AttachedLink::Kind::kFentry:
        return "fentry";
    case AttachedLink::Kind::kFexit:
        return "fexit";
    case AttachedLink::Kind::kFsession:
        return "fsession";
    default:
        return "fmod_ret";
    }
}

Result<std::vector<uint32_t>> link_ids() {
    std::vector<uint32_t> out;
    for (uint32_t id = 0; bpf_link_get_next_id(id, &id) == 0;)
        out.push_back(id);
    if (errno != ENOENT) {
        const int code = errno;
        return Error{fmt::format("the list of BPF links: {}", std::strerror(code)), code};
    }
    return out;
}

Result<std::optional<AttachedLink>> attached_link(uint32_t id) {
    FileDescriptor fd(bpf_link_get_fd_by_id(id));
    if (!fd && errno == ENOENT)
        return std::optional<AttachedLink>();
    bpf_link_info info = {};
    uint32_t size = sizeof(info);
    if (!fd || bpf_obj_get_info_by_fd(fd.get(), &info, &size) != 0) {
        const int code = errno;
        return Error{fmt::format("BPF link {}: {}", id, std::strerror(code)), code};
    }
    const auto kind = kind_of(info);
    // Programs of this kind may also replace parts of other programs.
    if (!kind || info.tracing.target_obj_id == 0)
        return std::optional<AttachedLink>();
    auto target = link_target(info.tracing.target_obj_id, info.tracing.target_btf_id);
    if (!target)  // a program of BPF, whose BTF has no name
        return std::optional<AttachedLink>();
    return std::optional(AttachedLink{id, info.prog_id, *kind, std::move(fd), std::move(*target)});
}

LinkOwner owner_of(uint32_t pid) {
    LinkOwner out = {pid, ""};
    std::ifstream file(fmt::format("/proc/{}/comm", pid));
    std::getline(file, out.command);
    return out;
}

std::map<uint32_t, LinkOwner> link_owners(std::set<uint32_t> wanted) {
    std::map<uint32_t, LinkOwner> out;
    const bool all = wanted.empty();
    visit_descriptors("bpf_link", [&](const OpenDescriptor &descriptor) {
        const auto id = id_of(descriptor);
        if (id && (all || wanted.erase(static_cast<uint32_t>(*id)) != 0))
            out.emplace(static_cast<uint32_t>(*id), owner_of(descriptor.pid));
        return all || !wanted.empty();
    });
    return out;
}

}  // namespace btf_extra
