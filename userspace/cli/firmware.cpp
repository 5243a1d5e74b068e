// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// btf-extra firmware: the files of a kernel and all its modules, in one folder.
#include "userspace/generator/firmware_tree.h"

#include <memory>
#include <thread>

#include <fmt/format.h>

#include "userspace/cli/command.h"
#include "userspace/cli/progress_line.h"
#include "userspace/host/served_tables.h"
#include "userspace/text/json_text.h"

namespace btf_extra {
namespace {

struct Options {
    generator::FirmwareOptions tree;
    std::string by_build_id;
    bool no_provenance = false;
    bool no_frames = false;
    bool no_variables = false;
    bool json = false;
};

int run(Options &options) {
    options.tree.provenance = !options.no_provenance;
    options.tree.frames = !options.no_frames;
    options.tree.variables = !options.no_variables;
    ProgressLine line;
    options.tree.kernel_progress = [&](size_t done, size_t total) {
        line.show({"vmlinux: units", done, total});
    };
    options.tree.progress = [&](size_t done, size_t total) { line.show({"objects", done, total}); };
    const Result<generator::FirmwareTree> tree =
        options.by_build_id.empty() ? generator::write_firmware_tree(options.tree)
                                    : host::write_served_tables(options.tree, options.by_build_id);
    line.clear();
    if (!tree)
        return fail(tree.error());
    if (options.json) {
        ordered_json failed = ordered_json::array();
        for (const generator::LeftOut &each : tree->left_out)
            failed.push_back(each.error.message);
        print_object({{"folder", tree->output},
                      {"release",
                       tree->release.empty() ? ordered_json(nullptr) : ordered_json(tree->release)},
                      {"objects", tree->build_ids.size()},
                      {"bytes", tree->bytes},
                      {"failed", std::move(failed)}});
    } else {
        fmt::print("{}: {} objects{}{}, {:.1f} MB; {} left out\n", tree->output,
                   tree->build_ids.size(), tree->release.empty() ? "" : " of ", tree->release,
                   static_cast<double>(tree->bytes) / 1e6, tree->left_out.size());
    }
    for (const std::string &note : tree->notes)
        fmt::print(stderr, "btf-extra: {}\n", note);
    for (const generator::LeftOut &each : tree->left_out)
        fail(each.error);
    return tree->left_out.empty() ? kExitDone : kExitFailed;
}

}  // namespace

void add_firmware(CLI::App &app, int &exit_code) {
    auto options = std::make_shared<Options>();
    CLI::App *command = app.add_subcommand(
        "firmware",
        "Write a folder for /lib/firmware/btf_extra/<release>: a kernel and all its modules");
    command->add_option("DIR", options->tree.folders,
                        "Folders with .ko, .ko.debug, .ko.xz files at any depth; without any, "
                        "only the kernel of --vmlinux");
    command->add_option("--vmlinux", options->tree.vmlinux,
                        "The kernel's ELF file, by default the only vmlinux in the folders");
    CLI::Option *output = command->add_option("-o,--output", options->tree.output,
                                              "The folder, by default btf_extra/<release>");
    command
        ->add_option("--by-build-id", options->by_build_id,
                     "Write to a subfolder named after the kernel's build-id, with sizes and "
                     "checksums, for a web server and 'install --from'")
        ->excludes(output);
    options->tree.jobs = std::max(1u, std::thread::hardware_concurrency());
    command
        ->add_option("-j,--jobs", options->tree.jobs, "Threads; the output does not depend on it")
        ->check(CLI::Range(1, 1024))
        ->capture_default_str();
    command->add_flag("--no-provenance", options->no_provenance,
                      "Leave out the data that no kernel loads: source files, reasons");
    command->add_flag("--no-frames", options->no_frames,
                      "Leave out the frames for symbolize: .btf_extra.frames");
    command->add_flag("--no-variables", options->no_variables,
                      "Leave out the variables of the kernel");
    command->add_flag("--lines", options->tree.lines,
                      "Also write the source line of each instruction: .btf_extra.lines");
    command->add_flag("--kernel-files", options->tree.kernel_files,
                      "Also write the kernel's BTF and symbols, so that audit and other commands "
                      "can read the folder on any machine");
    command->add_flag("--json", options->json, "Print one JSON object");
    command->callback([options, &exit_code] {
        if (options->tree.folders.empty() && options->tree.vmlinux.empty())
            throw CLI::RequiredError("DIR");
        exit_code = run(*options);
    });
}

}  // namespace btf_extra
