// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "tests/support/made_up_host.h"

#include <filesystem>

namespace btf_extra::test {

namespace fs = std::filesystem;

MadeUpHost::MadeUpHost(const std::string &release)
    : host_{.root = folder_.path("root"), .release = release, .machine = "x86_64"} {
    fs::create_directory(host_.root);
}

void MadeUpHost::write(std::string_view absolute, std::string_view text) const {
    const fs::path target = path(absolute);
    fs::create_directories(target.parent_path());
    write_file(target.string(), text);
}

void MadeUpHost::remove(std::string_view absolute) const {
    fs::remove_all(path(absolute));
}

void MadeUpHost::write_notes(std::string_view absolute, std::string_view build_id) const {
    write(absolute, build_id_note(build_id));
}

std::string build_id_note(std::string_view build_id) {
    // The sizes of name and id, then the type, each in four bytes.
    std::string note("\4\0\0\0.\0\0\0\3\0\0\0GNU\0", 16);
    note[4] = static_cast<char>(build_id.size() / 2);
    for (size_t i = 0; i + 1 < build_id.size(); i += 2)
        note += static_cast<char>(std::stoi(std::string(build_id.substr(i, 2)), nullptr, 16));
    return note;
}

}  // namespace btf_extra::test
