// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/cli/btf_dump.h"

#include <array>

#include "userspace/text/loc_text.h"

namespace btf_extra {
namespace {

constexpr std::array<std::string_view, LOC_KIND_COUNT> kKindNames = {
    "UNKNOWN", "INT",      "PTR",      "ARRAY",    "STRUCT",    "UNION",      "ENUM",  "FWD",
    "TYPEDEF", "VOLATILE", "CONST",    "RESTRICT", "FUNC",      "FUNC_PROTO", "VAR",   "DATASEC",
    "FLOAT",   "DECL_TAG", "TYPE_TAG", "ENUM64",   "LOC_PARAM", "LOC_PROTO",  "LOCSEC"};

std::string_view kind_name(uint32_t kind) {
    return kKindNames[kind < kKindNames.size() ? kind : 0];
}

std::string_view int_encoding(uint32_t encoding) {
    return encoding == 0                ? "(none)"
           : encoding == BTF_INT_SIGNED ? "SIGNED"
           : encoding == BTF_INT_CHAR   ? "CHAR"
           : encoding == BTF_INT_BOOL   ? "BOOL"
                                        : "UNKN";
}

std::string_view linkage(uint32_t number) {
    return number == BTF_FUNC_STATIC   ? "static"
           : number == BTF_FUNC_GLOBAL ? "global"
           : number == BTF_FUNC_EXTERN ? "extern"
                                       : "(unknown)";
}

template <class T> const T *after(const btf_type *type) {
    return reinterpret_cast<const T *>(type + 1);
}

// Returns true if the id lies in a base of which only the counts are known.
bool in_absent_base(const btf_blob &blob, uint32_t id) {
    const btf_blob *level = btf_blob_level(&blob, id);
    return level != nullptr && level->data == nullptr;
}

void dump_members(const btf_blob &blob, const btf_type *type, RecordSink &sink) {
    sink.number("size", type->size);
    sink.number("vlen", loc_vlen(type));
    sink.begin_list("members");
    for (uint32_t i = 0; i < loc_vlen(type); i++) {
        const btf_member &member = after<btf_member>(type)[i];
        bool has_bits = loc_kind_flag(type) != 0;
        sink.item(shown_string(blob, member.name_off));
        sink.number("type_id", member.type);
        sink.number("bits_offset", has_bits ? BTF_MEMBER_BIT_OFFSET(member.offset) : member.offset);
        if (has_bits && BTF_MEMBER_BITFIELD_SIZE(member.offset) != 0)
            sink.number("bitfield_size", BTF_MEMBER_BITFIELD_SIZE(member.offset));
    }
}

void dump_enum(const btf_blob &blob, const btf_type *type, RecordSink &sink) {
    bool is_signed = loc_kind_flag(type) != 0;
    bool wide = loc_kind(type) == BTF_KIND_ENUM64;
    sink.word("encoding", is_signed ? "SIGNED" : "UNSIGNED");
    sink.number("size", type->size);
    sink.number("vlen", loc_vlen(type));
    sink.begin_list("values");
    for (uint32_t i = 0; i < loc_vlen(type); i++) {
        if (wide) {
            const btf_enum64 &each = after<btf_enum64>(type)[i];
            uint64_t value = uint64_t{each.val_hi32} << 32 | each.val_lo32;
            sink.item(shown_string(blob, each.name_off));
            if (is_signed)
                sink.number("val", static_cast<int64_t>(value));
            else
                sink.number("val", value);
            sink.text_only(is_signed ? "LL" : "ULL");
        } else {
            const btf_enum &each = after<btf_enum>(type)[i];
            sink.item(shown_string(blob, each.name_off));
            if (is_signed)
                sink.number("val", each.val);
            else
                sink.number("val", static_cast<uint32_t>(each.val));
        }
    }
}

void dump_func_proto(const btf_blob &blob, const btf_type *type, RecordSink &sink) {
    sink.number("ret_type_id", type->type);
    sink.number("vlen", loc_vlen(type));
    sink.begin_list("params");
    for (uint32_t i = 0; i < loc_vlen(type); i++) {
        const btf_param &param = after<btf_param>(type)[i];
        sink.item(shown_string(blob, param.name_off));
        sink.number("type_id", param.type);
    }
}

void dump_datasec(const btf_blob &blob, const btf_type *type, RecordSink &sink) {
    sink.number("size", type->size);
    sink.number("vlen", loc_vlen(type));
    sink.begin_list("vars");
    for (uint32_t i = 0; i < loc_vlen(type); i++) {
        const btf_var_secinfo &var = after<btf_var_secinfo>(type)[i];
        sink.item();
        sink.number("type_id", var.type);
        sink.number("offset", var.offset);
        sink.number("size", var.size);
        if (const btf_type *of = btf_blob_type(&blob, var.type); of != nullptr)
            sink.text_only(fmt::format(" ({} '{}')", kind_name(loc_kind(of)),
                                       shown_string(blob, of->name_off)));
        else if (var.type == 0)
            sink.text_only(" (UNKNOWN '(anon)')");
    }
}

void dump_loc_param(const btf_type *type, RecordSink &sink) {
    sink.number("size", type->size);
    sink.flags("flags", loc_param_flags(type));
    sink.number("vlen", loc_vlen(type));
    sink.quoted("values", loc_text(type));
}

void dump_loc_proto(const btf_blob &blob, const btf_type *type, RecordSink &sink) {
    sink.number("vlen", loc_vlen(type));
    sink.begin_list("params");
    for (uint32_t i = 0; i < loc_vlen(type); i++) {
        uint32_t id = loc_proto_ids(type)[i];
        const btf_type *param = btf_blob_type(&blob, id);
        bool known = param != nullptr && loc_kind(param) == LOC_KIND_PARAM;
        sink.item();
        sink.number("type_id", id);
        sink.quoted("value", id == 0 ? "(none)" : known ? loc_text(param) : "(invalid)");
    }
}

void dump_locsec(const btf_blob &blob, const btf_type *type, RecordSink &sink) {
    sink.number("vlen", loc_vlen(type));
    sink.begin_list("sites");
    for (uint32_t i = 0; i < loc_vlen(type); i++) {
        const loc_site &site = loc_sec_sites(type)[i];
        const btf_type *func = btf_blob_type(&blob, site.func);
        sink.item();
        sink.quoted("name", func != nullptr                   ? shown_string(blob, func->name_off)
                            : in_absent_base(blob, site.func) ? "(base)"
                                                              : "(invalid)");
        sink.number("func_type_id", site.func);
        sink.number("loc_proto_type_id", site.loc_proto);
        sink.number("offset", site.offset);
    }
}

}  // namespace

std::string_view shown_string(const btf_blob &blob, uint32_t offset) {
    if (offset == 0)
        return "(anon)";
    if (const char *string = btf_blob_string(&blob, offset); string != nullptr)
        return string;
    const btf_blob *root = &blob;
    while (root->base != nullptr)
        root = root->base;
    return root->data == nullptr && offset < root->strings_len ? "(base)" : "(invalid)";
}

void dump_record(const btf_blob &blob, uint32_t id, RecordSink &sink) {
    const btf_type *type = btf_blob_type(&blob, id);
    if (type == nullptr)
        return;
    uint32_t kind = loc_kind(type);
    sink.begin(id, kind_name(kind), shown_string(blob, type->name_off));
    switch (kind) {
    case BTF_KIND_INT: {
        uint32_t bits = *after<uint32_t>(type);
        sink.number("size", type->size);
        sink.number("bits_offset", BTF_INT_OFFSET(bits));
        sink.number("nr_bits", BTF_INT_BITS(bits));
        sink.word("encoding", int_encoding(BTF_INT_ENCODING(bits)));
        break;
    }
    case BTF_KIND_PTR:
    case BTF_KIND_CONST:
    case BTF_KIND_VOLATILE:
    case BTF_KIND_RESTRICT:
    case BTF_KIND_TYPEDEF:
    case BTF_KIND_TYPE_TAG:
        sink.number("type_id", type->type);
        break;
    case BTF_KIND_ARRAY: {
        const auto *array = after<btf_array>(type);
        sink.number("type_id", array->type);
        sink.number("index_type_id", array->index_type);
        sink.number("nr_elems", array->nelems);
        break;
    }
    case BTF_KIND_STRUCT:
    case BTF_KIND_UNION:
        dump_members(blob, type, sink);
        break;
    case BTF_KIND_ENUM:
    case BTF_KIND_ENUM64:
        dump_enum(blob, type, sink);
        break;
    case BTF_KIND_FWD:
        sink.word("fwd_kind", loc_kind_flag(type) ? "union" : "struct");
        break;
    case BTF_KIND_FUNC:
        sink.number("type_id", type->type);
        sink.word("linkage", linkage(loc_vlen(type)));
        break;
    case BTF_KIND_FUNC_PROTO:
        dump_func_proto(blob, type, sink);
        break;
    case BTF_KIND_VAR:
        sink.number("type_id", type->type);
        sink.text_only(",");  // here alone, and bpftool's
        sink.word("linkage", linkage(after<btf_var>(type)->linkage));
        break;
    case BTF_KIND_DATASEC:
        dump_datasec(blob, type, sink);
        break;
    case BTF_KIND_FLOAT:
        sink.number("size", type->size);
        break;
    case BTF_KIND_DECL_TAG:
        sink.number("type_id", type->type);
        sink.number("component_idx", after<btf_decl_tag>(type)->component_idx);
        break;
    case LOC_KIND_PARAM:
        dump_loc_param(type, sink);
        break;
    case LOC_KIND_PROTO:
        dump_loc_proto(blob, type, sink);
        break;
    case LOC_KIND_SEC:
        dump_locsec(blob, type, sink);
        break;
    default:
        break;
    }
    sink.end();
}

}  // namespace btf_extra
