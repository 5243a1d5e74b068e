// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/generator/write/btf_writer.h"

#include <algorithm>
#include <unordered_map>

#include "userspace/format/core_api.h"
#include "userspace/generator/model/interned_lists.h"
#include "userspace/generator/model/thread_pool.h"
#include "userspace/generator/write/expression_writer.h"

namespace btf_extra::generator {

namespace {

constexpr uint32_t kMaxMemberBitOffset = 0xffffff;  // if a bit-field size is beside it

// New types that the output needs, numbered in order of their descriptions.
class NewTypeNumbers {
  public:
    NewTypeNumbers(const std::vector<MergedFunction> &functions,
                   std::span<const Variable> variables, const NewTypes &new_types,
                   uint32_t first_id)
        : new_types_(new_types), needed_(new_types.size()), ids_(new_types.size()) {
        for (const MergedFunction &function : functions) {
            // A function of the base refers to nothing but the base.
            if (function.base_id != 0)
                continue;
            need(function.source->return_type);
            for (const TypeId type : function.param_types)
                need(type);
        }
        for (const Variable &variable : variables)
            need(variable.type);
        for (uint32_t number = 0; number < new_types.size(); ++number)
            if (needed_[number])
                order_.push_back(number);
        std::sort(order_.begin(), order_.end(), [&](uint32_t a, uint32_t b) {
            return new_types.at(a).description < new_types.at(b).description;
        });
        for (const uint32_t number : order_)
            ids_[number] = first_id++;
    }

    const std::vector<uint32_t> &order() const { return order_; }
    uint32_t id(TypeId type) const {
        if (!(type & kNewType))
            return type;
        return ids_[type & ~kNewType];
    }

  private:
    void need(TypeId type) {
        std::vector<TypeId> pending{type};
        while (!pending.empty()) {
            const TypeId id = pending.back();
            pending.pop_back();
            if (!(id & kNewType) || needed_[id & ~kNewType])
                continue;
            const NewType &entry = new_types_.at(id & ~kNewType);
            needed_[id & ~kNewType] = true;
            pending.push_back(entry.target);
            for (const NewMember &member : entry.members)
                pending.push_back(member.type);
            for (const NewParam &param : entry.params)
                pending.push_back(param.type);
        }
    }

    const NewTypes &new_types_;
    std::vector<bool> needed_;
    std::vector<uint32_t> ids_;
    std::vector<uint32_t> order_;
};

class TypesWriter {
  public:
    TypesWriter(BtfBuilder &builder, const std::vector<MergedFunction> &functions,
                std::span<const Variable> variables, const BaseTypes &base,
                const NewTypes &new_types)
        : builder_(builder), functions_(functions), variables_(variables), base_(base),
          new_types_(new_types), numbers_(functions, variables, new_types, builder.next_id()) {}

    // Returns the ids of all functions, by number.
    std::vector<uint32_t> write() {
        for (const uint32_t number : numbers_.order())
            write_type(new_types_.at(number));
        std::vector<uint32_t> ids = write_functions();
        write_variables();
        return ids;
    }

  private:
    void write_type(const NewType &type);
    void write_members(const NewType &type);
    void write_enumerators(const NewType &type);
    uint32_t prototype(const MergedFunction &function);
    std::vector<uint32_t> write_functions();
    void write_variables();

    BtfBuilder &builder_;
    const std::vector<MergedFunction> &functions_;
    std::span<const Variable> variables_;
    const BaseTypes &base_;
    const NewTypes &new_types_;
    NewTypeNumbers numbers_;
    // The prototypes of this blob: each is its return type, then names and types of parameters.
    InternedLists prototypes_;
    std::vector<uint32_t> prototype_ids_;  // by number
};

void TypesWriter::write_type(const NewType &type) {
    const uint32_t target = numbers_.id(type.target);
    const auto size = static_cast<uint32_t>(type.size);
    switch (type.kind) {
    case TypeKind::kInt: {
        builder_.begin(BTF_KIND_INT, type.name, 0, size);
        const uint32_t encoding =
            (type.is_signed ? BTF_INT_SIGNED : 0) | (type.is_bool ? BTF_INT_BOOL : 0);
        builder_.word(encoding << 24 | size * 8);
        return;
    }
    case TypeKind::kFloat:
        builder_.begin(BTF_KIND_FLOAT, type.name, 0, size);
        return;
    case TypeKind::kPtr:
        builder_.begin(BTF_KIND_PTR, "", 0, target);
        return;
    case TypeKind::kConst:
        builder_.begin(BTF_KIND_CONST, "", 0, target);
        return;
    case TypeKind::kVolatile:
        builder_.begin(BTF_KIND_VOLATILE, "", 0, target);
        return;
    case TypeKind::kRestrict:
        builder_.begin(BTF_KIND_RESTRICT, "", 0, target);
        return;
    case TypeKind::kTypedef:
        builder_.begin(BTF_KIND_TYPEDEF, type.name, 0, target);
        return;
    case TypeKind::kArray:
        builder_.begin(BTF_KIND_ARRAY, "", 0, 0);
        builder_.word(target);
        builder_.word(base_.array_index() ? base_.array_index() : target);
        builder_.word(static_cast<uint32_t>(type.elements));
        return;
    case TypeKind::kStruct:
    case TypeKind::kUnion:
        write_members(type);
        return;
    case TypeKind::kEnum:
        write_enumerators(type);
        return;
    case TypeKind::kFuncProto:
        builder_.begin(BTF_KIND_FUNC_PROTO, "",
                       static_cast<uint32_t>(type.params.size()) + (type.variadic ? 1 : 0), target);
        for (const NewParam &param : type.params) {
            builder_.word(builder_.string(param.name));
            builder_.word(numbers_.id(param.type));
        }
        if (type.variadic) {
            builder_.word(0);
            builder_.word(0);
        }
        return;
    case TypeKind::kUnsupported:
        // BTF has no kind for it, but a parameter or a member may have the type.
        builder_.begin(BTF_KIND_STRUCT, "", 0, size);
        return;
    case TypeKind::kVoid:
        return;
    }
}

void TypesWriter::write_members(const NewType &type) {
    const bool is_union = type.kind == TypeKind::kUnion;
    if (type.declaration) {
        builder_.begin(BTF_KIND_FWD, type.name, 0, 0, is_union);
        return;
    }
    // A bit-field size leaves 24 bits for the offset.
    const bool has_bit_fields =
        std::any_of(type.members.begin(), type.members.end(),
                    [](const NewMember &member) { return member.bit_size != 0; });
    const bool packs =
        has_bit_fields &&
        std::all_of(type.members.begin(), type.members.end(), [](const NewMember &member) {
            return member.bit_offset <= kMaxMemberBitOffset;
        });
    builder_.begin(is_union ? BTF_KIND_UNION : BTF_KIND_STRUCT, type.name,
                   static_cast<uint32_t>(type.members.size()), static_cast<uint32_t>(type.size),
                   packs);
    for (const NewMember &member : type.members) {
        builder_.word(builder_.string(member.name));
        builder_.word(numbers_.id(member.type));
        builder_.word(static_cast<uint32_t>(member.bit_offset) |
                      (packs ? member.bit_size << 24 : 0));
    }
}

void TypesWriter::write_enumerators(const NewType &type) {
    const bool wide = type.size > 4;
    builder_.begin(wide ? BTF_KIND_ENUM64 : BTF_KIND_ENUM, type.name,
                   static_cast<uint32_t>(type.enumerators.size()),
                   type.size ? static_cast<uint32_t>(type.size) : 4, type.is_signed);
    for (const auto &[name, value] : type.enumerators) {
        builder_.word(builder_.string(name));
        builder_.word(static_cast<uint32_t>(value));
        if (wide)
            builder_.word(static_cast<uint32_t>(value >> 32));
    }
}

// Returns the FUNC_PROTO of a function that is added. It is one of the base if that has one with
// the same types and names.
uint32_t TypesWriter::prototype(const MergedFunction &function) {
    const bool variadic = function.source->variadic;
    const std::span<const std::string_view> names = function.param_names;
    std::vector<uint32_t> types;
    for (const TypeId type : function.param_types)
        types.push_back(numbers_.id(type));
    const uint32_t result = numbers_.id(function.source->return_type);
    const uint32_t in_base = base_.func_proto(result, types, names, variadic);
    if (in_base != 0)
        return in_base;

    std::vector<uint32_t> words{result};
    for (size_t i = 0; i < types.size(); ++i) {
        words.push_back(builder_.string(names[i]));
        words.push_back(types[i]);
    }
    if (variadic)
        words.insert(words.end(), {0, 0});
    const uint32_t number = prototypes_.add(words);
    if (number == prototype_ids_.size()) {
        prototype_ids_.push_back(builder_.begin(BTF_KIND_FUNC_PROTO, "",
                                                static_cast<uint32_t>(words.size() / 2), result));
        for (size_t i = 1; i < words.size(); ++i)
            builder_.word(words[i]);
    }
    return prototype_ids_[number];
}

std::vector<uint32_t> TypesWriter::write_functions() {
    std::vector<uint32_t> ids;
    std::vector<uint32_t> prototypes;
    for (const MergedFunction &function : functions_) {
        ids.push_back(function.base_id);
        prototypes.push_back(function.base_id ? 0 : prototype(function));
    }
    for (size_t f = 0; f < ids.size(); ++f)
        if (ids[f] == 0)
            ids[f] = builder_.begin(
                BTF_KIND_FUNC, functions_[f].source->name,
                functions_[f].source->external ? BTF_FUNC_GLOBAL : BTF_FUNC_STATIC, prototypes[f]);
    const auto tag = [&](std::string what, std::string_view path, uint32_t func) {
        builder_.begin(BTF_KIND_DECL_TAG, what.append(path), 0, func);
        builder_.word(UINT32_MAX);
    };
    for (size_t f = 0; f < ids.size(); ++f) {
        const MergedFunction &function = functions_[f];
        if (function.tag_file)
            tag("file:", function.source->file, ids[f]);
        for (const std::string_view unit : function.tag_units)
            tag("unit:", unit, ids[f]);
    }
    return ids;
}

void TypesWriter::write_variables() {
    for (const Variable &variable : variables_) {
        builder_.begin(BTF_KIND_VAR, variable.name, 0, numbers_.id(variable.type));
        builder_.word(variable.external ? BTF_VAR_GLOBAL_ALLOCATED : BTF_VAR_STATIC);
    }
}

// Writes a LOC_PROTO for each list of parameters; returns their ids by the numbers of the lists.
std::vector<uint32_t> write_loc_protos(BtfBuilder &builder, const MergedUnits &merged,
                                       uint32_t first_loc_param) {
    std::vector<uint32_t> ids;
    ids.reserve(merged.param_lists.size());
    for (const std::vector<ParamSlot> &slots : merged.param_lists) {
        // Lists that differ only in reasons stand side by side; they become one.
        if (!ids.empty() && compare_locations(slots, merged.param_lists[ids.size() - 1]) == 0) {
            ids.push_back(ids.back());
            continue;
        }
        ids.push_back(builder.begin(LOC_KIND_PROTO, "", static_cast<uint32_t>(slots.size()), 0));
        for (const ParamSlot slot : slots)
            builder.word(slot & kMissing ? 0 : first_loc_param + slot);
    }
    return ids;
}

// Returns the ids of the LOC_PROTOs by the numbers of the lists.
std::vector<uint32_t> write_locations(BtfBuilder &builder, const MergedUnits &merged,
                                      const std::vector<MergedSection> &sections,
                                      const std::vector<uint32_t> &func_ids,
                                      const std::vector<std::string> &section_names) {
    const uint32_t first_loc_param = builder.next_id();
    for (const LocParam &param : merged.loc_params) {
        builder.begin(LOC_KIND_PARAM, "", param.vlen, param.size);
        builder.word(param.flags);
        for (uint32_t i = 0; i < param.vlen; ++i)
            builder.word(param.values[i]);
    }
    std::vector<uint32_t> proto_ids = write_loc_protos(builder, merged, first_loc_param);
    for (const MergedSection &section : sections) {
        const char *prefix = section.site_class == SiteClass::kInline ? "inline" : "func";
        builder.begin(LOC_KIND_SEC, prefix + section_names[section.section],
                      static_cast<uint32_t>(section.sites.size()), 0);
        for (const MergedSite &site : section.sites) {
            builder.word(func_ids[site.function]);
            builder.word(proto_ids[site.params]);
            builder.word(site.offset);
        }
    }
    return proto_ids;
}

Provenance provenance_of(const MergedUnits &merged, const std::vector<MergedSection> &sections,
                         const BaseTypes &base, const std::vector<uint32_t> &func_ids) {
    Provenance provenance;
    provenance.base_end_id = base.end_id();
    provenance.base_end_string = base.end_string();
    provenance.inline_instances = merged.inline_instances;
    provenance.contradicted = static_cast<uint32_t>(merged.contradicted + merged.outside_sections);
    provenance.skipped_rust_units = merged.skipped_rust_units;
    std::unordered_map<std::string_view, uint32_t> files;
    for (const MergedFunction &function : merged.functions)
        if (function.has_sites && files.try_emplace(function.source->file, 0).second)
            provenance.files.emplace_back(function.source->file);
    std::sort(provenance.files.begin(), provenance.files.end());
    for (uint32_t number = 0; number < provenance.files.size(); ++number)
        files[provenance.files[number]] = number;
    for (size_t f = 0; f < merged.functions.size(); ++f) {
        const SourceFunction &function = *merged.functions[f].source;
        if (!merged.functions[f].has_sites)
            continue;
        provenance.func_files.push_back(function.file.empty() ? Provenance::kNoFile
                                                              : files.at(function.file));
        if (function.variadic)
            provenance.variadic_funcs.push_back(func_ids[f]);
    }
    for (const MergedSection &section : sections)
        for (const MergedSite &site : section.sites)
            for (const ParamSlot slot : merged.param_lists[site.params])
                if ((slot & kMissing) != 0 && slot != kVariadicEnd)
                    provenance.reasons.push_back(static_cast<uint8_t>(reason_of(slot)));
    if (!merged.knows_traced)
        return provenance;
    std::vector<uint32_t> &left_out = provenance.left_out_sites.emplace();
    uint32_t number = 0;
    for (const MergedSection &section : sections)
        for (const MergedSite &site : section.sites) {
            if ((site.marks & SITE_MARK_CLOSED) != 0 ||
                (site.no_probe && (site.marks & SITE_MARK_AFTER_KEY) == 0))
                left_out.push_back(number);
            ++number;
        }
    return provenance;
}

}  // namespace

TypesBlob write_types(const std::vector<MergedFunction> &functions,
                      std::span<const Variable> variables, const BaseTypes &base,
                      const NewTypes &new_types) {
    TypesBlob types{
        .builder = BtfBuilder(base.end_id(), base.end_string(),
                              [&base](std::string_view text) { return base.find_string(text); }),
        .func_ids = {}};
    types.func_ids = TypesWriter(types.builder, functions, variables, base, new_types).write();
    return types;
}

WrittenBlobs write_blobs(TypesBlob types, const MergedUnits &merged,
                         const std::vector<MergedSection> &sections, const BaseTypes &base,
                         const std::vector<std::string> &section_names, size_t threads) {
    const auto write = [&] {
        WrittenBlobs blobs;
        blobs.types = types.builder.finish(false);
        BtfBuilder func_info(types.builder.next_id(), types.builder.end_string(), nullptr);
        blobs.expressions = write_expressions(
            merged, write_locations(func_info, merged, sections, types.func_ids, section_names));
        blobs.func_info = func_info.finish(true);
        return blobs;
    };
    auto [written, provenance] = run_both(
        threads, write, [&] { return provenance_of(merged, sections, base, types.func_ids); });
    written.provenance = std::move(provenance);
    return std::move(written);
}

}  // namespace btf_extra::generator
