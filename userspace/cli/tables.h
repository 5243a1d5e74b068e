// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The tables that `list` and `probes` read: those of a .btf_extra file, or of
// the running kernel, from its module or else from the installed file.
#ifndef BTF_EXTRA_TABLES_H
#define BTF_EXTRA_TABLES_H

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

#include "userspace/cli/object_files.h"
#include "userspace/format/result.h"
#include "userspace/lib/tables/object_view.h"
#include "userspace/lib/tables/running_kernel.h"

namespace btf_extra {

struct TablesOptions {
    std::string file;    // empty: the running kernel's
    ObjectPaths object;  // empty: the file is of the running kernel
    bool no_module = false;
};

// FILE, --vmlinux, --module, --no-module.
void add_tables_options(CLI::App &command, TablesOptions &options);

// Of one object: vmlinux or a module.
struct Table {
    std::string object;
    std::unique_ptr<ObjectView> view;
};

// Whether that section of the object is no more when all is up and running.
bool freed_after_boot(const Table &table, std::string_view elf_section);

struct Tables {
    std::vector<Table> tables;
    std::unique_ptr<ObjectFiles> files;     // the ELF files, where they are given
    std::unique_ptr<RunningKernel> kernel;  // the module, where it was asked

    static Result<Tables> open(const TablesOptions &options);

    // "FILE" or "running kernel", for messages.
    std::string name;
};

}  // namespace btf_extra

#endif
