// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/lib/attach/attached_link.h"

#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <bpf/bpf.h>
#include <fmt/format.h>
#include <linux/bpf.h>
#include <unistd.h>

namespace btf_extra {
namespace {

namespace fs = std::filesystem;

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
    default:
        return {};
    }
}

std::optional<uint32_t> number_of(const std::string &text) {
    uint32_t number = 0;
    const auto end = text.data() + text.size();
    const auto [at, error] = std::from_chars(text.data(), end, number);
    return error == std::errc() && at == end ? std::optional(number) : std::nullopt;
}

// Descriptors of other files are not asked, because there are many.
bool is_link(const fs::path &descriptor) {
    std::error_code error;
    return fs::read_symlink(descriptor, error).native().find("bpf_link") != std::string::npos;
}

std::optional<uint32_t> id_in(const fs::path &fdinfo) {
    std::ifstream file(fdinfo);
    for (std::string key, value; file >> key && std::getline(file >> std::ws, value);)
        if (key == "link_id:")
            return number_of(value);
    return {};
}

// A process may end at any time: then it owns nothing.
void add_links_of(const fs::path &process, uint32_t pid, std::map<uint32_t, LinkOwner> &owners) {
    std::optional<LinkOwner> owner;
    std::error_code error;
    for (fs::directory_iterator it(process / "fd", error), end; !error && it != end;
         it.increment(error)) {
        if (!is_link(it->path()))
            continue;
        if (!owner)
            owner = owner_of(pid);
        if (const auto id = id_in(process / "fdinfo" / it->path().filename()))
            owners.emplace(*id, *owner);
    }
}

}  // namespace

const char *text(AttachedLink::Kind kind) {
    switch (kind) {
    case AttachedLink::Kind::kFentry:
        return "fentry";
    case AttachedLink::Kind::kFexit:
        return "fexit";
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

std::map<uint32_t, LinkOwner> link_owners() {
    std::map<uint32_t, LinkOwner> out;
    const auto self = static_cast<uint32_t>(getpid());
    std::error_code error;
    for (fs::directory_iterator it("/proc", error), end; !error && it != end; it.increment(error))
        if (const auto pid = number_of(it->path().filename()); pid && *pid != self)
            add_links_of(it->path(), *pid, out);
    return out;
}

}  // namespace btf_extra
