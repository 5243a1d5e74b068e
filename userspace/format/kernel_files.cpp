// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/format/kernel_files.h"

#include <algorithm>
#include <cctype>
#include <span>
#include <vector>

#include <fmt/format.h>

#include "userspace/format/elf_symbols.h"
#include "userspace/format/kernel_release.h"
#include "userspace/format/temporary_file.h"

namespace btf_extra {
namespace {

// Returns the letter of nm(1).
char letter_of(const GElf_Sym &symbol) {
    switch (GELF_ST_BIND(symbol.st_info)) {
    case STB_GLOBAL:
        return 'T';
    case STB_WEAK:
        return 'W';
    default:
        return 't';
    }
}

bool is_code(const ElfImage &kernel, const ElfSymbol &symbol) {
    const unsigned char type = GELF_ST_TYPE(symbol.entry.st_info);
    // "$x" marks code on arm64, and is no symbol of the kernel.
    if (symbol.name[0] == '\0' || symbol.name[0] == '$' || (type != STT_FUNC && type != STT_NOTYPE))
        return false;
    return std::ranges::any_of(kernel.sections(), [&](const ElfSection &section) {
        return section.index == symbol.entry.st_shndx && (section.flags & SHF_EXECINSTR) != 0;
    });
}

}  // namespace

Result<void> write_kernel_files(const ElfImage &kernel, const std::string &folder) {
    const auto write = [&](const char *name, std::span<const std::byte> bytes) {
        return write_whole_file(folder + "/" + name, bytes);
    };
    std::vector<ElfSymbol> symbols = TRY(elf_symbols(kernel));
    std::erase_if(symbols, [&](const ElfSymbol &symbol) { return !is_code(kernel, symbol); });
    std::ranges::stable_sort(symbols, {},
                             [](const ElfSymbol &symbol) { return symbol.entry.st_value; });
    std::string lines;
    for (const ElfSymbol &symbol : symbols)
        lines += fmt::format("{:016x} {} {}\n", symbol.entry.st_value, letter_of(symbol.entry),
                             symbol.name);
    TRY(write(kKernelSymbols, std::as_bytes(std::span(lines))));
    const std::string banner = kernel_banner(kernel) + "\n";
    TRY(write(kKernelBanner, std::as_bytes(std::span(banner))));
    const ElfSection *btf = kernel.find(".BTF");
    if (btf == nullptr)
        return kernel.error(".BTF", "no such section");
    const auto bytes = TRY(kernel.bytes(*btf));
    return write(kKernelBtf, bytes);
}

}  // namespace btf_extra
