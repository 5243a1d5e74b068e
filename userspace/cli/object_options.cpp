// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/cli/object_options.h"

namespace btf_extra {

CLI::Option *add_object_options(CLI::App &command, ObjectPaths &paths) {
    CLI::Option *vmlinux = command.add_option(
        "--vmlinux", paths.vmlinux, "The kernel's ELF file; tables of another kernel are refused");
    command
        .add_option("--module", paths.module,
                    "The module's ELF file, if the tables are those of a module")
        ->needs(vmlinux);
    return vmlinux;
}

void add_base_option(CLI::App &command, ObjectPaths &paths) {
    command
        .add_option("--btf-base", paths.btf_base,
                    "The base BTF of vmlinux, raw or in an ELF file, if the kernel's ELF file is "
                    "missing")
        ->excludes("--vmlinux");
}

CLI::Option *add_running_tables_options(CLI::App &command, TablesChoice &choice) {
    CLI::Option *file = command.add_option(
        "--tables", choice.file, "A .btf_extra file; by default the running kernel's tables");
    command
        .add_flag("--no-module", choice.no_module,
                  "Read the installed file of the running kernel, even if btf_extra is loaded")
        ->excludes(file);
    return file;
}

void add_tables_options(CLI::App &command, TablesChoice &choice) {
    CLI::Option *file = add_running_tables_options(command, choice);
    add_object_options(command, choice.elf)->needs(file);
    add_base_option(command, choice.elf);
    command.get_option("--btf-base")->needs(file);
}

CLI::Option *add_func_option(CLI::App &command, std::vector<std::string> &funcs) {
    return command.add_option("FUNC", funcs,
                              "Functions: foo, foo@path/file.c, foo.isra.0, #id, 'tcp_*'; of one "
                              "object: vmlinux:foo");
}

}  // namespace btf_extra
