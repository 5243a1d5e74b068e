// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/cli/loc_dump.h"

#include <string_view>

#include "userspace/text/loc_text.h"

namespace btf_extra {
namespace {

// Returns true if the id lies in a base of which only the counts are known.
bool in_absent_base(const btf_blob &blob, uint32_t id) {
    const btf_blob *level = btf_blob_level(&blob, id);
    return level != nullptr && level->data == nullptr;
}

// Returns a string as bpftool shows it: "(anon)" for offset 0, "(invalid)" for a missing one,
// "(base)" for one in a base of which only the counts are known.
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

void dump_record(const btf_blob &blob, uint32_t id, RecordSink &sink) {
    const btf_type *type = btf_blob_type(&blob, id);
    if (type == nullptr)
        return;
    const auto begin = [&](std::string_view kind) {
        sink.begin(id, kind, shown_string(blob, type->name_off));
    };
    switch (loc_kind(type)) {
    case LOC_KIND_PARAM:
        begin("LOC_PARAM");
        dump_loc_param(type, sink);
        break;
    case LOC_KIND_PROTO:
        begin("LOC_PROTO");
        dump_loc_proto(blob, type, sink);
        break;
    case LOC_KIND_SEC:
        begin("LOCSEC");
        dump_locsec(blob, type, sink);
        break;
    default:
        return;
    }
    sink.end();
}

}  // namespace btf_extra
