// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// btf-extra symbolize: the inlined functions at an address, and in the stack traces of a text.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "userspace/cli/command.h"
#include "userspace/cli/object_options.h"
#include "userspace/format/hex_number.h"
#include "userspace/lib/tables/symbolizer.h"
#include "userspace/stacks/addr2line.h"
#include "userspace/stacks/chain_text.h"
#include "userspace/stacks/stack_filter.h"

namespace btf_extra {
namespace {

struct Options {
    TablesChoice tables;
    std::vector<std::string> operands;
    bool running = false;
    std::string kaslr;
    bool json = false;
    bool speaks_addr2line = false;
    Addr2line addr2line;
    std::string exe;
    bool demangle = false;
};

constexpr size_t kPiece = 1 << 16;  // that is read at once

// Calls visit with the lines of stdin, as many at once as have come. Only the last one of all may
// have no newline.
template <class Visit> void for_each_piece(const Visit &visit) {
    std::vector<char> piece(kPiece);
    size_t held = 0;  // of a line that goes on
    for (;;) {
        if (held == piece.size())
            piece.resize(2 * held);
        const ssize_t size = read(STDIN_FILENO, piece.data() + held, piece.size() - held);
        if (size < 0 && errno == EINTR)
            continue;
        if (size <= 0)
            break;
        const std::string_view come(piece.data() + held, static_cast<size_t>(size));
        const size_t end = come.rfind('\n') + 1;  // npos + 1 is 0
        held += static_cast<size_t>(size);
        if (end == 0)
            continue;
        const std::string_view whole(piece.data(), held - come.size() + end);
        visit(whole);
        held -= whole.size();
        std::copy_n(piece.begin() + static_cast<ptrdiff_t>(whole.size()), held, piece.begin());
    }
    if (held != 0)
        visit(std::string_view(piece.data(), held));
}

// Calls visit with each line of stdin, without its newline.
template <class Visit> void for_each_line(const Visit &visit) {
    for_each_piece([&](std::string_view rest) {
        while (!rest.empty()) {
            const size_t end = std::min(rest.find('\n'), rest.size());
            visit(rest.substr(0, end));
            rest.remove_prefix(std::min(end + 1, rest.size()));
        }
    });
}

bool is_file(int descriptor) {
    struct stat status = {};
    return fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
}

// An oops has its "Kernel Offset" after the stack. A file can be read twice.
void find_kernel_offset(Symbolizer &symbolizer) {
    const off_t begin = lseek(STDIN_FILENO, 0, SEEK_CUR);
    if (begin < 0)
        return;
    bool found = false;
    for_each_line([&](std::string_view line) {
        const auto offset = found ? std::nullopt : kernel_offset(line);
        if (offset)
            symbolizer.set_kaslr(*offset);
        found |= offset.has_value();
    });
    lseek(STDIN_FILENO, begin, SEEK_SET);
}

void run_filter(Symbolizer &symbolizer, bool knows_kaslr) {
    if (is_file(STDIN_FILENO) && !knows_kaslr)
        find_kernel_offset(symbolizer);
    StackFilter filter(symbolizer);
    std::string out;
    for_each_piece([&](std::string_view lines) {
        out.clear();
        filter.filter(lines, out);
        fwrite(out.data(), 1, out.size(), stdout);
        fflush(stdout);
    });
    for (const std::string &warning : {filter.warning(), symbolizer.left_out_modules()})
        if (!warning.empty())
            fmt::print(stderr, "btf-extra: {}\n", warning);
}

Result<void> print_place(Symbolizer &symbolizer, const std::string &text, bool json) {
    const auto named = TRY(symbolizer.find(text));
    // Readers of JSON count on an answer for each place.
    if (named.symbol.empty() && !json)
        return Error{fmt::format("'{}': no function is at this address", text)};
    if (json)
        fmt::print("{}\n", place_json(named, text));
    else
        fmt::print("{}{}\n{}", named.address ? fmt::format("{:#x}", *named.address) : text,
                   line_text(named), place_text(named, "    "));
    return {};
}

// Calls visit with each operand, or with each line of stdin if there is none.
template <class Visit> void for_each_place(const Options &options, const Visit &visit) {
    for (const std::string &text : options.operands)
        visit(text);
    if (options.operands.empty())
        for_each_line([&](std::string_view line) {
            if (!line.empty())
                visit(std::string(line));
        });
}

Result<void> run_addr2line(Options &options) {
    if (!options.exe.empty())
        TRY(options.addr2line.choose_tables(options.exe, options.tables));
    auto symbolizer = TRY(Symbolizer::open(options.tables));
    TRY(options.addr2line.check_section(symbolizer));
    // The writer of the line waits for the answer.
    setvbuf(stdout, nullptr, _IOLBF, 0);
    for_each_place(options, [&](const std::string &text) {
        fmt::print("{}", options.addr2line.answer(symbolizer, text));
    });
    return {};
}

Result<void> run(Options &options) {
    if (options.speaks_addr2line)
        return run_addr2line(options);
    // "symbolize FILE --vmlinux ELF ADDRESS...", as in stat and dump.
    if (!options.tables.elf.vmlinux.empty() && options.tables.file.empty() &&
        !options.operands.empty()) {
        options.tables.file = options.operands.front();
        options.operands.erase(options.operands.begin());
    }
    const bool filters = options.operands.empty() && !options.json;
    if (filters)
        options.tables.parts = FileParts::kPlaces;
    auto symbolizer = TRY(Symbolizer::open(options.tables));
    if (!options.kaslr.empty()) {
        const auto offset = parse_hex(options.kaslr);
        if (!offset)
            return Error{fmt::format("--kaslr: '{}' is not a hexadecimal number", options.kaslr)};
        symbolizer.set_kaslr(*offset);
    }
    if (filters) {
        run_filter(symbolizer, !options.kaslr.empty());
        return {};
    }
    Result<void> done;
    for_each_place(options, [&](const std::string &text) {
        auto printed = print_place(symbolizer, text, options.json);
        if (!printed && done)
            done = printed.error();
    });
    return done;
}

}  // namespace

void add_symbolize(CLI::App &app, int &exit_code) {
    auto options = std::make_shared<Options>();
    CLI::App *command = app.add_subcommand(
        "symbolize", "Print the inlined functions at an address, or add them to the stack traces "
                     "of a text from stdin");
    command->add_option("ADDRESS", options->operands,
                        "In hex, symbol+0xoffset[/0xsize] or section+0xoffset; an offset without "
                        "0x is decimal; with --vmlinux the first "
                        "operand is the .btf_extra file, unless --tables names it");
    CLI::Option *file = add_running_tables_options(*command, options->tables);
    CLI::Option *vmlinux = add_object_options(*command, options->tables.elf);
    add_base_option(*command, options->tables.elf);
    command->get_option("--btf-base")->needs(file);
    CLI::Option *running =
        command->add_flag("--running", options->running, "The running kernel's tables: the default")
            ->excludes(file)
            ->excludes(vmlinux);
    command->add_option("--kaslr", options->kaslr,
                        "The KASLR offset of the kernel that wrote the text, in hex");
    CLI::Option *json =
        command->add_flag("--json", options->json,
                          "Print one JSON object per line, for each ADDRESS or each line of stdin");
    CLI::Option *addr2line =
        command
            ->add_flag("--addr2line", options->speaks_addr2line,
                       "Print what addr2line prints; the next options require this one")
            ->excludes(json);
    const auto add = [&](const char *name, bool &flag, const char *help) {
        command->add_flag(name, flag, help)->needs(addr2line);
    };
    command
        ->add_option(
            "-e,--exe", options->exe,
            "The vmlinux or module; its tables are beside it, or installed for its build-id")
        ->needs(addr2line)
        ->excludes(running)
        ->excludes(vmlinux);
    add("-a,--addresses", options->addr2line.addresses, "Print the address, too");
    add("-f,--functions", options->addr2line.functions, "Print the function, too");
    add("-i,--inlines", options->addr2line.inlines,
        "Print the callers in which it is inlined, too");
    add("-s,--basenames", options->addr2line.basenames, "Print files without their folders");
    add("-p,--pretty-print", options->addr2line.pretty, "Print a function on one line");
    command
        ->add_option("-j,--section", options->addr2line.section,
                     "Addresses count from the beginning of this section")
        ->needs(addr2line);
    add("-C,--demangle", options->demangle, "Has no effect: C names are not mangled");
    command->callback([options, &exit_code] { exit_code = finish(run(*options)); });
}

}  // namespace btf_extra
