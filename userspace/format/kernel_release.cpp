// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/format/kernel_release.h"

#include <algorithm>
#include <string_view>

#include <elf.h>
#include <fmt/format.h>

namespace btf_extra {
namespace {

constexpr std::string_view kBanner = "Linux version ";

// Returns the text of a section from `key` on; empty: the section lacks it.
std::string_view text_from(const ElfImage &elf, const char *name, std::string_view key) {
    const ElfSection *section = elf.find(name);
    if (section == nullptr || section->type == SHT_NOBITS)
        return {};
    const auto bytes = elf.bytes(*section);
    if (!bytes)
        return {};
    const std::string_view text(reinterpret_cast<const char *>(bytes->data()), bytes->size());
    return text.substr(std::min(text.find(key), text.size()));
}

// Returns the text after `key`, up to the first character that no release has.
std::string release_after(const ElfImage &elf, const char *name, std::string_view key) {
    const std::string_view text = text_from(elf, name, key);
    if (text.empty())
        return "";
    const std::string_view rest = text.substr(key.size());
    const size_t end = std::min(rest.size(), rest.find_first_of(std::string_view(" \n\0", 3)));
    // The release becomes the name of a folder.
    const std::string_view release = rest.substr(0, end);
    return release.find('/') == release.npos ? std::string(release) : "";
}

}  // namespace

std::string kernel_release(const ElfImage &vmlinux) {
    return release_after(vmlinux, ".rodata", kBanner);
}

std::string kernel_banner(const ElfImage &vmlinux) {
    const std::string_view text = text_from(vmlinux, ".rodata", kBanner);
    return std::string(text.substr(0, text.find_first_of(std::string_view("\n\0", 2))));
}

std::string module_release(const ElfImage &module) {
    return release_after(module, ".modinfo", "vermagic=");
}

Result<void> check_release(const ElfImage &module, const ElfImage &vmlinux) {
    const std::string wanted = module_release(module), found = kernel_release(vmlinux);
    if (wanted.empty() || found.empty() || wanted == found)
        return {};
    return module.error(
        ".modinfo", fmt::format("a module of {}, but {} is of {}", wanted, vmlinux.path(), found));
}

}  // namespace btf_extra
