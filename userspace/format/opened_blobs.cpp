// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/format/opened_blobs.h"

#include <fmt/format.h>

namespace btf_extra {

Result<void> open_container(const std::string &path, std::span<const std::byte> bytes,
                            extra_elf &elf) {
    btf_fault fault = {};
    if (extra_elf_open(&elf, bytes.data(), bytes.size(), &fault) == 0)
        return {};
    return Error{fmt::format("{}: {}", path, fault_text(fault))};
}

void *OpenedBlobs::get(extra_memory *memory, size_t size) {
    auto &held = static_cast<Memory *>(memory)->held;
    const size_t count = (size + sizeof(uint64_t) - 1) / sizeof(uint64_t);
    return held.emplace_back(std::make_unique_for_overwrite<uint64_t[]>(count)).get();
}

void OpenedBlobs::put(extra_memory *memory) {
    static_cast<Memory *>(memory)->held.pop_back();
}

Result<std::unique_ptr<OpenedBlobs>> OpenedBlobs::open(const std::string &path,
                                                       const extra_elf &elf, const BtfImage &base) {
    std::unique_ptr<OpenedBlobs> out(new OpenedBlobs);
    out->memory_.get = get;
    out->memory_.put = put;
    out->memory_.plenty = true;
    extra_fault fault = {};
    if (extra_blobs_open(&out->blobs_, &elf, &base.blob(), &out->memory_, &fault) == 0)
        return out;
    const std::string place =
        fault.part == EXTRA_FILE ? path : fmt::format("{}: {}", path, extra_part_name(fault.part));
    return Error{fmt::format("{}: {}", place, fault_text(fault.in))};
}

}  // namespace btf_extra
