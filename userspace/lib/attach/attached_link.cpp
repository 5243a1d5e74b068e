// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/lib/attach/attached_link.h"

#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <ranges>
#include <string_view>
#include <utility>

#include <bpf/bpf.h>
#include <dirent.h>
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
bool is_link(int folder, const char *descriptor) {
    char target[32];
    const ssize_t size = readlinkat(folder, descriptor, target, sizeof(target));
    return size > 0 && std::string_view(target, static_cast<size_t>(size)).find("bpf_link") !=
                           std::string_view::npos;
}

std::optional<uint32_t> id_in(const fs::path &fdinfo) {
    std::ifstream file(fdinfo);
    for (std::string key, value; file >> key && std::getline(file >> std::ws, value);)
        if (key == "link_id:")
            return number_of(value);
    return {};
}

// Returns the descriptors of BPF links. A process may end at any time: then it has none.
std::vector<std::string> link_descriptors(const fs::path &process) {
    std::vector<std::string> out;
    const std::unique_ptr<DIR, int (*)(DIR *)> folder(opendir((process / "fd").c_str()), closedir);
    for (const dirent *each = nullptr; folder && (each = readdir(folder.get())) != nullptr;)
        if (is_link(dirfd(folder.get()), each->d_name))
            out.emplace_back(each->d_name);
    return out;
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

std::map<uint32_t, LinkOwner> link_owners(std::set<uint32_t> wanted) {
    std::map<uint32_t, LinkOwner> out;
    const bool all = wanted.empty();
    const auto self = static_cast<uint32_t>(getpid());
    std::error_code error;
    for (fs::directory_iterator it("/proc", error), end;
         !error && it != end && (all || !wanted.empty()); it.increment(error)) {
        const auto pid = number_of(it->path().filename());
        if (!pid || *pid == self)
            continue;
        // The last ones are the newest, which most callers want.
        const std::vector<std::string> descriptors = link_descriptors(it->path());
        for (const std::string &each : std::views::reverse(descriptors)) {
            const auto id = id_in(it->path() / "fdinfo" / each);
            if (id && (all || wanted.erase(*id) != 0))
                out.emplace(*id, owner_of(*pid));
            if (!all && wanted.empty())
                break;
        }
    }
    return out;
}

}  // namespace btf_extra
