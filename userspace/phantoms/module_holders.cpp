// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/phantoms/module_holders.h"

#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include <bpf/bpf.h>
#include <fmt/format.h>

#include "userspace/format/file_descriptor.h"

namespace btf_extra::phantoms {
namespace {

namespace fs = std::filesystem;

// The id of a module's BTF; 0: not found.
uint32_t btf_id_of(const std::string &module) {
    uint32_t id = 0;
    while (bpf_btf_get_next_id(id, &id) == 0) {
        const FileDescriptor fd(bpf_btf_get_fd_by_id(id));
        char name[64] = "";
        bpf_btf_info info = {};
        info.name = reinterpret_cast<uintptr_t>(name);
        info.name_len = sizeof(name);
        uint32_t size = sizeof(info);
        if (fd && bpf_obj_get_info_by_fd(fd.get(), &info, &size) == 0 && info.kernel_btf &&
            module == name)
            return id;
    }
    return 0;
}

// The names of the programs that are attached to a BTF, by id.
std::map<uint32_t, std::string> programs_on(uint32_t btf) {
    std::map<uint32_t, std::string> out;
    uint32_t id = 0;
    while (btf != 0 && bpf_prog_get_next_id(id, &id) == 0) {
        const FileDescriptor fd(bpf_prog_get_fd_by_id(id));
        bpf_prog_info info = {};
        uint32_t size = sizeof(info);
        if (fd && bpf_obj_get_info_by_fd(fd.get(), &info, &size) == 0 &&
            info.attach_btf_obj_id == btf)
            out.emplace(id, info.name);
    }
    return out;
}

// The processes that have a program or a link to it open.
std::map<uint32_t, std::set<std::string>> owners() {
    std::map<uint32_t, std::set<std::string>> out;
    std::error_code error;
    for (const auto &process : fs::directory_iterator("/proc", error)) {
        const std::string pid = process.path().filename();
        if (pid.find_first_not_of("0123456789") != std::string::npos)
            continue;
        for (auto file = fs::directory_iterator(process.path() / "fdinfo", error);
             !error && file != fs::directory_iterator(); file.increment(error)) {
            std::ostringstream text;
            text << std::ifstream(file->path()).rdbuf();
            for (const uint32_t id : fdinfo_ids(text.str(), "prog_id:"))
                out[id].insert(pid);
        }
    }
    return out;
}

}  // namespace

std::vector<uint32_t> fdinfo_ids(std::string_view text, std::string_view key) {
    std::vector<uint32_t> out;
    while (!text.empty()) {
        std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(text.size(), line.size() + 1));
        if (!line.starts_with(key))
            continue;
        line.remove_prefix(std::min(line.size(), line.find_first_not_of("\t ", key.size())));
        uint32_t id = 0;
        if (std::from_chars(line.data(), line.data() + line.size(), id).ec == std::errc{})
            out.push_back(id);
    }
    return out;
}

std::string holders_text(const std::string &module, uint64_t users) {
    std::string out;
    const auto programs = programs_on(btf_id_of(module));
    const auto known = programs.empty() ? std::map<uint32_t, std::set<std::string>>() : owners();
    for (const auto &[id, name] : programs) {
        out += fmt::format("{}BPF program {}{}{}", out.empty() ? "" : ", ", id,
                           name.empty() ? "" : " ", name);
        const auto pids = known.find(id);
        if (pids != known.end())
            out += fmt::format(" (pid {})", fmt::join(pids->second, ", "));
    }
    return fmt::format("{}{}module refcount {}", out, out.empty() ? "" : "; ", users);
}

}  // namespace btf_extra::phantoms
