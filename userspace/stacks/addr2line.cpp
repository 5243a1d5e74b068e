// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/stacks/addr2line.h"

#include <cerrno>
#include <filesystem>
#include <string_view>

#include <fmt/format.h>

#include "userspace/format/extra_file.h"
#include "userspace/format/hex_number.h"

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

}  // namespace

Result<void> Addr2line::check_section(Symbolizer &symbolizer) const {
    if (!section.empty())
        TRY(symbolizer.find(section, 0));
    return {};
}

Result<Symbolizer::Named> Addr2line::find(Symbolizer &symbolizer, uint64_t address) const {
    return section.empty() ? symbolizer.find(fmt::format("{:#x}", address))
                           : symbolizer.find(section, address);
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

Result<void> Addr2line::choose_tables(const std::string &vmlinux, TablesChoice &choice) {
    choice.elf.vmlinux = vmlinux;
    if (!choice.file.empty())
        return {};
    choice.file = vmlinux + ".btf_extra";
    std::error_code ignored;
    if (fs::exists(choice.file, ignored))
        return {};
    const auto image = TRY(ElfImage::open(vmlinux));
    const std::string build_id = build_id_text(image.build_id_note());
    for (const char *folder : kFirmwareFolders)
        for (const auto &release : fs::directory_iterator(folder, ignored))
            if (const std::string file = release.path() / "vmlinux.btf_extra";
                fits(file, build_id)) {
                choice.file = file;
                return {};
            }
    return Error{fmt::format("{}: no tables of build-id {} beside it or installed: --tables FILE",
                             vmlinux, build_id),
                 ENOENT};
}

}  // namespace btf_extra
