// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/host/host.h"

#include <algorithm>
#include <sstream>

#include <sys/utsname.h>

#include "userspace/format/btf_image.h"
#include "userspace/format/elf_image.h"

namespace btf_extra::host {

Host this_host() {
    utsname running = {};
    uname(&running);
    return {.root = "", .release = running.release, .machine = running.machine};
}

std::optional<std::string> read_text(const std::string &path) {
    const auto bytes = read_whole_file(path);
    if (!bytes)
        return {};
    std::string text(reinterpret_cast<const char *>(bytes->data()), bytes->size());
    text.erase(text.find_last_not_of(" \t\n") + 1);
    return text;
}

std::string running_build_id(const Host &host) {
    return notes_build_id(host.path("/sys/kernel/notes"));
}

std::string loaded_build_id(const Host &host, const std::string &module) {
    return notes_build_id(host.path("/sys/module/" + module + "/notes/.note.gnu.build-id"));
}

std::vector<std::string> other_modules(const Host &host) {
    std::vector<std::string> names;
    std::istringstream in(read_text(host.path("/proc/modules")).value_or(""));
    for (std::string name, rest; in >> name && std::getline(in, rest);)
        if (name != "btf_extra" && name != "btf_extra_vmlinux" && name != "inlined" &&
            !name.starts_with("inlined_"))
            names.push_back(name);
    std::ranges::sort(names);
    return names;
}

}  // namespace btf_extra::host
