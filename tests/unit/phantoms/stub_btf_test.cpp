// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The BTF of stubs, read by libbpf.
#include <bpf/btf.h>
#include <gtest/gtest.h>

#include "tests/support/base_btf.h"
#include "tests/support/blob_builder.h"
#include "userspace/format/btf_image.h"
#include "userspace/phantoms/phantom.h"

namespace btf_extra::phantoms {
namespace {

using test::BlobBuilder;

constexpr uint32_t kInt = 1, kBaseStruct = 2, kBasePointer = 3;

// vmlinux's BTF, and types of a module on it that refer to each other and to vmlinux's.
class StubBtf : public testing::Test {
  protected:
    StubBtf() {
        base_.integer("int", 4);
        base_.structure("sk_buff", 4, {{"len", kInt, 0}});
        base_.pointer(kBaseStruct);
        image_ = base_.image();
        // libbpf's strings and types are followed by those of the module.
        BlobBuilder below;
        while (below.end_id() < btf_blob_end_id(&image_->blob()))
            below.type("", BTF_KIND_CONST, 0, 0);
        while (below.end_string() < btf_blob_end_string(&image_->blob()))
            below.string("");
        BlobBuilder types = BlobBuilder::above(below);
        const uint32_t next = types.string("next"), run = types.string("run");
        const uint32_t colours = types.string("colours"), red = types.string("RED");
        const uint32_t big = types.string("BIG"), skb = types.string("skb");
        const uint32_t n = types.string("n"), flags = types.string("flags");
        types.type("", BTF_KIND_PTR, 0, 5);                                                     // 4
        types.type("node", BTF_KIND_STRUCT, 3, 32, {next, 4, 0, run, 7, 64, colours, 9, 128});  // 5
        types.type("", BTF_KIND_FUNC_PROTO, 2, kInt, {0, 4, 0, kBasePointer});                  // 6
        types.type("", BTF_KIND_PTR, 0, 6);                                                     // 7
        types.type("colour", BTF_KIND_ENUM, 1, 4, {red, 3});                                    // 8
        types.type("", BTF_KIND_ARRAY, 0, 0, {8, kInt, 4});                                     // 9
        types.type("node_t", BTF_KIND_TYPEDEF, 0, 5);            // 10
        types.type("", BTF_KIND_CONST, 0, 10);                   // 11
        types.type("", BTF_KIND_PTR, 0, 11);                     // 12
        types.type("wide", BTF_KIND_ENUM64, 1, 8, {big, 0, 1});  // 13
        types.type("", BTF_KIND_FUNC_PROTO, 4, kInt,
                   {n, 12, skb, kBasePointer, flags, 13, 0, kInt});
        types.type("walk", BTF_KIND_FUNC, BTF_FUNC_GLOBAL, 14);  // 15
        types.type("", BTF_KIND_FUNC_PROTO, 1, 0, {n, 12});      // 16
        types.type("step", BTF_KIND_FUNC, BTF_FUNC_STATIC, 16);  // 17
        auto opened = BtfImage::open("types", types.bytes(), image_.get());
        if (!opened)
            throw std::runtime_error(opened.error().message);
        types_ = std::move(*opened);
    }

    Phantom phantom(const char *name, uint32_t func, uint32_t without = 0) {
        return {{name, {{"m", 1, 2, func, without}}}, {nullptr, &types_->blob(), func, without}};
    }

    // Returns the text of the FUNC_PROTO of a stub in BTF that libbpf has read.
    static std::string prototype(const btf *handle, const char *stub) {
        const int id = btf__find_by_name_kind(handle, stub, BTF_KIND_FUNC);
        if (id < 0)
            return "not there";
        const btf_type *func = btf__type_by_id(handle, id);
        const btf_type *proto = btf__type_by_id(handle, func->type);
        std::string out = std::to_string(btf_vlen(func)) + " " + std::to_string(proto->type) + ":";
        for (int i = 0; i < btf_vlen(proto); i++) {
            const btf_param &param = btf_params(proto)[i];
            out += std::string(" ") + btf__name_by_offset(handle, param.name_off);
            if (param.type < 4)
                out += "=" + std::to_string(param.type);
        }
        return out;
    }

    static uint32_t param_type(const btf *handle, const char *stub, int param) {
        const int id = btf__find_by_name_kind(handle, stub, BTF_KIND_FUNC);
        const btf_type *proto = btf__type_by_id(handle, btf__type_by_id(handle, id)->type);
        return btf_params(proto)[param].type;
    }

    test::BaseBtf base_;
    std::unique_ptr<BtfImage> image_, types_;
};

TEST_F(StubBtf, Prototypes) {
    const std::vector<Phantom> phantoms = {phantom("step", 17), phantom("walk", 15),
                                           phantom("walk__most", 15, 1u << 0 | 1u << 2),
                                           phantom("walk__none", 15, 15)};
    const auto read = test::split_btf(stub_btf(phantoms), base_);
    ASSERT_TRUE(read);
    // Static, and without a result. vmlinux's types keep their ids.
    EXPECT_EQ(prototype(read.get(), "step"), "0 0: n");
    EXPECT_EQ(prototype(read.get(), "walk"), "0 0: n skb=3 flags arg3=1");
    EXPECT_EQ(prototype(read.get(), "walk__most"), "0 0: skb=3 arg3=1");
    EXPECT_EQ(prototype(read.get(), "walk__none"), "0 0:");
    // Types are there once.
    EXPECT_EQ(param_type(read.get(), "step", 0), param_type(read.get(), "walk", 0));
    EXPECT_EQ(btf__type_cnt(read.get()), 4u + 10 + 8);
}

TEST_F(StubBtf, CopiedTypes) {
    const std::vector<Phantom> phantoms = {phantom("walk", 15)};
    const auto read = test::split_btf(stub_btf(phantoms), base_);
    ASSERT_TRUE(read);
    const int node = btf__find_by_name_kind(read.get(), "node_t", BTF_KIND_TYPEDEF);
    ASSERT_GT(node, 3);
    EXPECT_EQ(test::c_definition(read.get(), static_cast<uint32_t>(node)),
              "enum colour {\n\tRED = 3,\n};\n\nstruct sk_buff;\n\n"
              "struct node {\n\tstruct node *next;\n"
              "\tint (*run)(struct node *, struct sk_buff *);\n\tenum colour colours[4];\n};\n\n"
              "typedef struct node node_t;\n\n");
    const int wide = btf__find_by_name_kind(read.get(), "wide", BTF_KIND_ENUM64);
    ASSERT_GT(wide, 3);
    EXPECT_EQ(test::c_definition(read.get(), static_cast<uint32_t>(wide)),
              "enum wide {\n\tBIG = 4294967296ULL,\n};\n\n");
}

TEST_F(StubBtf, Texts) {
    EXPECT_EQ(stub_prototype(phantom("walk", 15)),
              "void walk(const node_t *n, struct sk_buff *skb, enum wide flags, int arg3)");
    EXPECT_EQ(stub_prototype(phantom("w", 15, 0xb)), "void w(enum wide flags)");
    EXPECT_EQ(stub_prototype(phantom("w", 15, 0xf)), "void w(void)");
    EXPECT_EQ(param_names(phantom("w", 15, 0x5)),
              (std::vector<std::string>{"", "skb", "", "arg3"}));
}

TEST_F(StubBtf, Table) {
    std::vector<Phantom> phantoms = {phantom("b", 15), phantom("a", 17, 1)};
    phantoms[0].stub.funcs.push_back({"vmlinux", 3, 4, 99, 0});
    phantoms[0].stub.funcs.push_back({"m", 1, 5, 98, 0});
    sort_phantoms(phantoms);
    const auto bytes = phantom_table_bytes(phantoms);
    const auto read = read_phantom_table("table", bytes);
    ASSERT_TRUE(read) << read.error().message;
    ASSERT_EQ(read->size(), 2u);
    EXPECT_EQ((*read)[0].name, "a");
    EXPECT_EQ((*read)[0].funcs, (std::vector<PhantomFunc>{{"m", 1, 2, 17, 1}}));
    EXPECT_EQ((*read)[1].name, "b");
    EXPECT_EQ((*read)[1].funcs,
              (std::vector<PhantomFunc>{
                  {"m", 1, 2, 15, 0}, {"vmlinux", 3, 4, 99, 0}, {"m", 1, 5, 98, 0}}));

    for (size_t i = 0; i < bytes.size(); i++) {
        auto wrong = bytes;
        wrong[i] ^= std::byte{1};
        EXPECT_FALSE(read_phantom_table("table", wrong)) << i;
        EXPECT_FALSE(read_phantom_table("table", std::span(bytes).first(i))) << i;
    }
}

}  // namespace
}  // namespace btf_extra::phantoms
