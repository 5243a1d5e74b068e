// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/text/c_type.h"

#include <cstring>
#include <string_view>

#include <fmt/format.h>

#include "userspace/format/variadic.h"

namespace btf_extra {
namespace {

// No compiler writes longer chains of typedefs, pointers and arrays.
constexpr int kMaxDepth = 64;

// The kernel's KSYM_NAME_LEN since 6.1: a longer name is not a real one.
constexpr size_t kMaxName = 512;

std::string_view name_of(const btf_blob &blob, uint32_t offset) {
    const char *name = btf_blob_string(&blob, offset);
    return name != nullptr ? std::string_view(name, strnlen(name, kMaxName)) : "?";
}

// Returns the text of a tagged or plain type name: "struct sk_buff", "u32".
std::string tagged(const btf_blob &blob, const btf_type &type, std::string_view tag) {
    if (type.name_off == 0)
        return fmt::format("{} {{...}}", tag);
    return fmt::format("{} {}", tag, name_of(blob, type.name_off));
}

class Declarator {
  public:
    explicit Declarator(const btf_blob &blob) : blob_(blob) {}

    // Starts at the name and works outwards, as C's declarators do: the type that is pointed to
    // comes last.
    std::string text(uint32_t id, std::string name, int depth) {
        std::string qualifiers;  // those since the last pointer, array or function
        bool pointer = false;    // the declarator so far begins with '*'
        for (int step = depth; step < kMaxDepth && budget_-- > 0; step++) {
            if (id == 0)
                return join(qualifiers + "void", name);
            const btf_type *type = btf_blob_type(&blob_, id);
            if (type == nullptr)
                return join(qualifiers + "?", name);
            switch (loc_kind(type)) {
            case BTF_KIND_CONST:
                qualifiers += "const ";
                id = type->type;
                break;
            case BTF_KIND_VOLATILE:
                qualifiers += "volatile ";
                id = type->type;
                break;
            case BTF_KIND_RESTRICT:
                qualifiers += "restrict ";
                id = type->type;
                break;
            case BTF_KIND_TYPE_TAG:
                id = type->type;
                break;
            case BTF_KIND_PTR:
                if (name.empty() && !qualifiers.empty())
                    qualifiers.pop_back();  // removes the space before the name
                name = fmt::format("*{}{}", qualifiers, name);
                qualifiers.clear();
                pointer = true;
                id = type->type;
                break;
            case BTF_KIND_ARRAY: {
                auto *array = reinterpret_cast<const btf_array *>(type + 1);
                name = fmt::format("{}[{}]", operand(name, pointer), array->nelems);
                pointer = false;
                id = array->type;
                break;
            }
            case BTF_KIND_FUNC_PROTO:
                name = operand(name, pointer) + parameters(*type, step + 1);
                pointer = false;
                id = type->type;
                break;
            case BTF_KIND_STRUCT:
                // The generator writes this for a type that DWARF does not contain, or BTF cannot
                // express.
                if (type->name_off == 0 && loc_vlen(type) == 0)
                    return join(qualifiers + "?", name);
                return join(qualifiers + tagged(blob_, *type, "struct"), name);
            case BTF_KIND_UNION:
                return join(qualifiers + tagged(blob_, *type, "union"), name);
            case BTF_KIND_ENUM:
            case BTF_KIND_ENUM64:
                return join(qualifiers + tagged(blob_, *type, "enum"), name);
            case BTF_KIND_FWD:
                return join(qualifiers +
                                tagged(blob_, *type, loc_kind_flag(type) ? "union" : "struct"),
                            name);
            default:
                return join(fmt::format("{}{}", qualifiers, name_of(blob_, type->name_off)), name);
            }
        }
        return join("...", name);
    }

  private:
    // [] and () bind tighter than *.
    static std::string operand(const std::string &name, bool pointer) {
        return pointer ? fmt::format("({})", name) : name;
    }

    static std::string join(std::string_view type, std::string_view name) {
        return fmt::format("{}{}{}", type, name.empty() ? "" : " ", name);
    }

    std::string parameters(const btf_type &proto, int depth) {
        auto *params = reinterpret_cast<const btf_param *>(&proto + 1);
        uint32_t count = loc_vlen(&proto);
        if (count == 0)
            return "(void)";
        std::string out = "(";
        for (uint32_t i = 0; i < count; i++) {
            if (i != 0)
                out += ", ";
            if (budget_ <= 0)
                return out + "...)";
            const btf_param &param = params[i];
            if (ends_variadic(param) && i + 1 == count)
                out += "...";
            else
                out += text(param.type, std::string(name_of(blob_, param.name_off)), depth);
        }
        return out + ")";
    }

    const btf_blob &blob_;
    int budget_ = 2000;  // bounds the work on types that contain themselves
};

}  // namespace

std::string c_declaration(const btf_blob &blob, uint32_t type_id, std::string name) {
    return Declarator(blob).text(type_id, std::move(name), 0);
}

std::string c_prototype(const btf_blob &blob, uint32_t func_id) {
    const btf_type *func = btf_blob_type(&blob, func_id);
    if (func == nullptr || loc_kind(func) != BTF_KIND_FUNC)
        return "?";
    std::string name(name_of(blob, func->name_off));
    const btf_type *proto = btf_blob_type(&blob, func->type);
    if (proto == nullptr || loc_kind(proto) != BTF_KIND_FUNC_PROTO)
        return "? " + name + "(?)";
    if (!has_known_prototype(blob, func_id))
        return name + " (prototype not known)";
    return c_declaration(blob, func->type, name);
}

bool has_known_prototype(const btf_blob &blob, uint32_t func_id) {
    const FuncParams params = func_params(blob, func_id);
    return params.params == nullptr || params.count != 0 || !params.variadic;
}

std::optional<std::string> known_prototype(const btf_blob &blob, uint32_t func_id) {
    if (!has_known_prototype(blob, func_id))
        return {};
    return c_prototype(blob, func_id);
}

FuncParams func_params(const btf_blob &blob, uint32_t func_id) {
    const btf_type *func = btf_blob_type(&blob, func_id);
    if (func == nullptr || loc_kind(func) != BTF_KIND_FUNC)
        return {};
    const btf_type *proto = btf_blob_type(&blob, func->type);
    if (proto == nullptr || loc_kind(proto) != BTF_KIND_FUNC_PROTO)
        return {};
    FuncParams out = {reinterpret_cast<const btf_param *>(proto + 1), loc_vlen(proto), false};
    if (out.count != 0 && ends_variadic(out.params[out.count - 1])) {
        out.count--;
        out.variadic = true;
    }
    return out;
}

}  // namespace btf_extra
