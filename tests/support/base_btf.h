// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// libbpf makes and reads BTF: a base for tests, and C text of what was written on top of it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <bpf/btf.h>

#include "userspace/format/btf_image.h"

namespace btf_extra::test {

struct FreeBtf {
    void operator()(btf *handle) const { btf__free(handle); }
};
using BtfHandle = std::unique_ptr<btf, FreeBtf>;

struct BaseMember {
    const char *name;
    int type;
    uint32_t bit_offset;
    uint8_t bit_size = 0;
};
struct BaseParam {
    const char *name;
    int type;
};

// All functions return the id of the new type. Names may be nullptr.
class BaseBtf {
  public:
    BaseBtf() : btf_(btf__new_empty()) {}
    // The types of a module, whose ids go on after those below. `below` must outlive this.
    explicit BaseBtf(const BaseBtf &below) : btf_(btf__new_empty_split(below.handle())) {}

    btf *handle() const { return btf_.get(); }

    int integer(const char *name, uint32_t size, int encoding = BTF_INT_SIGNED) {
        return checked(btf__add_int(handle(), name, size, encoding));
    }
    int pointer(int to) { return checked(btf__add_ptr(handle(), to)); }
    int constant(int of) { return checked(btf__add_const(handle(), of)); }
    int array(int index, int of, uint32_t count) {
        return checked(btf__add_array(handle(), index, of, count));
    }
    int alias(const char *name, int of) { return checked(btf__add_typedef(handle(), name, of)); }
    int tag(const char *name, int of) { return checked(btf__add_type_tag(handle(), name, of)); }
    int forward(const char *name, btf_fwd_kind kind = BTF_FWD_STRUCT) {
        return checked(btf__add_fwd(handle(), name, kind));
    }
    int structure(const char *name, uint32_t size, const std::vector<BaseMember> &members = {}) {
        const int id = checked(btf__add_struct(handle(), name, size));
        add(members);
        return id;
    }
    int union_of(const char *name, uint32_t size, const std::vector<BaseMember> &members = {}) {
        const int id = checked(btf__add_union(handle(), name, size));
        add(members);
        return id;
    }
    int enumeration(const char *name,
                    const std::vector<std::pair<const char *, int64_t>> &enumerators,
                    uint32_t size = 4) {
        const int id = checked(btf__add_enum(handle(), name, size));
        for (const auto &[text, value] : enumerators)
            checked(btf__add_enum_value(handle(), text, value));
        return id;
    }
    int wide_enumeration(const char *name,
                         const std::vector<std::pair<const char *, uint64_t>> &enumerators) {
        const int id = checked(btf__add_enum64(handle(), name, 8, false));
        for (const auto &[text, value] : enumerators)
            checked(btf__add_enum64_value(handle(), text, value));
        return id;
    }
    int prototype(int result, const std::vector<BaseParam> &params = {}, bool variadic = false) {
        const int id = checked(btf__add_func_proto(handle(), result));
        for (const BaseParam &param : params)
            checked(btf__add_func_param(handle(), param.name, param.type));
        if (variadic)
            checked(btf__add_func_param(handle(), "", 0));
        return id;
    }
    int function(const char *name, int prototype, btf_func_linkage linkage = BTF_FUNC_STATIC) {
        return checked(btf__add_func(handle(), name, linkage, prototype));
    }

    std::vector<std::byte> bytes() const;
    // Returns the base in the form that the generator uses.
    std::unique_ptr<BtfImage> image(const BtfImage *below = nullptr) const;

  private:
    void add(const std::vector<BaseMember> &members) {
        for (const BaseMember &member : members)
            checked(btf__add_field(handle(), member.name, member.type, member.bit_offset,
                                   member.bit_size));
    }
    static int checked(int result);

    BtfHandle btf_;
};

// Reads a blob on top of a base with libbpf. Returns nullptr if libbpf refuses it.
BtfHandle split_btf(const std::vector<std::byte> &blob, const BaseBtf &base);

// Returns the definition of a type, with everything that it needs, as C.
std::string c_definition(const btf *handle, uint32_t id);

}  // namespace btf_extra::test
