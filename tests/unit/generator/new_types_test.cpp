// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Types that the base lacks are written, read by libbpf and printed as C.
#include "tests/support/type_source.h"

namespace btf_extra::test {
namespace {

class NewTypesTest : public TypeMapTest {};

TEST_F(NewTypesTest, NewTypeIsComplete) {
    base.integer("int", 4);
    base.integer("unsigned int", 4, 0);
    base.integer("char", 1);
    const TypeRef i = source.integer("int", 4), u = source.integer("unsigned int", 4, false);
    const TypeRef c = source.integer("char", 1), l = source.integer("long int", 8);
    const TypeRef inner = source.structure("", 8, {{"low", i, 0}, {"high", i, 32}});
    const TypeRef overlay = source.union_of("", 8, {{"whole", l, 0}, {"", inner, 0}});
    const TypeRef mode = source.enumeration("mode", {{"IDLE", UINT64_MAX}, {"BUSY", 5}}, 4, true);
    const TypeRef huge = source.enumeration("huge", {{"HUGE", 1ull << 40}, {"TINY", 1}}, 8);
    const TypeRef opaque = source.pointer(source.declaration("opaque"));
    const TypeRef handler = source.pointer(source.prototype(i, {{"w", opaque}, {"mask", u}}, true));
    const TypeRef handler_t = source.alias("handler_t", handler);
    const TypeRef callback = source.alias("callback", handler_t);
    const TypeRef name = source.array(source.array(c, 8), 2);
    const TypeRef reader =
        source.pointer(source.modified(TypeKind::kConst, source.modified(TypeKind::kVolatile, c)));
    const TypeRef widget = source.structure("widget", 72,
                                            {{"id", u, 0, 0},
                                             {"flag", u, 32, 1},
                                             {"kind", u, 33, 7},
                                             {"", overlay, 64, 0},
                                             {"state", mode, 128, 0},
                                             {"limit", huge, 192, 0},
                                             {"name", name, 256, 0},
                                             {"call", callback, 384, 0},
                                             {"text", reader, 448, 0},
                                             {"next", 0, 512, 0},
                                             {"tail", source.array(i, 0), 576, 0}});
    source.at(widget).members[9].type = source.pointer(widget);
    EXPECT_EQ(as_c(widget), R"(enum mode {
	IDLE = -1,
	BUSY = 5,
};

enum huge {
	HUGE = 1099511627776ULL,
	TINY = 1ULL,
};

struct opaque;

typedef int (*handler_t)(struct opaque *w, unsigned int mask, ...);

typedef handler_t callback;

struct widget {
	unsigned int id;
	unsigned int flag: 1;
	unsigned int kind: 7;
	union {
		long int whole;
		struct {
			int low;
			int high;
		};
	};
	enum mode state;
	enum huge limit;
	char name[2][8];
	callback call;
	volatile const char *text;
	struct widget *next;
	int tail[0];
};

)");
}

// The text in C does not show the difference between these kinds, so the records are compared. The
// base is empty, but ids and strings still count on from it.
TEST_F(NewTypesTest, NewIntegersAndFloats) {
    const TypeRef b = source.integer("_Bool", 1, false);
    source.at(b).is_bool = true;
    const TypeRef wide = source.integer("__int128", 16);
    const TypeRef d = source.add(Source::sized(TypeKind::kFloat, "double", 8));
    const TypeRef all = source.structure("all", 32, {{"b", b, 0}, {"w", wide, 128}, {"d", d, 64}});
    const Written written = write(all);
    ASSERT_TRUE(written.btf);
    const btf *handle = written.btf.get();
    const auto find = [&](const char *name, uint32_t kind) {
        const int id = btf__find_by_name_kind(handle, name, kind);
        return id > 0 ? btf__type_by_id(handle, static_cast<uint32_t>(id)) : nullptr;
    };
    const btf_type *boolean = find("_Bool", BTF_KIND_INT);
    ASSERT_TRUE(boolean);
    EXPECT_EQ(btf_int_encoding(boolean), BTF_INT_BOOL);
    EXPECT_EQ(btf_int_bits(boolean), 8u);
    const btf_type *int128 = find("__int128", BTF_KIND_INT);
    ASSERT_TRUE(int128);
    EXPECT_EQ(btf_int_encoding(int128), BTF_INT_SIGNED);
    EXPECT_EQ(btf_int_bits(int128), 128u);
    const btf_type *floating = find("double", BTF_KIND_FLOAT);
    ASSERT_TRUE(floating);
    EXPECT_EQ(floating->size, 8u);
}

TEST_F(NewTypesTest, SameNewTypeOfTwoUnits) {
    base.integer("int", 4);
    const auto describe = [](Source &unit, uint64_t offset) {
        const TypeRef i = unit.integer("int", 4);
        const TypeRef node = unit.structure("node", 16);
        unit.at(node).members = {{"next", unit.pointer(node), 0}, {"value", i, offset}};
        return node;
    };
    const TypeRef here = describe(source, 64);
    Source same(0x5000);
    same.pointer(0);  // now other references
    Source other(0x9000);
    const TypeRef there = describe(same, 64), different = describe(other, 96);
    map(here);
    const TypeId first = map(here, source);
    EXPECT_EQ(map(there, same), first);
    const size_t known = new_types.size();
    EXPECT_NE(map(different, other), first);
    EXPECT_GT(new_types.size(), known);
    // A unit can have a type twice: partial units lead to that.
    EXPECT_EQ(map(describe(same, 64), same), first);
    // The type is deep inside another type.
    EXPECT_EQ(map(same.pointer(same.array(there, 2)), same),
              map(source.pointer(source.array(here, 2)), source));
}

TEST_F(NewTypesTest, MutuallyRecursiveNewTypes) {
    const TypeRef l = source.integer("long int", 8);
    const TypeRef parent = source.structure("parent", 16), child = source.structure("child", 16);
    source.at(parent).members = {{"first", source.pointer(child), 0}, {"count", l, 64}};
    source.at(child).members = {{"up", source.pointer(parent), 0},
                                {"next", source.pointer(child), 64}};
    const Written written = write(source.pointer(parent));
    ASSERT_TRUE(written.btf);
    const auto count = [&](const char *name) {
        uint32_t found = 0;
        for (uint32_t id = 1; id < btf__type_cnt(written.btf.get()); id++) {
            const btf_type *type = btf__type_by_id(written.btf.get(), id);
            const char *text = btf__name_by_offset(written.btf.get(), type->name_off);
            found += std::string_view(text) == name;
        }
        return found;
    };
    EXPECT_EQ(count("parent"), 1u);
    EXPECT_EQ(count("child"), 1u);
    EXPECT_EQ(as_c(parent), R"(struct child;

struct parent {
	struct child *first;
	long int count;
};

)");
    EXPECT_EQ(as_c(child), R"(struct parent;

struct child {
	struct parent *up;
	struct child *next;
};

)");
}

// Types that refer to each other in many ways need time and memory that are linear in their number.
TEST_F(NewTypesTest, ManyPathsToOneNewType) {
    TypeRef below = source.integer("long int", 8);
    std::vector<std::string> names;
    for (int i = 0; i < 64; i++)
        names.push_back("level" + std::to_string(i));
    for (const std::string &name : names)
        below = source.structure(
            name, 16, {{"a", source.pointer(below), 0}, {"b", source.pointer(below), 64}});
    const Written written = write(below);
    ASSERT_TRUE(written.btf);
    EXPECT_GT(btf__find_by_name_kind(written.btf.get(), "level0", BTF_KIND_STRUCT), 0);
}

// The chain is longer than any stack, and all its types reach each other.
TEST_F(NewTypesTest, LongCycleOfNewTypes) {
    base.integer("int", 4);
    constexpr size_t kCount = 10'000;
    std::vector<std::string> names;
    for (size_t i = 0; i < kCount; i++)
        names.push_back("link" + std::to_string(i));
    const auto make_cycle = [&](Source &unit, uint64_t last_offset) {
        std::vector<TypeRef> links;
        for (const std::string &name : names)
            links.push_back(unit.structure(name, 16));
        for (size_t i = 0; i < kCount; i++)
            unit.at(links[i]).members = {
                {"next", unit.pointer(links[(i + 1) % kCount]), i + 1 == kCount ? last_offset : 0}};
        return links;
    };
    Source same(0x10000000), other(0x20000000);
    const std::vector<TypeRef> here = make_cycle(source, 0);
    const std::vector<TypeRef> there = make_cycle(same, 0), apart = make_cycle(other, 64);
    map(source.integer("int", 4));
    const TypeId first = map(here[0], source), middle = map(here[kCount / 2], source);
    EXPECT_EQ(new_types.size(), 2 * kCount);  // and the pointers
    EXPECT_EQ(map(there[0], same), first);
    EXPECT_EQ(map(there[kCount / 2], same), middle);
    EXPECT_EQ(new_types.size(), 2 * kCount);
    // If one type differs far away, all types that reach it differ.
    EXPECT_NE(map(apart[0], other), first);
    EXPECT_NE(map(apart[kCount / 2], other), middle);
    EXPECT_EQ(new_types.size(), 4 * kCount);
}

// A base of another kernel is noticed, in little time and memory.
TEST_F(NewTypesTest, TooManyNewTypes) {
    base.integer("int", 4);
    const auto image = base.image();
    const BaseTypes types(&image->blob());
    NewTypes few(1000);
    TypeMap map(types, few, source);
    std::vector<std::string> names;
    for (int i = 0; i < 100; i++)
        names.push_back("name" + std::to_string(i));
    for (const std::string &name : names)
        map.map(source.structure(name, 4, {{"m", source.integer("int", 4), 0}}));
    EXPECT_TRUE(few.too_many());
    EXPECT_LT(few.size(), 100u);
    EXPECT_FALSE(NewTypes().too_many());
}

// A type that no function needs is not written.
TEST_F(NewTypesTest, OnlyWhatIsNeeded) {
    base.integer("int", 4);
    map(source.structure("left_out", 4, {{"m", source.integer("int", 4), 0}}));
    const TypeRef wanted = source.structure("wanted", 4, {{"m", source.integer("int", 4), 0}});
    const Written written = write(wanted);
    ASSERT_TRUE(written.btf);
    EXPECT_LT(btf__find_by_name_kind(written.btf.get(), "left_out", BTF_KIND_STRUCT), 0);
    EXPECT_GT(btf__find_by_name_kind(written.btf.get(), "wanted", BTF_KIND_STRUCT), 0);
}

}  // namespace
}  // namespace btf_extra::test
