// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The options that say which tables a subcommand reads.
#ifndef BTF_EXTRA_OBJECT_OPTIONS_H
#define BTF_EXTRA_OBJECT_OPTIONS_H

#include <CLI/CLI.hpp>

#include "userspace/lib/tables/object_files.h"
#include "userspace/lib/tables/site_tables.h"

namespace btf_extra {

// Adds --vmlinux and --module, and returns --vmlinux.
CLI::Option *add_object_options(CLI::App &command, ObjectPaths &paths);
// Adds --btf-base, instead of --vmlinux.
void add_base_option(CLI::App &command, ObjectPaths &paths);

// Adds --tables and --no-module, and returns --tables.
CLI::Option *add_running_tables_options(CLI::App &command, TablesChoice &choice);
// Adds these and --vmlinux and --module.
void add_tables_options(CLI::App &command, TablesChoice &choice);

// Adds the operands FUNC...
CLI::Option *add_func_option(CLI::App &command, std::vector<std::string> &funcs);

}  // namespace btf_extra

#endif
