// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// From an ELF file with DWARF to a .btf_extra file, in memory.
#ifndef BTF_EXTRA_GENERATE_H
#define BTF_EXTRA_GENERATE_H

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "userspace/format/btf_image.h"
#include "userspace/format/extra_file.h"
#include "userspace/format/result.h"
#include "userspace/generator/write/btf_writer.h"

namespace btf_extra::generator {

struct GenerateOptions {
    std::string input;     // ELF file with DWARF, or with a separate debug file
    std::string btf_base;  // raw BTF or ELF file with .BTF; empty: the input's own .BTF
    // Of the kernel, for a module: its own BTF, which it may lack, stands on that. NULL: the
    // input is a kernel.
    std::shared_ptr<const BtfImage> vmlinux = nullptr;
    Layout layout = Layout::kSplit;
    uint32_t jobs = 1;  // threads; the result does not depend on it
    // Called with units read and units in all, by one thread at a time. May be empty.
    std::function<void(size_t done, size_t total)> progress;
};

// The output has passed the validator.
Result<ExtraFile> generate(const GenerateOptions &options);

}  // namespace btf_extra::generator

#endif
