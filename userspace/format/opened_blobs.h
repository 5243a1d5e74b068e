// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The blobs of an object as the core opens them, with the memory of their tables.
#ifndef BTF_EXTRA_OPENED_BLOBS_H
#define BTF_EXTRA_OPENED_BLOBS_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "userspace/format/btf_image.h"
#include "userspace/format/core_api.h"
#include "userspace/format/result.h"

namespace btf_extra {

// extra_elf_open(); path is for messages. bytes must stay and be aligned to 8.
Result<void> open_container(const std::string &path, std::span<const std::byte> bytes,
                            extra_elf &elf);

class OpenedBlobs {
  public:
    // extra_blobs_open(). The parts of elf and the base must stay.
    static Result<std::unique_ptr<OpenedBlobs>> open(const std::string &path, const extra_elf &elf,
                                                     const BtfImage &base);
    OpenedBlobs(const OpenedBlobs &) = delete;
    OpenedBlobs &operator=(const OpenedBlobs &) = delete;

    const extra_blobs &blobs() const { return blobs_; }

  private:
    struct Memory : extra_memory {
        std::vector<std::unique_ptr<uint64_t[]>> held;
    };

    OpenedBlobs() = default;
    static void *get(extra_memory *memory, size_t size);
    static void put(extra_memory *memory);

    Memory memory_ = {};
    extra_blobs blobs_ = {};
};

}  // namespace btf_extra

#endif
