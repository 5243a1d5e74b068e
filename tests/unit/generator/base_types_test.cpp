// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// An index of a module's base answers the same, whether vmlinux's level is indexed with it or was
// indexed before, for many modules. The ids are those that libbpf gave.
#include <functional>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/base_btf.h"
#include "userspace/generator/types/base_types.h"

namespace btf_extra::test {
namespace {

using generator::BaseTypes;
using Ids = std::vector<uint32_t>;
using Members = std::vector<BaseTypes::Names>;
using Names = std::vector<std::string_view>;

Ids ids(std::initializer_list<int> list) {
    return {list.begin(), list.end()};
}

TEST(BaseTypesTest, LevelThatIsSharedAnswersAsOneThatIsNot) {
    BaseBtf kernel;
    const int kernel_int = kernel.integer("int", 4);
    const int kernel_byte = kernel.integer("unsigned char", 1, 0);
    const int kernel_pointer = kernel.pointer(kernel_int);
    const int kernel_array = kernel.array(kernel_int, kernel_byte, 4);
    const int kernel_twice = kernel.structure("twice", 4, {{"m", kernel_int, 0}});
    const int kernel_one = kernel.structure("below", 4, {{"m", kernel_int, 0}});
    const int kernel_nameless = kernel.structure(nullptr, 4, {{"m", kernel_int, 0}});
    const int kernel_proto = kernel.prototype(kernel_int, {{"a", kernel_pointer}});
    kernel.function("call", kernel_proto);
    BaseBtf module(kernel);
    const int twice = module.structure("twice", 8, {{"m", kernel_int, 0}});
    const int one = module.structure("above", 4, {{"m", kernel_int, 0}});
    const int nameless = module.structure(nullptr, 4, {{"m", kernel_int, 0}});
    const int pointer = module.pointer(one);
    const int again = module.pointer(kernel_int);
    const int array = module.array(kernel_byte, one, 2);
    const int tag = module.tag("user", kernel_int);
    const int tagged = module.structure(nullptr, 4, {{"m", tag, 0}});
    const int nameless_pointer = module.structure(nullptr, 4, {{"m", pointer, 0}});
    const int proto = module.prototype(kernel_int, {{"b", pointer}});
    const int same_proto = module.prototype(kernel_int, {{"a", kernel_pointer}});
    const int call = module.function("call", same_proto);
    module.function("other", proto);
    const int teller =
        module.function("teller", module.prototype(kernel_int, {{"b", pointer}}, true));
    // No BTF that a kernel takes has a void with a name.
    module.function("odd", module.prototype(kernel_int, {{"b", pointer}, {"more", 0}}));

    const auto kernel_image = kernel.image();
    const auto image = module.image(kernel_image.get());
    const auto first_func_id = static_cast<uint32_t>(twice);
    const auto below = std::make_shared<const BaseTypes>(&kernel_image->blob());
    const BaseTypes whole(&image->blob(), first_func_id);
    const BaseTypes shared(&image->blob(), first_func_id, below);

    const uint32_t result = static_cast<uint32_t>(kernel_int);
    const auto u = [](int id) { return static_cast<uint32_t>(id); };
    const struct {
        const char *name;
        std::function<Ids(const BaseTypes &)> ask;
        Ids wanted;
    } rows[] = {
        {"a name of both levels", [](auto &t) { return t.named(BTF_KIND_STRUCT, "twice"); },
         ids({kernel_twice, twice})},
        {"it is not unique", [](auto &t) { return Ids{t.unique(BTF_KIND_STRUCT, "twice")}; }, {0}},
        {"unique below", [](auto &t) { return Ids{t.unique(BTF_KIND_STRUCT, "below")}; },
         ids({kernel_one})},
        {"unique above", [](auto &t) { return Ids{t.unique(BTF_KIND_STRUCT, "above")}; },
         ids({one})},
        {"no such name", [](auto &t) { return t.named(BTF_KIND_STRUCT, "nowhere"); }, {}},
        {"nameless types of both levels",
         [](auto &t) {
             return t.anonymous(BTF_KIND_STRUCT, 4, Members{{"m", "int"}});
         },
         ids({kernel_nameless, nameless, tagged})},
        {"a nameless type with a pointer",
         [](auto &t) {
             return t.anonymous(BTF_KIND_STRUCT, 4, Members{{"m", ""}});
         },
         ids({nameless_pointer})},
        {"a nameless type with another member",
         [](auto &t) {
             return t.anonymous(BTF_KIND_STRUCT, 4, Members{{"n", "int"}});
         },
         {}},
        {"a nameless type with one member more",
         [](auto &t) {
             return t.anonymous(BTF_KIND_STRUCT, 4, Members{{"m", "int"}, {"n", "int"}});
         },
         {}},
        {"a nameless type of another size",
         [](auto &t) {
             return t.anonymous(BTF_KIND_STRUCT, 8, Members{{"m", "int"}});
         },
         {}},
        {"a pointer that both have is the kernel's",
         [&](auto &t) { return Ids{t.reference(BTF_KIND_PTR, u(kernel_int))}; },
         ids({kernel_pointer})},
        {"a pointer of the module", [&](auto &t) { return Ids{t.reference(BTF_KIND_PTR, u(one))}; },
         ids({pointer})},
        {"a tag of the module", [&](auto &t) { return Ids{t.type_tag("user", u(kernel_int))}; },
         ids({tag})},
        {"an array below", [&](auto &t) { return Ids{t.array(u(kernel_byte), 4)}; },
         ids({kernel_array})},
        {"an array above", [&](auto &t) { return Ids{t.array(u(one), 2)}; }, ids({array})},
        {"the index of arrays is the kernel's", [](auto &t) { return Ids{t.array_index()}; },
         ids({kernel_int})},
        {"an integer without sign", [](auto &t) { return Ids{t.unsigned_int(1)}; },
         ids({kernel_byte})},
        {"a prototype that both have is the kernel's",
         [&](auto &t) {
             return Ids{t.func_proto(result, Ids{u(kernel_pointer)},
                                     std::vector<std::string_view>{"a"}, false)};
         },
         ids({kernel_proto})},
        {"a prototype of the module",
         [&](auto &t) {
             return Ids{
                 t.func_proto(result, Ids{u(pointer)}, std::vector<std::string_view>{"b"}, false)};
         },
         ids({proto})},
        {"a function is the module's own",
         [&](auto &t) {
             return Ids{t.func("call", result, Ids{u(kernel_pointer)}, Names{"a"}, false)};
         },
         ids({call})},
        {"a function has the names of its parameters",
         [&](auto &t) {
             return Ids{t.func("call", result, Ids{u(kernel_pointer)}, Names{"b"}, false)};
         },
         {0}},
        {"a variadic function",
         [&](auto &t) { return Ids{t.func("teller", result, Ids{u(pointer)}, Names{"b"}, true)}; },
         ids({teller})},
        {"a variadic function is no other",
         [&](auto &t) { return Ids{t.func("teller", result, Ids{u(pointer)}, Names{"b"}, false)}; },
         {0}},
        {"what ends a variadic function has no name",
         [&](auto &t) { return Ids{t.func("odd", result, Ids{u(pointer)}, Names{"b"}, true)}; },
         {0}},
        {"kinds",
         [&](auto &t) {
             return Ids{t.kind(u(kernel_array)), t.kind(u(again))};
         },
         {BTF_KIND_ARRAY, BTF_KIND_PTR}},
        {"no type after the last", [](auto &t) { return Ids{t.kind(t.end_id())}; }, {0}},
    };
    for (const auto &row : rows) {
        EXPECT_EQ(row.ask(whole), row.wanted) << row.name;
        EXPECT_EQ(row.ask(shared), row.wanted) << row.name << ", shared";
    }
    EXPECT_EQ(shared.end_id(), whole.end_id());
    EXPECT_EQ(shared.end_string(), whole.end_string());
    for (const char *text : {"", "twice", "below", "above", "nowhere"})
        EXPECT_EQ(shared.find_string(text), whole.find_string(text)) << text;
    EXPECT_EQ(shared.string(shared.find_string("below")), "below");
    EXPECT_EQ(shared.string(shared.find_string("above")), "above");

    // A level that is not of this base is no help, and no harm.
    BaseBtf stranger;
    stranger.structure("twice", 4);
    const auto other = stranger.image();
    const BaseTypes apart(&image->blob(), first_func_id,
                          std::make_shared<BaseTypes>(&other->blob()));
    for (const auto &row : rows)
        EXPECT_EQ(row.ask(apart), row.wanted) << row.name << ", beside another";

    // A module without BTF has only the kernel's level.
    const BaseTypes bare(&kernel_image->blob(), below->end_id(), below);
    EXPECT_EQ(bare.named(BTF_KIND_STRUCT, "twice"), ids({kernel_twice}));
    EXPECT_EQ(bare.func("call", result, Ids{u(kernel_pointer)}, Names{"a"}, false), 0u);
    EXPECT_EQ(bare.find_string("above"), UINT32_MAX);
}

}  // namespace
}  // namespace btf_extra::test
