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

const ElfSection *code_section(const ElfImage &elf, const ElfSymbol &symbol) {
    const auto found = std::ranges::find(elf.sections(), symbol.entry.st_shndx, &ElfSection::index);
    return found != elf.sections().end() && found->executable() ? &*found : nullptr;
}

// Returns the symbols of code in order of their values.
Result<std::vector<ElfSymbol>> code_symbols(const ElfImage &elf) {
    std::vector<ElfSymbol> symbols = TRY(elf_symbols(elf));
    std::erase_if(symbols, [&](const ElfSymbol &symbol) {
        const unsigned char type = GELF_ST_TYPE(symbol.entry.st_info);
        // "$x" marks code on arm64, and is no symbol of the kernel.
        return symbol.name[0] == '\0' || symbol.name[0] == '$' ||
               (type != STT_FUNC && type != STT_NOTYPE) || code_section(elf, symbol) == nullptr;
    });
    std::ranges::stable_sort(symbols, {},
                             [](const ElfSymbol &symbol) { return symbol.entry.st_value; });
    return symbols;
}

Result<void> write_file(const std::string &folder, const std::string &name,
                        std::span<const std::byte> bytes) {
    return write_whole_file(folder + "/" + name, bytes);
}

Result<void> write_file(const std::string &folder, const std::string &name,
                        const std::string &text) {
    return write_file(folder, name, std::as_bytes(std::span(text)));
}

std::string symbol_line(const ElfSymbol &symbol) {
    return fmt::format("{:016x} {} {}", symbol.entry.st_value, letter_of(symbol.entry),
                       symbol.name);
}

}  // namespace

Result<void> write_kernel_files(const ElfImage &kernel, const std::string &folder) {
    const auto symbols = TRY(code_symbols(kernel));
    std::string lines;
    for (const ElfSymbol &symbol : symbols)
        lines += symbol_line(symbol) + '\n';
    TRY(write_file(folder, kKernelSymbols, lines));
    TRY(write_file(folder, kKernelBanner, kernel_banner(kernel) + "\n"));
    const ElfSection *btf = kernel.find(".BTF");
    if (btf == nullptr)
        return kernel.error(".BTF", "no such section");
    const auto bytes = TRY(kernel.bytes(*btf));
    return write_file(folder, kKernelBtf, bytes);
}

Result<void> write_module_files(const std::vector<ModuleFile> &modules, const std::string &folder) {
    std::string lines;
    for (const ModuleFile &module : modules) {
        const auto elf = ElfImage::open(module.path);
        if (!elf)
            continue;
        const auto symbols = code_symbols(*elf);
        if (!symbols)
            continue;
        for (const ElfSymbol &symbol : *symbols) {
            const ElfSection &section = *code_section(*elf, symbol);
            // The kernel forgets the symbols of init text with the text.
            if (!section.name.starts_with(".init"))
                lines +=
                    fmt::format("{}\t[{} {}]\n", symbol_line(symbol), module.name, section.name);
        }
        const ElfSection *btf = elf->find(".BTF");
        if (btf == nullptr || btf->type == SHT_NOBITS)
            continue;
        const auto bytes = TRY(elf->bytes(*btf));
        TRY(write_file(folder, module.name + kModuleBtfSuffix, bytes));
    }
    return write_file(folder, kModuleSymbols, lines);
}

}  // namespace btf_extra
