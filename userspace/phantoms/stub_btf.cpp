// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include <map>
#include <utility>

#include <fmt/format.h>

#include "userspace/generator/write/btf_builder.h"
#include "userspace/phantoms/phantom.h"
#include "userspace/text/c_type.h"

namespace btf_extra::phantoms {
namespace {

const btf_blob &lowest(const btf_blob &blob) {
    const btf_blob *level = &blob;
    while (level->base != nullptr)
        level = level->base;
    return *level;
}

std::string_view name_of(const btf_blob &blob, uint32_t offset) {
    const char *name = btf_blob_string(&blob, offset);
    return name != nullptr ? name : "";
}

// The kernel requires a name for each parameter.
std::string param_name(const btf_blob &blob, const btf_param &param, uint32_t number) {
    const std::string_view name = name_of(blob, param.name_off);
    return name.empty() ? fmt::format("arg{}", number) : std::string(name);
}

template <class Visit> void each_param(const Prototype &prototype, const Visit &visit) {
    const FuncParams params = func_params(*prototype.types, prototype.func_id);
    for (uint32_t i = 0; i < params.count; i++)
        if (i >= 32 || (prototype.without >> i & 1) == 0)
            visit(params.params[i], param_name(*prototype.types, params.params[i], i));
}

// Copies types that are above vmlinux's BTF. Ids are given when a type is first met, and records
// are written in the order of the ids, so types may refer to each other in any way.
class TypeCopy {
  public:
    explicit TypeCopy(const btf_blob &vmlinux)
        : end_(btf_blob_end_id(&vmlinux)), next_(end_),
          builder_(end_, btf_blob_end_string(&vmlinux), nullptr) {}

    // The id of a type in the copy.
    uint32_t id(const btf_blob &blob, uint32_t type) {
        if (type < end_)
            return type;
        const btf_type *record = btf_blob_type(&blob, type);
        if (record == nullptr)
            return 0;
        const auto [known, is_new] = ids_.emplace(record, next_);
        if (is_new) {
            wanted_.push_back({&blob, record});
            next_++;
        }
        return known->second;
    }

    // Adds the prototype of a stub and its FUNC, after all that was met so far.
    void add_func(const Phantom &phantom);
    std::vector<std::byte> finish() { return builder_.finish(false); }

  private:
    struct Wanted {
        const btf_blob *blob;
        const btf_type *type;
    };

    void write_wanted();
    void write(const btf_blob &blob, const btf_type &type);

    uint32_t end_, next_;
    generator::BtfBuilder builder_;
    std::map<const btf_type *, uint32_t> ids_;
    std::vector<Wanted> wanted_;
    size_t written_ = 0;
};

void TypeCopy::write_wanted() {
    while (written_ < wanted_.size()) {
        const Wanted each = wanted_[written_++];
        write(*each.blob, *each.type);
    }
}

void TypeCopy::write(const btf_blob &blob, const btf_type &type) {
    const uint32_t kind = loc_kind(&type), vlen = loc_vlen(&type);
    const auto *words = reinterpret_cast<const uint32_t *>(&type + 1);
    const bool refers = kind != BTF_KIND_INT && kind != BTF_KIND_FLOAT && kind != BTF_KIND_ARRAY &&
                        kind != BTF_KIND_STRUCT && kind != BTF_KIND_UNION &&
                        kind != BTF_KIND_ENUM && kind != BTF_KIND_ENUM64 && kind != BTF_KIND_FWD;
    builder_.begin(kind, name_of(blob, type.name_off), vlen,
                   refers ? id(blob, type.type) : type.size, loc_kind_flag(&type));
    const auto string = [&](uint32_t at) {
        builder_.word(builder_.string(name_of(blob, words[at])));
    };
    switch (kind) {
    case BTF_KIND_INT:
        builder_.word(words[0]);
        break;
    case BTF_KIND_ARRAY:
        builder_.word(id(blob, words[0]));
        builder_.word(id(blob, words[1]));
        builder_.word(words[2]);
        break;
    case BTF_KIND_STRUCT:
    case BTF_KIND_UNION:
        for (uint32_t i = 0; i < vlen; i++) {
            string(3 * i);
            builder_.word(id(blob, words[3 * i + 1]));
            builder_.word(words[3 * i + 2]);
        }
        break;
    case BTF_KIND_ENUM:
    case BTF_KIND_FUNC_PROTO:
        for (uint32_t i = 0; i < vlen; i++) {
            string(2 * i);
            builder_.word(kind == BTF_KIND_ENUM ? words[2 * i + 1] : id(blob, words[2 * i + 1]));
        }
        break;
    case BTF_KIND_ENUM64:
        for (uint32_t i = 0; i < vlen; i++) {
            string(3 * i);
            builder_.word(words[3 * i + 1]);
            builder_.word(words[3 * i + 2]);
        }
        break;
    }
}

void TypeCopy::add_func(const Phantom &phantom) {
    std::vector<std::pair<std::string, uint32_t>> params;
    each_param(phantom.prototype, [&](const btf_param &param, std::string name) {
        params.emplace_back(std::move(name), id(*phantom.prototype.types, param.type));
    });
    write_wanted();
    const uint32_t proto =
        builder_.begin(BTF_KIND_FUNC_PROTO, "", static_cast<uint32_t>(params.size()), 0);
    for (const auto &[name, type] : params) {
        builder_.word(builder_.string(name));
        builder_.word(type);
    }
    builder_.begin(BTF_KIND_FUNC, phantom.stub.name, BTF_FUNC_STATIC, proto);
    next_ = builder_.next_id();
}

}  // namespace

std::vector<std::byte> stub_btf(std::span<const Phantom> phantoms) {
    TypeCopy copy(lowest(*phantoms.front().prototype.types));
    for (const Phantom &phantom : phantoms)
        copy.add_func(phantom);
    return copy.finish();
}

std::string stub_prototype(const Phantom &phantom) {
    std::string params;
    each_param(phantom.prototype, [&](const btf_param &param, std::string name) {
        params += params.empty() ? "" : ", ";
        params += c_declaration(*phantom.prototype.types, param.type, std::move(name));
    });
    return fmt::format("void {}({})", phantom.stub.name, params.empty() ? "void" : params);
}

std::vector<std::string> param_names(const Phantom &phantom) {
    std::vector<std::string> left;
    each_param(phantom.prototype,
               [&](const btf_param &, std::string name) { left.push_back(std::move(name)); });
    std::vector<std::string> out;
    const uint32_t without = phantom.stub.funcs.front().without;
    for (size_t i = 0, next = 0; next < left.size(); i++)
        out.push_back(i < 32 && (without >> i & 1) != 0 ? "" : left[next++]);
    return out;
}

}  // namespace btf_extra::phantoms
