// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Events to which probes are added, at the sites of the sample object: report() has inlined sites
// at host+0x8 and its body at 0x30, and skb_headlen() has inlined sites at host+0x4 and host+0x10
// and its body at 0x20.
#include "userspace/lib/probing/appended_event.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/support/running_sample.h"

namespace btf_extra {
namespace {

class AppendedEventTest : public test::RunningSample {
  protected:
    using RunningSample::RunningSample;

    Result<AppendedEvent> find(const std::string &text, const std::string &lines) {
        test::write_file(folder_.path("kprobe_events"), std::string_view(lines));
        return find_event(*tables_, text, folder_.path("kprobe_events"));
    }
    bool has(const AppendedEvent &event, const FoundFunc &func, const btf_extra_site &site,
             uint64_t distance_to_probe) const {
        return event.has(*func.object, *tables_->symbols(), site, distance_to_probe);
    }
};

TEST_F(AppendedEventTest, Found) {
    const struct {
        const char *name, *text, *lines;
        std::set<uint64_t> addresses;  // from the start of the text; none: an error
        const char *error;
    } rows[] = {
        {"as perf writes it", "probe:foo", "p:probe/foo report+0\n", {0x30}, ""},
        {"as tracefs writes it", "probe/foo", "p:probe/foo report+0\n", {0x30}, ""},
        {"other events",
         "probe:foo",
         "p:probe/foo_1 host+4\np:probe/foo report+0\np:other/foo host+8\n",
         {0x30},
         ""},
        {"several probes",
         "probe:foo",
         "p:probe/foo report+0\np:probe/foo host+8\n",
         {0x30, 0x8},
         ""},
        {"no such event",
         "probe:foo",
         "",
         {},
         "probe:foo: kprobe_events has no such event; "
         "write GROUP:EVENT"},
        {"no group",
         "foo",
         "p:probe/foo report+0\n",
         {},
         "foo: kprobe_events has no such event; "
         "write GROUP:EVENT"},
        {"a return",
         "probe:foo",
         "r:probe/foo report+0\n",
         {},
         "probe:foo: its probe is at a return, and an inlined call has none"},
        {"a hidden address",
         "probe:foo",
         "p:probe/foo 0x00000000f00dcafe\n",
         {},
         "probe:foo: the kernel does not show the address of its probe; place it by a symbol"},
        {"a module that is not loaded",
         "probe:foo",
         "p:probe/foo xfs:report+0\n",
         {},
         "probe:foo: report+0: no symbol of xfs"},
    };
    for (const auto &row : rows) {
        const auto event = find(row.text, row.lines);
        EXPECT_EQ(event ? "" : event.error().message, row.error) << row.name;
        std::set<uint64_t> wanted;
        for (const uint64_t offset : row.addresses)
            wanted.insert(test::kRunningText + offset);
        EXPECT_EQ(event ? event->addresses : std::set<uint64_t>(), wanted) << row.name;
    }
}

TEST_F(AppendedEventTest, FunctionOfItsProbe) {
    const struct {
        const char *name, *line, *function, *error;
    } rows[] = {
        {"a body", "p:probe/foo report+0\n", "report", ""},
        {"after a mark of 4 bytes", "p:probe/foo report+4\n", "report", ""},
        {"after that", "p:probe/foo report+12\n", "",
         "probe/foo: its probe is not where a function begins; name the function"},
        {"an inlined site", "p:probe/foo host+8\n", "",
         "probe/foo: its probe is not where a function begins; name the function"},
    };
    for (const auto &row : rows) {
        const auto event = find("probe:foo", row.line);
        ASSERT_TRUE(event) << row.name;
        const auto texts = functions_of(*tables_, *event);
        EXPECT_EQ(texts ? "" : texts.error().message, row.error) << row.name;
        if (!texts)
            continue;
        ASSERT_EQ(texts->size(), 1) << row.name;
        const auto found = tables_->find(*parse_func_text(texts->front()));
        EXPECT_EQ(DescribedFunc(found->front()).name, row.function) << row.name;
    }
}

TEST_F(AppendedEventTest, SitesThatHaveItsProbe) {
    const auto event = find("probe:foo", "p:probe/foo host+4\np:probe/foo skb_headlen.isra.0+4\n");
    ASSERT_TRUE(event) << event.error().message;
    const auto found = tables_->find(*parse_func_text("skb_headlen"));
    std::set<uint64_t> with, without;
    for (const btf_extra_site &site : found->front().sites)
        (has(*event, found->front(), site, 0) ? with : without)
            .insert(site.address - test::kRunningText);
    EXPECT_EQ(with, (std::set<uint64_t>{0x4, 0x20}));
    EXPECT_EQ(without, (std::set<uint64_t>{0x10}));
    // The probe is after a static key.
    EXPECT_FALSE(has(*event, found->front(), found->front().sites.front(), 5));
}

class AppendedEventOnArm64Test : public AppendedEventTest {
  protected:
    AppendedEventOnArm64Test() : AppendedEventTest(true) {}
};

TEST_F(AppendedEventOnArm64Test, BodyAfterHook) {
    const struct {
        const char *name, *line;
        bool is_there;
    } rows[] = {
        {"the symbol", "p:probe/foo report+0\n", true},
        {"the body", "p:probe/foo report+4\n", true},
        {"after a mark of 4 bytes", "p:probe/foo report+8\n", true},
        {"after two marks", "p:probe/foo report+12\n", true},
        {"after that", "p:probe/foo report+16\n", false},
        {"a body without a hook is not that of the symbol before it", "p:probe/foo host+20\n",
         false},
    };
    const auto found = tables_->find(*parse_func_text("report"));
    const auto body =
        std::ranges::find(found->front().sites, BTF_EXTRA_CLASS_BODY, &btf_extra_site::site_class);
    ASSERT_EQ(body->address, test::kRunningText + 0x30);
    for (const auto &row : rows) {
        const auto event = find("probe:foo", row.line);
        ASSERT_TRUE(event) << row.name;
        EXPECT_EQ(has(*event, found->front(), *body, 0), row.is_there) << row.name;
        const auto texts = functions_of(*tables_, *event);
        ASSERT_EQ(static_cast<bool>(texts), row.is_there) << row.name;
        if (texts) {
            EXPECT_EQ(texts->front(), fmt::format("vmlinux:#{}", found->front().id)) << row.name;
            EXPECT_EQ(texts->size(), 1) << row.name;
        }
    }
}

TEST_F(AppendedEventTest, Fields) {
    const struct {
        const char *name, *line, *error;
    } rows[] = {
        {"none", "p:probe/foo report+0\n", ""},
        {"parameters", "p:probe/foo report+0 flags=%di:s32 len=%dx:u32\n", ""},
        {"the default type", "p:probe/foo report+0 p=%si\n", ""},
        {"no parameter", "p:probe/foo report+0 size=%di:s32\n",
         "probe/foo: its field size is no parameter of report"},
        {"a string", "p:probe/foo report+0 p=+0(%si):string\n",
         "probe/foo: its field p is no number, but has the type string"},
    };
    const auto found = tables_->find(*parse_func_text("report"));
    for (const auto &row : rows) {
        const auto event = find("probe:foo", row.line);
        ASSERT_TRUE(event) << row.name;
        const auto checked = check_fields(*event, DescribedFunc(found->front()));
        EXPECT_EQ(checked ? "" : checked.error().message, row.error) << row.name;
    }
}

}  // namespace
}  // namespace btf_extra
