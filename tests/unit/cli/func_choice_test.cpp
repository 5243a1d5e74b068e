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
    EXPECT_EQ(choose({"skb_headlen"}), "vmlinux:skb_headlen@include/linux/skbuff.h "
                                       "net:skb_headlen@include/linux/skbuff.h");
    EXPECT_EQ(choose({"net:skb_headlen"}), "net:skb_headlen@include/linux/skbuff.h");
    EXPECT_EQ(choose({"skb_headlen", "net:skb_headlen"}), "net:skb_headlen: asked for twice");
    // No file of report() is known.
    EXPECT_EQ(choose({"report"}), "vmlinux:#12 (report) net:#12 (report)");
    EXPECT_EQ(choose({"twin@b/twin.c"}), "vmlinux:twin@b/twin.c net:twin@b/twin.c");
}

TEST_F(FuncChoice, OfOneName) {
    const std::string refusal = " functions: choose one by its object:, @file or #id";
    EXPECT_EQ(choose({"twin"}), "twin stands for 2" + refusal);
    tables_.add("net", open("file"));
    EXPECT_EQ(choose({"skb_headlen"}), "skb_headlen stands for 2" + refusal);
    EXPECT_EQ(choose({"twin"}), "twin stands for 4" + refusal);
    EXPECT_EQ(choose({"report"}), "vmlinux:#12 (report) net:#12 (report)");
}

TEST_F(FuncChoice, OfAnotherPrototype) {
    // The view has no base, so no type in it is known.
    auto view = ObjectView::open(folder_.path("same"));
    ASSERT_TRUE(view) << view.error().message;
    tables_.add("net", std::move(*view));
    EXPECT_EQ(choose({"report"}),
              "report stands for 2 functions: choose one by its object:, @file or #id");
}

}  // namespace
}  // namespace btf_extra
