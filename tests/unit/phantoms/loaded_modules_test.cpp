// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Tests what the kernel tells of stubs, and how modules with stubs come and go: by files and by a
// loader of the test's own.
#include <cerrno>
#include <filesystem>
#include <map>

#include <gtest/gtest.h>

#include "include/uapi/linux/btf_extra.h"
#include "tests/support/base_btf.h"
#include "tests/support/command_run.h"
#include "userspace/phantoms/loaded_modules.h"
#include "userspace/phantoms/module_holders.h"
#include "userspace/phantoms/module_plan.h"

namespace btf_extra::phantoms {
namespace {

TEST(StubState, Text) {
    const auto state = parse_stub_state("f", "state waiting\nsites 55\nusable 50\narmed 3\n"
                                             "hits 18446744073709551615\nmissed 7\n"
                                             "left_out loop_head 2\nleft_out parameter 3 0x5\n"
                                             "left_out kprobe 0\nerror -12\nlater 1 2 3\n");
    ASSERT_TRUE(state) << state.error().message;
    EXPECT_EQ(state->state, "waiting");
    EXPECT_EQ(state->sites, 55u);
    EXPECT_EQ(state->usable, 50u);
    EXPECT_EQ(state->armed, 3u);
    EXPECT_EQ(state->hits, UINT64_MAX);
    EXPECT_EQ(state->missed, 7u);
    EXPECT_EQ(state->error, ENOMEM);
    ASSERT_EQ(state->left_out.size(), 2u);
    EXPECT_EQ(left_out_text(state->left_out[0], {}),
              "2 sites: loop head: a probe would be hit once per iteration");
    EXPECT_EQ(left_out_text(state->left_out[1], {"skb", "len", "flags"}),
              "3 sites: a required parameter has no location: skb, flags");
    EXPECT_EQ(reason_key(state->left_out[1].reason), "parameter");
}

TEST(StubState, Refused) {
    for (const char *text :
         {"", "sites 5\n", "state\n", "state idle\nsites x\n", "state idle\nleft_out loop_head\n",
          "state idle\nleft_out moon 4\n", "state idle\nleft_out parameter 3 5\n",
          "state idle\nleft_out parameter 3 0x5g\n"})
        EXPECT_FALSE(parse_stub_state("f", text)) << text;
}

TEST(ModuleHolders, FdInfo) {
    const char *text = "pos:\t0\nlink_type:\ttracing\nprog_id:\t17\nprog_id: 4\nxprog_id:\t5\n"
                       "prog_id:\tx\nprog_id:";
    EXPECT_EQ(fdinfo_ids(text, "prog_id:"), (std::vector<uint32_t>{17, 4}));
    EXPECT_EQ(fdinfo_ids("", "prog_id:"), std::vector<uint32_t>());
}

std::vector<Phantom> named(const std::vector<std::string> &names) {
    std::vector<Phantom> out;
    for (const std::string &name : names)
        out.push_back({{name, {{"vmlinux", 1, 2, 3, 0}}}, {}});
    return out;
}

std::vector<Phantom> many(const std::string &name, size_t count) {
    std::vector<std::string> names;
    for (size_t i = 0; i < count; i++)
        names.push_back(name + std::to_string(10000 + i));
    return named(names);
}

std::string text_of(const std::vector<Phantom> &phantoms) {
    std::string out;
    for (const Phantom &each : phantoms)
        out += (out.empty() ? "" : " ") + each.stub.name;
    return out;
}

// "NAME: BEFORE -> AFTER", one for each module; from 10 stubs on their number.
std::vector<std::string> texts_of(const std::vector<PlannedModule> &plan) {
    const auto text = [](const std::vector<Phantom> &phantoms) {
        return phantoms.size() < 10 ? text_of(phantoms) : std::to_string(phantoms.size());
    };
    std::vector<std::string> out;
    for (const PlannedModule &each : plan)
        out.push_back(each.name + ": " + text(each.before) + " -> " + text(each.after));
    return out;
}

using Texts = std::vector<std::string>;

TEST(ModulePlan, More) {
    EXPECT_EQ(texts_of(plan_more({}, {})), Texts());
    EXPECT_EQ(texts_of(plan_more({}, named({"a", "b"}))), Texts({"inlined:  -> a b"}));
    // The stubs that are there come again, in the order of the table.
    EXPECT_EQ(texts_of(plan_more({{"inlined", named({"b", "d"}), 0}}, named({"a", "c"}))),
              Texts({"inlined: b d -> a b c d"}));
    // Held ones stay as they are.
    EXPECT_EQ(texts_of(plan_more({{"inlined", named({"b"}), 1}}, named({"a"}))),
              Texts({"inlined_2:  -> a"}));
    EXPECT_EQ(texts_of(plan_more({{"inlined", named({"b"}), 1}, {"inlined_3", named({"c"}), 0}},
                                 named({"a"}))),
              Texts({"inlined_2:  -> a"}));
    // A module has 1,000.
    EXPECT_EQ(texts_of(plan_more({}, many("f", 2001))),
              Texts({"inlined:  -> 1000", "inlined_2:  -> 1000", "inlined_3:  -> f12000"}));
    EXPECT_EQ(texts_of(plan_more({{"inlined", many("f", 999), 0}}, named({"a", "b"}))),
              Texts({"inlined: 999 -> 1000", "inlined_2:  -> b"}));
    EXPECT_EQ(texts_of(plan_more({{"inlined", many("f", 1000), 0}}, named({"a"}))),
              Texts({"inlined_2:  -> a"}));
}

TEST(ModulePlan, Less) {
    const std::vector<LoadedModule> loaded = {{"inlined", named({"skb_get", "tcp_ack"}), 0},
                                              {"inlined_2", named({"tcp_rcv"}), 3}};
    const auto less = [&](const Texts &patterns) {
        const auto plan = plan_less(loaded, patterns);
        return plan ? texts_of(*plan) : Texts({plan.error().message});
    };
    EXPECT_EQ(less({}), Texts({"inlined: skb_get tcp_ack -> ", "inlined_2: tcp_rcv -> "}));
    EXPECT_EQ(less({"skb_get"}), Texts({"inlined: skb_get tcp_ack -> tcp_ack"}));
    EXPECT_EQ(less({"tcp_*"}),
              Texts({"inlined: skb_get tcp_ack -> skb_get", "inlined_2: tcp_rcv -> "}));
    EXPECT_EQ(less({"tcp_r*", "ip_*"}), Texts({"ip_*: no such function is exposed"}));
}

// Modules are texts here: "NAME content".
class FakeKernel {
  public:
    ModuleLoader loader() {
        return {[this](const std::vector<std::byte> &bytes) -> Result<void> {
                    const std::string text(reinterpret_cast<const char *>(bytes.data()),
                                           bytes.size());
                    log += "+" + text + " ";
                    if (text == refused)
                        return Error{"no " + text};
                    if (!modules.emplace(text.substr(0, 1), text).second)
                        return Error{text + " is there", EEXIST};
                    if (text == fails || text == also_fails) {
                        modules.erase(text.substr(0, 1));
                        return Error{text + " fails"};
                    }
                    return {};
                },
                [this](const std::string &name) -> Result<void> {
                    log += "-" + name + " ";
                    if (name == held)
                        return Error{name + " in use"};
                    modules.erase(name);
                    return {};
                }};
    }

    std::map<std::string, std::string> modules = {{"a", "a1"}, {"b", "b1"}};
    std::string refused, held, log;  // refused: whether it is there or not
    std::string fails, also_fails;   // when they begin
};

std::vector<std::byte> bytes(const std::string &text) {
    const auto span = std::as_bytes(std::span(text));
    return {span.begin(), span.end()};
}

std::vector<ModuleChange> changes() {
    return {{"a", bytes("a1"), bytes("a2")}, {"c", {}, bytes("c2")}, {"b", bytes("b1"), {}}};
}

TEST(ChangeModules, AllOrNone) {
    const std::map<std::string, std::string> before = FakeKernel().modules;
    FakeKernel done;
    EXPECT_TRUE(change_modules(changes(), done.loader()));
    EXPECT_EQ(done.modules, (std::map<std::string, std::string>{{"a", "a2"}, {"c", "c2"}}));

    for (const char *refused : {"a2", "c2"}) {
        FakeKernel kernel;
        kernel.refused = refused;
        const auto changed = change_modules(changes(), kernel.loader());
        ASSERT_FALSE(changed);
        EXPECT_EQ(changed.error().message, std::string("no ") + refused);
        EXPECT_EQ(kernel.modules, before) << kernel.log;
    }
    for (const char *held : {"a", "b"}) {
        FakeKernel kernel;
        kernel.held = held;
        const auto changed = change_modules(changes(), kernel.loader());
        ASSERT_FALSE(changed);
        EXPECT_EQ(changed.error().message, std::string(held) + " in use");
        EXPECT_EQ(kernel.modules, before) << kernel.log;
    }
}

TEST(ChangeModules, WhatIsRefusedLeavesWhatIsThereAlone) {
    FakeKernel kernel;
    kernel.refused = "a2";
    EXPECT_FALSE(change_modules(changes(), kernel.loader()));
    EXPECT_EQ(kernel.log, "+a2 ");
}

TEST(ChangeModules, WhatFailsMakesRoomForWhatWasThere) {
    const std::map<std::string, std::string> before = FakeKernel().modules;
    FakeKernel kernel;
    kernel.fails = "a2";
    const auto changed = change_modules(changes(), kernel.loader());
    ASSERT_FALSE(changed);
    EXPECT_EQ(changed.error().message, "a2 fails");
    EXPECT_EQ(kernel.modules, before) << kernel.log;
}

TEST(ChangeModules, WhatDoesNotComeBackIsTold) {
    FakeKernel kernel;
    kernel.fails = "a2";
    kernel.also_fails = "a1";
    const auto changed = change_modules(changes(), kernel.loader());
    ASSERT_FALSE(changed);
    EXPECT_EQ(changed.error().message,
              "a2 fails; and the old module could not be loaded again: a1 fails");
}

// The files of sysfs for modules with one stub each.
class LoadedModules : public testing::Test {
  protected:
    LoadedModules() {
        base_.integer("int", 4);
        for (const char *folder : {"btf", "btf_extra/inlined", "module/inlined"})
            std::filesystem::create_directories(folder_.path(folder));
        test::write_file(folder_.path("btf/vmlinux"), base_.bytes());
        const auto image = base_.image();
        const std::vector<Phantom> phantoms = {
            {{"get", {{"vmlinux", 5, 6, 7, 2}}}, {nullptr, &image->blob(), 0, 0}}};
        test::write_file(folder_.path("btf/inlined"), stub_btf(phantoms));
        test::write_file(folder_.path("btf_extra/inlined/.inlined"), phantom_table_bytes(phantoms));
        test::write_file(folder_.path("module/inlined/refcnt"), "3\n");
        test::write_file(folder_.path("btf_extra/inlined/get"), "state held\nsites 4\n");
    }

    LoadedPaths paths() const { return {folder_.path(""), folder_.path("module")}; }

    test::TemporaryFolder folder_;
    test::BaseBtf base_;
};

TEST_F(LoadedModules, Read) {
    const auto loaded = loaded_modules(paths());
    ASSERT_TRUE(loaded) << loaded.error().message;
    ASSERT_EQ(loaded->size(), 1u);
    const LoadedModule &module = loaded->front();
    EXPECT_EQ(module.name, "inlined");
    EXPECT_EQ(module.users, 3u);
    ASSERT_EQ(module.phantoms.size(), 1u);
    EXPECT_EQ(module.phantoms[0].stub.name, "get");
    EXPECT_EQ(module.phantoms[0].stub.funcs, (std::vector<PhantomFunc>{{"vmlinux", 5, 6, 7, 2}}));
    EXPECT_EQ(stub_prototype(module.phantoms[0]), "void get(void)");
    const auto state = read_stub_state("get", paths());
    ASSERT_TRUE(state);
    EXPECT_EQ(state->state, "held");
}

// The names in the BTF of another module are taken, and those of stubs are not.
TEST_F(LoadedModules, FuncsOfModules) {
    const auto image = base_.image();
    const std::vector<Phantom> other = {
        {{"only_inlined", {{"vmlinux", 5, 6, 7, 2}}}, {nullptr, &image->blob(), 0, 0}}};
    test::write_file(folder_.path("btf/btf_extra_vmlinux"), stub_btf(other));
    test::write_file(folder_.path("btf/broken"), "no BTF");
    EXPECT_EQ(funcs_of_modules(paths()), std::vector<std::string>{"only_inlined"});
    std::filesystem::remove_all(folder_.path("btf"));
    EXPECT_TRUE(funcs_of_modules(paths()).empty());
}

TEST_F(LoadedModules, Refused) {
    test::write_file(folder_.path("btf/inlined"), base_.bytes());
    EXPECT_FALSE(loaded_modules(paths()));
    test::write_file(folder_.path("btf_extra/inlined/.inlined"), "phan");
    const auto cut = loaded_modules(paths());
    ASSERT_FALSE(cut);
    std::filesystem::remove_all(folder_.path("btf_extra"));
    const auto none = loaded_modules(paths());
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().code, ENOENT);
}

}  // namespace
}  // namespace btf_extra::phantoms
