// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The input: an ELF file, and the file with its debug information, which may be
// a separate one (.gnu_debuglink, build-id). Opened, decompressed and relocated
// by elfutils; what is here after that is bytes that do not change, shared by
// all threads.
#ifndef BTF_EXTRA_DEBUG_FILE_H
#define BTF_EXTRA_DEBUG_FILE_H

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "userspace/format/elf_image.h"
#include "userspace/format/result.h"
#include "userspace/generator/dwarf/address_form.h"

namespace btf_extra::generator {

using Bytes = std::span<const uint8_t>;

// Sections by their standard names; empty where absent.
struct DebugSections {
    Bytes info, abbrev, str, line, line_str, str_offsets, addr;
    Bytes loc, loclists, ranges, rnglists;
};

// The call frame information of a file. One for each thread: libdw's handles
// are not safe to share.
class FrameTable {
  public:
    virtual ~FrameTable() = default;
    // The CFA in force just before the instruction at a link-time address, or
    // none: no entry, or not register + offset.
    virtual std::optional<RegisterOffset> cfa(uint64_t address) = 0;
};

class DebugFile {
  public:
    virtual ~DebugFile() = default;

    // path must be ELF64, little-endian, x86-64 or aarch64, and have DWARF, in
    // itself or in its separate debug file.
    static Result<std::unique_ptr<DebugFile>> open(const std::string &path);

    const ElfImage &elf() const { return elf_; }
    const DebugSections &dwarf() const { return dwarf_; }
    // Those that are loaded, in ascending order of link-time address: of a relocatable file, of the
    // address that its debug sections are relocated to.
    const std::vector<ElfSection> &sections() const { return sections_; }

    // Must be called by one thread at a time, and before the threads run.
    virtual std::unique_ptr<FrameTable> frame_table() = 0;

    // The executable section that holds a link-time address: an index into
    // sections(), or none.
    std::optional<uint32_t> executable_section(uint64_t address) const;
    // The bytes of an executable section, by its index; empty: the file does not have them.
    Bytes code(uint32_t section) const { return code_[section]; }
    // Whether it has those of all executable sections.
    bool has_code() const;
    // Whether a relocation will change one of the bytes of code there. Of a file that is linked:
    // none.
    bool relocates(uint64_t address, uint64_t size) const;
    // DW_OP_addr in the terms of the output (kernel/core/FORMAT.md, 'Addresses').
    AddressConstant address_constant(uint64_t address) const;

  protected:
    explicit DebugFile(ElfImage elf) : elf_(std::move(elf)) {}

    ElfImage elf_;
    DebugSections dwarf_;
    std::vector<ElfSection> sections_;
    std::vector<Bytes> code_;            // by section
    std::vector<uint64_t> relocations_;  // addresses in code, in ascending order
};

}  // namespace btf_extra::generator

#endif
