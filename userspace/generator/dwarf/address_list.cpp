// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/generator/dwarf/address_list.h"

#include <optional>

namespace btf_extra::generator {

namespace {

// Returns the offset of a list in its section.
std::optional<uint64_t> list_offset(const Unit &unit, const AttributeValue &list, Bytes section,
                                    uint64_t base) {
    if (list.kind == AttributeValue::kSectionOffset || list.kind == AttributeValue::kUnsigned)
        return list.number;
    if (list.kind != AttributeValue::kListIndex || list.number > section.size())
        return std::nullopt;
    ByteReader table(section, base + list.number * unit.header.offset_size);
    const uint64_t offset = base + table.section_offset(unit.header.offset_size);
    if (table.failed())
        return std::nullopt;
    return offset;
}

// Chooses among the entries of one location list, in their order.
class Selection {
  public:
    Selection(Bytes section, std::optional<uint64_t> locviews, CodePoint point, CodeRange around)
        : point_(point), around_(around), has_views_(locviews.has_value()),
          views_(section, locviews.value_or(0)) {}

    // Sets the views of the next entry, where the list has them beside it.
    void set_views(uint64_t begin, uint64_t end) { own_views_ = {begin, end}; }

    // Offers the next entry. true: no better one can come.
    bool offer(uint64_t begin, uint64_t end, Bytes expression) {
        uint64_t begin_view = 0;
        uint64_t end_view = 0;
        if (own_views_) {
            begin_view = own_views_->first;
            end_view = own_views_->second;
            own_views_.reset();
        } else if (has_views_) {
            begin_view = views_.uleb();
            end_view = views_.uleb();
            if (views_.failed())
                begin_view = end_view = 0;
        }
        if (begin < around_.begin || end > around_.end)
            return false;
        const bool begun =
            begin < point_.address || (begin == point_.address && begin_view <= point_.view);
        const bool ended =
            end < point_.address || (end == point_.address && end_view <= point_.view);
        if (begun && !ended) {
            chosen_ = expression;
            return true;
        }
        const bool empty = begin == end && begin_view >= end_view;
        if (!begun && begin == point_.address && !empty && begin_view < later_view_) {
            later_ = expression;
            later_view_ = begin_view;
        }
        return false;
    }
    void offer_default(Bytes expression) { default_ = expression; }

    std::optional<Bytes> result() const { return chosen_ ? chosen_ : later_ ? later_ : default_; }

  private:
    CodePoint point_;
    CodeRange around_;
    bool has_views_;
    ByteReader views_;
    std::optional<std::pair<uint64_t, uint64_t>> own_views_;
    std::optional<Bytes> chosen_;
    std::optional<Bytes> later_;
    std::optional<Bytes> default_;
    uint64_t later_view_ = UINT64_MAX;
};

// Takes every entry that has an interval.
class Visit {
  public:
    explicit Visit(const VisitLocation &visit) : visit_(visit) {}

    void set_views(uint64_t, uint64_t) {}
    bool offer(uint64_t begin, uint64_t end, Bytes expression) {
        visit_({begin, end}, expression);
        return false;
    }
    void offer_default(Bytes) {}
    std::optional<Bytes> result() const { return Bytes(); }

  private:
    const VisitLocation &visit_;
};

// These offer the entries of a list until one is taken. They return the result then and at the end,
// and nothing if the list is malformed.
template <class Choice>
std::optional<Bytes> offer_loclists(const Unit &unit, ByteReader reader, Choice &choice) {
    uint64_t base = unit.low_pc;
    for (;;) {
        const uint8_t kind = reader.u8();
        uint64_t begin = 0;
        uint64_t end = 0;
        bool is_default = false;
        switch (kind) {
        case DW_LLE_end_of_list:
            return reader.failed() ? std::nullopt : choice.result();
        case DW_LLE_base_addressx: {
            const std::optional<uint64_t> address = unit.indexed_address(reader.uleb());
            if (!address)
                return std::nullopt;
            base = *address;
            continue;
        }
        case DW_LLE_base_address:
            base = reader.u64();
            continue;
        case DW_LLE_GNU_view_pair: {  // GCC's -gvariable-location-views=incompat5
            const uint64_t begin_view = reader.uleb();
            choice.set_views(begin_view, reader.uleb());
            continue;
        }
        case DW_LLE_startx_endx:
        case DW_LLE_startx_length: {
            const std::optional<uint64_t> first = unit.indexed_address(reader.uleb());
            const uint64_t second = reader.uleb();
            const std::optional<uint64_t> last = kind == DW_LLE_startx_endx
                                                     ? unit.indexed_address(second)
                                                 : first ? std::optional(*first + second)
                                                         : std::nullopt;
            if (!first || !last)
                return std::nullopt;
            begin = *first;
            end = *last;
            break;
        }
        case DW_LLE_offset_pair:
            begin = base + reader.uleb();
            end = base + reader.uleb();
            break;
        case DW_LLE_start_end:
            begin = reader.u64();
            end = reader.u64();
            break;
        case DW_LLE_start_length:
            begin = reader.u64();
            end = begin + reader.uleb();
            break;
        case DW_LLE_default_location:
            is_default = true;
            break;
        default:
            return std::nullopt;
        }
        const Bytes expression = reader.bytes(reader.uleb());
        if (reader.failed())
            return std::nullopt;
        if (is_default)
            choice.offer_default(expression);
        else if (choice.offer(begin, end, expression))
            return choice.result();
    }
}

// Reads a list of DWARF 2 to 4.
template <class Choice>
std::optional<Bytes> offer_loc(const Unit &unit, ByteReader reader, Choice &choice) {
    uint64_t base = unit.low_pc;
    for (;;) {
        const uint64_t begin = reader.u64();
        const uint64_t end = reader.u64();
        if (reader.failed())
            return std::nullopt;
        if (begin == 0 && end == 0)
            return choice.result();
        if (begin == UINT64_MAX) {
            base = end;
            continue;
        }
        const Bytes expression = reader.bytes(reader.u16());
        if (reader.failed())
            return std::nullopt;
        if (choice.offer(base + begin, base + end, expression))
            return choice.result();
    }
}

Bytes locations_of(const DebugSections &sections, const Unit &unit) {
    return unit.header.version >= 5 ? sections.loclists : sections.loc;
}

template <class Choice>
std::optional<Bytes> offer_locations(const DebugSections &sections, const Unit &unit,
                                     const AttributeValue &list, Choice &choice) {
    const Bytes section = locations_of(sections, unit);
    const std::optional<uint64_t> offset = list_offset(unit, list, section, unit.loclists_base);
    if (!offset)
        return std::nullopt;
    const ByteReader reader(section, *offset);
    return unit.header.version >= 5 ? offer_loclists(unit, reader, choice)
                                    : offer_loc(unit, reader, choice);
}

void for_each_of_rnglists(const Unit &unit, ByteReader reader, const VisitRange &visit) {
    uint64_t base = unit.low_pc;
    while (!reader.failed()) {
        std::optional<uint64_t> begin;
        std::optional<uint64_t> end;
        const uint8_t kind = reader.u8();
        switch (kind) {
        case DW_RLE_base_addressx:
            base = unit.indexed_address(reader.uleb()).value_or(base);
            continue;
        case DW_RLE_base_address:
            base = reader.u64();
            continue;
        case DW_RLE_startx_endx:
            begin = unit.indexed_address(reader.uleb());
            end = unit.indexed_address(reader.uleb());
            break;
        case DW_RLE_startx_length:
            begin = unit.indexed_address(reader.uleb());
            end = begin.value_or(0) + reader.uleb();
            break;
        case DW_RLE_offset_pair:
            begin = base + reader.uleb();
            end = base + reader.uleb();
            break;
        case DW_RLE_start_end:
            begin = reader.u64();
            end = reader.u64();
            break;
        case DW_RLE_start_length:
            begin = reader.u64();
            end = *begin + reader.uleb();
            break;
        default:
            return;
        }
        if (reader.failed())
            continue;
        if (!begin || !visit({*begin, end.value_or(*begin)}))
            return;
    }
}

// Reads a list of DWARF 2 to 4.
void for_each_of_ranges(const Unit &unit, ByteReader reader, const VisitRange &visit) {
    uint64_t base = unit.low_pc;
    for (;;) {
        const uint64_t begin = reader.u64();
        const uint64_t end = reader.u64();
        if (reader.failed() || (begin == 0 && end == 0))
            return;
        if (begin == UINT64_MAX)
            base = end;
        else if (!visit({base + begin, base + end}))
            return;
    }
}

}  // namespace

std::optional<Bytes> expression_at(const DebugSections &sections, const Unit &unit,
                                   const AttributeValue &list, std::optional<uint64_t> locviews,
                                   CodePoint point, CodeRange around) {
    Selection selection(locations_of(sections, unit), locviews, point, around);
    return offer_locations(sections, unit, list, selection);
}

bool for_each_location(const DebugSections &sections, const Unit &unit, const AttributeValue &list,
                       const VisitLocation &visit) {
    Visit each(visit);
    return offer_locations(sections, unit, list, each).has_value();
}

void for_each_range(const DebugSections &sections, const Unit &unit, const AttributeValue &ranges,
                    const VisitRange &visit) {
    const bool version5 = unit.header.version >= 5;
    const Bytes section = version5 ? sections.rnglists : sections.ranges;
    const std::optional<uint64_t> offset = list_offset(unit, ranges, section, unit.rnglists_base);
    if (!offset)
        return;
    const ByteReader reader(section, *offset);
    if (version5)
        for_each_of_rnglists(unit, reader, visit);
    else
        for_each_of_ranges(unit, reader, visit);
}

std::optional<uint64_t> first_range_start(const DebugSections &sections, const Unit &unit,
                                          const AttributeValue &ranges) {
    std::optional<uint64_t> start;
    for_each_range(sections, unit, ranges, [&](CodeRange range) {
        if (range.begin != range.end)
            start = range.begin;
        return !start;
    });
    return start;
}

}  // namespace btf_extra::generator
