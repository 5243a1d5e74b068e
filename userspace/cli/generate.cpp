// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/generator/generate.h"

#include <fmt/format.h>

#include <cerrno>
#include <map>
#include <memory>
#include <thread>

#include "userspace/cli/command.h"
#include "userspace/cli/progress_line.h"
#include "userspace/format/kernel_release.h"
#include "userspace/format/temporary_file.h"
#include "userspace/generator/module_embed.h"

namespace btf_extra {

namespace {

struct Options {
    generator::GenerateOptions generate;
    std::string vmlinux;
    std::string output;
    bool embed = false;
    bool no_frames = false;
    bool no_variables = false;
};

// "vmlinux" -> "vmlinux.btf_extra", "xfs.ko.debug" -> "xfs.btf_extra".
std::string default_output(std::string input) {
    for (const std::string_view suffix : {".debug", ".xz", ".gz", ".zst", ".ko"})
        if (input.ends_with(suffix))
            input.resize(input.size() - suffix.size());
    return input + ".btf_extra";
}

// A vmlinuz has no DWARF. Names the file that has.
Error with_advice(Error error) {
    if (error.code == ENOEXEC || error.code == ENODATA)
        error.message += "; the DWARF of a kernel is in the vmlinux of a build with "
                         "CONFIG_DEBUG_INFO, or in the package that btf-extra install names";
    return error;
}

Result<void> generate_one(Options &options) {
    if (options.output.empty())
        options.output = default_output(options.generate.input);
    options.generate.output = options.output;
    options.generate.frames = !options.no_frames;
    options.generate.variables = !options.no_variables;
    if (!options.vmlinux.empty()) {
        options.generate.vmlinux = TRY(open_base_btf(options.vmlinux));
        const bool is_elf = TRY(is_elf_file(options.vmlinux));
        if (is_elf) {
            const ElfImage module = TRY(ElfImage::open(options.generate.input));
            const ElfImage vmlinux = TRY(ElfImage::open(options.vmlinux));
            TRY(check_release(module, vmlinux));
        }
    }
    ProgressLine line;
    options.generate.progress = [&](size_t done, size_t total) {
        line.show({"units", done, total});
    };
    std::string no_functions;
    options.generate.no_functions = [&](const std::string &line) { no_functions = line; };
    if (!options.embed) {
        const ExtraFile file = TRY(generator::generate(options.generate));
        if (!no_functions.empty() && !options.generate.lines)
            return Error{no_functions};
        TRY(write_whole_file(options.output, file.container));
        if (!no_functions.empty())
            fmt::print(stderr, "btf-extra: {}: the tables have only lines\n", no_functions);
        return {};
    }
    const auto embedded = TRY(generator::embed_in_module(options.generate));
    if (embedded == generator::Embedding::kNoBtf)
        fmt::print(stderr, "btf-extra: {}: unchanged: no .BTF\n", options.generate.input);
    else if (!no_functions.empty())
        fmt::print(stderr, "btf-extra: {}\n", no_functions);
    return {};
}

Result<void> run(Options &options) {
    const auto done = generate_one(options);
    if (!done)
        return options.vmlinux.empty() ? with_advice(done.error()) : done.error();
    return done;
}

}  // namespace

void add_generate(CLI::App &app, int &exit_code) {
    auto options = std::make_shared<Options>();
    CLI::App *command = app.add_subcommand(
        "generate", "Write a .btf_extra file from the DWARF of a kernel or module");
    command
        ->add_option("ELF", options->generate.input,
                     "vmlinux or a module, with debug information in it or in a separate file")
        ->required();
    CLI::Option *vmlinux = command->add_option(
        "--vmlinux", options->vmlinux, "For a module: its kernel's BTF, raw or in an ELF file");
    options->generate.jobs = std::max(1u, std::thread::hardware_concurrency());
    command
        ->add_option("-j,--jobs", options->generate.jobs,
                     "Threads; the output does not depend on it")
        ->check(CLI::Range(1, 1024))
        ->capture_default_str();
    CLI::Option *btf_base =
        command->add_option("--btf-base", options->generate.btf_base,
                            "Base BTF, raw or in an ELF file, instead of the input's own .BTF");
    command->add_flag("--no-frames", options->no_frames,
                      "Leave out the frames for symbolize: .btf_extra.frames");
    command->add_flag("--lines", options->generate.lines,
                      "Also write the source line of each instruction: .btf_extra.lines");
    command->add_flag("--no-variables", options->no_variables,
                      "Leave out the variables of the kernel");
    CLI::Option *output = command->add_option("-o,--output", options->output,
                                              "By default the input's name followed by .btf_extra");
    command
        ->add_flag(
            "--embed", options->embed,
            "Write into the module itself, for a kernel build: .BTF, .BTF.func_info, .btf_extra")
        ->needs(vmlinux)
        ->excludes(btf_base, output);
    command->callback([options, &exit_code] { exit_code = finish(run(*options)); });
}

}  // namespace btf_extra
