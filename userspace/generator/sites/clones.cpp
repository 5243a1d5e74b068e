// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/generator/sites/clones.h"

#include <fmt/format.h>

#include <optional>
#include <string_view>

#include "userspace/generator/locations/loc_param.h"

namespace btf_extra::generator {

namespace {

constexpr uint32_t kMaxTypedefs = 8;  // and qualifiers, around a type

}  // namespace

void Clones::add(const BodyAtEntry &body, SourceFunctions &functions, ParamSlots &slots,
                 UnitSites &sites) {
    const SourceFunction source = sites.functions[body.function.number];
    const std::string_view symbol =
        input_.symbols.clone(source.name, body.site.section, body.site.offset);
    if (symbol.empty())
        return;
    const SignatureChange change = signature_change(symbol.substr(source.name.size()));
    if (!change.params || source.variadic)
        return;
    const std::optional<TrueSignature> found =
        true_signature(input_.file.elf().machine(), entry_params(body, slots));
    if (!found || found->maybe_incomplete || reads_more(body, *found))
        return;
    std::vector<TypeId> types;
    std::vector<std::string_view> names;
    std::vector<ParamSlot> places;
    for (const Argument &argument : found->arguments) {
        const uint32_t param = source.first_param + argument.position;
        const std::string_view name = sites.param_names[param];
        if (argument.whole) {
            types.push_back(sites.param_types[param]);
            names.push_back(name);
            places.push_back(body.slots[argument.position]);
            continue;
        }
        const RegisterPart &part = argument.part;
        types.push_back(input_.base.unsigned_int(part.size));
        if (types.back() == 0)
            return;
        names.push_back(functions.keep(fmt::format("{}__{}", name, part.offset)));
        places.push_back(slots.slot_of(
            {.param = loc_param::in_register(part.reg, 0, part.size, loc_param::kFull)}));
    }
    SourceFunction own = source;
    own.name = symbol;
    own.unit = functions.unit_path();
    own.external = false;
    own.only_body = uint64_t{body.site.section} << 32 | body.site.offset;
    if (change.result)
        own.return_type = 0;
    own.first_param = static_cast<uint32_t>(sites.param_types.size());
    sites.param_types.insert(sites.param_types.end(), types.begin(), types.end());
    sites.param_names.insert(sites.param_names.end(), names.begin(), names.end());
    Site site = body.site;
    site.function = functions.add(own);
    // A part goes on with a call of the source's function, but begins the function of its own.
    site.marks &= static_cast<uint8_t>(~SITE_MARK_PART);
    site.params = sites.param_lists.add(places);
    sites.sites.push_back(site);
}

std::vector<EntryParam> Clones::entry_params(const BodyAtEntry &body, const ParamSlots &slots) {
    const std::span<const SourceFunctions::Param> source = body.function.params;
    std::vector<EntryParam> params;
    for (size_t i = 0; i < source.size(); ++i) {
        EntryParam &param = params.emplace_back();
        param.shape = shape_of(source[i].type);
        param.size = source[i].size;
        param.location = slots.location_of(body.slots[i]);
        if (const auto parts = body.parts.find(static_cast<int>(i)); parts != body.parts.end())
            param.parts = parts->second;
    }
    return params;
}

EntryParam::Shape Clones::shape_of(TypeRef type) {
    for (uint32_t depth = 0; depth < kMaxTypedefs; ++depth) {
        const SourceType described = types_.describe(type, false);
        switch (described.kind) {
        case TypeKind::kConst:
        case TypeKind::kVolatile:
        case TypeKind::kRestrict:
        case TypeKind::kTypedef:
            type = described.target;
            break;
        case TypeKind::kInt:
        case TypeKind::kEnum:
            return EntryParam::kScalar;
        case TypeKind::kPtr:
            return EntryParam::kPointer;
        default:
            return EntryParam::kAggregate;
        }
    }
    return EntryParam::kAggregate;
}

bool Clones::reads_more(const BodyAtEntry &body, const TrueSignature &signature) {
    std::vector<CodeRange> ranges;
    body.place.append_ranges(input_.file.dwarf(), body.unit, ranges);
    const uint64_t entry = input_.file.sections()[body.site.section].address + body.site.offset;
    return live_in_registers_.reads_argument(entry, ranges, signature.nr_registers);
}

}  // namespace btf_extra::generator
