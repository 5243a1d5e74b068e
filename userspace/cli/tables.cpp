// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/cli/tables.h"

#include <filesystem>

#include <fmt/format.h>

#include "userspace/format/module_name.h"
#include "userspace/lib/tables/installed_file.h"
#include "userspace/lib/tables/running_view.h"

namespace btf_extra {
namespace {

constexpr char kRunningBtf[] = "/sys/kernel/btf/vmlinux";
constexpr int kAttempts = 16;

Result<Tables> open_with_elf(const TablesOptions &options) {
    Tables out;
    auto files = ObjectFiles::open(options.object);
    if (!files)
        return files.error();
    out.files = std::make_unique<ObjectFiles>(std::move(*files));
    auto view = out.files->view(options.file);
    if (!view)
        return view.error();
    const std::string &module = options.object.module;
    out.tables.push_back({module.empty() ? "vmlinux" : module_name(module), std::move(*view)});
    out.name = options.file;
    return out;
}

Result<Tables> open_file(const std::string &path) {
    Tables out;
    auto view = ObjectView::open_with_base(path, kRunningBtf);
    if (!view)
        return view.error();
    out.tables.push_back({"vmlinux", std::move(*view)});
    out.name = path;
    return out;
}

// All objects, of one state.
Result<Tables> open_running(std::unique_ptr<QueryDevice> device) {
    auto kernel = std::make_unique<RunningKernel>(std::move(device));
    for (int i = 0; i < kAttempts; i++) {
        Tables out;
        out.name = "running kernel";
        auto objects = kernel->objects();
        if (!objects)
            return objects.error();
        Result<void> opened;
        for (const btf_extra_object &object : objects->objects) {
            auto view = open_running_view(object);
            if (!view) {
                opened = view.error();
                break;
            }
            out.tables.push_back({object_name(object), std::move(*view)});
        }
        auto after = kernel->objects();
        if (!after)
            return after.error();
        if (after->generation != objects->generation)
            continue;
        if (!opened)
            return opened.error();
        out.kernel = std::move(kernel);
        return out;
    }
    return Error{fmt::format("{}: the tables keep changing: try again", BTF_EXTRA_DEVICE)};
}

}  // namespace

void add_tables_options(CLI::App &command, TablesOptions &options) {
    CLI::Option *file = command.add_option(
        "FILE", options.file, "A .btf_extra file; by default the running kernel's tables");
    CLI::Option *vmlinux = add_object_options(command, options.object);
    vmlinux->needs(file);
    command
        .add_flag("--no-module", options.no_module,
                  "Of the running kernel: read the installed file, even if btf_extra is loaded")
        ->excludes(file);
}

bool freed_after_boot(const Table &table, std::string_view elf_section) {
    return freed_after_boot(table.object == "vmlinux", elf_section);
}

Result<Tables> Tables::open(const TablesOptions &options) {
    if (!options.object.vmlinux.empty())
        return open_with_elf(options);
    if (!options.file.empty())
        return open_file(options.file);
    if (!options.no_module && std::filesystem::exists(BTF_EXTRA_DEVICE)) {
        auto device = open_query_device();
        if (!device)
            return device.error();
        return open_running(std::move(*device));
    }
    auto installed = installed_file();
    if (!installed)
        return Error{"btf_extra is not loaded, and " + installed.error().message +
                     ": modprobe btf_extra_vmlinux, or name a FILE"};
    return open_file(*installed);
}

}  // namespace btf_extra
