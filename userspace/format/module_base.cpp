// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/format/module_base.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include <fmt/format.h>

namespace btf_extra {
namespace {

constexpr char kDistilledSection[] = ".BTF.base";

// Calls back with each name and each type that a type refers to: (offset of the string or id,
// whether it is a name).
template <class Visit> void each_reference(const btf_type *type, const Visit &visit) {
    const uint32_t vlen = loc_vlen(type);
    const auto each = [&]<class Entry>(const Entry *entry) {
        for (uint32_t i = 0; i < vlen; i++) {
            if constexpr (requires { entry[i].name_off; })
                visit(entry[i].name_off, true);
            if constexpr (requires { entry[i].type; })
                visit(entry[i].type, false);
        }
    };
    visit(type->name_off, true);
    switch (loc_kind(type)) {
    case BTF_KIND_STRUCT:
    case BTF_KIND_UNION:
        return each(reinterpret_cast<const btf_member *>(type + 1));
    case BTF_KIND_ENUM:
        return each(reinterpret_cast<const btf_enum *>(type + 1));
    case BTF_KIND_ENUM64:
        return each(reinterpret_cast<const btf_enum64 *>(type + 1));
    case BTF_KIND_DATASEC:
        return each(reinterpret_cast<const btf_var_secinfo *>(type + 1));
    case BTF_KIND_FUNC_PROTO:
        visit(type->type, false);
        return each(reinterpret_cast<const btf_param *>(type + 1));
    case BTF_KIND_ARRAY:
        visit(reinterpret_cast<const btf_array *>(type + 1)->type, false);
        visit(reinterpret_cast<const btf_array *>(type + 1)->index_type, false);
        return;
    case BTF_KIND_INT:
    case BTF_KIND_FLOAT:
    case BTF_KIND_FWD:
        return;
    default:
        visit(type->type, false);
    }
}

// Returns true if a type of a kind may refer to one of another.
bool may_refer(uint32_t kind, uint32_t to) {
    switch (kind) {
    case BTF_KIND_FUNC:
        return to == BTF_KIND_FUNC_PROTO;
    case BTF_KIND_DATASEC:
        return to == BTF_KIND_VAR || to == BTF_KIND_FUNC;
    case BTF_KIND_DECL_TAG:
        return true;
    default:
        return to != BTF_KIND_FUNC && to != BTF_KIND_VAR && to != BTF_KIND_DATASEC &&
               to != BTF_KIND_DECL_TAG;
    }
}

// Returns true if all names of a split BTF are whole strings, and all references lead to types of a
// fitting kind. On another base neither is likely.
bool fits_below(const btf_blob &blob) {
    bool fits = true;
    for (uint32_t id = blob.first_id; fits && id < btf_blob_end_id(&blob); id++) {
        const btf_type *type = btf_blob_type(&blob, id);
        if (type == nullptr || loc_kind(type) > BTF_KIND_ENUM64)
            continue;
        each_reference(type, [&](uint32_t to, bool is_name) {
            if (to == 0)
                return;
            if (is_name) {
                const char *before = btf_blob_string(&blob, to - 1);
                fits = fits && before != nullptr && *before == '\0';
            } else {
                const btf_type *target = btf_blob_type(&blob, to);
                fits = fits && target != nullptr && may_refer(loc_kind(type), loc_kind(target));
            }
        });
    }
    return fits;
}

// The kinds of which a distilled base keeps the name, so that the kernel finds the type again.
bool is_distilled_by_name(uint32_t kind) {
    switch (kind) {
    case BTF_KIND_INT:
    case BTF_KIND_FLOAT:
    case BTF_KIND_FWD:
    case BTF_KIND_STRUCT:
    case BTF_KIND_UNION:
    case BTF_KIND_ENUM:
    case BTF_KIND_ENUM64:
        return true;
    default:
        return false;
    }
}

// Returns true if a type of the kernel is the one that a distilled base means.
bool is_meant(const btf_type &distilled, const btf_type &type) {
    const uint32_t kind = loc_kind(&distilled), other = loc_kind(&type);
    const auto is_enum = [](uint32_t k) { return k == BTF_KIND_ENUM || k == BTF_KIND_ENUM64; };
    if (kind == BTF_KIND_FWD)
        return other == (loc_kind_flag(&distilled) ? BTF_KIND_UNION : BTF_KIND_STRUCT) ||
               (other == kind && loc_kind_flag(&distilled) == loc_kind_flag(&type));
    if (kind != other && !(is_enum(kind) && is_enum(other)))
        return false;
    return distilled.size == type.size || (distilled.size == 0 && kind != BTF_KIND_INT);
}

}  // namespace

Result<void> check_split_btf(const BtfImage &module, const BtfImage &vmlinux) {
    if (fits_below(module.blob()))
        return {};
    return Error{
        fmt::format("{}: made on another vmlinux than {}; give the one that the module was "
                    "linked with",
                    module.place(), vmlinux.place())};
}

Result<void> check_distilled_base(const ElfImage &module, const BtfImage &vmlinux) {
    const ElfSection *section = module.find(kDistilledSection);
    if (section == nullptr)
        return {};
    const auto bytes = TRY(module.bytes(*section));
    const auto base = TRY(BtfImage::open(module.path() + ": " + kDistilledSection,
                                         {bytes.begin(), bytes.end()}, nullptr));
    std::unordered_multimap<std::string_view, const btf_type *> named;
    const auto each = [](const btf_blob &blob, const auto &visit) {
        for (uint32_t id = blob.first_id; id < btf_blob_end_id(&blob); id++)
            if (const btf_type *type = btf_blob_type(&blob, id);
                type != nullptr && type->name_off != 0 && is_distilled_by_name(loc_kind(type)))
                if (const char *name = btf_blob_string(&blob, type->name_off))
                    visit(std::string_view(name), type);
    };
    each(vmlinux.blob(),
         [&](std::string_view name, const btf_type *type) { named.emplace(name, type); });
    std::string_view missing;
    each(base->blob(), [&](std::string_view name, const btf_type *type) {
        const auto [first, end] = named.equal_range(name);
        if (std::none_of(first, end, [&](const auto &at) { return is_meant(*type, *at.second); }))
            missing = name;
    });
    if (missing.empty())
        return {};
    return Error{
        fmt::format("{}: made on another vmlinux than {}, which has no such type '{}'; give "
                    "the one that the module was built for",
                    base->place(), vmlinux.place(), missing)};
}

}  // namespace btf_extra
