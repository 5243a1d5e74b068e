// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/text/c_type.h"

#include <gtest/gtest.h>

#include "tests/support/blob_builder.h"
#include "userspace/format/btf_image.h"

namespace btf_extra {
namespace {

using test::BlobBuilder;

std::unique_ptr<BtfImage> open(const BlobBuilder &builder) {
    auto image = BtfImage::open("test", builder.bytes(), nullptr);
    EXPECT_TRUE(image) << image.error().message;
    return std::move(*image);
}

TEST(CType, Declarations) {
    BlobBuilder b;
    struct Row {
        uint32_t id;
        const char *text;
        btf_value value;
    };
    std::vector<Row> rows;
    auto add = [&](uint32_t id, const char *text, btf_value value) {
        rows.push_back({id, text, value});
        return id;
    };
    auto bits = [](uint32_t encoding, uint32_t count) { return encoding << 24 | count; };
    uint32_t x = b.string("x");
    uint32_t i =
        add(b.type("int", BTF_KIND_INT, 0, 4, {bits(BTF_INT_SIGNED, 32)}), "int v", {4, true});
    add(b.type("_Bool", BTF_KIND_INT, 0, 1, {bits(BTF_INT_BOOL, 8)}), "_Bool v", {1, false});
    uint32_t c = b.type("", BTF_KIND_CONST, 0, i);
    add(c, "const int v", {4, true});
    uint32_t cv = add(b.type("", BTF_KIND_VOLATILE, 0, c), "volatile const int v", {4, true});
    add(b.type("", BTF_KIND_PTR, 0, cv), "volatile const int *v", {8, false});
    uint32_t p = add(b.type("", BTF_KIND_PTR, 0, c), "const int *v", {8, false});
    uint32_t cp = add(b.type("", BTF_KIND_CONST, 0, p), "const int *const v", {8, false});
    add(b.type("", BTF_KIND_PTR, 0, cp), "const int *const *v", {8, false});
    add(b.type("", BTF_KIND_RESTRICT, 0, p), "const int *restrict v", {8, false});
    uint32_t tag = add(b.type("user", BTF_KIND_TYPE_TAG, 0, i), "int v", {4, true});
    add(b.type("", BTF_KIND_PTR, 0, tag), "int *v", {8, false});
    uint32_t s = add(b.type("sk_buff", BTF_KIND_STRUCT, 0, 24), "struct sk_buff v", {24, false});
    add(b.type("", BTF_KIND_UNION, 0, 8), "union {...} v", {8, false});
    add(b.type("", BTF_KIND_STRUCT, 1, 4, {x, i, 0}), "struct {...} v", {4, false});
    add(b.type("", BTF_KIND_STRUCT, 0, 8), "? v", {8, false});
    add(b.type("state", BTF_KIND_ENUM, 0, 4), "enum state v", {4, false});
    add(b.type("wide", BTF_KIND_ENUM64, 0, 8, {}, true), "enum wide v", {8, true});
    add(b.type("fwd", BTF_KIND_FWD, 0, 0), "struct fwd v", {});
    add(b.type("ufwd", BTF_KIND_FWD, 0, 0, {}, true), "union ufwd v", {});
    add(b.type("double", BTF_KIND_FLOAT, 0, 8), "double v", {8, false});
    add(b.type("u32", BTF_KIND_TYPEDEF, 0, i), "u32 v", {4, true});
    uint32_t a =
        add(b.type("", BTF_KIND_ARRAY, 0, 0, {s, i, 4}), "struct sk_buff v[4]", {8, false});
    uint32_t aa =
        add(b.type("", BTF_KIND_ARRAY, 0, 0, {a, i, 2}), "struct sk_buff v[2][4]", {8, false});
    add(b.type("", BTF_KIND_PTR, 0, aa), "struct sk_buff (*v)[2][4]", {8, false});
    uint32_t f = add(b.type("", BTF_KIND_FUNC_PROTO, 2, i, {x, p, 0, i}),
                     "int v(const int *x, int)", {8, false});
    uint32_t fp = add(b.type("", BTF_KIND_PTR, 0, f), "int (*v)(const int *x, int)", {8, false});
    add(b.type("", BTF_KIND_ARRAY, 0, 0, {fp, i, 3}), "int (*v[3])(const int *x, int)", {8, false});
    add(b.type("", BTF_KIND_FUNC_PROTO, 0, 0), "void v(void)", {8, false});
    add(b.type("", BTF_KIND_FUNC_PROTO, 2, 0, {x, i, 0, 0}), "void v(int x, ...)", {8, false});
    add(b.type("", BTF_KIND_FUNC_PROTO, 1, fp, {x, i}), "int (*v(int x))(const int *x, int)",
        {8, false});
    add(b.type("", BTF_KIND_PTR, 0, 0), "void *v", {8, false});
    add(b.type("", BTF_KIND_PTR, 0, 9999), "? *v", {8, false});
    add(0, "void v", {});
    add(9999, "? v", {});

    auto image = open(b);
    for (const Row &row : rows) {
        EXPECT_EQ(c_declaration(image->blob(), row.id, "v"), row.text);
        btf_value value = btf_type_value(&image->blob(), row.id);
        EXPECT_EQ(value.size, row.value.size) << row.text;
        EXPECT_EQ(value.is_signed, row.value.is_signed) << row.text;
    }
    EXPECT_EQ(c_declaration(image->blob(), cp, ""), "const int *const");
    EXPECT_EQ(c_declaration(image->blob(), fp, ""), "int (*)(const int *x, int)");
}

TEST(CType, TypesThatContainThemselvesEnd) {
    BlobBuilder b;
    b.type("", BTF_KIND_PTR, 0, 1);                                   // 1: points to itself
    b.type("", BTF_KIND_FUNC_PROTO, 4, 2, {0, 2, 0, 2, 0, 2, 0, 2});  // 2: has only itself in it
    b.type("", BTF_KIND_CONST, 0, 3);                                 // 3
    b.type("loop", BTF_KIND_FUNC, BTF_FUNC_STATIC, 2);                // 4
    auto image = open(b);
    for (uint32_t id = 1; id <= 3; id++) {
        std::string text = c_declaration(image->blob(), id, "v");
        EXPECT_NE(text.find("..."), text.npos) << id;
        EXPECT_LT(text.size(), 100'000u) << id;
    }
    EXPECT_EQ(btf_type_value(&image->blob(), 3).size, 0u);
    EXPECT_FALSE(c_prototype(image->blob(), 4).empty());
}

TEST(CType, Prototype) {
    BlobBuilder b;
    b.type("int", BTF_KIND_INT, 0, 4, {32});                          // 1
    b.type("", BTF_KIND_FUNC_PROTO, 2, 1, {b.string("n"), 1, 0, 0});  // 2
    b.type("printk", BTF_KIND_FUNC, BTF_FUNC_GLOBAL, 2);              // 3
    b.type("odd", BTF_KIND_FUNC, BTF_FUNC_GLOBAL, 1);                 // 4
    b.type("", BTF_KIND_FUNC_PROTO, 1, 0, {0, 0});                    // 5
    b.type("unsaid", BTF_KIND_FUNC, BTF_FUNC_GLOBAL, 5);              // 6
    auto image = open(b);
    EXPECT_EQ(c_prototype(image->blob(), 3), "int printk(int n, ...)");
    EXPECT_EQ(c_prototype(image->blob(), 4), "? odd(?)");
    EXPECT_EQ(c_prototype(image->blob(), 2), "?");
    EXPECT_EQ(c_prototype(image->blob(), 6), "unsaid (prototype not known)");
    EXPECT_EQ(known_prototype(image->blob(), 3), "int printk(int n, ...)");
    EXPECT_EQ(known_prototype(image->blob(), 6), std::nullopt);
    EXPECT_FALSE(has_known_prototype(image->blob(), 6));
    EXPECT_EQ(func_params(image->blob(), 3).count, 1u);
    EXPECT_TRUE(func_params(image->blob(), 3).variadic);
    EXPECT_EQ(func_params(image->blob(), 4).params, nullptr);
}

}  // namespace
}  // namespace btf_extra
