// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/generator/dwarf/line_program.h"

namespace btf_extra::generator {

namespace {

// The state machine of DWARF 5, 6.2.2.
class LineMachine {
  public:
    LineMachine(const DebugSections &sections, const LineHeader &header, const Unit &unit,
                const VisitRow &visit)
        : reader_(sections.line.first(header.end), header.operations), header_(header), unit_(unit),
          visit_(visit) {}

    bool run() {
        while (!reader_.at_end() && !reader_.failed()) {
            const uint8_t opcode = reader_.u8();
            if (opcode >= header_.opcode_base)
                special(opcode);
            else if (opcode != 0)
                standard(opcode);
            else
                extended();
        }
        return !reader_.failed();
    }

  private:
    void emit() {
        visit_(row_);
        ++row_.point.view;
    }
    void advance(uint64_t units) {
        row_.point.address += units * header_.address_unit;
        if (units != 0)
            row_.point.view = 0;
    }
    void special(uint8_t opcode) {
        const auto adjusted = static_cast<uint8_t>(opcode - header_.opcode_base);
        advance(adjusted / header_.line_range);
        row_.place.line += static_cast<uint64_t>(header_.line_base + adjusted % header_.line_range);
        emit();
    }
    void standard(uint8_t opcode) {
        switch (opcode) {
        case DW_LNS_copy:
            emit();
            break;
        case DW_LNS_advance_pc:
            advance(reader_.uleb());
            break;
        case DW_LNS_advance_line:
            row_.place.line += static_cast<uint64_t>(reader_.sleb());
            break;
        case DW_LNS_set_file:
            row_.place.file = reader_.uleb();
            break;
        case DW_LNS_set_column:
            row_.place.column = reader_.uleb();
            break;
        case DW_LNS_negate_stmt:
            row_.is_stmt = !row_.is_stmt;
            break;
        case DW_LNS_const_add_pc:
            advance((255u - header_.opcode_base) / header_.line_range);
            break;
        case DW_LNS_fixed_advance_pc:
            // Views go on to be counted: the assembler writes this operation where it does not know
            // yet whether the address changes.
            row_.point.address += reader_.u16();
            break;
        default:
            for (uint8_t i = 0; i < header_.operands[opcode - 1u]; ++i)
                reader_.uleb();
            break;
        }
    }
    void extended() {
        const uint64_t length = reader_.uleb();
        const uint64_t end = reader_.offset() + length;
        if (length == 0 || length > reader_.remaining()) {
            reader_.skip(UINT64_MAX);
            return;
        }
        switch (reader_.u8()) {
        case DW_LNE_end_sequence:
            visit_({.place = {}, .point = row_.point, .is_stmt = false, .ends = true});
            row_ = first_row();
            break;
        case DW_LNE_set_address:
            row_.point = {.address = reader_.unsigned_of(unit_.header.address_size), .view = 0};
            break;
        default:
            break;
        }
        reader_.seek(end);
    }
    LineRow first_row() const {
        return {.place = {.file = 1, .line = 1, .column = 0},
                .point = {},
                .is_stmt = header_.default_is_stmt};
    }

    ByteReader reader_;
    const LineHeader &header_;
    const Unit &unit_;
    const VisitRow &visit_;
    LineRow row_ = first_row();
};

}  // namespace

std::optional<LineHeader> read_line_header(const DebugSections &sections, const Unit &unit) {
    ByteReader reader(sections.line, unit.line_offset.value_or(UINT64_MAX));
    LineHeader header;
    uint64_t length = reader.u32();
    if (length == 0xffffffff) {
        header.offset_size = 8;
        length = reader.u64();
    }
    if (reader.failed() || length > reader.remaining())
        return std::nullopt;
    header.end = reader.offset() + length;
    header.version = reader.u16();
    if (header.version < 2 || header.version > 5)
        return std::nullopt;
    if (header.version >= 5)
        reader.skip(2);  // address size, segment selector size
    const uint64_t rest = reader.section_offset(header.offset_size);
    header.operations = reader.offset() + rest;
    if (reader.failed() || header.operations < rest || header.operations > header.end)
        return std::nullopt;
    header.address_unit = reader.u8();
    if (header.version >= 4)
        reader.skip(1);  // maximum_operations_per_instruction
    header.default_is_stmt = reader.u8() != 0;
    header.line_base = static_cast<int8_t>(reader.u8());
    header.line_range = reader.u8();
    header.opcode_base = reader.u8();
    header.operands = reader.bytes(header.opcode_base ? header.opcode_base - 1u : 0);
    header.tables = reader.offset();
    if (reader.failed() || header.line_range == 0 || header.opcode_base == 0)
        return std::nullopt;
    return header;
}

bool for_each_row(const DebugSections &sections, const Unit &unit, const VisitRow &visit) {
    const std::optional<LineHeader> header = read_line_header(sections, unit);
    return header && LineMachine(sections, *header, unit, visit).run();
}

}  // namespace btf_extra::generator
