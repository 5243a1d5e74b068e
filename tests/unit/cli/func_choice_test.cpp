// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// These rows ask for a name of functions in several objects. Each object is made of the sample
// object, whose functions are in tests/support/sample_object.cpp.
#include <gtest/gtest.h>

#include "tests/support/command_run.h"
#include "tests/support/extra_writer.h"
#include "tests/support/sample_object.h"
#include "userspace/cli/func_choice.h"

namespace btf_extra {
namespace {

class MadeUpTables : public SiteTables {
  public:
    MadeUpTables() : SiteTables(Source::kForeign, "made up") {}

    void add(const char *name, std::unique_ptr<ObjectView> view) {
        SiteObject object = {.name = name, .id = static_cast<uint32_t>(objects_.size() + 1)};
        object.sections.resize(view->index().nr_elf_sections);
        object.view = std::move(view);
        objects_.push_back(std::make_shared<const SiteObject>(std::move(object)));
    }
};

class FuncChoice : public testing::Test {
  protected:
    FuncChoice() {
        const test::SampleObject sample;
        test::write_file(folder_.path("base"), sample.base.bytes());
        EXPECT_TRUE(write_extra_file(folder_.path("same"), sample.file));
        ExtraFile other = sample.file;
        other.provenance->func_files[0] = 0;  // skb_headlen() is in a/twin.c
        EXPECT_TRUE(write_extra_file(folder_.path("file"), other));
        tables_.add("vmlinux", open("same"));
    }

    std::unique_ptr<ObjectView> open(const char *name) const {
        auto view = ObjectView::open_with_base(folder_.path(name), folder_.path("base"));
        EXPECT_TRUE(view) << view.error().message;
        return std::move(*view);
    }

    // Returns the chosen functions in one string, or the error.
    std::string choose(const std::vector<std::string> &texts) {
        testing::internal::CaptureStderr();
        const auto chosen = choose_funcs(tables_, texts);
        testing::internal::GetCapturedStderr();
        if (!chosen)
            return chosen.error().message;
        std::string out;
        for (const DescribedFunc &func : *chosen)
            out += (out.empty() ? "" : " ") + func.text();
        return out;
    }

    test::TemporaryFolder folder_;
    MadeUpTables tables_;
};

TEST_F(FuncChoice, OfAHeader) {
    tables_.add("net", open("same"));
    EXPECT_EQ(choose({"skb_headlen"}), "vmlinux:skb_headlen net:skb_headlen");
    EXPECT_EQ(choose({"net:skb_headlen"}), "net:skb_headlen");
    EXPECT_EQ(choose({"skb_headlen", "net:skb_headlen"}), "net:skb_headlen: asked for twice");
    // No file of report() is known.
    EXPECT_EQ(choose({"report"}), "vmlinux:report net:report");
    EXPECT_EQ(choose({"twin@b/twin.c"}), "vmlinux:twin@b/twin.c net:twin@b/twin.c");
}

TEST_F(FuncChoice, OfOneName) {
    const std::string refusal = " functions: choose one of these";
    EXPECT_EQ(choose({"twin"}), "twin matches 2" + refusal);
    tables_.add("net", open("file"));
    EXPECT_EQ(choose({"skb_headlen"}), "skb_headlen matches 2" + refusal);
    EXPECT_EQ(choose({"twin"}), "twin matches 4" + refusal);
    EXPECT_EQ(choose({"report"}), "vmlinux:report net:report");
}

TEST_F(FuncChoice, OfAnotherPrototype) {
    // The view has no base, so no type in it is known.
    auto view = ObjectView::open(folder_.path("same"));
    ASSERT_TRUE(view) << view.error().message;
    tables_.add("net", std::move(*view));
    EXPECT_EQ(choose({"report"}), "report matches 2 functions: choose one of these");
}

// Another object may have the function.
TEST_F(FuncChoice, Unknown) {
    tables_.add("net", open("same"));
    const struct {
        const char *text, *message;
    } rows[] = {
        {"skb_hedlen", "skb_hedlen; nearest: net:skb_headlen, vmlinux:skb_headlen"},
        {"reprot", "reprot; nearest: net:report, vmlinux:report"},
        {"net:twni", "net:twni; nearest: net:twin"},
        {"nothing_like_it", "nothing_like_it"},
        {"skb_hedlen*", "skb_hedlen*"},
        {"#99", "#99"},
        {"report@a/twin.c", "report@a/twin.c; of that name: vmlinux:report, net:report"},
        {"net:twin@c.c", "net:twin@c.c; of that name: vmlinux:twin@a/twin.c, "
                         "vmlinux:twin@b/twin.c, net:twin@a/twin.c and 1 more"},
    };
    for (const auto &row : rows)
        EXPECT_EQ(choose({row.text}), std::string("made up: no function ") + row.message);
    EXPECT_EQ(choose({"nt:report"}), "made up: no object nt; nearest: net");
    EXPECT_EQ(choose({"vmlinx:report"}), "made up: no object vmlinx; nearest: vmlinux");
}

// Functions that share name and file differ in their units, whose tags the file has.
TEST_F(FuncChoice, OfOneFile) {
    test::SampleObject sample;
    const auto none = static_cast<uint32_t>(-1);
    test::BlobBuilder types = test::BlobBuilder::above(sample.base);
    types.type("", BTF_KIND_FUNC_PROTO, 0, 1);  // 8
    for (int i = 0; i < 4; i++)
        types.type("twin", BTF_KIND_FUNC, BTF_FUNC_STATIC, 8);  // 9 to 12
    for (uint32_t func : {9u, 10u, 11u, 12u})
        types.type("file:fs/twin.c", BTF_KIND_DECL_TAG, 0, func, {none});
    types.type("unit:fs/twin.c", BTF_KIND_DECL_TAG, 0, 9, {none});
    types.type("unit:fs/compat_twin.c", BTF_KIND_DECL_TAG, 0, 10, {none});
    types.type("unit:fs/same.c", BTF_KIND_DECL_TAG, 0, 11, {none});
    types.type("unit:fs/same.c", BTF_KIND_DECL_TAG, 0, 12, {none});
    test::BlobBuilder blob = test::BlobBuilder::above(types);
    const uint32_t proto = blob.loc_proto({});
    blob.locsec("inline.text", {{9, proto, 0}, {10, proto, 4}, {11, proto, 8}, {12, proto, 12}});
    ExtraFile file = sample.file;
    file.types = types.bytes();
    file.func_info = blob.bytes(true);
    file.provenance->func_files = {0, 0, 0, 0};
    file.provenance->files = {"fs/twin.c"};
    file.provenance->variadic_funcs.clear();
    file.provenance->reasons.clear();
    EXPECT_TRUE(write_extra_file(folder_.path("units"), file));
    tables_.add("net", open("units"));
    const struct {
        const char *text;
        std::vector<uint32_t> funcs;
    } rows[] = {
        {"net:twin", {9, 10, 11, 12}},    {"net:twin@fs/twin.c", {9}},
        {"net:twin@twin.c", {9}},         {"net:twin@fs/compat_twin.c", {10}},
        {"net:twin@compat_twin.c", {10}}, {"net:twin@pat_twin.c", {}},
        {"net:twin@fs/same.c", {11, 12}}, {"net:t*@fs/compat_twin.c", {10}},
    };
    for (const auto &row : rows) {
        std::vector<uint32_t> found;
        if (const auto funcs = find_some(tables_, row.text))
            for (const FoundFunc &func : *funcs)
                found.push_back(func.id);
        EXPECT_EQ(found, row.funcs) << row.text;
    }
    EXPECT_EQ(choose({"net:twin@fs/twin.c", "net:twin@compat_twin.c", "net:#11"}),
              "net:twin@fs/twin.c net:twin@fs/compat_twin.c net:twin (#11)");
}

}  // namespace
}  // namespace btf_extra
