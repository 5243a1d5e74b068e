// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Compares the addresses that DWARF gives with each other and with the file: an instance is inside
// of its body, a body inside of its section, and a site at the begin of an instruction.
#ifndef BTF_EXTRA_ADDRESS_CHECKS_H
#define BTF_EXTRA_ADDRESS_CHECKS_H

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "userspace/generator/model/code_range.h"
#include "userspace/generator/model/site_model.h"
#include "userspace/generator/sites/copied_entries.h"
#include "userspace/generator/sites/instruction_starts.h"
#include "userspace/generator/sites/reader_input.h"

namespace btf_extra::generator {

// The pieces are those of a body; none: they are not known.

// Cut off what is outside of the sections that the ranges begin in, or of the pieces. Empty ranges
// stay.
void cut_to_sections(std::vector<CodeRange> &ranges, const DebugFile &file);
void cut_to_pieces(std::vector<CodeRange> &ranges, std::span<const CodeRange> pieces);

// Returns the piece that holds an address; all code, if none does.
CodeRange piece_at(std::span<const CodeRange> pieces, uint64_t address);

// Returns true if an instance with these ranges can begin at an address.
bool can_begin(uint64_t address, std::span<const CodeRange> ranges,
               std::span<const CodeRange> pieces);

// Takes out the sites of a unit that are inside of an instruction, and returns how many there were.
size_t drop_inside_instructions(std::vector<Site> &sites, const CopiedEntries &entries,
                                const ReaderInput &input, InstructionStarts &starts);

}  // namespace btf_extra::generator

#endif
