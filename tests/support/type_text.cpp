// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "tests/support/type_text.h"

#include <dwarf.h>

#include "userspace/format/core_api.h"

namespace btf_extra::test {

namespace {

std::string or_anonymous(const char *name) {
    return name && *name ? name : "?";
}

// An array of several dimensions is one type in DWARF and several in BTF.
void append_array(std::string &text) {
    if (!text.ends_with("[]"))
        text += "[]";
}

}  // namespace

std::string dwarf_type_text(Dwarf_Die die) {
    std::string text;
    Dwarf_Attribute reference;
    Dwarf_Die type;
    while (dwarf_attr_integrate(&die, DW_AT_type, &reference) &&
           dwarf_formref_die(&reference, &type)) {
        const std::string name = or_anonymous(dwarf_diename(&type));
        switch (dwarf_tag(&type)) {
        case DW_TAG_pointer_type:
            text += '*';
            break;
        case DW_TAG_const_type:
            text += "const ";
            break;
        case DW_TAG_volatile_type:
            text += "volatile ";
            break;
        case DW_TAG_restrict_type:
            text += "restrict ";
            break;
        case DW_TAG_array_type:
            append_array(text);
            break;
        case DW_TAG_subroutine_type:
            return text += "()";
        case DW_TAG_structure_type:
            return text.append("struct ").append(name);
        case DW_TAG_union_type:
            return text.append("union ").append(name);
        case DW_TAG_enumeration_type:
            return text.append("enum ").append(name);
        default:
            return text += name;
        }
        die = type;
    }
    return text += "void";
}

std::string btf_type_text(const btf_blob &blob, uint32_t id) {
    std::string text;
    while (const btf_type *type = btf_blob_type(&blob, id)) {
        const std::string name = or_anonymous(btf_blob_string(&blob, type->name_off));
        id = type->type;
        switch (loc_kind(type)) {
        case BTF_KIND_PTR:
            text += '*';
            break;
        case BTF_KIND_CONST:
            text += "const ";
            break;
        case BTF_KIND_VOLATILE:
            text += "volatile ";
            break;
        case BTF_KIND_RESTRICT:
            text += "restrict ";
            break;
        case BTF_KIND_ARRAY:
            append_array(text);
            id = reinterpret_cast<const btf_array *>(type + 1)->type;
            break;
        case BTF_KIND_TYPE_TAG:
            break;
        case BTF_KIND_FUNC_PROTO:
            return text += "()";
        case BTF_KIND_STRUCT:
            return text.append("struct ").append(name);
        case BTF_KIND_UNION:
            return text.append("union ").append(name);
        case BTF_KIND_FWD:
            return text.append(loc_kind_flag(type) ? "union " : "struct ").append(name);
        case BTF_KIND_ENUM:
        case BTF_KIND_ENUM64:
            return text.append("enum ").append(name);
        default:
            return text += name;
        }
    }
    return text += "void";
}

}  // namespace btf_extra::test
