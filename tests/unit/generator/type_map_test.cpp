// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Maps types of made-up debug information to ids of a base BTF that libbpf made.
#include "tests/support/type_source.h"

namespace btf_extra::test {
namespace {

using Id = TypeId;

TEST_F(TypeMapTest, Integers) {
    const Id i = base.integer("int", 4), u = base.integer("unsigned int", 4, 0);
    const Id c = base.integer("char", 1), b = base.integer("_Bool", 1, BTF_INT_BOOL);
    btf__add_float(base.handle(), "double", 8);
    const Id d = 5;
    using enum TypeKind;
    const auto sized = Source::sized;
    SourceType marked_char = sized(kInt, "char", 1, true);
    marked_char.is_char = true;
    SourceType boolean = sized(kInt, "_Bool", 1, false);
    boolean.is_bool = true;
    const struct {
        const char *name;
        SourceType type;
        Id expected;
    } rows[] = {
        {"int", sized(kInt, "int", 4, true), i},
        {"unsigned", sized(kInt, "unsigned int", 4, false), u},
        {"int of another size", sized(kInt, "int", 2, true), kNew},
        {"int of another sign", sized(kInt, "int", 4, false), kNew},
        {"another name", sized(kInt, "int32", 4, true), kNew},
        {"char, marked as one", marked_char, c},
        {"_Bool", boolean, b},
        {"_Bool that is none", sized(kInt, "_Bool", 1, false), kNew},
        {"double", sized(kFloat, "double", 8, false), d},
        {"double of another size", sized(kFloat, "double", 4, false), kNew},
        {"void", {}, 0},
    };
    for (const auto &row : rows)
        EXPECT_EQ(map(source.add(row.type)), row.expected) << row.name;
    EXPECT_EQ(map(0), 0u);
}

TEST_F(TypeMapTest, UniqueNamesNeedNoComparison) {
    const int i = base.integer("int", 4);
    const Id task = base.structure("task", 4, {{"pid", i, 0}});
    const Id any = base.union_of("any", 4, {{"i", i, 0}});
    const Id color = base.enumeration("color", {{"RED", 0}});
    const Id size = base.alias("size", i);
    const Id wide = base.wide_enumeration("wide", {{"BIG", 1ull << 40}});
    // The struct differs in a member or a member's type, or the enumerators differ, or there are
    // none.
    EXPECT_EQ(map(source.structure("task", 8, {{.name = "tid", .type = source.integer("int", 4)}})),
              task);
    EXPECT_EQ(map(source.structure("task", 0)), task);
    EXPECT_EQ(map(source.union_of("any", 0)), any);
    EXPECT_EQ(map(source.enumeration("color", {})), color);
    EXPECT_EQ(map(source.enumeration("wide", {}, 8)), wide);
    EXPECT_EQ(map(source.alias("size", 0)), size);
    // Tags and type names are different name spaces, and so are the kinds.
    EXPECT_EQ(map(source.alias("task", 0)), kNew);
    EXPECT_EQ(map(source.union_of("task", 4)), kNew);
    EXPECT_EQ(map(source.enumeration("task", {})), kNew);
    EXPECT_EQ(map(source.structure("color", 4)), kNew);
}

TEST_F(TypeMapTest, TwoStructsOfOneName) {
    const int i = base.integer("int", 4), l = base.integer("long int", 8);
    const int a = base.structure("a", 4, {{"m", i, 0}}), b = base.structure("b", 4, {{"m", i, 0}});
    const int pa = base.pointer(a), pb = base.pointer(b);
    const auto note = [&](std::vector<BaseMember> members, uint32_t size = 16) -> Id {
        return base.structure("note", size, members);
    };
    const Id names = note({{"x", i, 0}, {"y", i, 32}}, 8);
    const Id other_name = note({{"x", i, 0}, {"z", i, 32}}, 8);
    const Id more = note({{"x", i, 0}, {"y", i, 32}, {"z", i, 64}}, 12);
    const Id moved = note({{"x", i, 0}, {"y", i, 64}}, 12);
    const Id larger = note({{"x", i, 0}, {"y", i, 32}}, 16);
    const Id other_type = note({{"x", i, 0}, {"y", l, 64}});
    const Id bits = note({{"x", i, 0, 3}, {"y", i, 3, 5}}, 4);
    const Id other_bits = note({{"x", i, 0, 4}, {"y", i, 4, 4}}, 4);
    const Id to_a = note({{"p", pa, 0}}, 8);
    const Id to_b = note({{"p", pb, 0}}, 8);
    const Id array_a = note({{"p", base.array(i, pa, 2), 0}});
    const Id array_b = note({{"p", base.array(i, pb, 2), 0}});
    const Id calls_a = note({{"f", base.pointer(base.prototype(0, {{"p", pa}})), 0}}, 8);
    const Id calls_b = note({{"f", base.pointer(base.prototype(0, {{"p", pb}})), 0}}, 8);
    const Id calls_any = note({{"f", base.pointer(base.prototype(0, {{"p", pa}}, true)), 0}}, 8);

    const TypeRef si = source.integer("int", 4), sl = source.integer("long int", 8);
    const TypeRef spa = source.pointer(source.structure("a", 4, {{.name = "m", .type = si}}));
    const TypeRef spb = source.pointer(source.structure("b", 4, {{.name = "m", .type = si}}));
    const auto like = [&](std::vector<SourceMember> members, uint64_t size = 16) {
        return map(source.structure("note", size, std::move(members)));
    };
    const auto call = [&](TypeRef param, bool variadic = false) {
        return source.pointer(source.prototype(0, {{.name = "p", .type = param}}, variadic));
    };
    EXPECT_EQ(like({{"x", si, 0}, {"y", si, 32}}, 8), names);
    EXPECT_EQ(like({{"x", si, 0}, {"z", si, 32}}, 8), other_name);
    EXPECT_EQ(like({{"x", si, 0}, {"y", si, 32}, {"z", si, 64}}, 12), more);
    EXPECT_EQ(like({{"x", si, 0}, {"y", si, 64}}, 12), moved);
    EXPECT_EQ(like({{"x", si, 0}, {"y", si, 32}}, 16), larger);
    EXPECT_EQ(like({{"x", si, 0}, {"y", sl, 64}}), other_type);
    EXPECT_EQ(like({{"x", si, 0, 3}, {"y", si, 3, 5}}, 4), bits);
    EXPECT_EQ(like({{"x", si, 0, 4}, {"y", si, 4, 4}}, 4), other_bits);
    EXPECT_EQ(like({{"p", spa, 0}}, 8), to_a);
    EXPECT_EQ(like({{"p", spb, 0}}, 8), to_b);
    EXPECT_EQ(like({{"p", source.array(spa, 2), 0}}), array_a);
    EXPECT_EQ(like({{"p", source.array(spb, 2), 0}}), array_b);
    EXPECT_EQ(like({{"f", call(spa), 0}}, 8), calls_a);
    EXPECT_EQ(like({{"f", call(spb), 0}}, 8), calls_b);
    EXPECT_EQ(like({{"f", call(spa, true), 0}}, 8), calls_any);
    // None of these is in the base.
    EXPECT_EQ(like({{"x", si, 0}, {"w", si, 32}}, 8), kNew);
    EXPECT_EQ(like({{"p", source.array(spa, 3), 0}}), kNew);
    EXPECT_EQ(like({{"p", source.pointer(si), 0}}, 8), kNew);
    EXPECT_EQ(like({}, 0), kNew);
}

// Two rings of structs differ only in a member of the last one.
TEST_F(TypeMapTest, TwoRecursiveStructsOfOneName) {
    const int i = base.integer("int", 4), l = base.integer("long int", 8);
    const auto ring = [&](int value) -> Id {
        // The ids are: node, link, pointer to node, pointer to link.
        const int node = btf__type_cnt(base.handle());
        base.structure("node", 16, {{"next", node + 3, 0}, {"self", node + 2, 64}});
        base.structure("link", 16, {{"back", node + 2, 0}, {"value", value, 64}});
        base.pointer(node);
        base.pointer(node + 1);
        return static_cast<Id>(node);
    };
    const Id of_int = ring(i), of_long = ring(l);

    const auto source_ring = [&](TypeRef value) {
        const TypeRef node = source.structure("node", 16);
        const TypeRef link =
            source.structure("link", 16, {{"back", source.pointer(node), 0}, {"value", value, 64}});
        source.at(node).members = {{"next", source.pointer(link), 0},
                                   {"self", source.pointer(node), 64}};
        return node;
    };
    const TypeRef si = source.integer("int", 4), sl = source.integer("long int", 8);
    EXPECT_EQ(map(source_ring(si)), of_int);
    EXPECT_EQ(map(source_ring(sl)), of_long);
    EXPECT_EQ(map(source.pointer(source_ring(sl))), of_long + 2);
    EXPECT_EQ(map(source_ring(source.pointer(0))), kNew);
}

TEST_F(TypeMapTest, SameNameEnumsAndTypedefs) {
    const int i = base.integer("int", 4), l = base.integer("long int", 8);
    const Id one = base.enumeration("state", {{"ON", 0}, {"OFF", 1}});
    const Id other_value = base.enumeration("state", {{"ON", 0}, {"OFF", 2}});
    const Id other_name = base.enumeration("state", {{"ON", 0}, {"DOWN", 1}});
    const Id negative = base.enumeration("state", {{"ON", -1}, {"OFF", 1}});
    const Id wide = base.wide_enumeration("state", {{"ON", 0}, {"OFF", 1ull << 40}});
    const Id small = base.alias("word", i), large = base.alias("word", l);

    EXPECT_EQ(map(source.enumeration("state", {{"ON", 0}, {"OFF", 1}})), one);
    EXPECT_EQ(map(source.enumeration("state", {{"ON", 0}, {"OFF", 2}})), other_value);
    EXPECT_EQ(map(source.enumeration("state", {{"ON", 0}, {"DOWN", 1}})), other_name);
    EXPECT_EQ(map(source.enumeration("state", {{"ON", UINT64_MAX}, {"OFF", 1}}, 4, true)),
              negative);
    EXPECT_EQ(map(source.enumeration("state", {{"ON", 0}, {"OFF", 3}})), kNew);
    EXPECT_EQ(map(source.enumeration("state", {{"ON", 0}})), kNew);
    EXPECT_EQ(map(source.alias("word", source.integer("int", 4))), small);
    EXPECT_EQ(map(source.alias("word", source.integer("long int", 8))), large);
    EXPECT_EQ(map(source.alias("word", source.pointer(0))), kNew);
    // There is one ENUM64 of that name, but it must also have the same enumerators.
    EXPECT_EQ(map(source.enumeration("state", {{"ON", 0}, {"OFF", 1ull << 40}}, 8)), wide);
}

TEST_F(TypeMapTest, Declarations) {
    const int i = base.integer("int", 4);
    const Id unique = base.structure("unique", 4, {{"m", i, 0}});
    base.structure("twice", 4, {{"a", i, 0}});
    base.structure("twice", 4, {{"b", i, 0}});
    base.structure("both", 4, {{"a", i, 0}});
    base.structure("both", 4, {{"b", i, 0}});
    const Id both = base.forward("both");
    const Id opaque = base.forward("opaque");
    const Id opaque_union = base.forward("opaque", BTF_FWD_UNION);
    const Id union_only = base.union_of("shape", 4);

    EXPECT_EQ(map(source.declaration("unique")), unique);
    EXPECT_EQ(map(source.declaration("twice")), kNew);  // two types have the name
    EXPECT_EQ(map(source.declaration("both")), both);
    EXPECT_EQ(map(source.declaration("opaque")), opaque);
    EXPECT_EQ(map(source.declaration("opaque", TypeKind::kUnion)), opaque_union);
    EXPECT_EQ(map(source.declaration("shape", TypeKind::kUnion)), union_only);
    EXPECT_EQ(map(source.declaration("shape")), kNew);
    EXPECT_EQ(map(source.declaration("absent")), kNew);
    EXPECT_EQ(as_c(source.declaration("absent")), "struct absent;\n\n");
    EXPECT_EQ(as_c(source.declaration("missing", TypeKind::kUnion)), "union missing;\n\n");
}

// A declaration matches a definition on the other side of a comparison.
TEST_F(TypeMapTest, DeclarationsInComparisons) {
    const int i = base.integer("int", 4);
    const int opaque = base.forward("opaque");
    const Id first = base.structure("user", 16, {{"p", base.pointer(opaque), 0}, {"x", i, 64}});
    const Id second = base.structure("user", 16, {{"p", base.pointer(opaque), 0}, {"y", i, 64}});
    const TypeRef si = source.integer("int", 4);
    const TypeRef known = source.pointer(source.structure("opaque", 4, {{"m", si, 0}}));
    const TypeRef unknown = source.pointer(source.declaration("opaque"));
    EXPECT_EQ(map(source.structure("user", 16, {{"p", known, 0}, {"x", si, 64}})), first);
    EXPECT_EQ(map(source.structure("user", 16, {{"p", unknown, 0}, {"y", si, 64}})), second);
}

TEST_F(TypeMapTest, AnonymousTypes) {
    const int i = base.integer("int", 4);
    const Id point = base.structure(nullptr, 8, {{"x", i, 0}, {"y", i, 32}});
    const Id size = base.structure(nullptr, 8, {{"w", i, 0}, {"h", i, 32}});
    const Id bits = base.structure(nullptr, 8, {{"x", i, 0, 1}, {"y", i, 32}});
    const Id either = base.union_of(nullptr, 8, {{"x", i, 0}, {"y", i, 0}});
    const Id state = base.enumeration(nullptr, {{"ON", 0}, {"OFF", 1}});
    const Id wide = base.wide_enumeration(nullptr, {{"HIGH", 1ull << 40}});
    const Id empty = base.structure(nullptr, 0);
    const Id alias = base.alias("point", static_cast<int>(point));

    const TypeRef si = source.integer("int", 4);
    EXPECT_EQ(map(source.structure("", 8, {{"x", si, 0}, {"y", si, 32}})), point);
    EXPECT_EQ(map(source.structure("", 8, {{"w", si, 0}, {"h", si, 32}})), size);
    EXPECT_EQ(map(source.structure("", 8, {{"x", si, 0, 1}, {"y", si, 32}})), bits);
    EXPECT_EQ(map(source.union_of("", 8, {{"x", si, 0}, {"y", si, 0}})), either);
    EXPECT_EQ(map(source.enumeration("", {{"ON", 0}, {"OFF", 1}})), state);
    EXPECT_EQ(map(source.enumeration("", {{"HIGH", 1ull << 40}}, 8)), wide);
    EXPECT_EQ(map(source.structure("", 0)), empty);
    EXPECT_EQ(map(source.alias("point", 0)), alias);
    EXPECT_EQ(map(source.structure("", 8, {{"x", si, 0}, {"z", si, 32}})), kNew);
    EXPECT_EQ(map(source.structure("", 12, {{"x", si, 0}, {"y", si, 32}})), kNew);
    EXPECT_EQ(map(source.union_of("", 8, {{"x", si, 0}, {"z", si, 0}})), kNew);
    EXPECT_EQ(map(source.enumeration("", {{"ON", 0}, {"OFF", 2}})), kNew);
    EXPECT_EQ(map(source.enumeration("", {{"HIGH", 1ull << 41}}, 8)), kNew);
}

TEST_F(TypeMapTest, DerivedTypes) {
    const int i = base.integer("int", 4), c = base.integer("char", 1);
    const Id pointer = base.pointer(i), void_pointer = base.pointer(0);
    base.pointer(i);  // there are two of them: the first counts
    const Id constant = base.constant(c);
    const Id text = base.pointer(static_cast<int>(constant));
    const Id array = base.array(i, c, 4);
    const Id proto = base.prototype(i, {{"a", i}, {"b", static_cast<int>(text)}});
    const Id other_names = base.prototype(i, {{"a", i}, {"c", static_cast<int>(text)}});
    const Id variadic = base.prototype(i, {{"a", i}}, true);
    const Id plain = base.prototype(i, {{"a", i}});
    const Id none = base.prototype(0);

    const TypeRef si = source.integer("int", 4), sc = source.integer("char", 1);
    const TypeRef stext = source.pointer(source.modified(TypeKind::kConst, sc));
    EXPECT_EQ(map(source.pointer(si)), pointer);
    EXPECT_EQ(map(source.pointer(0)), void_pointer);
    EXPECT_EQ(map(stext), text);
    EXPECT_EQ(map(source.array(sc, 4)), array);
    EXPECT_EQ(map(source.prototype(si, {{"a", si}, {"b", stext}})), proto);
    EXPECT_EQ(map(source.prototype(si, {{"a", si}, {"c", stext}})), other_names);
    EXPECT_EQ(map(source.prototype(si, {{"a", si}}, true)), variadic);
    EXPECT_EQ(map(source.prototype(si, {{"a", si}})), plain);
    EXPECT_EQ(map(source.prototype(0)), none);
    EXPECT_EQ(map(source.pointer(sc)), kNew);
    EXPECT_EQ(map(source.modified(TypeKind::kVolatile, sc)), kNew);
    EXPECT_EQ(map(source.modified(TypeKind::kRestrict, stext)), kNew);
    EXPECT_EQ(map(source.array(sc, 5)), kNew);
    EXPECT_EQ(map(source.array(si, 4)), kNew);
    EXPECT_EQ(map(source.prototype(0, {}, true)), kNew);
    EXPECT_EQ(map(source.prototype(si, {{"a", sc}})), kNew);
}

TEST_F(TypeMapTest, TypeTags) {
    const int c = base.integer("char", 1);
    const int user_char = base.tag("user", c);
    const Id user = base.pointer(user_char);
    const Id both = base.pointer(base.tag("percpu", user_char));
    const Id plain = base.pointer(c);

    const TypeRef sc = source.integer("char", 1);
    EXPECT_EQ(map(source.tagged_pointer(sc, {"user"})), user);
    EXPECT_EQ(map(source.tagged_pointer(sc, {"user", "percpu"})), both);
    EXPECT_EQ(map(source.pointer(sc)), plain);
    // A base without the tag was made by a tool that does not write tags.
    EXPECT_EQ(map(source.tagged_pointer(sc, {"rcu"})), plain);
}

}  // namespace
}  // namespace btf_extra::test
