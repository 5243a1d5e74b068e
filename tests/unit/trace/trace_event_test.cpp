// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The events are made by hand. Each row compares one with its line.
#include <algorithm>
#include <cstring>
#include <span>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/blob_builder.h"
#include "userspace/format/btf_image.h"
#include "userspace/trace/trace_text.h"

namespace btf_extra {
namespace {

using nlohmann::json;
using test::BlobBuilder;

class TraceEvent : public testing::Test {
  protected:
    void SetUp() override {
        BlobBuilder b;
        b.type("int", BTF_KIND_INT, 0, 4, {BTF_INT_SIGNED << 24 | 32});              // 1
        b.type("", BTF_KIND_PTR, 0, 1);                                              // 2
        b.type("tcp_state", BTF_KIND_ENUM, 1, 4, {b.string("TCP_ESTABLISHED"), 1});  // 3
        b.type("pair", BTF_KIND_STRUCT, 0, 16);                                      // 4
        b.type("_Bool", BTF_KIND_INT, 0, 1, {BTF_INT_BOOL << 24 | 8});               // 5
        auto image = BtfImage::open("test", b.bytes(), nullptr);
        ASSERT_TRUE(image) << image.error().message;
        image_ = std::move(*image);
        std::vector<TracedFunc> funcs(3);
        funcs[0] = {"vmlinux", "foo", {}};
        add(funcs[0], {{"skb", 2}, {"len", 1}, {"state", 3}, {"both", 4}, {"arg4", 5}});
        funcs[1] = {"xfs", "none", {}};
        funcs[2] = {"vmlinux", "many", {}};
        for (int i = 0; i < 18; i++)
            add(funcs[2], {{"p" + std::to_string(i), 1}});
        text_ = std::make_unique<TraceText>(std::move(funcs));
        text_->add_site(0, 0xffffffff81000012, {"host+0x12", "inlined"});
        text_->add_site(0, 0xffffffff81000020, {"foo.isra.0+0x0", "body"});
    }

    void add(TracedFunc &func, const std::vector<std::pair<std::string, uint32_t>> &params) {
        for (const auto &[name, type] : params)
            func.params.push_back({name, ValueFormat(image_->blob(), type)});
    }

    static trace_event event(uint32_t func, uint64_t ip, uint32_t present) {
        trace_event out = {};
        out.time = 12345'678901234;
        out.ip = ip;
        out.func = func;
        out.cpu = 3;
        out.pid = 1235;
        out.tgid = 1234;
        out.present = present;
        std::strcpy(out.comm, "sshd");
        return out;
    }

    static std::vector<std::byte> bytes(const trace_event &head,
                                        const std::vector<uint64_t> &words = {}) {
        const auto first = std::as_bytes(std::span(&head, 1)),
                   rest = std::as_bytes(std::span(words));
        std::vector<std::byte> out(first.begin(), first.end());
        out.insert(out.end(), rest.begin(), rest.end());
        return out;
    }

    std::string text(const std::vector<std::byte> &event) const {
        std::string out;
        return text_->append_text(out, event) ? out : out + "(refused)";
    }
    std::string as_json(const std::vector<std::byte> &event) const {
        std::string out;
        return text_->append_json(out, event) ? out : out + "(refused)";
    }

    std::unique_ptr<BtfImage> image_;
    std::unique_ptr<TraceText> text_;
};

const std::vector<uint64_t> kWords = {
    0xffff888004d7a000, 0, ~uint64_t{0}, 0, 1, 0, 0x0807060504030201, 0x18171615, 1, 0};

TEST_F(TraceEvent, AllArguments) {
    const auto call = bytes(event(0, 0xffffffff81000012, 0x1f), kWords);
    EXPECT_EQ(text(call),
              "12345.678901 [003] sshd-1235 foo host+0x12 inlined skb=0xffff888004d7a000 len=-1 "
              "state=TCP_ESTABLISHED both={01 02 03 04 05 06 07 08 15 16 17 18 00 00 00 00} "
              "arg4=true\n");
    const std::string line = as_json(call);
    EXPECT_EQ(std::count(line.begin(), line.end(), '\n'), 1);
    EXPECT_EQ(json::parse(line), json::parse(R"({"time":12345.678901234,"cpu":3,"comm":"sshd",
        "pid":1235,"tgid":1234,"object":"vmlinux","function":"foo","address":"0xffffffff81000012",
        "symbol":"host+0x12","site":"inlined","args":{"skb":"0xffff888004d7a000","len":-1,
        "state":"TCP_ESTABLISHED","both":"01020304050607081516171800000000","arg4":true}})"));
}

TEST_F(TraceEvent, MissingArguments) {
    // A value that is not present is not shown, whatever its bytes are.
    const auto call = bytes(event(0, 0xffffffff81000020, 0x02), kWords);
    EXPECT_EQ(text(call), "12345.678901 [003] sshd-1235 foo foo.isra.0+0x0 body skb=? len=-1 "
                          "state=? both=? arg4=?\n");
    const json object = json::parse(as_json(call));
    EXPECT_EQ(object["args"], json::parse(R"({"skb":null,"len":-1,"state":null,"both":null,
                                              "arg4":null})"));
    // A value beyond the end of the event is not shown either.
    EXPECT_EQ(text(bytes(event(0, 0xffffffff81000020, 0x1f), {0x10, 0, 5, 0, 1})),
              "12345.678901 [003] sshd-1235 foo foo.isra.0+0x0 body skb=0x10 len=5 "
              "state=? both=? arg4=?\n");
}

TEST_F(TraceEvent, OtherShapes) {
    // The function has no parameters, and the site is not known.
    EXPECT_EQ(text(bytes(event(1, 0xffffffffc0000000, 0))),
              "12345.678901 [003] sshd-1235 none 0xffffffffc0000000 ?\n");
    const json object = json::parse(as_json(bytes(event(1, 0xffffffffc0000000, 0))));
    EXPECT_EQ(object["symbol"], nullptr);
    EXPECT_EQ(object["site"], "?");
    EXPECT_EQ(object["object"], "xfs");
    EXPECT_EQ(object["args"], json::object());

    // A site belongs to a function: the same address is unknown for another function.
    EXPECT_EQ(text(bytes(event(1, 0xffffffff81000012, 0))),
              "12345.678901 [003] sshd-1235 none 0xffffffff81000012 ?\n");

    // The function has more parameters than an event can hold.
    std::vector<uint64_t> words;
    std::string expected = "12345.678901 [003] sshd-1235 many 0x1 ?";
    for (uint64_t i = 0; i < 18; i++) {
        words.insert(words.end(), {i, 0});
        expected += " p" + std::to_string(i) + "=" + (i < 16 ? std::to_string(i) : "?");
    }
    EXPECT_EQ(text(bytes(event(2, 1, ~0u), words)), expected + "\n");

    // The event is early after boot, and the thread's name is hostile to terminals and to JSON.
    trace_event early = event(1, 1, 0);
    early.time = 5'000'999;
    std::memcpy(early.comm, "a\"b\\c\x1b[2J\xff kworker", sizeof(early.comm));
    EXPECT_EQ(text(bytes(early)), "    0.005000 [003] a\"b\\c?[2J? kwork-1235 none 0x1 ?\n");
    EXPECT_EQ(json::parse(as_json(bytes(early)))["comm"], "a\"b\\c?[2J? kwork");
    EXPECT_EQ(json::parse(as_json(bytes(early)))["time"], 0.005000999);
}

// The symbolizer's answers for a stack of three: the callee is inlined at the site together with
// what it calls first, an interrupt's entry was called, and what the interrupt came upon was not.
Symbolizer::Named named(uint64_t address, bool return_address) {
    Symbolizer::Named out;
    out.address = address;
    if (address == 0xffffffff81000012) {
        out.symbol = "host+0x12";
        auto object = std::make_shared<SiteObject>();
        object->name = "vmlinux";
        out.chain = InlineChain{std::move(object), {}};
        out.chain->frames = {
            {1, "first_of_foo", "lib/foo.c", 7}, {2, "foo", "lib/host.c", 70}, {3, "host", "", 0}};
    } else if (address == 0xffffffff81000018) {
        out.symbol = "host+0x18";
    } else if (address == 0xffffffff81000100) {
        out.symbol = return_address ? "asm_sysvec_call_function+0x1a" : "wrong";
    } else if (address == 0xffffffff81000200) {
        out.symbol = return_address ? "wrong" : "interrupted+0x4";
    }
    return out;
}

CallStackText stacks() {
    return CallStackText([answer = Symbolizer::Named()](uint64_t address, bool back) mutable
                         -> const Symbolizer::Named & { return answer = named(address, back); });
}

TEST_F(TraceEvent, Stacks) {
    text_->show_stacks(stacks());
    trace_event head = event(0, 0xffffffff81000012, 0);
    head.nr_frames = 4;
    std::vector<uint64_t> words(10, 0);
    // The first one is as a kprobe has it, one byte after the site. Nothing is known of the last.
    words.insert(words.end(), {0xffffffff81000013, 0xffffffff81000100, 0xffffffff81000200, 0x10});
    const auto call = bytes(head, words);
    EXPECT_EQ(text(call), "12345.678901 [003] sshd-1235 foo host+0x12 inlined skb=? len=? state=? "
                          "both=? arg4=?\n"
                          "    foo (inlined) lib/host.c:70\n"
                          "    host+0x12\n"
                          "    asm_sysvec_call_function+0x1a\n"
                          "    interrupted+0x4\n"
                          "    0x10\n");
    EXPECT_EQ(json::parse(as_json(call))["stack"], json::parse(R"([
        {"address":"0xffffffff81000012","symbol":"host+0x12","object":"vmlinux","at":null,
         "frames":[{"name":"foo","file":"lib/host.c","line":70},{"name":"host"}]},
        {"address":"0xffffffff81000100","symbol":"asm_sysvec_call_function+0x1a","object":null,
         "at":null,"frames":[{"name":"asm_sysvec_call_function"}]},
        {"address":"0xffffffff81000200","symbol":"interrupted+0x4","object":null,"at":null,
         "frames":[{"name":"interrupted"}]},
        {"address":"0x10","symbol":null,"object":null,"at":null,"frames":[]}])"));

    // A function of arm64 has its caller in the link register until it has a frame.
    const auto callers = [&](uint64_t ip, uint64_t link) {
        trace_event linked = head;
        linked.ip = ip;
        linked.link = link;
        std::string out;
        const json call = json::parse(as_json(bytes(linked, words)));
        for (const json &each : call["stack"]) {
            const auto address = each["address"].get<std::string>();
            out += address.substr(address.size() - 3) + " ";
        }
        return out;
    };
    EXPECT_EQ(callers(0xffffffff81000012, 0xffffffff81000300), "012 300 100 200 x10 ");
    // It has one, or has called something.
    EXPECT_EQ(callers(0xffffffff81000012, 0xffffffff81000100), "012 100 200 x10 ");
    EXPECT_EQ(callers(0xffffffff81000012, 0xffffffff81000018), "012 100 200 x10 ");
    // The function has no frame at its entry, whoever called it.
    EXPECT_EQ(callers(0xffffffff81000020, 0xffffffff81000018), "020 018 100 200 x10 ");

    // The event ends before its stack does.
    words.pop_back();
    EXPECT_EQ(text(bytes(head, words)), "(refused)");
    // The kernel has not found any.
    head.nr_frames = 0;
    EXPECT_EQ(text(bytes(head, words)), "12345.678901 [003] sshd-1235 foo host+0x12 inlined skb=? "
                                        "len=? state=? both=? arg4=?\n    ?\n");
    EXPECT_EQ(json::parse(as_json(bytes(head, words)))["stack"], nullptr);
    // Stacks from there would be wrong.
    head.ip = 0xffffffff81000014;
    head.nr_frames = 3;
    text_->add_site(0, head.ip, {"host+0x14", "inlined", false});
    EXPECT_EQ(text(bytes(head, words)), "12345.678901 [003] sshd-1235 foo host+0x14 inlined skb=? "
                                        "len=? state=? both=? arg4=?\n    ?\n");
}

TEST_F(TraceEvent, WhatIsNoEvent) {
    auto cut = bytes(event(0, 1, 0));
    cut.pop_back();
    EXPECT_EQ(text(cut), "(refused)");
    EXPECT_EQ(as_json(cut), "(refused)");
    EXPECT_EQ(text({}), "(refused)");
    EXPECT_EQ(text(bytes(event(3, 1, 0))), "(refused)");
    EXPECT_EQ(as_json(bytes(event(~0u, 1, 0))), "(refused)");
}

}  // namespace
}  // namespace btf_extra
