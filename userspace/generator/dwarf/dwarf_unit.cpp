// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/generator/dwarf/dwarf_unit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "userspace/generator/model/thread_pool.h"

namespace btf_extra::generator {

namespace {

constexpr uint32_t kMaxDepth = 512;  // of indirect forms

using V = AttributeValue;

// The bytes of a form's number, if it does not say how many: 0 (the number is 1) to 16 (it is the
// length of a block).
enum Size : int8_t {
    kUnsized = -1,  // none: a text follows
    kUleb = -2,
    kSleb = -3,
    kImplicit = -4,  // it is in the abbreviation
    kAddress = -5,
    kOffset = -6,
    kFileOffset = -7,  // as an address in DWARF 2, and as an offset since
};

// The kind of value that the number leads to.
enum Where : uint8_t {
    kNowhereElse,  // nothing: it is the value
    kBytesHere,
    kTextHere,
    kEntryOfUnit,
    kEntryOfFile,
    kEntryOfAlternate,
    kString,
    kLineString,
    kStringOfAlternate,
    kStringByIndex,
};

struct Form {
    uint16_t name;
    V::Class kind;  // kNone: it is not known
    int8_t size;
    Where where = kNowhereElse;
};

constexpr Form kForms[] = {
    {DW_FORM_addr, V::kAddress, kAddress},
    {DW_FORM_addrx, V::kAddressIndex, kUleb},
    {DW_FORM_addrx1, V::kAddressIndex, 1},
    {DW_FORM_addrx2, V::kAddressIndex, 2},
    {DW_FORM_addrx3, V::kAddressIndex, 3},
    {DW_FORM_addrx4, V::kAddressIndex, 4},
    {DW_FORM_GNU_addr_index, V::kAddressIndex, kUleb},
    {DW_FORM_data1, V::kUnsigned, 1},
    {DW_FORM_data2, V::kUnsigned, 2},
    {DW_FORM_data4, V::kUnsigned, 4},
    {DW_FORM_data8, V::kUnsigned, 8},
    {DW_FORM_data16, V::kBlock, 16, kBytesHere},
    {DW_FORM_udata, V::kUnsigned, kUleb},
    {DW_FORM_sdata, V::kSigned, kSleb},
    {DW_FORM_implicit_const, V::kSigned, kImplicit},
    {DW_FORM_flag, V::kFlag, 1},
    {DW_FORM_flag_present, V::kFlag, 0},
    {DW_FORM_ref1, V::kReference, 1, kEntryOfUnit},
    {DW_FORM_ref2, V::kReference, 2, kEntryOfUnit},
    {DW_FORM_ref4, V::kReference, 4, kEntryOfUnit},
    {DW_FORM_ref8, V::kReference, 8, kEntryOfUnit},
    {DW_FORM_ref_udata, V::kReference, kUleb, kEntryOfUnit},
    {DW_FORM_ref_addr, V::kReference, kFileOffset, kEntryOfFile},
    {DW_FORM_ref_sup4, V::kReference, 4, kEntryOfAlternate},
    {DW_FORM_ref_sup8, V::kReference, 8, kEntryOfAlternate},
    {DW_FORM_GNU_ref_alt, V::kReference, kOffset, kEntryOfAlternate},
    {DW_FORM_ref_sig8, V::kSignature, 8},
    {DW_FORM_sec_offset, V::kSectionOffset, kOffset},
    {DW_FORM_loclistx, V::kListIndex, kUleb},
    {DW_FORM_rnglistx, V::kListIndex, kUleb},
    {DW_FORM_exprloc, V::kBlock, kUleb, kBytesHere},
    {DW_FORM_block, V::kBlock, kUleb, kBytesHere},
    {DW_FORM_block1, V::kBlock, 1, kBytesHere},
    {DW_FORM_block2, V::kBlock, 2, kBytesHere},
    {DW_FORM_block4, V::kBlock, 4, kBytesHere},
    {DW_FORM_string, V::kString, kUnsized, kTextHere},
    {DW_FORM_strp, V::kString, kOffset, kString},
    {DW_FORM_line_strp, V::kString, kOffset, kLineString},
    {DW_FORM_strp_sup, V::kString, kOffset, kStringOfAlternate},
    {DW_FORM_GNU_strp_alt, V::kString, kOffset, kStringOfAlternate},
    {DW_FORM_strx, V::kString, kUleb, kStringByIndex},
    {DW_FORM_strx1, V::kString, 1, kStringByIndex},
    {DW_FORM_strx2, V::kString, 2, kStringByIndex},
    {DW_FORM_strx3, V::kString, 3, kStringByIndex},
    {DW_FORM_strx4, V::kString, 4, kStringByIndex},
    {DW_FORM_GNU_str_index, V::kString, kUleb, kStringByIndex},
};

// Forms of GNU have numbers from 0x1f00 on. They follow the others in a table by number.
constexpr size_t kForm = 0x40, kGnuForm = 0x1f00;

constexpr size_t slot_of(uint64_t name) {
    if (name - kGnuForm < kForm)
        return kForm + (name - kGnuForm);
    return name < kForm ? name : 0;
}

constexpr auto kFormBySlot = [] {
    std::array<Form, 2 * kForm> out{};  // kNone
    for (const Form &form : kForms)
        out[slot_of(form.name)] = form;
    return out;
}();

const Form &form_of(uint64_t name) {
    return kFormBySlot[slot_of(name)];
}

// Returns the bytes of a form; -1: they depend on the value.
int32_t form_size(const Form &form, uint8_t address_size, uint8_t offset_size, uint16_t version) {
    if (form.kind == V::kNone || (form.kind == V::kBlock && form.size != 16))
        return -1;
    switch (form.size) {
    case kUnsized:
    case kUleb:
    case kSleb:
        return -1;
    case kImplicit:
        return 0;
    case kAddress:
        return address_size;
    case kOffset:
        return offset_size;
    case kFileOffset:
        return version <= 2 ? address_size : offset_size;
    default:
        return form.size;
    }
}

// Reads 1 to 8 bytes. A switch for each size takes longer: which one follows cannot be predicted.
uint64_t read_fixed(ByteReader &reader, uint32_t size) {
    if (reader.remaining() < 8)
        return reader.unsigned_of(size);
    const uint64_t value = ByteReader(reader).u64();
    reader.skip(size);
    return value & (UINT64_MAX >> (64 - 8 * size));
}

// Reads the number of a form. read_unit_headers() takes only addresses of 8 bytes.
uint64_t read_number(ByteReader &reader, const Form &form, const UnitHeader &header) {
    if (form.size > 0 && form.size <= 8)
        return read_fixed(reader, static_cast<uint32_t>(form.size));
    switch (form.size) {
    case 0:
        return 1;
    case 16:
        return 16;
    case kUleb:
        return reader.uleb();
    case kSleb:
        return static_cast<uint64_t>(reader.sleb());
    case kAddress:
        return reader.u64();
    case kOffset:
        return reader.section_offset(header.offset_size);
    case kFileOffset:
        return header.version <= 2 ? reader.u64() : reader.section_offset(header.offset_size);
    default:
        return 0;
    }
}

}  // namespace

bool AbbreviationTable::parse(Bytes section, uint64_t offset, uint8_t address_size,
                              uint8_t offset_size, uint16_t version) {
    ByteReader reader(section, offset);
    for (;;) {
        const uint64_t code = reader.uleb();
        if (reader.failed())
            return false;
        if (code == 0)
            return true;
        Abbreviation abbreviation;
        abbreviation.tag = static_cast<uint16_t>(reader.uleb());
        abbreviation.has_children = reader.u8() != 0;
        abbreviation.first_spec = static_cast<uint32_t>(specs_.size());
        int32_t size = 0;
        for (;;) {
            AttributeSpec spec;
            const uint64_t name = reader.uleb();
            const uint64_t form = reader.uleb();
            if (reader.failed() || name > UINT16_MAX || form > UINT16_MAX)
                return false;
            if (name == 0 && form == 0)
                break;
            spec.name = static_cast<uint16_t>(name);
            spec.form = static_cast<uint16_t>(form);
            if (form == DW_FORM_implicit_const) {
                spec.implicit = static_cast<uint32_t>(implicits_.size());
                implicits_.push_back(reader.sleb());
            }
            specs_.push_back(spec);
            const Form &known = form_of(form);
            needs_alternate_ |=
                known.where == kEntryOfAlternate || known.where == kStringOfAlternate;
            needs_type_units_ |= known.kind == V::kSignature;
            if (size >= 0 && name == DW_AT_sibling && form == DW_FORM_ref4)
                abbreviation.sibling = size;
            const int32_t bytes = form_size(known, address_size, offset_size, version);
            size = size < 0 || bytes < 0 ? -1 : size + bytes;
        }
        abbreviation.fixed_size = size;
        abbreviation.nr_specs = static_cast<uint32_t>(specs_.size()) - abbreviation.first_spec;
        if (code == dense_.size() + 1)
            dense_.push_back(abbreviation);
        else
            sparse_.emplace(code, abbreviation);
    }
}

Result<std::vector<UnitHeader>> read_unit_headers(Bytes info, uint64_t base) {
    std::vector<UnitHeader> units;
    ByteReader reader(info);
    while (!reader.at_end()) {
        UnitHeader unit;
        unit.base = base;
        unit.offset = base + reader.offset();
        const auto malformed = [&](std::string_view why) {
            return Error{fmt::format(".debug_info: unit at {:#x}: {}", unit.offset - base, why)};
        };
        uint64_t length = reader.u32();
        if (length == 0xffffffff) {
            unit.offset_size = 8;
            length = reader.u64();
        }
        if (reader.failed() || length > reader.remaining())
            return malformed("cut off");
        unit.end = base + reader.offset() + length;
        unit.version = reader.u16();
        if (unit.version < 2 || unit.version > 5)
            return malformed(fmt::format("DWARF version {} is not known", unit.version));
        if (unit.version >= 5) {
            unit.unit_type = reader.u8();
            unit.address_size = reader.u8();
            unit.abbrev_offset = reader.section_offset(unit.offset_size);
            if (unit.unit_type == DW_UT_skeleton || unit.unit_type == DW_UT_split_compile)
                reader.u64();  // dwo_id
            else if (unit.unit_type == DW_UT_type || unit.unit_type == DW_UT_split_type)
                reader.skip(8u + unit.offset_size);  // signature, type_offset
        } else {
            unit.abbrev_offset = reader.section_offset(unit.offset_size);
            unit.address_size = reader.u8();
        }
        unit.first_die = base + reader.offset();
        if (reader.failed() || unit.first_die > unit.end)
            return malformed("cut off");
        if (unit.address_size != 8)
            return malformed(fmt::format("addresses of {} bytes", unit.address_size));
        units.push_back(unit);
        reader.seek(unit.end - base);
    }
    return units;
}

std::optional<Unit> Unit::open(const DebugSections &sections, const UnitHeader &header) {
    Unit unit;
    unit.header = header;
    unit.sections_ = &sections;
    if (!unit.abbreviations_.parse(sections.abbrev, header.abbrev_offset, header.address_size,
                                   header.offset_size, header.version))
        return std::nullopt;
    const Die die = unit.unit_die();
    if (!die.abbreviation)
        return std::nullopt;
    // The bases come first, for indexed forms of other attributes need them.
    const uint64_t end = unit.for_each_attribute(die, [&](uint16_t name, const AttributeValue &v) {
        switch (name) {
        case DW_AT_str_offsets_base:
            unit.str_offsets_base = v.number;
            break;
        case DW_AT_addr_base:
        case DW_AT_GNU_addr_base:
            unit.addr_base = v.number;
            break;
        case DW_AT_loclists_base:
            unit.loclists_base = v.number;
            break;
        case DW_AT_rnglists_base:
            unit.rnglists_base = v.number;
            break;
        default:
            break;
        }
    });
    if (end == 0)
        return std::nullopt;
    unit.for_each_attribute(die, [&](uint16_t name, const AttributeValue &v) {
        switch (name) {
        case DW_AT_name:
            unit.name = v.string;
            break;
        case DW_AT_comp_dir:
            unit.comp_dir = v.string;
            break;
        case DW_AT_dwo_name:
        case DW_AT_GNU_dwo_name:
            unit.dwo_name = v.string;
            break;
        case DW_AT_language:
            unit.language = v.number;
            break;
        case DW_AT_producer:
            unit.compiler = compiler_of(v.string);
            break;
        case DW_AT_low_pc:
            unit.low_pc = unit.address_of(v).value_or(0);
            break;
        case DW_AT_stmt_list:
            unit.line_offset = v.number;
            break;
        default:
            break;
        }
    });
    return unit;
}

bool Unit::is_assembly() const {
    constexpr uint64_t kLangAssembly = 0x31;  // DW_LANG_Assembly of DWARF 6
    return language == DW_LANG_Mips_Assembler || language == kLangAssembly;
}

bool Unit::is_c() const {
    constexpr uint64_t kLangC17 = 0x2c, kLangC23 = 0x3e;  // of DWARF 6
    return language == DW_LANG_C || language == DW_LANG_C89 || language == DW_LANG_C99 ||
           language == DW_LANG_C11 || language == kLangC17 || language == kLangC23;
}

Die Unit::die_at(uint64_t offset) const {
    if (offset < header.first_die || offset >= header.end)
        return {.offset = offset};
    ByteReader reader = reader_at(offset);
    const uint64_t code = reader.uleb();
    Die die{.offset = offset, .attributes = header.base + reader.offset()};
    if (reader.failed())
        return die;
    if (code == 0)
        die.ends_children = true;
    else
        die.abbreviation = abbreviations_.find(code);
    return die;
}

uint64_t Unit::after_attributes(const Die &die) const {
    if (die.abbreviation->fixed_size >= 0) {
        const uint64_t after = die.attributes + static_cast<uint64_t>(die.abbreviation->fixed_size);
        return after <= header.end ? after : 0;
    }
    return for_each_attribute(die, [](uint16_t, const AttributeValue &) {});
}

uint64_t Unit::next_sibling(const Die &die) const {
    if (!die.abbreviation->has_children)
        return after_attributes(die);
    if (die.abbreviation->sibling >= 0) {
        ByteReader reader =
            reader_at(die.attributes + static_cast<uint64_t>(die.abbreviation->sibling));
        const uint64_t sibling = header.offset + reader.u32();
        if (!reader.failed() && sibling > die.offset && sibling <= header.end)
            return sibling;
        return 0;
    }
    uint64_t offset = after_attributes(die);
    for (uint64_t depth = 1; depth > 0 && offset != 0;) {
        const Die child = die_at(offset);
        if (!child.abbreviation) {
            if (!child.ends_children)
                return 0;
            --depth;
            offset = child.attributes;
            continue;
        }
        if (child.abbreviation->has_children && child.abbreviation->sibling < 0) {
            ++depth;
            offset = after_attributes(child);
        } else {
            offset = next_sibling(child);
        }
    }
    return offset;
}

AttributeValue Unit::attribute(const Die &die, uint16_t name) const {
    AttributeValue result;
    if (die.abbreviation)
        for_each_attribute(die, [&](uint16_t attribute, const AttributeValue &value) {
            if (attribute == name && !result)
                result = value;
        });
    return result;
}

std::string_view Unit::string_at(Bytes section, uint64_t offset) const {
    ByteReader reader(section, offset);
    return reader.failed() ? std::string_view() : reader.string();
}

std::string_view Unit::indexed_string(uint64_t index) const {
    const uint64_t at = str_offsets_base + index * header.offset_size;
    if (index > sections_->str_offsets.size())
        return {};
    ByteReader reader(sections_->str_offsets, at);
    const uint64_t offset = reader.section_offset(header.offset_size);
    return reader.failed() ? std::string_view() : string_at(sections_->str, offset);
}

std::optional<uint64_t> Unit::indexed_address(uint64_t index) const {
    if (index > sections_->addr.size())
        return std::nullopt;
    ByteReader reader(sections_->addr, addr_base + index * header.address_size);
    const uint64_t address = reader.u64();
    if (reader.failed())
        return std::nullopt;
    return address;
}

std::optional<uint64_t> Unit::address_of(const AttributeValue &value) const {
    if (value.kind == AttributeValue::kAddress)
        return value.number;
    if (value.kind == AttributeValue::kAddressIndex)
        return indexed_address(value.number);
    return std::nullopt;
}

AttributeValue Unit::read_form(ByteReader &reader, const AttributeSpec &spec) const {
    uint16_t name = spec.form;
    for (uint32_t depth = 0; name == DW_FORM_indirect && depth < kMaxDepth; ++depth)
        name = static_cast<uint16_t>(reader.uleb());
    const Form &form = form_of(name);
    // DW_FORM_indirect cannot lead to an implicit number: there would be none.
    const uint64_t number = form.size == kImplicit && spec.form == name
                                ? static_cast<uint64_t>(abbreviations_.implicit(spec.implicit))
                                : read_number(reader, form, header);
    const DebugSections *alternate = sections_->alternate;
    const auto entry = [&](uint64_t base) {
        return number < kAlternateBase ? base + number : kNowhere;
    };
    V value{.kind = form.kind, .number = 0, .block = {}, .string = {}};
    switch (form.where) {
    case kNowhereElse:
        value.number = number;
        break;
    case kBytesHere:
        value.block = reader.bytes(number);
        break;
    case kTextHere:
        value.string = reader.string();
        break;
    case kEntryOfUnit:
        value.number = entry(header.offset);
        break;
    case kEntryOfFile:
        value.number = entry(header.base);
        break;
    case kEntryOfAlternate:
        value.number = alternate ? entry(kAlternateBase) : kNowhere;
        break;
    case kString:
        value.string = string_at(sections_->str, number);
        break;
    case kLineString:
        value.string = string_at(sections_->line_str, number);
        break;
    case kStringOfAlternate:
        value.string = alternate ? string_at(alternate->str, number) : std::string_view();
        break;
    case kStringByIndex:
        value.string = indexed_string(number);
        break;
    }
    if (form.kind == V::kNone)
        reader.skip(UINT64_MAX);  // its size is not known: the unit cannot be read any further
    return value;
}

Result<UnitSet> UnitSet::open(const DebugSections &sections, const std::vector<UnitHeader> &headers,
                              size_t threads) {
    std::vector<std::optional<Unit>> opened(headers.size());
    run_in_threads(threads, headers.size(), [&](size_t n, size_t) {
        const bool own = headers[n].base == 0;
        opened[n] = Unit::open(own ? sections : *sections.alternate, headers[n]);
    });
    UnitSet set;
    set.units_.reserve(headers.size());
    for (size_t n = 0; n < headers.size(); ++n) {
        const auto malformed = [&](std::string_view why) {
            return Error{fmt::format("{}.debug_info: unit at {:#x}: {}",
                                     headers[n].base == 0 ? "" : "alternate file: ",
                                     headers[n].offset - headers[n].base, why)};
        };
        if (!opened[n])
            return malformed("malformed");
        if (!opened[n]->dwo_name.empty())
            return malformed(fmt::format("its code is described in another file ({}), which is "
                                         "not supported",
                                         opened[n]->dwo_name));
        if (headers[n].unit_type == DW_UT_type)
            return malformed("a type in a unit of its own (-fdebug-types-section), which is not "
                             "supported");
        if (opened[n]->abbreviations().needs_type_units())
            return malformed("refers to a type in a unit of its own (-fdebug-types-section), which "
                             "is not supported");
        if (opened[n]->abbreviations().needs_alternate() && !opened[n]->sections().alternate)
            return malformed("refers to an alternate file (dwz -m), which .gnu_debugaltlink or "
                             ".debug_sup does not name");
        set.nr_own_ += headers[n].base == 0 ? 1 : 0;
        set.units_.push_back(std::move(*opened[n]));
    }
    return set;
}

const Unit *UnitSet::at(uint64_t offset) const {
    const auto above = std::upper_bound(
        units_.begin(), units_.end(), offset,
        [](uint64_t value, const Unit &unit) { return value < unit.header.offset; });
    if (above == units_.begin() || offset >= std::prev(above)->header.end)
        return nullptr;
    return &*std::prev(above);
}

}  // namespace btf_extra::generator
