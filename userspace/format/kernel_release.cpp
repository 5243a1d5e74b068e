// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/format/kernel_release.h"

#include <algorithm>
#include <string_view>

#include <elf.h>

namespace btf_extra {
namespace {

// Returns the text behind `key`, up to the first character that no release has.
std::string release_behind(const ElfImage &elf, const char *name, std::string_view key) {
    const ElfSection *section = elf.find(name);
    if (section == nullptr || section->type == SHT_NOBITS)
        return "";
    const auto bytes = elf.bytes(*section);
    if (!bytes)
        return "";
    const std::string_view text(reinterpret_cast<const char *>(bytes->data()), bytes->size());
    const size_t at = text.find(key);
    if (at == text.npos)
        return "";
    const std::string_view rest = text.substr(at + key.size());
    const size_t end = std::min(rest.size(), rest.find_first_of(std::string_view(" \n\0", 3)));
    // The release becomes the name of a folder.
    const std::string_view release = rest.substr(0, end);
    return release.find('/') == release.npos ? std::string(release) : "";
}

}  // namespace

std::string kernel_release(const ElfImage &vmlinux) {
    return release_behind(vmlinux, ".rodata", "Linux version ");
}

std::string module_release(const ElfImage &module) {
    return release_behind(module, ".modinfo", "vermagic=");
}

}  // namespace btf_extra
