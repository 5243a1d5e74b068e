// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Tests the library's side of /dev/btf_extra. The device is made of memory: it answers in pages,
// changes its tables meanwhile, and refuses. A folder stands for sysfs and has the blobs.
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/support/command_run.h"
#include "tests/support/sample_object.h"
#include "userspace/lib/tables/kallsyms.h"
#include "userspace/lib/tables/running_kernel.h"
#include "userspace/lib/tables/site_tables.h"

namespace btf_extra {
namespace {

// The contents and the behaviour of the device. The test sees them, too.
struct Tables {
    std::vector<btf_extra_object> objects;
    std::vector<btf_extra_site> sites;
    uint64_t generation = 7;
    uint32_t result = 0;
    uint32_t version = BTF_EXTRA_ABI_VERSION;
    int error = 0;                    // every call fails with it
    int changes = 0;                  // calls after which the generation goes up
    int error_at_call = 0;            // this one call fails with ENOENT
    uint32_t max_count = UINT32_MAX;  // the device fills no more records than this
    int calls = 0;
    std::vector<btf_extra_lookup> requests;
};

class MemoryDevice : public QueryDevice {
  public:
    explicit MemoryDevice(Tables &tables) : tables_(tables) {}

    int info(btf_extra_info &request) override {
        request.version = tables_.version;
        return give(request, request.objects, tables_.objects);
    }
    int lookup(btf_extra_lookup &request) override {
        tables_.requests.push_back(request);
        int error = give(request, request.sites, tables_.sites);
        return error == 0 && tables_.sites.empty() ? ENOENT : error;
    }

  private:
    template <class Request, class Item>
    int give(Request &request, uint64_t into, const std::vector<Item> &items) {
        if (++tables_.calls == tables_.error_at_call)
            return ENOENT;
        if (tables_.error != 0)
            return tables_.error;
        request.total = static_cast<uint32_t>(items.size());
        request.count = std::min({request.capacity, tables_.max_count,
                                  request.total - std::min(request.first, request.total)});
        std::copy_n(items.begin() + std::min(request.first, request.total), request.count,
                    reinterpret_cast<Item *>(static_cast<uintptr_t>(into)));
        request.generation = tables_.generation;
        request.result = tables_.result;
        if (tables_.changes > 0) {
            tables_.changes--;
            tables_.generation++;
        }
        return 0;
    }

    Tables &tables_;
};

btf_extra_object make_object(std::string_view name, uint32_t id, uint32_t first_func_id) {
    btf_extra_object out = {};
    std::ranges::copy(name, out.name);
    out.id = id;
    out.first_func_id = first_func_id;
    return out;
}

std::vector<btf_extra_site> make_sites(uint32_t count) {
    std::vector<btf_extra_site> out(count);
    for (uint32_t i = 0; i < count; i++)
        out[i].number = i;
    return out;
}

RunningKernel kernel_of(Tables &tables, uint32_t page) {
    return RunningKernel(std::make_unique<MemoryDevice>(tables), page);
}

RunningQuery named(std::string name) {
    return {.by = BTF_EXTRA_BY_NAME, .object = "", .name = std::move(name), .file = ""};
}

TEST(RunningKernel, Pages) {
    struct Row {
        uint32_t sites, page;
        int calls;
    } rows[] = {{1, 1, 1}, {1, 4, 1}, {4, 4, 1}, {5, 4, 2}, {8, 4, 2}, {9, 4, 3}, {7, 1, 7}};
    for (const Row &row : rows) {
        SCOPED_TRACE(fmt::format("{} sites in pages of {}", row.sites, row.page));
        Tables tables;
        tables.sites = make_sites(row.sites);
        tables.objects.assign(row.sites, make_object("m", 1, 1));
        auto found = kernel_of(tables, row.page).lookup(named("f"));
        ASSERT_TRUE(found);
        ASSERT_EQ(found->sites.size(), row.sites);
        for (uint32_t i = 0; i < row.sites; i++)
            EXPECT_EQ(found->sites[i].number, i);
        EXPECT_EQ(found->generation, 7u);
        EXPECT_EQ(tables.calls, row.calls);
        auto objects = kernel_of(tables, row.page).objects();
        ASSERT_TRUE(objects);
        EXPECT_EQ(objects->objects.size(), row.sites);
        EXPECT_EQ(tables.calls, 2 * row.calls);
    }
}

TEST(RunningKernel, NothingThere) {
    Tables tables;
    auto found = kernel_of(tables, 4).lookup(named("f"));
    ASSERT_TRUE(found);
    EXPECT_TRUE(found->sites.empty());
    auto objects = kernel_of(tables, 4).objects();
    ASSERT_TRUE(objects);
    EXPECT_TRUE(objects->objects.empty());
    EXPECT_EQ(objects->find("vmlinux"), nullptr);
}

TEST(RunningKernel, TablesThatChange) {
    struct Row {
        const char *name;
        int changes, error_at_call;
        int calls;  // the number of calls that it takes
        uint64_t generation;
        bool answered;
    } rows[] = {
        {"never", 0, 0, 3, 7, true},
        {"once, after the first page", 1, 0, 2 + 3, 8, true},
        {"after each of three pages", 3, 0, 2 + 2 + 3, 10, true},
        {"the function goes between two pages", 0, 2, 2 + 3, 7, true},
        {"always", 1000, 0, 2 * 16, 0, false},
    };
    for (const Row &row : rows) {
        SCOPED_TRACE(row.name);
        Tables tables;
        tables.sites = make_sites(9);
        tables.changes = row.changes;
        tables.error_at_call = row.error_at_call;
        auto found = kernel_of(tables, 4).lookup(named("f"));
        EXPECT_EQ(tables.calls, row.calls);
        ASSERT_EQ(static_cast<bool>(found), row.answered);
        if (!found) {
            EXPECT_EQ(found.error().message, "/dev/btf_extra: the tables keep changing: try again");
            continue;
        }
        EXPECT_EQ(found->sites.size(), 9u);
        EXPECT_EQ(found->generation, row.generation);
    }
}

TEST(RunningKernel, Errors) {
    struct Row {
        int error;
        const char *message;
    } rows[] = {
        {EPERM, "addresses are hidden: needs CAP_SYSLOG, and kernel.kptr_restrict below 2"},
        {EINVAL, "the kernel refuses this request"},
        {ENOTTY, "another version of btf_extra is loaded"},
        {EFAULT, "Bad address"},
        {ENOMEM, "Cannot allocate memory"},
    };
    for (const Row &row : rows) {
        Tables tables;
        tables.error = row.error;
        auto found = kernel_of(tables, 4).lookup(named("f"));
        ASSERT_FALSE(found);
        EXPECT_EQ(found.error().message, std::string("/dev/btf_extra: ") + row.message);
        auto objects = kernel_of(tables, 4).objects();
        ASSERT_FALSE(objects);
        EXPECT_EQ(objects.error().message, std::string("/dev/btf_extra: ") + row.message);
    }
    Tables tables;
    tables.version = 2;
    tables.objects = {make_object("vmlinux", 1, 1)};
    auto objects = kernel_of(tables, 4).objects();
    ASSERT_FALSE(objects);
    EXPECT_EQ(objects.error().message, "/dev/btf_extra: another version of btf_extra is loaded");
    // The device returns fewer records than fit, though it has more.
    tables = {};
    tables.sites = make_sites(9);
    tables.max_count = 3;
    auto found = kernel_of(tables, 4).lookup(named("f"));
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().message, "/dev/btf_extra: counts in a reply contradict each other");
}

TEST(RunningKernel, Requests) {
    Tables tables;
    tables.sites = make_sites(3);
    tables.result = BTF_EXTRA_RESULT_HIDDEN;
    RunningKernel kernel = kernel_of(tables, 2);
    RunningQuery query = named("foo");
    query.object = "ext4";
    query.file = "a/b.c";
    query.flags = BTF_EXTRA_BODY_ONLY;
    auto found = kernel.lookup(query);
    ASSERT_TRUE(found);
    EXPECT_TRUE(found->hidden);
    ASSERT_EQ(tables.requests.size(), 2u);
    EXPECT_EQ(tables.requests[0].by, BTF_EXTRA_BY_NAME);
    EXPECT_EQ(tables.requests[0].flags, BTF_EXTRA_BODY_ONLY);
    EXPECT_EQ(tables.requests[0].first, 0u);
    EXPECT_EQ(tables.requests[1].first, 2u);
    EXPECT_EQ(tables.requests[1].capacity, 2u);
    EXPECT_STREQ(reinterpret_cast<const char *>(tables.requests[0].name), "foo");
    EXPECT_STREQ(reinterpret_cast<const char *>(tables.requests[0].object), "ext4");
    EXPECT_STREQ(reinterpret_cast<const char *>(tables.requests[0].file), "a/b.c");
    for (const btf_extra_lookup &request : tables.requests)
        EXPECT_EQ(request.reserved[0] + request.reserved[1], 0u);
}

// The device is not asked any of these.
TEST(RunningKernel, WhatNoTableCanHave) {
    Tables tables;
    tables.sites = make_sites(1);
    RunningKernel kernel = kernel_of(tables, 2);
    RunningQuery long_object = named("f"), long_file = named("f");
    long_object.object = std::string(64, 'a');
    long_file.file = std::string(4096, 'a');
    for (const RunningQuery &query :
         {named(""), named(std::string(512, 'a')), long_object, long_file}) {
        auto found = kernel.lookup(query);
        ASSERT_TRUE(found);
        EXPECT_TRUE(found->sites.empty());
    }
    EXPECT_EQ(tables.calls, 0);
    EXPECT_EQ(kernel.lookup(named(std::string(511, 'a')))->sites.size(), 1u);
}

TEST(RunningKernel, DeviceThatDoesNotOpen) {
    test::TemporaryFolder folder;
    auto device = open_query_device(folder.path("none"));
    ASSERT_FALSE(device);
    EXPECT_EQ(device.error().message,
              folder.path("none") +
                  ": btf_extra is not loaded: btf-extra install makes tables and loads it");
    // The file is not this device.
    test::write_file(folder.path("file"), std::string_view("x"));
    device = open_query_device(folder.path("file"));
    ASSERT_TRUE(device);
    auto objects = RunningKernel(std::move(*device)).objects();
    ASSERT_FALSE(objects);
    EXPECT_EQ(objects.error().message, "/dev/btf_extra: another version of btf_extra is loaded");
}

// ---- views with the blobs ----

class RunningView : public testing::Test {
  protected:
    RunningView() {
        std::filesystem::create_directories(folder_.path("btf"));
        std::filesystem::create_directories(folder_.path("btf_extra"));
        test::write_file(folder_.path("btf/vmlinux"), sample_.base.bytes());
        test::write_file(folder_.path("btf_extra/vmlinux"), sample_.file.func_info);
        test::write_file(folder_.path("btf_extra/vmlinux.types"), sample_.file.types);
        tables_.objects = {make_object("vmlinux", 3, 8)};
        test::write_file(folder_.path("kallsyms"),
                         std::string_view("ffffffff99000000 T host\n"
                                          "ffffffff99000020 t skb_headlen.isra.0\n"));
        // This is the first site of .text: skb_headlen, LOC_PROTO 21. It tells where .text is.
        btf_extra_site site = {};
        site.address = 0xffffffff99000004;
        site.object = 3;
        site.func_id = 7;
        site.loc_proto = 21;
        site.site_class = BTF_EXTRA_CLASS_INLINE;
        tables_.sites = {site};
    }

    std::unique_ptr<SiteTables> open() {
        auto tables = open_running_tables(kernel_of(tables_, 4), root(), folder_.path("kallsyms"));
        return tables ? std::move(*tables) : nullptr;
    }
    Result<std::vector<FoundFunc>> ask() { return open()->find({"", "report", "", {}}); }
    std::string root() const { return folder_.path(""); }
    void expect_error(const std::string &message) {
        auto found = ask();
        ASSERT_FALSE(found);
        EXPECT_EQ(found.error().message, message);
    }

    test::TemporaryFolder folder_;
    test::SampleObject sample_;
    Tables tables_;
};

TEST_F(RunningView, Answers) {
    auto found = ask();
    ASSERT_TRUE(found) << found.error().message;
    ASSERT_EQ(found->size(), 1u);
    const FoundFunc &report = found->front();
    EXPECT_EQ(report.object->name, "vmlinux");
    const ObjectView &view = *report.object->view;
    EXPECT_EQ(view.func_name(12), "report");
    EXPECT_EQ(view.func_file(13), "a/twin.c");
    auto params = view.parameters(2);
    ASSERT_EQ(params.size(), 3u);
    EXPECT_EQ(params[0].name, "flags");
    EXPECT_NE(params[0].loc, nullptr);
    EXPECT_FALSE(view.parameters(3)[0].reason);  // the reasons are only in the file
    const std::pair<uint32_t, uint64_t> sites[] = {
        {2, 0xffffffff99000008}, {3, 0xffffffff99000008}, {7, 0xffffffff99000030}};
    ASSERT_EQ(report.sites.size(), std::size(sites));
    for (size_t i = 0; i < std::size(sites); i++) {
        EXPECT_EQ(report.sites[i].number, sites[i].first);
        EXPECT_EQ(report.sites[i].address, sites[i].second);
        EXPECT_EQ(report.sites[i].object, 3u);
    }
    EXPECT_TRUE(open()->find({"", "nobody", "", {}})->empty());
    auto no_object = open()->find({"xfs", "report", "", {}});
    ASSERT_FALSE(no_object);
    EXPECT_EQ(no_object.error().message, "running kernel: no object xfs");
}

// The device is asked for one function of each section; the rest is in the blobs.
TEST_F(RunningView, BySymbolAndAddress) {
    const auto tables = open();
    auto body = tables->find({"", "skb_headlen.isra.0", "", {}});
    ASSERT_TRUE(body) << body.error().message;
    ASSERT_EQ(body->size(), 1u);
    EXPECT_FALSE(body->front().all_sites);
    ASSERT_EQ(body->front().sites.size(), 1u);
    EXPECT_EQ(body->front().sites[0].number, 6u);
    for (const char *text : {"0xffffffff99000020", "skb_headlen.isra.0", ".text+0x20"}) {
        auto there = tables->find_at(text);
        ASSERT_TRUE(there) << there.error().message;
        ASSERT_EQ(there->size(), 1u) << text;
        EXPECT_EQ(there->front().sites[0].number, 6u) << text;
    }
    // The next function begins there.
    EXPECT_EQ(tables->find_at("host+0x20").error().message,
              "running kernel: 'host+0x20': host has 0x20 bytes; name a place of the kernel that "
              "these tables describe");
    EXPECT_TRUE(tables->find_at("0xffffffff99000021")->empty());
    ASSERT_EQ(tables_.requests.size(), 1u);
    EXPECT_EQ(tables_.requests[0].by, BTF_EXTRA_BY_ID);
    EXPECT_EQ(tables_.requests[0].func_id, 7u);
}

TEST_F(RunningView, HiddenAddresses) {
    tables_.sites[0].address = 0;
    test::write_file(folder_.path("kallsyms"), std::string_view("0000000000000000 T host\n"));
    const auto tables = open();
    auto found = tables->find({"", "report", "", {}});
    ASSERT_TRUE(found) << found.error().message;
    EXPECT_EQ(found->front().sites[0].address, 0u);
    auto there = tables->find_at("0xffffffff99000020");
    ASSERT_FALSE(there);
    EXPECT_EQ(there.error().message, "running kernel: addresses are hidden: needs CAP_SYSLOG, and "
                                     "kernel.kptr_restrict below 2");
    EXPECT_EQ(tables->find_at("host").error().message, there.error().message);
}

TEST_F(RunningView, AsksAgainWhenTheTablesChange) {
    // A look at the generation; three calls whose objects and site do not fit; three that do.
    tables_.changes = 2;
    const auto tables = open();
    ASSERT_TRUE(tables->find({"", "report", "", {}}));
    EXPECT_EQ(tables_.calls, 1 + 3 + 3);
    ASSERT_TRUE(tables->find({"", "twin", "", {}}));
    EXPECT_EQ(tables_.calls, 1 + 3 + 3 + 1);
    tables_.changes = 1000;
    expect_error("/dev/btf_extra: the tables keep changing: try again");
}

TEST_F(RunningView, Mismatches) {
    const std::string blob = root() + "/btf_extra/vmlinux";
    const std::string differs = blob + ": site 0 differs from the kernel's tables";
    tables_.objects[0].first_func_id = 7;
    expect_error(root() + "/btf/vmlinux: BTF: ends at type 7, but the types of vmlinux begin at 7");
    tables_.objects[0].first_func_id = 9;
    expect_error(root() + "/btf/vmlinux: BTF: ends at type 7, but the types of vmlinux begin at 9");
    tables_.objects[0].first_func_id = 8;
    const btf_extra_site good = tables_.sites[0];
    tables_.sites[0].number = 8;
    expect_error(differs);
    tables_.sites[0] = good;
    tables_.sites[0].loc_proto = 22;
    expect_error(differs);
    tables_.sites[0] = good;
    tables_.sites[0].site_class = BTF_EXTRA_CLASS_BODY;
    expect_error(differs);
    tables_.sites[0] = good;
    tables_.sites[0].object = 4;
    expect_error(differs);
    tables_.sites.clear();
    expect_error(differs);
    tables_.sites = {good};
    std::filesystem::remove(blob);
    expect_error(blob + ": open: No such file or directory");
}

// A module's types refer to its own BTF if their ids say so.
TEST_F(RunningView, ModuleWithItsOwnBtf) {
    test::BlobBuilder own = test::BlobBuilder::above(sample_.base);
    uint32_t proto = own.type("", BTF_KIND_FUNC_PROTO, 0, 0);                  // 8
    uint32_t func = own.type("probe", BTF_KIND_FUNC, BTF_FUNC_STATIC, proto);  // 9
    test::BlobBuilder types = test::BlobBuilder::above(own);
    types.type("", BTF_KIND_PTR, 0, 0);  // 10
    test::BlobBuilder locations = test::BlobBuilder::above(types);
    uint32_t none = locations.loc_proto({});  // 11
    locations.locsec("func.text", {{func, none, 0x10}});
    test::write_file(folder_.path("btf/mod"), own.bytes());
    test::write_file(folder_.path("btf_extra/mod"), locations.bytes(true));
    test::write_file(folder_.path("btf_extra/mod.types"), types.bytes());
    const std::shared_ptr<const BtfImage> vmlinux = *open_base_btf(root() + "/btf/vmlinux");
    auto view = open_running_view(make_object("mod", 5, 10), vmlinux, root());
    ASSERT_TRUE(view) << view.error().message;
    EXPECT_EQ((*view)->func_name(9), "probe");
    view = open_running_view(make_object("mod", 5, 8), vmlinux, root());
    ASSERT_FALSE(view);
    view = open_running_view(make_object("other", 5, 10), vmlinux, root());
    ASSERT_FALSE(view);
    EXPECT_EQ(view.error().message, root() + "/btf/other: open: No such file or directory");
}

// ---- symbols ----

TEST(Kallsyms, Texts) {
    auto symbols = Kallsyms::parse("0000000000000100 t local\n"
                                   "0000000000000100 W weak\n"
                                   "0000000000000100 T global\n"
                                   "0000000000000200 t b.isra.0\t[ext4]\n"
                                   "0000000000000200 t a\n"
                                   "0000000000000300 t a\n"
                                   "0000000000000000 A zero\n");
    ASSERT_TRUE(symbols);
    EXPECT_FALSE(symbols->hidden());
    struct Row {
        uint64_t address;
        const char *text;
    } rows[] = {{0, "zero+0x0"},        {0xff, "zero+0xff"}, {0x100, "global+0x0"},
                {0x1ff, "global+0xff"}, {0x200, "a+0x0"},    {UINT64_MAX, "a+0xfffffffffffffcff"}};
    for (const Row &row : rows)
        EXPECT_EQ(symbols->text({0, row.address}), row.text);
    EXPECT_EQ(symbols->places("a"), (std::vector<Place>{{0, 0x200}, {0, 0x300}}));
    EXPECT_EQ(symbols->places("b.isra.0"), (std::vector<Place>{{0, 0x200}}));
    EXPECT_TRUE(symbols->places("b").empty());
    EXPECT_EQ(symbols->at({0, 0x100}).size(), 3u);
    EXPECT_TRUE(symbols->at({0, 0x101}).empty());
}

TEST(Kallsyms, Hidden) {
    auto symbols = Kallsyms::parse("0000000000000000 T a\n0000000000000000 t b\t[m]\n");
    ASSERT_TRUE(symbols);
    EXPECT_TRUE(symbols->hidden());
    EXPECT_FALSE(symbols->text({0, 0x100}));
    EXPECT_TRUE(symbols->places("a").empty());
    EXPECT_TRUE(Kallsyms::parse("")->hidden());
}

TEST(Kallsyms, Malformed) {
    for (const char *text : {"x", "0 T a\nzz T b\n", "0 T\n", "0 T \n", "0T a\n", "10 Tt a\n"}) {
        auto symbols = Kallsyms::parse(text);
        ASSERT_FALSE(symbols) << text;
        EXPECT_TRUE(symbols.error().message.ends_with(": not an address, a type and a name"));
    }
    EXPECT_EQ(Kallsyms::parse("0 T a\nzz T b\n").error().message,
              "line 2: not an address, a type and a name");
    EXPECT_EQ(Kallsyms::load("/no/such/file").error().message,
              "/no/such/file: open: No such file or directory");
}

}  // namespace
}  // namespace btf_extra
