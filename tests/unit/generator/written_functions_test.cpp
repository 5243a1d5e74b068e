// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Writes the functions of merged units, and reads them as libbpf does.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <map>

#include "tests/support/base_btf.h"
#include "tests/support/unit_builder.h"
#include "userspace/format/core_api.h"
#include "userspace/generator/write/btf_writer.h"

namespace btf_extra::test {
namespace {

class WrittenFunctions : public testing::Test {
  protected:
    BaseBtf base;

    WrittenFunctions() {
        base.integer("int", 4);
        base.integer("long int", 8);
    }

    // Returns the FUNCs of the types blob in the order of ids, with their tags.
    std::string write(const std::vector<UnitSites> &units, bool *has_own_proto = nullptr) {
        const auto image = base.image();
        const BaseTypes types(&image->blob());
        const NewTypes none;
        const Merged merged = merged_sites(units, 1);
        const WrittenBlobs blobs = write_blobs(write_types(merged.functions, {}, types, none),
                                               merged, merged.sections, types, {".text"}, 1);
        const BtfHandle handle = split_btf(blobs.types, base);
        if (!handle)
            return "libbpf refuses it";
        std::map<uint32_t, std::string> funcs;
        uint32_t last = 0;
        for (uint32_t id = types.end_id(); id < btf__type_cnt(handle.get()); id++) {
            const btf_type *type = btf__type_by_id(handle.get(), id);
            const std::string name = btf__name_by_offset(handle.get(), type->name_off);
            if (btf_is_func(type)) {
                // A name has one run of ids, which the binary search needs.
                EXPECT_TRUE(last == 0 || id == last + 1) << id;
                last = id;
                const btf_type *proto = btf__type_by_id(handle.get(), type->type);
                if (has_own_proto)
                    *has_own_proto = type->type >= types.end_id();
                funcs[id] =
                    fmt::format("{}{}/{}", name, btf_vlen(type) == BTF_FUNC_GLOBAL ? " global" : "",
                                btf_vlen(proto));
            } else if (btf_is_decl_tag(type)) {
                EXPECT_EQ(btf_decl_tag(type)->component_idx, -1);
                funcs[type->type] += " " + name;
            }
        }
        std::string out;
        for (const auto &[id, text] : funcs)
            out += text + "\n";
        return out;
    }
};

TEST_F(WrittenFunctions, SortedAndTagged) {
    UnitBuilder a("a.c"), b("b.c");
    a.site(a.function("zeta", "a.c"), 1, {kOut}).site(a.function("twin", "twin.c"), 2, {kOut});
    a.site(a.function("twin", "other.c"), 3, {kOut}).site(a.function("alpha", "a.c", {}), 4, {});
    b.site(b.function("twin", "twin.c", {kInt}), 5, {kOut});
    EXPECT_EQ(write(units_of({a, b})), "alpha/0\n"
                                       "twin/1 file:other.c\n"
                                       "twin/1 file:twin.c unit:a.c\n"
                                       "twin/1 file:twin.c unit:b.c\n"
                                       "zeta/1\n");
}

TEST_F(WrittenFunctions, OnlyThoseThatTheBaseLacks) {
    const int proto = base.prototype(0, {{"p", kLong}});
    const auto func = static_cast<uint32_t>(base.function("known", proto));
    UnitBuilder a("a.c");
    a.site(a.function("known", "a.c", {kLong}, func), 1, {kOut});
    EXPECT_EQ(write(units_of({a})), "");
    // The FUNC of the base has another prototype, so the reader gives no id.
    UnitBuilder b("b.c");
    b.site(b.function("known", "b.c", {kInt}), 1, {kOut});
    EXPECT_EQ(write(units_of({b})), "known/1\n");
    // Two source functions share the name, so neither is the base's.
    EXPECT_EQ(write(units_of({a, b})), "known/1 file:a.c\nknown/1 file:b.c\n");
}

TEST_F(WrittenFunctions, PrototypesOfTheBaseAreUsed) {
    base.prototype(0, {{"p", kLong}});
    bool own = true;
    UnitBuilder a("a.c");
    a.site(a.function("f", "a.c", {kLong}), 1, {kOut});
    EXPECT_EQ(write(units_of({a}), &own), "f/1\n");
    EXPECT_FALSE(own);
    a.unit_.param_names = {"q"};
    EXPECT_EQ(write(units_of({a}), &own), "f/1\n");
    EXPECT_TRUE(own);
}

TEST_F(WrittenFunctions, LinkageAndVariadic) {
    UnitBuilder a("a.c");
    const uint32_t f = a.function("f", "a.c"), g = a.function("g", "a.c", {});
    a.at(f).external = true;
    a.at(g).variadic = true;
    a.site(f, 1, {kOut}).site(g, 2, {kVariadicEnd});
    EXPECT_EQ(write(units_of({a})), "f global/1\ng/1\n");
}

// The id of a FUNC of the base is found by name and prototype, with the names of the parameters.
TEST_F(WrittenFunctions, FunctionsOfTheBase) {
    const auto func = [&](const char *name, int proto) {
        return static_cast<uint32_t>(base.function(name, proto));
    };
    const int one = base.prototype(kInt, {{"a", kLong}});
    const uint32_t unique = func("unique", one);
    const uint32_t first = func("twice", base.prototype(kInt, {{"a", kInt}}));
    const uint32_t second = func("twice", one);
    const uint32_t variadic = func("variadic", base.prototype(kInt, {{"a", kLong}}, true));
    const uint32_t none = func("none", base.prototype(0));
    const uint32_t nameless = func("nameless", base.prototype(kInt, {{nullptr, kLong}}));
    const auto image = base.image();
    const BaseTypes types(&image->blob());
    const struct {
        const char *name;
        TypeId result;
        std::vector<TypeId> params;
        bool is_variadic;
        uint32_t expected;
        std::string_view first_name = "a";
    } rows[] = {
        {"unique", kInt, {kLong}, false, unique},
        {"unique", kInt, {kLong}, false, 0, "b"},
        {"unique", kInt, {kLong}, false, 0, ""},
        {"nameless", kInt, {kLong}, false, 0},
        {"nameless", kInt, {kLong}, false, nameless, ""},
        {"unique", kInt, {kInt}, false, 0},
        {"unique", kLong, {kLong}, false, 0},
        {"unique", kInt, {kLong}, true, 0},
        {"unique", kInt, {kLong, kLong}, false, 0},
        {"unique", kInt, {}, false, 0},
        {"unique", kInt, {kNewType | 1}, false, 0},
        {"twice", kInt, {kInt}, false, first},
        {"twice", kInt, {kLong}, false, second},
        {"twice", kInt, {}, false, 0},
        {"variadic", kInt, {kLong}, true, variadic},
        {"variadic", kInt, {kLong}, false, 0},
        {"none", 0, {}, false, none},
        {"none", 0, {}, true, 0},
        {"absent", kInt, {kLong}, false, 0},
        {"int", 0, {}, false, 0},
    };
    for (const auto &row : rows) {
        const std::vector<std::string_view> names(row.params.size(), row.first_name);
        EXPECT_EQ(types.func(row.name, row.result, row.params, names, row.is_variadic),
                  row.expected)
            << row.name << ", " << row.params.size() << " parameters, " << row.first_name;
    }
}

}  // namespace
}  // namespace btf_extra::test
