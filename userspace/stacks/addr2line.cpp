// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/stacks/addr2line.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <string_view>

#include <fmt/format.h>

#include "userspace/format/extra_file.h"
#include "userspace/format/hex_number.h"
#include "userspace/format/kernel_release.h"
#include "userspace/format/module_name.h"
#include "userspace/host/debug_info.h"

namespace btf_extra {
namespace {

namespace fs = std::filesystem;

// A frame as addr2line knows it: the line is in that function.
struct Frame {
    std::string_view function;
    std::string_view file;  // empty: not known
    uint32_t line = 0;      // 0: likewise
};

std::vector<Frame> frames_of(const Symbolizer::Named &named, const std::string &symbol) {
    std::vector<Frame> frames;
    Frame next{};
    if (named.line)
        next = {.function = {}, .file = named.line->file, .line = named.line->line};
    // A function is called from a line of the next one.
    for (size_t i = 0; named.chain && i + 1 < named.chain->frames.size(); i++) {
        const ChainFrame &frame = named.chain->frames[i];
        next.function = frame.name;
        frames.push_back(next);
        next = {.function = {}, .file = frame.call_file, .line = frame.call_line};
    }
    next.function = symbol;
    frames.push_back(next);
    return frames;
}

bool fits(const std::string &tables, const std::string &build_id) {
    const auto file = read_extra_file(tables);
    return file && build_id_text(file->build_id_note) == build_id;
}

// Finds the vmlinux of a module: in the folder of the module or above it, where a kernel build and
// packages leave it, or else where the debug information of its release is installed.
Result<std::string> vmlinux_of(const ElfImage &module) {
    const std::string release = module_release(module);
    std::error_code ignored;
    const fs::path file = fs::absolute(module.path(), ignored);
    for (fs::path folder = file.parent_path(); !release.empty(); folder = folder.parent_path()) {
        const std::string path = folder / "vmlinux";
        const auto vmlinux = ElfImage::open(path);
        if (vmlinux && kernel_release(*vmlinux) == release)
            return path;
        if (folder == folder.parent_path())
            break;
    }
    const auto installed = TRY(host::find_debug_info(host::this_host(), release));
    return installed.vmlinux;
}

}  // namespace

Result<void> Addr2line::check_section(Symbolizer &symbolizer) const {
    if (!section.empty())
        TRY(symbolizer.find(section, 0));
    return {};
}

Result<Symbolizer::Named> Addr2line::find(Symbolizer &symbolizer, uint64_t address) const {
    if (!section.empty())
        return symbolizer.find(section, address);
    if (code_.empty())
        return symbolizer.find(fmt::format("{:#x}", address));
    // Each section of a module begins at 0. An address that could be in two of them is in neither.
    const auto has = [&](const CodeSection &code) { return address < code.size; };
    if (std::ranges::count_if(code_, has) != 1)
        return Symbolizer::Named();
    return symbolizer.find(std::ranges::find_if(code_, has)->name, address);
}

std::string Addr2line::answer(Symbolizer &symbolizer, const std::string &text) const {
    std::string out;
    const auto address = parse_hex(text);
    const auto named = address ? find(symbolizer, *address) : Result(Symbolizer::Named());
    if (addresses)
        out += (address ? fmt::format("{:#x}", *address) : fmt::format("{:#018x}", 0)) +
               (pretty ? ": " : "\n");
    const std::string symbol = named ? named->function() : std::string();
    const auto frames = named ? frames_of(*named, symbol) : std::vector<Frame>{Frame{}};
    for (const Frame &frame : frames) {
        const bool known = !frame.function.empty();
        if (functions)
            out += fmt::format("{}{}", known ? frame.function : "??",
                               !pretty ? "\n"
                               : known ? " at "
                                       : " ");
        const size_t folders = basenames ? frame.file.rfind('/') + 1 : 0;
        if (frame.file.empty())
            out += pretty && known ? "??:?\n" : "??:0\n";
        else if (frame.line == 0)
            out += fmt::format("{}:?\n", frame.file.substr(folders));
        else
            out += fmt::format("{}:{}\n", frame.file.substr(folders), frame.line);
        if (!inlines)
            break;
        if (pretty && &frame != &frames.back())
            out += " (inlined by) ";
    }
    return out;
}

Result<void> Addr2line::choose_tables(const std::string &elf, TablesChoice &choice) {
    const auto image = TRY(ElfImage::open(elf));
    choice.elf.vmlinux = elf;
    if (image.relocatable()) {
        choice.elf.module = elf;
        choice.elf.vmlinux = TRY(vmlinux_of(image));
        for (const ElfSection &code : image.sections())
            if (code.executable() && code.size != 0)
                code_.push_back({code.name, code.size});
    }
    if (!choice.file.empty())
        return {};
    choice.file = elf + ".btf_extra";
    std::error_code ignored;
    if (fs::exists(choice.file, ignored))
        return {};
    const std::string name = image.relocatable() ? module_name(elf) : "vmlinux";
    const std::string build_id = build_id_text(image.build_id_note());
    for (const char *folder : kFirmwareFolders)
        for (const auto &release : fs::directory_iterator(folder, ignored))
            if (const std::string file = release.path() / (name + ".btf_extra");
                fits(file, build_id)) {
                choice.file = file;
                return {};
            }
    return Error{fmt::format("{}: no tables of build-id {} beside it or installed: --tables FILE",
                             elf, build_id),
                 ENOENT};
}

}  // namespace btf_extra
