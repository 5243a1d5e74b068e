// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Units of .debug_info (DWARF 2 to 5), and access to their entries (DIEs). This is not left to
// libdw: a kernel has 14 million entries and the generator wants a few per cent of them, and all
// threads can share these tables.
#ifndef BTF_EXTRA_DWARF_UNIT_H
#define BTF_EXTRA_DWARF_UNIT_H

#include <dwarf.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "userspace/format/byte_reader.h"
#include "userspace/format/result.h"
#include "userspace/generator/dwarf/compiler.h"
#include "userspace/generator/dwarf/debug_file.h"

namespace btf_extra::generator {

struct AttributeSpec {
    uint16_t name = 0;      // DW_AT_*
    uint16_t form = 0;      // DW_FORM_*
    uint32_t implicit = 0;  // DW_FORM_implicit_const: its value, by AbbreviationTable::implicit()
};

struct Abbreviation {
    uint16_t tag = 0;  // DW_TAG_*; 0: not defined
    bool has_children = false;
    uint32_t first_spec = 0;
    uint32_t nr_specs = 0;
    // The bytes of all attributes; -1: that depends on their values.
    int32_t fixed_size = -1;
    // The offset among them of a DW_AT_sibling of 4 bytes; -1: there is none, or it is not fixed.
    int32_t sibling = -1;
};

class AbbreviationTable {
  public:
    // false: malformed.
    bool parse(Bytes section, uint64_t offset, uint8_t address_size, uint8_t offset_size,
               uint16_t version);

    const Abbreviation *find(uint64_t code) const {
        if (code - 1 < dense_.size())
            return &dense_[code - 1];
        const auto found = sparse_.find(code);
        return found == sparse_.end() ? nullptr : &found->second;
    }
    const AttributeSpec *specs(const Abbreviation &abbreviation) const {
        return specs_.data() + abbreviation.first_spec;
    }
    int64_t implicit(uint32_t number) const { return implicits_[number]; }
    // These say whether an attribute refers to the alternate file, or to a type unit.
    bool needs_alternate() const { return needs_alternate_; }
    bool needs_type_units() const { return needs_type_units_; }

  private:
    std::vector<Abbreviation> dense_;  // by code - 1; compilers number them 1, 2, 3, ...
    std::unordered_map<uint64_t, Abbreviation> sparse_;
    std::vector<AttributeSpec> specs_;
    std::vector<int64_t> implicits_;
    bool needs_alternate_ = false;
    bool needs_type_units_ = false;
};

// The value of an attribute, by the class of its form.
struct AttributeValue {
    enum Class : uint8_t {
        kNone,
        kAddress,        // number
        kAddressIndex,   // number: entry of .debug_addr
        kUnsigned,       // number
        kSigned,         // number, sign-extended
        kReference,      // number: offset of an entry; kNowhere: there is no such file
        kSectionOffset,  // number
        kListIndex,      // number: entry of the unit's table of lists
        kBlock,          // block
        kString,         // string
        kFlag,           // number
        kSignature,      // of a type unit, which is not followed
    } kind = kNone;
    uint64_t number = 0;
    Bytes block;
    std::string_view string;

    bool is_constant() const { return kind == kUnsigned || kind == kSigned; }
    explicit operator bool() const { return kind != kNone; }
};

// Offsets of units and entries in the alternate file are above those of the file itself.
constexpr uint64_t kAlternateBase = uint64_t{1} << 62;
constexpr uint64_t kNowhere = UINT64_MAX;  // an offset where no entry is

struct UnitHeader {
    uint64_t base = 0;       // offset 0 of its .debug_info: 0 or kAlternateBase
    uint64_t offset = 0;     // of the header; it includes base, as do all offsets
    uint64_t end = 0;        // of the unit
    uint64_t first_die = 0;  // of the unit entry
    uint64_t abbrev_offset = 0;
    uint16_t version = 0;
    uint8_t unit_type = DW_UT_compile;
    uint8_t address_size = 8;
    uint8_t offset_size = 4;  // 4: 32-bit DWARF
};

// Reads all unit headers, in order. An error has the offset at which the section is malformed.
Result<std::vector<UnitHeader>> read_unit_headers(Bytes info, uint64_t base = 0);

// An entry.
struct Die {
    uint64_t offset = 0;
    uint64_t attributes = 0;                     // the offset where they begin
    const Abbreviation *abbreviation = nullptr;  // their shape; nullptr: no entry
    bool ends_children = false;                  // the null entry after the last child

    uint16_t tag() const { return abbreviation ? abbreviation->tag : 0; }
};

// A unit: its parsed abbreviations, and the attributes of its own entry. It does not change, so
// that threads can share it.
class Unit {
  public:
    // nullopt: malformed. sections are those of the file that has the unit.
    static std::optional<Unit> open(const DebugSections &sections, const UnitHeader &header);

    UnitHeader header;
    std::string_view name;      // DW_AT_name
    std::string_view comp_dir;  // DW_AT_comp_dir
    std::string_view dwo_name;  // not empty: the code is described in another file
    uint64_t language = 0;      // DW_LANG_*
    Compiler compiler = Compiler::kOther;
    uint64_t low_pc = 0;                  // base address of lists
    std::optional<uint64_t> line_offset;  // DW_AT_stmt_list
    uint64_t str_offsets_base = 0;
    uint64_t addr_base = 0;
    uint64_t loclists_base = 0;
    uint64_t rnglists_base = 0;

    bool is_assembly() const;
    bool is_c() const;
    // The sections that its numbers and offsets refer to.
    const DebugSections &sections() const { return *sections_; }
    const AbbreviationTable &abbreviations() const { return abbreviations_; }
    // A partial unit has entries that several units share. It is no unit of the source.
    bool is_partial() const { return unit_die().tag() == DW_TAG_partial_unit; }

    Die unit_die() const { return die_at(header.first_die); }
    // Reads the entry at an offset inside the unit. It has no abbreviation if the offset is that of
    // the end of a list of children, or if the entry is malformed.
    Die die_at(uint64_t offset) const;
    // Returns the offset just after the attributes. The first child is there if the entry has
    // children, else the next sibling. 0: malformed.
    uint64_t after_attributes(const Die &die) const;
    // Returns the offset after the entry and all its children. 0: malformed.
    uint64_t next_sibling(const Die &die) const;

    AttributeValue attribute(const Die &die, uint16_t name) const;
    // Calls visit(name, value) for every attribute. Returns what after_attributes() returns.
    template <class Visit> uint64_t for_each_attribute(const Die &die, Visit visit) const {
        ByteReader reader = reader_at(die.attributes);
        const AttributeSpec *spec = abbreviations_.specs(*die.abbreviation);
        const AttributeSpec *end = spec + die.abbreviation->nr_specs;
        for (; spec != end; ++spec) {
            const AttributeValue value = read_form(reader, *spec);
            if (reader.failed())
                return 0;
            visit(spec->name, value);
        }
        return header.base + reader.offset();
    }

    std::optional<uint64_t> indexed_address(uint64_t index) const;
    // Returns the address if the value is a kAddress or kAddressIndex.
    std::optional<uint64_t> address_of(const AttributeValue &value) const;

  private:
    // Reads the unit up to its end.
    ByteReader reader_at(uint64_t offset) const {
        return ByteReader(sections_->info.first(header.end - header.base), offset - header.base);
    }
    AttributeValue read_form(ByteReader &reader, const AttributeSpec &spec) const;
    std::string_view string_at(Bytes section, uint64_t offset) const;
    std::string_view indexed_string(uint64_t index) const;

    const DebugSections *sections_ = nullptr;
    AbbreviationTable abbreviations_;
};

// All units of a file, in order, and those of its alternate file.
class UnitSet {
  public:
    // Opens the units, of which those of the alternate file come last. An error says that one is
    // malformed, or refers to what is not supported or missing.
    static Result<UnitSet> open(const DebugSections &sections,
                                const std::vector<UnitHeader> &headers, size_t threads);

    // Returns the units of the file itself. The others have no code.
    std::span<const Unit> units() const { return std::span(units_).first(nr_own_); }
    // Returns the unit that holds the offset of an entry, or nullptr.
    const Unit *at(uint64_t offset) const;

  private:
    std::vector<Unit> units_;
    size_t nr_own_ = 0;
};

}  // namespace btf_extra::generator

#endif
