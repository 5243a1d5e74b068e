// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Writes the section .btf_extra.frames: bodies, and nested in them the inlined instances.
#ifndef BTF_EXTRA_FRAME_WRITER_H
#define BTF_EXTRA_FRAME_WRITER_H

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "userspace/format/elf_image.h"
#include "userspace/generator/model/site_model.h"
#include "userspace/generator/write/site_merge.h"

namespace btf_extra::generator {

// Frames that the section cannot have, or DWARF has twice.
struct LeftOutFrames {
    uint64_t bodies = 0;     // in the code of another body, or with too many pieces
    uint64_t instances = 0;  // all their code is outside of their callers, or inlined too deep
};

struct WrittenFrames {
    std::vector<std::byte> bytes;
    LeftOutFrames left_out;
};

// func_ids are by number of merged.functions. sections are in ascending order of address; frames
// are in the executable ones.
WrittenFrames write_frames(const std::vector<UnitSites> &units, const MergedUnits &merged,
                           const std::vector<uint32_t> &func_ids,
                           std::span<const ElfSection> sections);

}  // namespace btf_extra::generator

#endif
