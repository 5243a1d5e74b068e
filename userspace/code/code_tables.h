// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Reads the tables that vmlinux or a module has of its own code: who may change an instruction, and
// where no probe may be. In vmlinux symbols are around each table. In a module it is a section, and
// what is in it is in the relocations.
#ifndef BTF_EXTRA_CODE_TABLES_H
#define BTF_EXTRA_CODE_TABLES_H

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "userspace/format/elf_image.h"
#include "userspace/format/elf_symbols.h"
#include "userspace/format/place.h"

namespace btf_extra {

// Text from one offset in a section to another: that without probes, or that of an alternative.
struct ClosedText {
    uint32_t section;
    uint64_t begin, end;

    bool holds(const Place &place) const {
        return place.section == section && place.offset >= begin && place.offset < end;
    }
};

// An instruction, and the place that another entry of its table leads to.
struct CodeJump {
    Place from, to;
    auto operator<=>(const CodeJump &) const = default;
};

// Code that the kernel replaces when it boots, and what it puts there. Jumps in the replacement are
// relative to where that is in the file.
struct Alternative {
    ClosedText code;
    ClosedText replacement;  // empty: NOPs
};

// Each in ascending order. Empty: the file has no such table.
struct CodeTables {
    std::vector<Place> ftrace_calls;  // what ftrace turns on and off
    std::vector<Place> blacklisted;   // functions of NOKPROBE_SYMBOL()
    std::vector<Place> static_keys;   // instructions that a static key changes
    std::vector<Place> static_calls;  // instructions that a static call changes
    std::vector<Place> faulting;      // instructions that may fault
    std::vector<ClosedText> closed;
    std::vector<CodeJump> key_jumps;  // where the instructions of static_keys may jump to
    std::vector<CodeJump> fixups;     // where those of faulting go on. arm64: not known
    std::optional<std::vector<Alternative>> alternatives;  // nullopt: the file does not say
};

// Returns the text that these symbols are around. Offsets are what address_of() returns, and
// sections are 0.
using AddressOf = std::function<std::optional<uint64_t>(std::string_view symbol)>;
std::vector<ClosedText> closed_text(const AddressOf &address_of);

// symbols are those of the file, as elf_symbols() has them.
CodeTables code_tables(const ElfImage &elf, std::span<const ElfSymbol> symbols);

}  // namespace btf_extra

#endif
