// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/generator/sites/address_checks.h"

#include <algorithm>
#include <iterator>

namespace btf_extra::generator {

namespace {

bool holds_code(CodeRange range) {
    return range.begin < range.end;
}

}  // namespace

void cut_to_sections(std::vector<CodeRange> &ranges, const DebugFile &file) {
    for (CodeRange &range : ranges) {
        if (!holds_code(range))
            continue;
        const auto section = file.executable_section(range.begin);
        const ElfSection *held = section ? &file.sections()[*section] : nullptr;
        range.end = held ? std::min(range.end, held->address + held->size) : range.begin;
    }
}

void cut_to_pieces(std::vector<CodeRange> &ranges, std::span<const CodeRange> pieces) {
    const auto inside = [&](CodeRange range) {
        return !holds_code(range) || std::ranges::any_of(pieces, [&](CodeRange piece) {
            return piece.begin <= range.begin && range.end <= piece.end;
        });
    };
    if (std::ranges::none_of(pieces, holds_code) || std::ranges::all_of(ranges, inside))
        return;
    std::vector<CodeRange> cut;
    for (const CodeRange range : ranges) {
        if (inside(range))
            cut.push_back(range);
        else
            for (const CodeRange piece : pieces)
                if (const CodeRange part{std::max(range.begin, piece.begin),
                                         std::min(range.end, piece.end)};
                    holds_code(part))
                    cut.push_back(part);
    }
    ranges = std::move(cut);
}

CodeRange piece_at(std::span<const CodeRange> pieces, uint64_t address) {
    for (const CodeRange piece : pieces)
        if (piece.begin <= address && address < piece.end)
            return piece;
    return {0, UINT64_MAX};
}

bool can_begin(uint64_t address, std::span<const CodeRange> ranges,
               std::span<const CodeRange> pieces) {
    // GCC leaves a range of no length where it has moved all code of an instance away.
    const auto begins_or_holds = [&](CodeRange range) {
        return range.begin == address || (range.begin < address && address < range.end);
    };
    return (pieces.empty() || hold(pieces, address)) &&
           (ranges.empty() || std::ranges::any_of(ranges, begins_or_holds));
}

// A body begins with the symbol around it, as a rule. If code has no symbol,
// only DWARF says where it begins.
size_t drop_inside_instructions(std::vector<Site> &sites, const CopiedEntries &entries,
                                const ReaderInput &input, InstructionStarts &starts) {
    const std::vector<CodeRange> pieces = entries.pieces();
    const auto first_of = [&](const Site &site, uint64_t base) {
        if (site.site_class == SiteClass::kBody) {
            const auto symbol = input.symbols.around(site.section, site.offset);
            return base + (symbol ? symbol->first : site.offset);
        }
        const auto above =
            std::ranges::upper_bound(pieces, base + site.offset, {}, &CodeRange::begin);
        return above == pieces.begin() ? base + site.offset : std::prev(above)->begin;
    };
    return std::erase_if(sites, [&](const Site &site) {
        const uint64_t base = input.file.sections()[site.section].address;
        return !starts.may_begin_at(base + site.offset, first_of(site, base),
                                    entries.row_addresses());
    });
}

}  // namespace btf_extra::generator
