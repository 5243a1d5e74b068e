// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/text/value_text.h"

#include <gtest/gtest.h>

#include "tests/support/blob_builder.h"
#include "userspace/format/btf_image.h"

namespace btf_extra {
namespace {

using test::BlobBuilder;

struct Row {
    uint32_t type;
    uint64_t value[2];
    const char *text;
    const char *json;
};

TEST(ValueText, ByType) {
    BlobBuilder b;
    std::vector<Row> rows;
    // Bytes past the size of the type must not show: here they are all ones.
    auto junk = [](uint64_t value, uint32_t size) { return value | ~uint64_t{0} << size * 8; };
    auto add = [&](uint32_t type, uint64_t low, const char *text, const char *json,
                   uint64_t high = 0) {
        rows.push_back({type, {low, high}, text, json});
    };
    auto integer = [&](const char *name, uint32_t size, uint32_t encoding) {
        return b.type(name, BTF_KIND_INT, 0, size, {encoding << 24 | size * 8});
    };

    const uint32_t s8 = integer("signed char", 1, BTF_INT_SIGNED);
    add(s8, 0x7f, "127", "127");
    add(s8, 0x80, "-128", "-128");
    add(s8, junk(0x05, 1), "5", "5");
    const uint32_t u8 = integer("unsigned char", 1, 0);
    add(u8, 0x80, "128", "128");
    add(u8, 'a', "97", "97");
    add(u8, junk(0xff, 1), "255", "255");
    const uint32_t s16 = integer("short", 2, BTF_INT_SIGNED);
    add(s16, 0x8000, "-32768", "-32768");
    add(s16, junk(0x7fff, 2), "32767", "32767");
    const uint32_t u16 = integer("unsigned short", 2, 0);
    add(u16, junk(0x8000, 2), "32768", "32768");
    const uint32_t s32 = integer("int", 4, BTF_INT_SIGNED);
    add(s32, 0xffffffff, "-1", "-1");
    add(s32, 0x80000000, "-2147483648", "-2147483648");
    add(s32, junk(7, 4), "7", "7");
    const uint32_t u32 = integer("unsigned int", 4, 0);
    add(u32, junk(0xffffffff, 4), "4294967295", "4294967295");
    const uint32_t s64 = integer("long", 8, BTF_INT_SIGNED);
    add(s64, ~uint64_t{0}, "-1", "-1");
    add(s64, uint64_t{1} << 63, "-9223372036854775808", "-9223372036854775808");
    const uint32_t u64 = integer("unsigned long", 8, 0);
    add(u64, ~uint64_t{0}, "18446744073709551615", "18446744073709551615");
    add(u64, 0, "0", "0");
    const uint32_t wide = integer("__int128", 16, BTF_INT_SIGNED);
    add(wide, 1, "{01 00 00 00 00 00 00 00 02 00 00 00 00 00 00 80}",
        R"("01000000000000000200000000000080")", 0x8000000000000002);

    const uint32_t truth = integer("_Bool", 1, BTF_INT_BOOL);
    add(truth, junk(1, 1), "true", "true");
    add(truth, junk(0, 1), "false", "false");
    add(truth, 2, "2", "2");
    const uint32_t character = integer("char", 1, BTF_INT_SIGNED);
    add(character, junk('a', 1), "'a'", "97");
    add(character, '~', "'~'", "126");
    add(character, '\n', "10", "10");
    add(character, 0x7f, "127", "127");
    add(character, 0xff, "-1", "-1");

    const uint32_t zero = b.string("ZERO"), two = b.string("TWO"), also = b.string("ALSO_TWO"),
                   minus = b.string("MINUS"), big = b.string("BIG");
    const uint32_t state =
        b.type("state", BTF_KIND_ENUM, 4, 4, {two, 2, zero, 0, also, 2, big, 0xfffffff0});
    add(state, junk(2, 4), "TWO", R"("TWO")");
    add(state, 0, "ZERO", R"("ZERO")");
    add(state, 0xfffffff0, "BIG", R"("BIG")");
    add(state, 0xffffffff, "4294967295", "4294967295");
    const uint32_t error = b.type("error", BTF_KIND_ENUM, 2, 4, {minus, 0xffffffff, zero, 0}, true);
    add(error, 0xffffffff, "MINUS", R"("MINUS")");
    add(error, ~uint64_t{0}, "MINUS", R"("MINUS")");
    add(error, 0xfffffffe, "-2", "-2");
    const uint32_t packed =
        b.type("packed", BTF_KIND_ENUM, 2, 1, {minus, 0xffffffff, two, 2}, true);
    add(packed, 0xff, "MINUS", R"("MINUS")");
    add(packed, junk(2, 1), "TWO", R"("TWO")");
    add(packed, 3, "3", "3");
    const uint32_t flags = b.type("flags", BTF_KIND_ENUM64, 2, 8, {big, 0, 1, two, 2, 0});
    add(flags, uint64_t{1} << 32, "BIG", R"("BIG")");
    add(flags, 2, "TWO", R"("TWO")");
    add(flags, uint64_t{2} << 32, "8589934592", "8589934592");
    const uint32_t deep =
        b.type("deep", BTF_KIND_ENUM64, 1, 8, {minus, 0xffffffff, 0xffffffff}, true);
    add(deep, ~uint64_t{0}, "MINUS", R"("MINUS")");
    add(deep, ~uint64_t{1}, "-2", "-2");

    const uint32_t pointer = b.type("", BTF_KIND_PTR, 0, s32);
    add(pointer, 0xffff888004d7a000, "0xffff888004d7a000", R"("0xffff888004d7a000")");
    add(pointer, 0, "0x0", R"("0x0")");
    const uint32_t array = b.type("", BTF_KIND_ARRAY, 0, 0, {s32, s32, 4});
    add(array, 0x1000, "0x1000", R"("0x1000")");

    const uint32_t pair = b.type("pair", BTF_KIND_STRUCT, 0, 16);
    add(pair, 0x0807060504030201, "{01 02 03 04 05 06 07 08 11 12 13 14 15 16 17 18}",
        R"("01020304050607081112131415161718")", 0x1817161514131211);
    const uint32_t small = b.type("small", BTF_KIND_STRUCT, 0, 3);
    add(small, 0xffffff030201, "{01 02 03}", R"("010203")");
    add(b.type("any", BTF_KIND_UNION, 0, 4), 0xa0, "{a0 00 00 00}", R"("a0000000")");
    add(b.type("float", BTF_KIND_FLOAT, 0, 4), 0x3f800000, "{00 00 80 3f}", R"("0000803f")");

    uint32_t chain = b.type("pid_t", BTF_KIND_TYPEDEF, 0, s32);
    chain = b.type("", BTF_KIND_CONST, 0, chain);
    chain = b.type("", BTF_KIND_VOLATILE, 0, chain);
    chain = b.type("mine", BTF_KIND_TYPEDEF, 0, b.type("user", BTF_KIND_TYPE_TAG, 0, chain));
    add(chain, 0xffffffff, "-1", "-1");
    add(b.type("bool", BTF_KIND_TYPEDEF, 0, truth), 1, "true", "true");
    add(b.type("", BTF_KIND_RESTRICT, 0, pointer), 0x10, "0x10", R"("0x10")");
    add(b.type("state_t", BTF_KIND_TYPEDEF, 0, state), 2, "TWO", R"("TWO")");

    add(0, 0xff, "0xff", R"("0xff")");     // void
    add(9999, 0xff, "0xff", R"("0xff")");  // an id that the BTF does not have
    add(b.type("fwd", BTF_KIND_FWD, 0, 0), 1, "0x1", R"("0x1")");
    const uint32_t loop = b.end_id();
    b.type("loop", BTF_KIND_TYPEDEF, 0, loop);
    add(loop, 1, "0x1", R"("0x1")");

    auto image = BtfImage::open("test", b.bytes(), nullptr);
    ASSERT_TRUE(image) << image.error().message;
    for (size_t i = 0; i < rows.size(); i++) {
        const ValueFormat format((*image)->blob(), rows[i].type);
        std::string text, json;
        format.append_text(text, rows[i].value);
        format.append_json(json, rows[i].value);
        EXPECT_EQ(text, rows[i].text) << "row " << i;
        EXPECT_EQ(json, rows[i].json) << "row " << i;
    }
}

}  // namespace
}  // namespace btf_extra
