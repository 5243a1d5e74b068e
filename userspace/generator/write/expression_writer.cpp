// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/generator/write/expression_writer.h"

#include "userspace/format/byte_writer.h"
#include "userspace/format/core_api.h"

namespace btf_extra::generator {

namespace {

// A parameter with an expression.
struct Entry {
    uint32_t proto;
    uint32_t param;
    uint32_t expression;  // number in MergedUnits::expressions
};

// An entry has a byte for the parameter, three for the place of the code, and two for the
// LOC_PROTO.
constexpr size_t kMaxParams = 1u << 8;
constexpr size_t kMaxCodes = 1u << 24;
constexpr size_t kMaxProtos = 1u << 16;

std::vector<Entry> entries_of(const MergedUnits &merged, std::span<const uint32_t> proto_ids) {
    std::vector<Entry> entries;
    uint32_t last = 0;
    for (size_t list = 0; list < proto_ids.size(); ++list) {
        if (proto_ids[list] == last)  // it differs only in reasons
            continue;
        last = proto_ids[list];
        const std::vector<ParamSlot> &slots = merged.param_lists[list];
        for (uint32_t param = 0; param < slots.size() && param < kMaxParams; ++param)
            if (is_computed(slots[param]))
                entries.push_back({last, param, expression_of(slots[param])});
    }
    return entries;
}

}  // namespace

std::vector<std::byte> write_expressions(const MergedUnits &merged,
                                         std::span<const uint32_t> proto_ids) {
    constexpr uint32_t kUnused = UINT32_MAX;
    std::vector<Entry> entries = entries_of(merged, proto_ids);
    std::vector<uint32_t> places(merged.expressions.size(), kUnused);
    for (const Entry &entry : entries)
        places[entry.expression] = 0;
    ExpressionCode codes;
    for (size_t number = 0; number < places.size(); ++number) {
        const ExpressionCode &code = merged.expressions[number];
        if (places[number] == kUnused || codes.size() + code.size() > kMaxCodes) {
            places[number] = kUnused;
            continue;
        }
        places[number] = static_cast<uint32_t>(codes.size());
        codes.insert(codes.end(), code.begin(), code.end());
    }
    if (entries.empty())
        return {};
    const uint32_t first = entries.front().proto;
    std::erase_if(entries, [&](const Entry &entry) {
        return places[entry.expression] == kUnused || entry.proto - first >= kMaxProtos;
    });
    ByteWriter out;
    out.item(loc_expressions_header{.magic = LOC_EXPRESSIONS_MAGIC,
                                    .version = LOC_EXPRESSIONS_VERSION,
                                    .first_loc_proto = first,
                                    .nr_entries = static_cast<uint32_t>(entries.size()),
                                    .codes_size = static_cast<uint32_t>(codes.size())});
    for (const Entry &entry : entries) {
        const uint32_t code = places[entry.expression];
        out.item(loc_expression_entry{.loc_proto = static_cast<uint16_t>(entry.proto - first),
                                      .param = static_cast<uint8_t>(entry.param),
                                      .code = {static_cast<uint8_t>(code),
                                               static_cast<uint8_t>(code >> 8),
                                               static_cast<uint8_t>(code >> 16)}});
    }
    out.items(codes);
    out.align(4);
    return out.take();
}

}  // namespace btf_extra::generator
