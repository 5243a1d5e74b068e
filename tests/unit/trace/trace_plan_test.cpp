// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Types are made by hand; offsets and bits are worked out from them by hand.
#include "userspace/trace/trace_plan.h"

#include <cerrno>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/support/blob_builder.h"
#include "userspace/format/btf_image.h"

namespace btf_extra {
namespace {

using test::BlobBuilder;

class Plan : public testing::Test {
  protected:
    void SetUp() override {
        BlobBuilder b;
        const auto member = [&](const char *name, uint32_t type, uint32_t offset) {
            return std::vector<uint32_t>{name[0] != '\0' ? b.string(name) : 0, type, offset};
        };
        const auto members = [](std::initializer_list<std::vector<uint32_t>> all) {
            std::vector<uint32_t> out;
            for (const auto &each : all)
                out.insert(out.end(), each.begin(), each.end());
            return out;
        };
        b.type("int", BTF_KIND_INT, 0, 4, {BTF_INT_SIGNED << 24 | 32});  // 1
        b.type("unsigned int", BTF_KIND_INT, 0, 4, {32});                // 2
        b.type("char", BTF_KIND_INT, 0, 1, {BTF_INT_SIGNED << 24 | 8});  // 3
        b.type("", BTF_KIND_PTR, 0, 3);                                  // 4: char *
        b.type("", BTF_KIND_ARRAY, 0, 0, {3, 2, 16});                    // 5: char[16]
        b.type("tcp_state", BTF_KIND_ENUM, 2, 4,
               {b.string("TCP_ESTABLISHED"), 1, b.string("TCP_NONE"), ~0u}, true);  // 6: signed
        // struct dev { int ifindex; [4] char name[16]; }, the name at byte 8
        b.type("dev", BTF_KIND_STRUCT, 2, 24,
               members({member("ifindex", 1, 0), member("name", 5, 64)}));  // 7
        b.type("", BTF_KIND_PTR, 0, 7);                                     // 8: dev *
        // an anonymous union { int a; dev *dev; }, which is at byte 8 of skb
        b.type("", BTF_KIND_UNION, 2, 8, members({member("a", 1, 0), member("dev", 8, 0)}));  // 9
        b.type("", BTF_KIND_ARRAY, 0, 0, {1, 2, 4});  // 10: int[4]
        // struct skb with bitfields: low:3 at bit 128, top:5 at bit 131
        b.type("skb", BTF_KIND_STRUCT, 6, 64,
               members({member("len", 2, 0), member("", 9, 64), member("low", 2, 3 << 24 | 128),
                        member("top", 1, 5 << 24 | 131), member("list", 10, 160),
                        member("state", 6, 288)}),
               true);                     // 11
        b.type("", BTF_KIND_PTR, 0, 11);  // 12: skb *
        b.type("pair", BTF_KIND_STRUCT, 2, 16,
               members({member("first", 1, 32), member("second", 12, 64)}));  // 13
        b.type("hidden", BTF_KIND_FWD, 0, 0);                                 // 14
        b.type("", BTF_KIND_PTR, 0, 14);                                      // 15
        b.type("", BTF_KIND_FUNC_PROTO, 6, 0,
               {b.string("skb"), 12, b.string("len"), 1, b.string("name"), 4, b.string("pair"), 13,
                b.string("hidden"), 15, b.string("state"), 6});  // 16
        func_ = b.type("foo", BTF_KIND_FUNC, 0, 16);
        auto image = BtfImage::open("test", b.bytes(), nullptr);
        ASSERT_TRUE(image) << image.error().message;
        image_ = std::move(*image);
    }

    Result<TracePlan> make(const std::string &filter, const std::string &show) const {
        auto query = TraceQuery::parse(filter, show, "");
        if (!query)
            return query.error();
        return make_plan(image_->blob(), func_, {"skb", "len", "name", "pair", "hidden", "state"},
                         *query, [&](const std::string &object, const std::string &name) {
                             return variable(object, name);
                         });
    }

    Result<TypedVariable> variable(const std::string &object, const std::string &name) const {
        const btf_blob *blob = &image_->blob();
        if (!object.empty() && object != "vmlinux")
            return Error{"no object " + object, ENOENT};
        if (name == "first_skb")
            return TypedVariable{blob, 11, 0x1000};
        if (name == "len")
            return TypedVariable{blob, 1, 0x2000};
        if (name == "names")
            return TypedVariable{blob, 5, 0x3000};
        if (name == "skbs")
            return TypedVariable{blob, 10, 0x4000};  // int[4]
        if (name == "lost")
            return Error{"lost: freed after boot", ENODATA};
        return Error{"no variable " + name, ENOENT};
    }

    // "param 0: +8 +0 bits 0..32 signed"
    static std::string text_of(const trace_value &value) {
        static constexpr const char *kSources[] = {"param", "comm", "pid",
                                                   "tgid",  "cpu",  "variable"};
        std::string out = kSources[value.source];
        if (value.source == TRACE_VARIABLE)
            out += fmt::format(" {:#x}", value.base);
        if (value.source == TRACE_PARAMETER)
            out += fmt::format(" {}", value.param);
        for (int i = 0; i < value.nr_steps; i++)
            out += fmt::format(" +{}", value.offsets[i]);
        if (value.is_text)
            return out + fmt::format(" text {}", value.bits);
        if (value.bits != 0)
            out += fmt::format(" bits {}..{}", value.word * 64 + value.shift,
                               value.word * 64 + value.shift + value.bits);
        if (value.is_signed)
            out += " signed";
        if (value.mask != ~uint64_t{0})
            out += fmt::format(" & {}", value.mask);
        return out;
    }

    std::string shown(const std::string &path) const {
        const auto plan = make("", path);
        if (!plan)
            return plan.error().message;
        EXPECT_EQ(plan->plan.nr_values, 1);
        EXPECT_EQ(plan->shown.size(), 1u);
        return text_of(plan->plan.values[0]);
    }

    std::string filtered(const std::string &filter) const {
        static constexpr const char *kCodes[] = {"==", "<", "?", "text==", "&&", "||", "!"};
        const auto made = make(filter, "");
        if (!made)
            return made.error().message;
        const trace_plan &plan = made->plan;
        EXPECT_EQ(plan.nr_values, plan.nr_filter);
        std::string out;
        const auto side = [&](const trace_test &test, uint8_t number) {
            if (number != TRACE_CONSTANT)
                return "[" + text_of(plan.values[number]) + "]";
            return test.is_signed ? fmt::format("{}", static_cast<int64_t>(test.constant))
                                  : fmt::format("{}", test.constant);
        };
        for (int i = 0; i < plan.nr_tests; i++) {
            const trace_test &test = plan.tests[i];
            out += i != 0 ? " " : "";
            if (test.code == TRACE_EQUAL_TEXT)
                out +=
                    side(test, test.left) + reinterpret_cast<const char *>(plan.texts[test.right]);
            else if (test.code == TRACE_NOT_ZERO)
                out += side(test, test.left);
            else if (test.code < TRACE_AND)
                out += side(test, test.left) + side(test, test.right);
            out += kCodes[test.code];
        }
        return out;
    }

    std::unique_ptr<BtfImage> image_;
    uint32_t func_ = 0;
};

TEST_F(Plan, Variables) {
    const struct {
        const char *path, *value;
    } rows[] = {
        {"first_skb.len", "variable 0x1000 +0 bits 0..32"},
        {"first_skb.low", "variable 0x1000 +16 bits 0..3"},
        {"first_skb.dev->ifindex", "variable 0x1000 +8 +0 bits 0..32 signed"},
        {"first_skb.dev->name", "variable 0x1000 +8 +8 text 17"},
        {"names", "variable 0x3000 +0 text 17"},
        {"skbs[3]", "variable 0x4000 +12 bits 0..32 signed"},
        {"len", "param 1 bits 0..32 signed"},
        {"vmlinux:len", "variable 0x2000 +0 bits 0..32 signed"},
        {"first_skb", "first_skb: 'struct skb' has more than 16 bytes: name a member"},
        {"skbs", "skbs: 'int [4]' is not a value"},
        {"first_skb.nobody", "first_skb.nobody: 'struct skb' has no member nobody"},
        {"len.x",
         "len.x: 'int' has no members; len is the parameter, and vmlinux:len the variable"},
        {"xfs:len", "no object xfs"},
        {"lost", "lost: freed after boot"},
    };
    for (const auto &row : rows)
        EXPECT_EQ(shown(row.path), row.value);
    EXPECT_EQ(
        filtered("first_skb.state == TCP_NONE"),
        filtered("state == TCP_NONE")
            .replace(0, sizeof("[param 5 bits 0..32") - 1, "[variable 0x1000 +36 bits 0..32"));
}

TEST_F(Plan, Members) {
    const std::pair<const char *, const char *> rows[] = {
        {"len", "param 1 bits 0..32 signed"},
        {"skb", "param 0 bits 0..64"},
        {"skb->len", "param 0 +0 bits 0..32"},
        {"skb->a", "param 0 +8 bits 0..32 signed"},
        {"skb->dev", "param 0 +8 bits 0..64"},
        {"skb->dev->ifindex", "param 0 +8 +0 bits 0..32 signed"},
        {"skb->dev->name", "param 0 +8 +8 text 17"},
        {"skb->dev->name[2]", "param 0 +8 +10 bits 0..8 signed"},
        {"skb->low", "param 0 +16 bits 0..3"},
        {"skb->top", "param 0 +16 bits 3..8 signed"},
        {"skb->list[3]", "param 0 +32 bits 0..32 signed"},
        {"skb[1].len", "param 0 +64 bits 0..32"},
        {"name", "param 2 +0 text 64"},
        {"*name", "param 2 +0 bits 0..8 signed"},
        {"name[5]", "param 2 +5 bits 0..8 signed"},
        {"pair", "param 3 bits 0..128"},
        {"pair.first", "param 3 bits 32..64 signed"},
        {"pair.second", "param 3 bits 64..128"},
        {"comm", "comm"},
        {"pid", "pid bits 0..32"},
        {"tgid", "tgid bits 0..32"},
        {"cpu", "cpu bits 0..32"},
    };
    for (const auto &[path, wanted] : rows)

        EXPECT_EQ(shown(path), wanted) << path;
}

TEST_F(Plan, Refused) {
    const std::pair<const char *, const char *> rows[] = {
        {"nobody", "nobody: neither a parameter nor a variable of the kernel is called nobody"},
        {"len->x", "len->x: -> after 'int', which is not a pointer; len is the parameter, and "
                   "vmlinux:len the variable"},
        {"len.x",
         "len.x: 'int' has no members; len is the parameter, and vmlinux:len the variable"},
        {"skb.len", "skb.len: 'struct skb *' has no members"},
        {"skb->nobody", "skb->nobody: 'struct skb' has no member nobody"},
        {"skb->list", "skb->list: 'int [4]' is not a value"},
        {"*skb", "*skb: 'struct skb' has more than 16 bytes: name a member"},
        {"skb->dev->name->x", "skb->dev->name->x: -> after 'char [16]', which is not a pointer"},
        {"len[1]", "len[1]: 'int' is neither a pointer nor an array; len is the parameter, and "
                   "vmlinux:len the variable"},
        {"skb->list[4294967296]",
         "skb->list[4294967296]: an element of it is not known, or too far away"},
        {"pair.second->len",
         "pair.second->len: a pointer in a struct that is passed by value is not followed"},
        {"hidden->x", "hidden->x: the members of 'struct hidden' are not known"},
        {"*hidden", "*hidden: an element of it is not known, or too far away"},
        {"comm.x", "comm.x: comm has no members"},
    };
    for (const auto &[path, wanted] : rows)
        EXPECT_EQ(shown(path), wanted) << path;
}

TEST_F(Plan, Filters) {
    const std::pair<const char *, const char *> rows[] = {
        {"len > 5", "5[param 1 bits 0..32 signed]<"},
        {"len >= 5", "[param 1 bits 0..32 signed]5< !"},
        {"len < -5", "[param 1 bits 0..32 signed]-5<"},
        {"len <= 5", "5[param 1 bits 0..32 signed]< !"},
        {"len != 5", "[param 1 bits 0..32 signed]5== !"},
        {"len > skb->len", "[param 0 +0 bits 0..32][param 1 bits 0..32 signed]<"},
        {"skb == NULL || len", "[param 0 bits 0..64]0== [param 1 bits 0..32 signed]? ||"},
        // A pointer to characters is a text, if it is compared with one, and else an address.
        {"name == NULL", "[param 2 bits 0..64]0=="},
        {"name == \"eth0\"", "[param 2 +0 text 64]eth0text=="},
        {"comm != \"curl\"", "[comm]curltext== !"},
        {"state == TCP_ESTABLISHED", "[param 5 bits 0..32 signed]1=="},
        {"state == TCP_NONE", "[param 5 bits 0..32 signed]-1=="},
        {"skb->state != TCP_NONE", "[param 0 +36 bits 0..32 signed]-1== !"},
        {"(len & 6) == 2", "[param 1 bits 0..32 & 6]2=="},
        {"(len & 6) > 2", "2[param 1 bits 0..32 & 6]<"},
        {"len & 6", "[param 1 bits 0..32 & 6]?"},
    };
    for (const auto &[filter, wanted] : rows)
        EXPECT_EQ(filtered(filter), wanted) << filter;
}

TEST_F(Plan, RefusedFilters) {
    const std::string many =
        "len && len && len && len && len && len && len && len && len && len && "
        "len && len && len && len && len && len && len";
    const std::pair<std::string, const char *> rows[] = {
        {"len >", "--filter: 'len >': a name is missing at the end"},
        {"len == \"x\"", "len: 'int' is compared with a text"},
        {"pid == \"x\"", "pid: 'a number' is compared with a text"},
        {"comm == 5", "comm: a text is compared by == or != with a text"},
        {"comm < \"x\"", "comm: a text is compared by == or != with a text"},
        {"len == comm", "comm: a text is compared with a number"},
        {"comm", "comm: a text is compared by == or != with a text"},
        {"pair == 5", "pair: 'struct pair' is not a number"},
        {"len == TCP_ESTABLISHED",
         "TCP_ESTABLISHED: neither a parameter nor a variable of the kernel is called "
         "TCP_ESTABLISHED"},
        {"comm == \"" + std::string(63, 'x') + "\"",
         "\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\": longer than 62 "
         "characters"},
        {"comm==\"a\"||comm==\"b\"||comm==\"c\"||comm==\"d\"||comm==\"e\"",
         "the filter has more than 4 texts"},
        {many, "len: more than 16 values"},
    };
    for (const auto &[filter, wanted] : rows)
        EXPECT_EQ(filtered(filter), wanted) << filter;
}

// The filter's values come first, and what is shown after them.
TEST_F(Plan, FilterAndShow) {
    const auto made = make("len > 5 && comm == \"a\"", "skb->len, comm, state");
    ASSERT_TRUE(made) << made.error().message;
    EXPECT_EQ(made->plan.nr_args, 6);
    EXPECT_EQ(made->plan.nr_filter, 2);
    EXPECT_EQ(made->plan.nr_values, 5);
    EXPECT_EQ(text_of(made->plan.values[2]), "param 0 +0 bits 0..32");
    const uint64_t number[TRACE_VALUE_WORDS] = {1};
    const uint64_t text[TRACE_VALUE_WORDS] = {0x0a226576696c};  // live"\n, first byte last
    std::string out;
    made->shown[0].append_text(out, number);
    out += ' ';
    made->shown[1].append_text(out, text);
    out += ' ';
    made->shown[2].append_text(out, number);
    EXPECT_EQ(out, "1 \"live\"?\" TCP_ESTABLISHED");
    out.clear();
    made->shown[1].append_json(out, text);
    EXPECT_EQ(out, R"("live\"\n")");
}

TEST_F(Plan, Summaries) {
    EXPECT_EQ(TraceQuery::parse("", "", "site")->summary, TRACE_BY_SITE);
    EXPECT_EQ(TraceQuery::parse("", "", "caller")->summary, TRACE_BY_CALLER);
    EXPECT_EQ(TraceQuery::parse("", "", "skb->len")->summary, TRACE_BY_VALUE);
    EXPECT_EQ(TraceQuery::parse("", "", "")->summary, TRACE_EACH_CALL);
    EXPECT_EQ(TraceQuery::parse("", "", "a,b").error().message,
              "--summary: one value, site, or caller");
}

}  // namespace
}  // namespace btf_extra
