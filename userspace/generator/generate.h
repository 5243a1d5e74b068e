// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Makes a .btf_extra file, in memory, from an ELF file with DWARF.
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

class BaseTypes;

struct GenerateOptions {
    std::string input;        // ELF file with DWARF, or with a separate debug file
    std::string output = {};  // where the caller will write the container; for messages alone
    std::string btf_base;     // raw BTF or ELF file with .BTF; empty: the input's own .BTF
    // The BTF of a module's kernel; the module's own BTF, if it has one, stands on that. NULL: the
    // input is a kernel.
    std::shared_ptr<const BtfImage> vmlinux = nullptr;
    // index_types() made this of that, for several modules. NULL: generate() makes it.
    std::shared_ptr<const BaseTypes> vmlinux_types = nullptr;
    uint32_t jobs = 1;  // threads, at least 1; the result does not depend on it
    bool provenance = true;
    bool frames = true;
    bool lines = false;
    bool variables = true;  // as VARs of the types, and as a list if provenance is wanted
    // Called with the number of units read and that of all units, by one thread at a time. May be
    // empty.
    std::function<void(size_t done, size_t total)> progress;
    // Called with a line for the user if the tables are made, and have no function. May be empty.
    std::function<void(const std::string &line)> no_functions = nullptr;
};

// It must not outlive the image.
std::shared_ptr<const BaseTypes> index_types(const BtfImage &vmlinux);

// The container of the result is what to write. It has passed all checks of the kernel.
Result<ExtraFile> generate(const GenerateOptions &options);

}  // namespace btf_extra::generator

#endif
