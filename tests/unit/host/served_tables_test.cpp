// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Tables go from one machine to another by way of a web server: `firmware --by-build-id` and
// `install --from`.
#include <cstdlib>
#include <filesystem>
#include <regex>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/file_server.h"
#include "tests/support/made_up_host.h"
#include "tests/support/module_build.h"
#include "userspace/format/elf_image.h"
#include "userspace/host/download.h"
#include "userspace/host/installation.h"
#include "userspace/host/served_tables.h"
#include "userspace/host/sha256.h"

namespace btf_extra::host {
namespace {

namespace fs = std::filesystem;
using test::FileServer;
using test::MadeUpHost;
using test::run_btf_extra;
using Texts = std::vector<std::string>;

constexpr char kRelease[] = "6.1.0-test";
constexpr char kTables[] = "/lib/firmware/btf_extra/6.1.0-test";

TEST(Sha256, KnownSums) {
    // The examples of FIPS 180.
    const struct {
        std::string_view text;
        const char *sum;
    } rows[] = {
        {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
    };
    for (const auto &row : rows) {
        const auto sum = sha256(std::as_bytes(std::span(row.text)));
        ASSERT_TRUE(sum) << sum.error().message;
        EXPECT_EQ(*sum, row.sum);
    }
}

TEST(ServedList, Parsed) {
    const std::string sum(64, 'a');
    const auto list =
        parse_served_list("L", "vmlinux 0a0b 12 " + sum + "\nxfs_2 0c 3 " + sum + "\n");
    ASSERT_TRUE(list) << list.error().message;
    EXPECT_EQ(*list,
              (std::vector<ServedObject>{{"vmlinux", "0a0b", 12, sum}, {"xfs_2", "0c", 3, sum}}));
    const auto message = [&](const std::string &text) {
        const auto parsed = parse_served_list("L", text);
        return parsed ? "parsed" : parsed.error().message;
    };
    EXPECT_EQ(message(""), "parsed");
    const std::string good = "a 0a 1 " + sum + "\n";
    EXPECT_EQ(message(good), "parsed");
    for (const std::string &bad :
         {std::string("a 0a 1"), "a 0a 1 " + sum + " more", "a 0a 1 " + sum + "b",
          "a 0a 1 " + std::string(64, 'G'), "a 0a -1 " + sum, "a 0a 1x " + sum, "a 0A 1 " + sum,
          "a 0a 4294967296 " + sum, "../a 0a 1 " + sum, "a/b 0a 1 " + sum, ". 0a 1 " + sum,
          std::string(56, 'n') + " 0a 1 " + sum, std::string("")})
        EXPECT_EQ(message(good + bad + "\n"), "L: line 2: not 'OBJECT BUILD-ID SIZE SHA-256'")
            << bad;
    EXPECT_EQ(message(good + good), "L: line 2: a is listed twice");
}

class Served : public testing::Test {
  protected:
    static void SetUpTestSuite() {
        built_ = std::make_unique<test::TemporaryFolder>();
        fs::create_directories(built_->path("modules"));
        test::build_kernel(built_->path("modules/vmlinux"), kRelease);
        for (const auto &[name, level] :
             {std::pair("some-one", "-O2"), std::pair("other", "-O1")}) {
            const std::string file = built_->path(std::string("modules/") + name + ".ko");
            test::build_module(file, {.level = level}, built_->path("modules/vmlinux"), kRelease);
            for (const char *unit : {".one.o", ".two.o"})
                fs::remove(file + unit);
        }
        kernel_id_ = id_of("vmlinux");
        plain_ = built_->path("plain");
        const auto plain = run_btf_extra({"firmware", "-o", plain_, built_->path("modules")});
        ASSERT_EQ(plain.exit_code, 0) << plain.err;
        served_ = built_->path("served");
        const auto made = run_btf_extra(
            {"firmware", "--by-build-id", served_, "--json", built_->path("modules")});
        ASSERT_EQ(made.exit_code, 0) << made.err;
        said_ = made.out;
    }
    static void TearDownTestSuite() { built_.reset(); }
    void SetUp() override {
        unsetenv("DEBUGINFOD_URLS");
        made_.write_notes("/sys/kernel/notes", kernel_id_);
    }

    static std::string id_of(const std::string &name) {
        const auto elf = ElfImage::open(built_->path("modules/" + name));
        return elf ? build_id_text(elf->build_id_note()) : "";
    }
    static std::string folder() { return served_ + "/" + kernel_id_; }
    static Texts names_in(const std::string &path) {
        Texts out;
        if (fs::exists(path))
            for (const auto &each : fs::directory_iterator(path))
                out.push_back(each.path().filename());
        std::ranges::sort(out);
        return out;
    }
    // The module is loaded, with the build-id of that file.
    void load(const Texts &names, const std::string &file = "some-one.ko") const {
        std::string text;
        for (const std::string &name : names) {
            text += name + " 1 0 - Live 0x0\n";
            made_.write_notes("/sys/module/" + name + "/notes/.note.gnu.build-id", id_of(file));
        }
        made_.write("/proc/modules", text);
    }
    Result<Installed> install(const std::string &url, const std::string &release = "") const {
        return install_tables(made_.host(), {.release = release, .from = url},
                              {.run = [](const std::vector<std::string> &, bool) -> Result<void> {
                                   return Error{"no package manager"};
                               },
                               .progress = nullptr,
                               .note = nullptr});
    }
    std::string install_error(const std::string &url) const {
        const auto done = install(url);
        return done ? "no error" : done.error().message;
    }
    Texts there() const { return names_in(made_.path(kTables)); }
    void expect_same(const std::string &name) const {
        EXPECT_EQ(test::read_file(made_.path(kTables) + "/" + name),
                  test::read_file(plain_ + "/" + name));
    }
    std::string path_of(const std::string &name) const { return "/" + kernel_id_ + "/" + name; }

    static inline std::unique_ptr<test::TemporaryFolder> built_;
    static inline std::string kernel_id_, plain_, served_, said_;
    MadeUpHost made_{kRelease};
};

const Texts kServed = {"checksums", "other.btf_extra.elf", "some_one.btf_extra.elf",
                       "vmlinux.btf_extra.elf"};

TEST_F(Served, ATree) {
    EXPECT_EQ(names_in(served_), Texts({kernel_id_}));
    EXPECT_EQ(names_in(folder()), kServed);
    // These programs share no code with ours.
    std::string expected;
    for (const auto &[name, file] :
         {std::pair("other", "other.ko"), std::pair("some_one", "some-one.ko"),
          std::pair("vmlinux", "vmlinux")}) {
        const std::string path = folder() + "/" + name + ".btf_extra.elf";
        const auto sum = test::run_command({"sha256sum", path});
        expected += std::string(name) + " " + id_of(file) + " " +
                    std::to_string(fs::file_size(path)) + " " + sum.out.substr(0, 64) + "\n";
        // A debuginfod asks for these of a file, and then gives the section.
        const auto about = test::run_command({"readelf", "-hnSW", path}).out;
        EXPECT_NE(about.find("DYN (Shared object file)"), about.npos) << about;
        EXPECT_NE(about.find("Build ID: " + id_of(file) + "\n"), about.npos) << about;
        EXPECT_TRUE(std::regex_search(about, std::regex("\\.btf_extra\\.file +PROGBITS .* A +0")))
            << about;
        test::must_run({"objcopy", "--dump-section", ".btf_extra.file=" + built_->path("dumped"),
                        path, built_->path("copied")});
        EXPECT_EQ(test::read_file(built_->path("dumped")),
                  test::read_file(plain_ + "/" + name + ".btf_extra"));
        // Older than any file of the kernel itself.
        EXPECT_EQ(test::run_command({"stat", "-c", "%Y", path}).out, "1\n");
    }
    EXPECT_EQ(test::read_file(folder() + "/checksums"), expected);
    const auto object = nlohmann::json::parse(said_, nullptr, false);
    EXPECT_EQ(object["folder"], folder());
    EXPECT_EQ(object["objects"], 3);

    const auto both = run_btf_extra({"firmware", "-o", plain_, "--by-build-id", plain_, "x"});
    EXPECT_EQ(both.exit_code, 2);
}

TEST_F(Served, NothingIsLeftOfWhatFails) {
    const std::string above = built_->path("failed");
    const auto failed = run_btf_extra({"firmware", "--by-build-id", above, built_->path("none")});
    test::expect_failed(failed, built_->path("none") + ": open: No such file or directory");
    EXPECT_FALSE(fs::exists(above));
}

// One file is too large for the disk, and it need not be the kernel's.
TEST_F(Served, ADiskThatIsFull) {
    std::string largest;
    for (const std::string &name : names_in(plain_))
        if (largest.empty() || fs::file_size(plain_ + "/" + name) > fs::file_size(largest))
            largest = plain_ + "/" + name;
    const std::string above = built_->path("full");
    const auto limit = std::to_string(fs::file_size(largest) - 1);
    const std::string command = std::string(std::getenv("BTF_EXTRA_BUILD")) + "/btf-extra";
    const auto failed =
        test::run_command({"env", "--ignore-signal=XFSZ", "prlimit", "--fsize=" + limit, command,
                           "firmware", "--by-build-id", above, built_->path("modules")});
    EXPECT_EQ(failed.exit_code, 1);
    EXPECT_TRUE(
        std::regex_match(failed.err, std::regex("btf-extra: " + above + "/\\.btf_extra\\..*/" +
                                                fs::path(largest).filename().string() +
                                                ": output: File too large\n")))
        << failed.err;
    EXPECT_FALSE(fs::exists(above));
}

TEST_F(Served, WhatFitsIsTaken) {
    FileServer server(served_);
    load({"some_one"});
    const auto first = install(server.url() + "//");
    ASSERT_TRUE(first) << first.error().message;
    EXPECT_TRUE(first->fresh);
    EXPECT_EQ(first->objects, 2u);
    EXPECT_EQ(there(), Texts({"manifest", "some_one.btf_extra", "vmlinux.btf_extra"}));
    expect_same("some_one.btf_extra");
    expect_same("vmlinux.btf_extra");
    EXPECT_EQ(test::read_file(made_.path(kTables) + "/manifest"),
              "some_one " + id_of("some-one.ko") + "\nvmlinux " + kernel_id_ + "\n");
    EXPECT_EQ(server.requests(), Texts({path_of("checksums"), path_of("some_one.btf_extra.elf"),
                                        path_of("vmlinux.btf_extra.elf")}));
    EXPECT_EQ(names_in(made_.path("/lib/firmware/btf_extra")), Texts({kRelease}));

    server.forget_requests();
    const auto second = install(server.url());
    ASSERT_TRUE(second) << second.error().message;
    EXPECT_FALSE(second->fresh);
    EXPECT_EQ(server.requests(), Texts({path_of("checksums")}));

    // A module that came later: what is there is not fetched again.
    server.forget_requests();
    load({"other", "some_one"});
    made_.write_notes("/sys/module/other/notes/.note.gnu.build-id", id_of("other.ko"));
    const auto third = install(server.url());
    ASSERT_TRUE(third) << third.error().message;
    EXPECT_TRUE(third->fresh);
    EXPECT_EQ(third->objects, 3u);
    EXPECT_EQ(server.requests(), Texts({path_of("checksums"), path_of("other.btf_extra.elf")}));
    EXPECT_EQ(there(),
              Texts({"manifest", "other.btf_extra", "some_one.btf_extra", "vmlinux.btf_extra"}));
    for (const std::string name : {"other", "some_one", "vmlinux"})
        expect_same(name + ".btf_extra");
    EXPECT_EQ(test::read_file(made_.path(kTables) + "/manifest"),
              test::read_file(plain_ + "/manifest"));
}

TEST_F(Served, AModuleOfAnotherBuildIsNotTaken) {
    FileServer server(served_);
    load({"some_one"}, "other.ko");
    const auto installed = install(server.url());
    ASSERT_TRUE(installed) << installed.error().message;
    EXPECT_EQ(there(), Texts({"manifest", "vmlinux.btf_extra"}));
}

TEST_F(Served, AKernelThatDoesNotRunGetsAll) {
    FileServer server(served_);
    made_.write("/boot/vmlinuz-6.1.0-next", test::read_file(built_->path("modules/vmlinux")));
    made_.write_notes("/sys/kernel/notes", "0a0b");
    const auto installed = install(server.url(), "6.1.0-next");
    ASSERT_TRUE(installed) << installed.error().message;
    EXPECT_EQ(installed->objects, 3u);
    EXPECT_EQ(names_in(made_.path("/lib/firmware/btf_extra")), Texts({"6.1.0-next"}));
    const auto unknown = install(server.url(), "6.1.0-none");
    ASSERT_FALSE(unknown);
    EXPECT_EQ(unknown.error().message, "the build-id of 6.1.0-none is not known");
}

TEST_F(Served, GoesOnWhereItWasCutOff) {
    FileServer server(served_);
    const uint64_t size = fs::file_size(folder() + "/vmlinux.btf_extra.elf");
    server.cut_after = 3000;
    ASSERT_GT(size, 3000u);
    ASSERT_LT(fs::file_size(folder() + "/checksums"), 3000u);
    const auto installed = install(server.url());
    ASSERT_TRUE(installed) << installed.error().message;
    expect_same("vmlinux.btf_extra");
    Texts expected = {path_of("checksums"), path_of("vmlinux.btf_extra.elf")};
    for (uint64_t from = 3000; from < size; from += 3000)
        expected.push_back(path_of("vmlinux.btf_extra.elf") + " from " + std::to_string(from));
    EXPECT_EQ(server.requests(), expected);
}

TEST_F(Served, BeginsAnewWhereTheServerKnowsNoRanges) {
    FileServer server(served_);
    server.cut_after = 3000;
    server.cuts = 1;
    server.knows_ranges = false;
    const auto installed = install(server.url());
    ASSERT_TRUE(installed) << installed.error().message;
    expect_same("vmlinux.btf_extra");
    EXPECT_EQ(server.requests(), Texts({path_of("checksums"), path_of("vmlinux.btf_extra.elf"),
                                        path_of("vmlinux.btf_extra.elf") + " from 3000",
                                        path_of("vmlinux.btf_extra.elf")}));
}

TEST_F(Served, FollowsWhereItIsSent) {
    FileServer server(served_), front(served_);
    front.moved_to = server.url();
    const auto installed = install(front.url());
    ASSERT_TRUE(installed) << installed.error().message;
    expect_same("vmlinux.btf_extra");
    EXPECT_EQ(front.requests(), server.requests());

    made_.remove("/lib");
    const std::string list = front.url() + path_of("checksums") + ": ";
    front.moved_to = "file://" + served_;
    EXPECT_TRUE(install_error(front.url()).starts_with(list + "Protocol \"file\" "));
    front.moved_to = front.url();
    EXPECT_EQ(install_error(front.url()), list + "Maximum (5) redirects followed");
    EXPECT_FALSE(fs::exists(made_.path("/lib")));
}

TEST_F(Served, GivesUp) {
    FileServer server(served_);
    server.cut_after = 3000;
    server.knows_ranges = false;
    const std::string url = server.url() + path_of("vmlinux.btf_extra.elf");
    const std::string size = std::to_string(fs::file_size(folder() + "/vmlinux.btf_extra.elf"));
    const std::string error = install_error(server.url());
    EXPECT_TRUE(error.starts_with(url + ": still cut off after ")) << error;
    EXPECT_TRUE(error.ends_with(" of " + size + " bytes")) << error;
    EXPECT_FALSE(fs::exists(made_.path("/lib")));
}

// A copy of the tree, with something changed in it.
TEST_F(Served, WhatDoesNotFitIsRefused) {
    const std::string copy = made_.path("/copy");
    const std::string list = copy + path_of("checksums"), file = path_of("vmlinux.btf_extra.elf");
    FileServer server(copy);
    const auto renew = [&] {
        fs::remove_all(copy);
        fs::copy(served_, copy, fs::copy_options::recursive);
    };
    const auto expect_refused = [&](const std::string &message) {
        EXPECT_EQ(install_error(server.url()), message);
        EXPECT_FALSE(fs::exists(made_.path("/lib")));
    };
    const auto replace = [](const std::string &path, const std::string &from,
                            const std::string &to) {
        std::string text = test::read_file(path);
        ASSERT_NE(text.find(from), text.npos);
        test::write_file(path, text.replace(text.find(from), from.size(), to));
    };
    renew();
    std::string bytes = test::read_file(copy + file);
    const std::string size = std::to_string(bytes.size());
    const std::string sum = test::run_command({"sha256sum", copy + file}).out.substr(0, 64);

    bytes.back() ^= 1;
    test::write_file(copy + file, bytes);
    const std::string other = test::run_command({"sha256sum", copy + file}).out.substr(0, 64);
    expect_refused(server.url() + file + ": SHA-256 is " + other + ", not " + sum);

    renew();
    test::write_file(copy + file, bytes.substr(0, bytes.size() - 1));
    expect_refused(server.url() + file + ": " + std::to_string(bytes.size() - 1) + " bytes of " +
                   size);
    test::write_file(copy + file, bytes + "x");
    expect_refused(server.url() + file + ": more than " + size + " bytes");

    // The sums fit, but the file does not: it is a module's, or carries nothing, or half.
    const auto replace_file = [&](const std::string &with) {
        renew();
        test::write_file(copy + file, test::read_file(with));
        const auto there = test::run_command({"sha256sum", copy + file}).out.substr(0, 64);
        replace(list, size + " " + sum, std::to_string(fs::file_size(with)) + " " + there);
    };
    replace_file(folder() + "/other.btf_extra.elf");
    expect_refused(server.url() + file + ": for build-id " + id_of("other.ko") + ", not " +
                   kernel_id_);
    replace_file(plain_ + "/vmlinux.btf_extra");
    expect_refused(server.url() + file + ": .btf_extra.file: not there");
    test::write_file(built_->path("half"),
                     test::read_file(plain_ + "/vmlinux.btf_extra").substr(0, 1000));
    test::must_run({"objcopy", "--update-section", ".btf_extra.file=" + built_->path("half"),
                    folder() + "/vmlinux.btf_extra.elf", built_->path("copied")});
    replace_file(built_->path("copied"));
    const std::string half = install_error(server.url());
    EXPECT_TRUE(half.starts_with(server.url() + file + ": ")) << half;
    EXPECT_FALSE(fs::exists(made_.path("/lib")));

    renew();
    replace(list, "vmlinux " + kernel_id_, "vmlinux 0a0b");
    expect_refused(server.url() + path_of("checksums") + ": no vmlinux with build-id " +
                   kernel_id_ + " in it");
    replace(list, "vmlinux 0a0b", "vmlinux");
    expect_refused(server.url() + path_of("checksums") +
                   ": line 3: not 'OBJECT BUILD-ID SIZE SHA-256'");
    fs::remove(list);
    expect_refused(server.url() + path_of("checksums") +
                   ": no tables of 6.1.0-test with build-id " + kernel_id_ + " there");

    renew();
    fs::remove(copy + file);
    expect_refused(server.url() + file + ": The requested URL returned error: 404");
}

// A debuginfod is stood for by files: it gives a section by the build-id.
TEST_F(Served, FromDebuginfod) {
    const std::string cache = made_.path("/cache");
    setenv("DEBUGINFOD_URLS", ("file://" + made_.path("/server")).c_str(), 1);
    setenv("DEBUGINFOD_CACHE_PATH", cache.c_str(), 1);
    const auto serve = [&](const std::string &file, const std::string &name) {
        // The library keeps in mind for a while what was not there.
        fs::remove_all(cache);
        made_.write("/server/buildid/" + id_of(file) + "/section/.btf_extra.file",
                    test::read_file(plain_ + "/" + name));
    };
    load({"other", "some_one"});
    made_.write_notes("/sys/module/other/notes/.note.gnu.build-id", id_of("other.ko"));
    // Tables of a module are of no use without the kernel's.
    serve("some-one.ko", "some_one.btf_extra");
    EXPECT_TRUE(install_error("").starts_with("no debug information of 6.1.0-test is installed; "
                                              "debuginfod: vmlinux of build-id " +
                                              kernel_id_ + ": "));
    EXPECT_FALSE(fs::exists(made_.path("/lib")));
    serve("vmlinux", "other.btf_extra");
    const std::string wrong = install_error("");
    EXPECT_TRUE(wrong.starts_with(cache)) << wrong;
    EXPECT_TRUE(wrong.ends_with(": for build-id " + id_of("other.ko") + ", not " + kernel_id_))
        << wrong;
    EXPECT_FALSE(fs::exists(made_.path("/lib")));

    serve("vmlinux", "vmlinux.btf_extra");
    const auto first = install("");
    ASSERT_TRUE(first) << first.error().message;
    EXPECT_TRUE(first->fresh);
    EXPECT_EQ(there(), Texts({"manifest", "some_one.btf_extra", "vmlinux.btf_extra"}));
    expect_same("some_one.btf_extra");
    expect_same("vmlinux.btf_extra");
    const auto second = install("");
    ASSERT_TRUE(second) << second.error().message;
    EXPECT_FALSE(second->fresh);
    // Now another module's tables exist, and nothing else is requested.
    serve("other.ko", "other.btf_extra");
    fs::remove_all(made_.path("/server/buildid/" + kernel_id_));
    const auto third = install("");
    ASSERT_TRUE(third) << third.error().message;
    EXPECT_TRUE(third->fresh);
    EXPECT_EQ(there(),
              Texts({"manifest", "other.btf_extra", "some_one.btf_extra", "vmlinux.btf_extra"}));
    EXPECT_EQ(test::read_file(made_.path(kTables) + "/manifest"),
              test::read_file(plain_ + "/manifest"));
    fs::remove_all(made_.path("/server"));
    const auto fourth = install("");
    ASSERT_TRUE(fourth) << fourth.error().message;
    EXPECT_FALSE(fourth->fresh);
    // Nor is anything asked for where tables have another place.
    load({"some_one"}, "other.ko");
    fs::create_directories(made_.path("/lib/firmware/updates/btf_extra"));
    fs::rename(made_.path(kTables), made_.path("/lib/firmware/updates/btf_extra/6.1.0-test"));
    const auto fifth = install("");
    ASSERT_TRUE(fifth) << fifth.error().message;
    EXPECT_FALSE(fifth->fresh);
}

TEST_F(Served, NoServer) {
    std::string url;
    {
        const FileServer gone(served_);
        url = gone.url();
    }
    const std::string error = install_error(url);
    EXPECT_TRUE(error.starts_with(url + path_of("checksums") + ": Failed to connect")) << error;
    EXPECT_TRUE(install_error("file://" + served_)
                    .starts_with("file://" + folder() + "/checksums: Protocol \"file\" "));
    EXPECT_FALSE(fs::exists(made_.path("/lib")));
}

// The step of userspace/examples/audit.yml, in a repository that has what the step names.
TEST_F(Served, AuditRecipe) {
    const std::string tree = built_->path("audited"), work = built_->path("work");
    const auto made = run_btf_extra({"firmware", "--by-build-id", tree, "--kernel-files",
                                     "--vmlinux", built_->path("modules/vmlinux")});
    ASSERT_EQ(made.exit_code, 0) << made.err;
    const std::string source = getenv("BTF_EXTRA_SOURCE"), build = getenv("BTF_EXTRA_BUILD");
    fs::create_directories(work + "/ci");
    fs::copy_file(source + "/userspace/examples/audit.sh", work + "/ci/audit.sh");
    test::write_file(work + "/ci/kernels", "# build-id, release\n" + kernel_id_ + " 6.1\n");
    const auto step = test::run_command(
        {"sed", "-n", "s/^ *- run: \\(ci\\/\\)/\\1/p", source + "/userspace/examples/audit.yml"});
    FileServer server(tree);
    const auto run = [&](const std::string &script) {
        test::write_file(work + "/tool.bt", script);
        return test::run_command({"env", "-C", work, "PATH=" + build + ":" + getenv("PATH"),
                                  "TABLES=" + server.url(), "TOOL=tool.bt", "TABLES_CACHE=.tables",
                                  "sh", "-c", step.out});
    };
    auto result = run("kprobe:deep { @++; }\nkprobe:leaf { @++; }\n");
    EXPECT_EQ(result.err, "");
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_EQ(result.out.substr(0, result.out.find("\n\n")), "             6.1.0-test\n"
                                                             "kprobe:deep  whole\n"
                                                             "kprobe:leaf  inlined");
    EXPECT_EQ(server.requests(), Texts({path_of("vmlinux.btf_extra.elf"), path_of("vmlinux.btf"),
                                        path_of("System.map"), path_of("version")}));
    server.forget_requests();
    result = run("kprobe:deep { @++; }\n");
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(server.requests(), Texts());
    // A kernel that the server does not have.
    test::write_file(work + "/ci/kernels", "0123\n");
    result = run("kprobe:deep { @++; }\n");
    EXPECT_EQ(result.exit_code, 22);
    EXPECT_NE(result.err.find("404"), result.err.npos) << result.err;
}

}  // namespace
}  // namespace btf_extra::host
