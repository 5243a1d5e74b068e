// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The input: an ELF file, and the file with its debug information, which may be a separate one
// (.gnu_debuglink, build-id). elfutils opens, decompresses and relocates them. After that the bytes
// do not change, and all threads share them.
#ifndef BTF_EXTRA_DEBUG_FILE_H
#define BTF_EXTRA_DEBUG_FILE_H

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "userspace/format/elf_image.h"
#include "userspace/format/elf_symbols.h"
#include "userspace/format/result.h"
#include "userspace/generator/dwarf/address_form.h"

namespace btf_extra::generator {

using Bytes = std::span<const uint8_t>;

// Sections by their standard names. One that is absent is empty.
struct DebugSections {
    Bytes info, abbrev, str, line, line_str, str_offsets, addr;
    Bytes loc, loclists, ranges, rnglists;
    // The sections of the file that dwz has moved common entries and strings to; nullptr: the
    // file names none.
    const DebugSections *alternate = nullptr;
};

// The call frame information of a file. Each thread has its own: threads cannot share handles of
// libdw (elfutils 0.188).
class FrameTable {
  public:
    virtual ~FrameTable() = default;
    // The CFA in force just before the instruction at a link-time address. nullopt: there is no
    // entry for the address, or the CFA is not register + offset.
    virtual std::optional<RegisterOffset> cfa(uint64_t address) = 0;
};

class DebugFile {
  public:
    virtual ~DebugFile() = default;

    // path must be ELF64, little-endian, x86-64 or aarch64. It must have DWARF, in itself or in its
    // separate debug file.
    static Result<std::unique_ptr<DebugFile>> open(const std::string &path);

    const ElfImage &elf() const { return elf_; }
    const DebugSections &dwarf() const { return dwarf_; }
    // The sections that are loaded, in ascending order of link-time address. In a relocatable file
    // that is the address that its debug sections are relocated to.
    const std::vector<ElfSection> &sections() const { return sections_; }

    // Returns the symbols of elf(), as elf_symbols() does.
    const std::vector<ElfSymbol> &symbols() const { return symbols_; }

    // Must be called by one thread at a time, and before the threads run.
    virtual std::unique_ptr<FrameTable> frame_table() = 0;

    // Takes the memory of a part of .debug_info that was read. If the part is read again,
    // the bytes are the same.
    virtual void release(uint64_t begin, uint64_t end) const = 0;

    // Returns the executable section that holds a link-time address, as an index into sections().
    std::optional<uint32_t> executable_section(uint64_t address) const;
    // The bytes of an executable section, by its index. Empty: the file does not have them.
    Bytes code(uint32_t section) const { return code_[section]; }
    // Returns true if the file has the bytes of all executable sections.
    bool has_code() const;
    // Returns true if a relocation will change one of these bytes of code. In a file that is linked
    // none will.
    bool relocates(uint64_t address, uint64_t size) const;
    // Returns symbol + addend of the first relocation of these bytes. nullopt: they have none, or
    // the symbol is not in a section of the file.
    std::optional<uint64_t> relocation(uint64_t address, uint64_t size) const;
    // Translates the operand of DW_OP_addr to the terms of the output (kernel/core/FORMAT.md,
    // 'Addresses').
    AddressConstant address_constant(uint64_t address) const;

  protected:
    explicit DebugFile(ElfImage elf) : elf_(std::move(elf)) {}

    ElfImage elf_;
    DebugSections dwarf_;
    std::vector<ElfSection> sections_;
    std::vector<ElfSymbol> symbols_;
    std::vector<Bytes> code_;  // by section
    struct Relocation {
        uint64_t address = 0;
        std::optional<uint64_t> target;  // symbol + addend
    };
    std::vector<Relocation> relocations_;  // of code, in ascending order of address
};

}  // namespace btf_extra::generator

#endif
