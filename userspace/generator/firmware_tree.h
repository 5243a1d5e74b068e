// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// A folder for /lib/firmware/btf_extra/<release>: vmlinux and all modules of one
// kernel, each as <object>.btf_extra, and "manifest", which lists them.
#ifndef BTF_EXTRA_FIRMWARE_TREE_H
#define BTF_EXTRA_FIRMWARE_TREE_H

#include <cstdint>
#include <functional>
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
    // Called with objects done and objects in all, by one thread at a time. May be empty.
    std::function<void(size_t done, size_t total)> progress;
};

struct FirmwareTree {
    std::string release;  // as uname -r says it; empty: nothing tells it
    std::string output;
    size_t objects = 0;         // written
    uint64_t bytes = 0;         // of their files
    std::vector<Error> failed;  // of the objects that are left out, in order of their names
};

// An error: nothing was written. Files take their names one by one when they are whole, the
// manifest last; one of an object that failed is as it was before, and not in the manifest.
Result<FirmwareTree> write_firmware_tree(const FirmwareOptions &options);

}  // namespace btf_extra::generator

#endif
