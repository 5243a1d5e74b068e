// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/format/base_stack.h"

#include <algorithm>

#include <fmt/format.h>
#include <zlib.h>

namespace btf_extra {
namespace {

constexpr char kDistilledSection[] = ".BTF.base";

BaseIdentity identity_of(const std::vector<std::byte> &bytes) {
    const uLong crc = crc32_z(0, reinterpret_cast<const Bytef *>(bytes.data()), bytes.size());
    return {static_cast<uint32_t>(bytes.size()), static_cast<uint32_t>(crc)};
}

}  // namespace

bool module_btf_is_level(const ElfImage &module) {
    return module.find(kTypesSection) != nullptr && module.find(kDistilledSection) == nullptr;
}

Result<void> BaseStack::add_module(const ElfImage &module) {
    if (!module_btf_is_level(module))
        return {};
    auto level = TRY(open_elf_btf(module, &top()));
    levels_.push_back(std::move(level));
    return {};
}

Result<void> BaseStack::add_file(const std::string &path) {
    auto level = TRY(open_base_btf(path, &top()));
    levels_.push_back(std::move(level));
    return {};
}

std::vector<BaseIdentity> BaseStack::identity() const {
    std::vector<BaseIdentity> out;
    for (const auto &level : levels_)
        if (!level->bytes().empty())
            out.push_back(identity_of(level->bytes()));
    return out;
}

Result<void> BaseStack::check(const std::vector<BaseIdentity> &made_on,
                              const std::string &above) const {
    if (made_on.empty())
        return {};
    const std::vector<BaseIdentity> mine = identity();
    if (mine.empty())
        return {};
    for (size_t i = 0; i < std::min(mine.size(), made_on.size()); i++)
        if (mine[i] != made_on[i])
            return Error{fmt::format("{}: base BTF of another {}: {} has {} bytes with CRC-32 "
                                     "{:08x}, not {} with {:08x}",
                                     above, i == 0 ? "kernel" : "module", levels_[i]->place(),
                                     mine[i].size, mine[i].crc32, made_on[i].size,
                                     made_on[i].crc32)};
    if (mine.size() != made_on.size())
        return Error{fmt::format("{}: {} levels of base BTF, not the {} that it was made on", above,
                                 mine.size(), made_on.size())};
    return {};
}

}  // namespace btf_extra
