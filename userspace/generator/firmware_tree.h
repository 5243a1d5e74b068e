// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Writes a folder for /lib/firmware/btf_extra/<release>: vmlinux and all modules of one kernel,
// each as <object>.btf_extra, and "manifest", which lists them.
#ifndef BTF_EXTRA_FIRMWARE_TREE_H
#define BTF_EXTRA_FIRMWARE_TREE_H

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "userspace/format/result.h"

namespace btf_extra::generator {

struct FirmwareOptions {
    std::vector<std::string> folders;  // where modules are, at any depth; or single modules
    std::string vmlinux;               // ELF file; empty: the one called vmlinux in the folders
    std::string output;                // a folder; empty: btf_extra/<release>
    uint32_t jobs = 1;                 // threads; the result does not depend on it
    bool provenance = true;
    bool frames = true;
    bool variables = true;
    bool lines = false;
    bool kernel_files = false;  // those of userspace/format/kernel_files.h
    // Called with the number of objects done and that of all, by one thread at a time. May be
    // empty.
    std::function<void(size_t done, size_t total)> progress;
    // Likewise with units of the kernel, which takes the longest.
    std::function<void(size_t done, size_t total)> kernel_progress;
};

struct LeftOut {
    std::string object;
    Error error;  // the code is that of a file that could not be written
};

struct FirmwareTree {
    std::string release;  // that of uname -r; empty: it is not known
    std::string output;
    std::map<std::string, std::string> build_ids;  // of the objects that were written
    uint64_t bytes = 0;                            // of their files
    std::vector<LeftOut> left_out;                 // in order of their names
    std::vector<std::string> notes;                // lines for the user, in the same order

    // Returns why the folder is of no use: it lacks vmlinux, or a disk that is full took no more.
    // NULL: it is of use.
    const Error *failure() const;
};

// After an error nothing was written. Each file gets its name when it is complete, the manifest
// last. The file of an object that failed stays as it was before, and is not in the manifest.
Result<FirmwareTree> write_firmware_tree(const FirmwareOptions &options);

}  // namespace btf_extra::generator

#endif
