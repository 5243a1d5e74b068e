// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// `install` and `uninstall` on a machine that is made up: what is put where, which programs run,
// and that nothing half stays.
#include <csignal>
#include <cstdlib>
#include <filesystem>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tests/support/made_up_host.h"
#include "tests/support/module_build.h"
#include "userspace/format/elf_image.h"
#include "userspace/host/installation.h"
#include "userspace/host/program_run.h"
#include "userspace/host/staged_folder.h"

namespace btf_extra::host {
namespace {

namespace fs = std::filesystem;
using test::MadeUpHost;
using Texts = std::vector<std::string>;

constexpr char kRelease[] = "6.1.0-test";
constexpr char kFirmware[] = "/lib/firmware/btf_extra";
constexpr char kTables[] = "/lib/firmware/btf_extra/6.1.0-test";
constexpr char kVmlinux[] = "/usr/lib/debug/boot/vmlinux-6.1.0-test";
constexpr char kModule[] = "/usr/lib/debug/lib/modules/6.1.0-test/kernel/some-one.ko";
constexpr char kRefused[] = "modprobe: ERROR: could not insert 'btf_extra': ";

// All names below a folder, hidden ones as well, sorted.
Texts names_below(const std::string &folder) {
    Texts out;
    if (fs::exists(folder))
        for (const auto &each : fs::recursive_directory_iterator(folder))
            out.push_back(fs::relative(each.path(), folder));
    std::ranges::sort(out);
    return out;
}

class Installation : public testing::Test {
  protected:
    static void SetUpTestSuite() {
        built_ = std::make_unique<test::TemporaryFolder>();
        test::build_kernel(built_->path("vmlinux"), kRelease);
        test::build_module(built_->path("some-one.ko"), {}, built_->path("vmlinux"), kRelease);
        kernel_id_ = id_of("vmlinux");
        module_id_ = id_of("some-one.ko");
    }
    static void TearDownTestSuite() { built_.reset(); }
    void SetUp() override {
        unsetenv("DEBUGINFOD_URLS");
        made_.write_notes("/sys/kernel/notes", kernel_id_);
    }

    static std::string id_of(const std::string &name) {
        const auto elf = ElfImage::open(built_->path(name));
        return elf ? build_id_text(elf->build_id_note()) : "";
    }

    void add(const std::string &name, std::string_view target) const {
        made_.write(target, test::read_file(built_->path(name)));
    }
    void add_debug_package() const {
        add("vmlinux", kVmlinux);
        add("some-one.ko", kModule);
    }

    InstallTools tools() {
        return {.run = [this](const Texts &arguments, bool) -> Result<void> {
                    std::string line;
                    for (const std::string &each : arguments)
                        line += (line.empty() ? "" : " ") + each;
                    ran_.push_back(line);
                    if (on_run_)
                        return on_run_(line);
                    return {};
                },
                .progress = on_progress_,
                .note = [this](const std::string &line) { notes_.push_back(line); }};
    }
    Result<Installed> install(const InstallOptions &options = {}) {
        return install_tables(made_.host(), options, tools());
    }
    // The error, with ROOT for the root of the tree.
    std::string error_of(const std::string &message) const {
        std::string out = message;
        for (size_t at; (at = out.find(made_.host().root)) != out.npos;)
            out.replace(at, made_.host().root.size(), "ROOT");
        return out;
    }
    std::string install_error(const InstallOptions &options = {}) {
        const auto done = install(options);
        return done ? "no error" : error_of(done.error().message);
    }
    Texts there() const { return names_below(made_.path("/lib/firmware")); }

    static inline std::unique_ptr<test::TemporaryFolder> built_;
    static inline std::string kernel_id_, module_id_;
    MadeUpHost made_{kRelease};
    Texts ran_, notes_;
    std::function<Result<void>(const std::string &line)> on_run_;
    ShowProgress on_progress_;
};

const Texts kAll = {"btf_extra", "btf_extra/6.1.0-test", "btf_extra/6.1.0-test/manifest",
                    "btf_extra/6.1.0-test/some_one.btf_extra",
                    "btf_extra/6.1.0-test/vmlinux.btf_extra"};

TEST_F(Installation, FromAPackage) {
    add_debug_package();
    const auto first = install();
    ASSERT_TRUE(first) << first.error().message;
    EXPECT_EQ(first->folder, made_.path(kTables));
    EXPECT_TRUE(first->fresh);
    EXPECT_EQ(first->objects, 2u);
    EXPECT_EQ(first->bytes, fs::file_size(made_.path(kTables) + "/some_one.btf_extra") +
                                fs::file_size(made_.path(kTables) + "/vmlinux.btf_extra"));
    EXPECT_EQ(there(), kAll);
    EXPECT_EQ(test::read_file(made_.path(kTables) + "/manifest"),
              "some_one " + module_id_ + "\nvmlinux " + kernel_id_ + "\n");
    // The file has the lines of the source.
    const auto file = ElfImage::open(made_.path(kTables) + "/vmlinux.btf_extra");
    ASSERT_TRUE(file);
    EXPECT_NE(file->find(".btf_extra.lines"), nullptr);
    // Others may read it.
    EXPECT_EQ(fs::status(made_.path(kTables)).permissions() & fs::perms::others_all,
              fs::perms::others_read | fs::perms::others_exec);

    // A second run does nothing, and needs nothing.
    made_.remove("/usr");
    const auto second = install();
    ASSERT_TRUE(second) << second.error().message;
    EXPECT_FALSE(second->fresh);
    EXPECT_EQ(second->bytes, first->bytes);
    EXPECT_EQ(ran_, Texts());
    EXPECT_EQ(notes_, Texts());
}

TEST_F(Installation, WhatIsNotWholeIsMadeAnew) {
    add_debug_package();
    ASSERT_TRUE(install());
    made_.remove(std::string(kTables) + "/some_one.btf_extra");
    made_.write(std::string(kTables) + "/stale.btf_extra", "");
    auto again = install();
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_TRUE(again->fresh);
    EXPECT_EQ(there(), kAll);
    made_.remove(std::string(kTables) + "/manifest");
    again = install();
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_TRUE(again->fresh);
    EXPECT_EQ(there(), kAll);
    // Old tables stay where new ones cannot be made.
    made_.write_notes("/sys/kernel/notes", "0a0b");
    EXPECT_EQ(install_error(), std::string("ROOT") + kVmlinux + ": of another build: build-id " +
                                   kernel_id_ +
                                   ", but that of 6.1.0-test is 0a0b: apt-get install "
                                   "linux-image-6.1.0-test-dbg, or use --yes");
    EXPECT_EQ(there(), kAll);
}

TEST_F(Installation, AnUpdateFolderThatIsStale) {
    add_debug_package();
    ASSERT_TRUE(install());
    fs::create_directories(made_.path("/lib/firmware/updates/btf_extra"));
    fs::rename(made_.path(kTables), made_.path("/lib/firmware/updates/btf_extra/6.1.0-test"));
    const auto installed = install();
    ASSERT_TRUE(installed) << installed.error().message;
    EXPECT_FALSE(installed->fresh);
    made_.remove("/lib/firmware/updates/btf_extra/6.1.0-test/manifest");
    EXPECT_EQ(install_error(), "ROOT/lib/firmware/updates/btf_extra/6.1.0-test: hides the "
                               "new tables; remove it");
}

TEST_F(Installation, WithoutDebugInformation) {
    EXPECT_EQ(install_error(), "no debug information of 6.1.0-test is installed: apt-get install "
                               "linux-image-6.1.0-test-dbg, or use --yes");
    EXPECT_EQ(names_below(made_.path("/lib")), Texts());
    EXPECT_EQ(install_error({.release = "5.9-other"}),
              "no debug information of 5.9-other is installed: apt-get install "
              "linux-image-5.9-other-dbg, or use --yes");
    EXPECT_EQ(install_error({.release = "../x"}),
              "'../x' is not a kernel release as uname -r prints it");
    EXPECT_EQ(ran_, Texts({"apt-cache show linux-image-6.1.0-test-dbg",
                           "apt-cache show linux-image-5.9-other-dbg"}));

    ran_.clear();
    on_run_ = [this](const std::string &line) -> Result<void> {
        if (line.starts_with("apt-get"))
            add_debug_package();
        return {};
    };
    const auto installed = install({.run_apt = true});
    ASSERT_TRUE(installed) << installed.error().message;
    EXPECT_EQ(ran_, Texts({"apt-cache show linux-image-6.1.0-test-dbg",
                           "apt-get install -y linux-image-6.1.0-test-dbg"}));
    EXPECT_EQ(notes_, Texts({"apt-get install linux-image-6.1.0-test-dbg"}));
    EXPECT_EQ(there(), kAll);
}

// Only packages that apt knows are named.
TEST_F(Installation, Packages) {
    const struct {
        const char *known, *advice;
    } rows[] = {
        {"linux-image-6.1.0-test-dbg", "apt-get install linux-image-6.1.0-test-dbg, or use --yes"},
        {"linux-image-unsigned-6.1.0-test-dbgsym",
         "apt-get install linux-image-unsigned-6.1.0-test-dbgsym, or use --yes"},
        {"linux-image-6.1.0-test-dbgsym",
         "apt-get install linux-image-6.1.0-test-dbgsym, or use --yes"},
        {"none", "apt knows no package with it; install the kernel's vmlinux with DWARF, set "
                 "DEBUGINFOD_URLS, or take tables by --from"},
    };
    for (const auto &row : rows) {
        on_run_ = [&](const std::string &line) -> Result<void> {
            if (line == std::string("apt-cache show ") + row.known)
                return {};
            return Error{"E: No packages found"};
        };
        EXPECT_EQ(install_error(),
                  std::string("no debug information of 6.1.0-test is installed: ") + row.advice);
    }
}

TEST_F(Installation, APackageThatCannotBeHad) {
    on_run_ = [](const std::string &line) -> Result<void> {
        if (line.starts_with("apt-cache show "))
            return {};
        return Error{"apt-get: exit code 100"};
    };
    EXPECT_EQ(install_error({.run_apt = true}), "apt-get: exit code 100");
    EXPECT_EQ(names_below(made_.path("/lib")), Texts());
}

TEST_F(Installation, FromDebuginfod) {
    const std::string server = made_.path("/served"), cache = made_.path("/cache");
    setenv("DEBUGINFOD_URLS", ("file://" + server).c_str(), 1);
    setenv("DEBUGINFOD_CACHE_PATH", cache.c_str(), 1);
    const std::string missing = "debuginfod: vmlinux of build-id " + kernel_id_ + ": ";
    EXPECT_TRUE(
        install_error().starts_with("no debug information of 6.1.0-test is installed; " + missing));
    EXPECT_EQ(names_below(made_.path("/lib")), Texts());

    // It keeps in mind for a while what a server has not had.
    fs::remove_all(cache);
    const std::string file = "/debuginfo", id = "0102030405060708090a0b0c0d0e0f1011121314";
    add("some-one.ko", "/served/buildid/" + kernel_id_ + file);
    const std::string wrong = install_error();
    EXPECT_NE(wrong.find(missing), wrong.npos) << wrong;
    EXPECT_NE(wrong.find(" has build-id " + module_id_ + ": apt-get "), wrong.npos) << wrong;
    EXPECT_EQ(names_below(made_.path("/lib")), Texts());

    fs::remove_all(cache);
    add("vmlinux", "/served/buildid/" + kernel_id_ + file);
    add("some-one.ko", "/served/buildid/" + module_id_ + file);
    add("some-one.ko", "/served/buildid/" + id + file);
    made_.write("/proc/modules", "some_one 1 0 - Live 0x0\nother 1 0 - Live 0x0\n"
                                 "third 1 0 - Live 0x0\nwithout_id 1 0 - Live 0x0\n");
    made_.write_notes("/sys/module/some_one/notes/.note.gnu.build-id", module_id_);
    made_.write_notes("/sys/module/other/notes/.note.gnu.build-id", id);
    made_.write_notes("/sys/module/third/notes/.note.gnu.build-id", id.substr(2) + "15");
    const auto installed = install();
    ASSERT_TRUE(installed) << installed.error().message;
    EXPECT_EQ(installed->objects, 2u);
    EXPECT_EQ(there(), kAll);
    EXPECT_EQ(notes_,
              Texts({"debuginfod has no tables of these modules: other, third, without_id"}));
}

TEST_F(Installation, AnotherRelease) {
    fs::create_directories(made_.path("/usr/lib/debug/boot"));
    test::build_kernel(made_.path("/usr/lib/debug/boot/vmlinux-6.6-other"), "6.6-wrong");
    EXPECT_EQ(install_error({.release = "6.6-other"}),
              "ROOT/usr/lib/debug/boot/vmlinux-6.6-other: of 6.6-wrong, not of 6.6-other");
    EXPECT_EQ(names_below(made_.path("/lib")), Texts());
    test::build_kernel(made_.path("/usr/lib/debug/boot/vmlinux-6.6-other"), "6.6-other");
    const auto installed = install({.release = "6.6-other"});
    ASSERT_TRUE(installed) << installed.error().message;
    EXPECT_EQ(there(), Texts({"btf_extra", "btf_extra/6.6-other", "btf_extra/6.6-other/manifest",
                              "btf_extra/6.6-other/vmlinux.btf_extra"}));

    // It does not run: only its debug information tells that it was updated under its name.
    const auto again = install({.release = "6.6-other"});
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_FALSE(again->fresh);
    test::build_kernel(made_.path("/usr/lib/debug/boot/vmlinux-6.6-other"), "6.6-other update");
    const auto updated = install({.release = "6.6-other"});
    ASSERT_TRUE(updated) << updated.error().message;
    EXPECT_TRUE(updated->fresh);
}

TEST_F(Installation, ADiskThatIsFull) {
    add_debug_package();
    std::signal(SIGXFSZ, SIG_IGN);
    rlimit before = {};
    getrlimit(RLIMIT_FSIZE, &before);
    rlimit small = before;
    small.rlim_cur = 1000;
    setrlimit(RLIMIT_FSIZE, &small);
    const std::string error = install_error();
    setrlimit(RLIMIT_FSIZE, &before);
    EXPECT_TRUE(error.starts_with("ROOT/lib/firmware/btf_extra/.btf_extra.")) << error;
    EXPECT_TRUE(error.ends_with("/some_one.btf_extra: output: File too large")) << error;
    EXPECT_EQ(names_below(made_.path("/lib")), Texts());
}

TEST_F(Installation, AFolderThatMayNotBeMade) {
    add_debug_package();
    made_.write("/lib/firmware", "a file");
    EXPECT_EQ(install_error(), "ROOT/lib/firmware/btf_extra: output: Not a directory");
    EXPECT_EQ(test::read_file(made_.path("/lib/firmware")), "a file");
}

TEST_F(Installation, NoMoreFiles) {
    // None for the signals; one too few for the lock.
    for (const auto &[more, reason] :
         {std::pair(0, "a thread for signals"), std::pair(2, "open")}) {
        const int next = open("/dev/null", O_RDONLY);
        close(next);
        rlimit before = {};
        getrlimit(RLIMIT_NOFILE, &before);
        rlimit small = before;
        small.rlim_cur = static_cast<rlim_t>(next + more);
        setrlimit(RLIMIT_NOFILE, &small);
        const std::string error = install_error();
        setrlimit(RLIMIT_NOFILE, &before);
        EXPECT_EQ(error,
                  std::string("ROOT/lib/firmware/btf_extra: ") + reason + ": Too many open files");
        EXPECT_EQ(names_below(made_.path("/lib")), Texts());
    }
}

TEST_F(Installation, ALinkInTheWay) {
    add_debug_package();
    fs::create_directories(made_.path(kFirmware));
    fs::create_symlink("nowhere", made_.path(kTables));
    ASSERT_TRUE(install());
    EXPECT_EQ(there(), kAll);
    fs::rename(made_.path(kTables), made_.path("/elsewhere"));
    fs::create_symlink(made_.path("/elsewhere"), made_.path(kTables));
    const auto removed = uninstall_tables(made_.host(), "", tools());
    EXPECT_TRUE(removed) << removed.error().message;
    EXPECT_EQ(there(), Texts());
    EXPECT_TRUE(fs::exists(made_.path("/elsewhere/manifest")));
}

TEST_F(Installation, AnotherAtWork) {
    add_debug_package();
    fs::create_directories(made_.path(kFirmware));
    const int other = open(made_.path(kFirmware).c_str(), O_RDONLY | O_DIRECTORY);
    ASSERT_EQ(flock(other, LOCK_EX), 0);
    EXPECT_EQ(install_error(), "ROOT/lib/firmware/btf_extra: another btf-extra is writing to it; "
                               "wait until it is done");
    close(other);
    EXPECT_TRUE(install());
}

// The process ends by the signal, as if it had no thread that waits for it.
TEST_F(Installation, CtrlCLeavesNothingHalf) {
    // A shell has its background jobs ignore some of them, and so would the test.
    for (const int signal : {SIGINT, SIGTERM, SIGHUP})
        std::signal(signal, SIG_DFL);
    add_debug_package();
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        on_progress_ = [&](const Progress &) {
            kill(getpid(), signal);
            sleep(60);
        };
        EXPECT_EXIT((void)install(), testing::KilledBySignal(signal), "");
        EXPECT_EQ(names_below(made_.path("/lib")), Texts());
    }
    // The earlier files stay.
    on_progress_ = nullptr;
    ASSERT_TRUE(install());
    made_.remove(std::string(kTables) + "/manifest");
    const Texts before = there();
    on_progress_ = [](const Progress &) {
        kill(getpid(), SIGINT);
        sleep(60);
    };
    EXPECT_EXIT((void)install(), testing::KilledBySignal(SIGINT), "");
    EXPECT_EQ(there(), before);
}

TEST_F(Installation, WhatAKilledProcessLeftIsRemoved) {
    add_debug_package();
    const std::string half = "/lib/firmware/btf_extra/.btf_extra.abcdef/vmlinux.btf_extra";
    made_.write(half, "half");
    ASSERT_TRUE(install());
    EXPECT_EQ(there(), kAll);
    made_.write(half, "half");
    ASSERT_TRUE(uninstall_tables(made_.host(), "", tools()));
    EXPECT_EQ(there(), Texts());
}

TEST_F(Installation, TheModuleIsLoaded) {
    const auto load = [&](bool fresh) {
        ran_.clear();
        notes_.clear();
        const auto done = load_module(made_.host(), fresh, tools());
        return done ? "" : done.error().message;
    };
    EXPECT_EQ(load(true), "");
    EXPECT_EQ(ran_, Texts());
    ASSERT_EQ(notes_.size(), 1u);
    EXPECT_EQ(error_of(notes_[0]),
              "ROOT/lib/modules/6.1.0-test: no btf_extra.ko: trace uses perf kprobes");
    made_.write("/lib/modules/6.1.0-test/updates/dkms/btf_extra.ko.xz", "");
    EXPECT_EQ(load(false), "");
    EXPECT_EQ(ran_, Texts({"modprobe btf_extra"}));
    EXPECT_EQ(notes_, Texts());

    // Tables are read when it is loaded.
    made_.write("/sys/module/btf_extra/version", "1.0\n");
    EXPECT_EQ(load(false), "");
    EXPECT_EQ(ran_, Texts({"rmmod btf_extra", "modprobe btf_extra"}));
    made_.write("/sys/kernel/btf_extra/vmlinux", "");
    EXPECT_EQ(load(false), "");
    EXPECT_EQ(ran_, Texts());
    EXPECT_EQ(load(true), "");
    EXPECT_EQ(ran_, Texts({"rmmod btf_extra", "modprobe btf_extra"}));
    made_.write("/sys/module/btf_extra_vmlinux/version", "1.0\n");
    EXPECT_EQ(load(true), "");
    EXPECT_EQ(ran_, Texts({"rmmod btf_extra_vmlinux", "rmmod btf_extra", "modprobe btf_extra"}));
    on_run_ = [](const std::string &line) -> Result<void> {
        if (line == "rmmod btf_extra")
            return Error{"rmmod btf_extra: in use"};
        return {};
    };
    EXPECT_EQ(load(true), "");
    EXPECT_EQ(ran_, Texts({"rmmod btf_extra_vmlinux", "rmmod btf_extra"}));
    EXPECT_EQ(notes_, Texts({"rmmod btf_extra: in use; it reads the tables when it is loaded the "
                             "next time"}));

    made_.remove("/sys/module");
    for (const auto &[reason, advised] :
         {std::pair("Key was rejected by service", true),
          std::pair("Required key not available", true), std::pair("Operation not permitted", true),
          std::pair("Exec format error", false)}) {
        const std::string message = std::string(kRefused) + reason;
        on_run_ = [&](const std::string &) -> Result<void> { return Error{message}; };
        EXPECT_EQ(load(true), message + (advised ? "; let the kernel trust the key that DKMS signs "
                                                   "with: mokutil --import /var/lib/dkms/mok.pub"
                                                 : ""));
    }
}

TEST_F(Installation, Uninstalled) {
    const auto uninstall = [&](const std::string &release) {
        ran_.clear();
        const auto done = uninstall_tables(made_.host(), release, tools());
        return error_of(done ? *done : done.error().message);
    };
    EXPECT_EQ(uninstall(""), "");
    add_debug_package();
    ASSERT_TRUE(install());
    made_.write(std::string(kFirmware) + "/6.6-other/manifest", "");
    EXPECT_EQ(uninstall("6.6-other"), "ROOT/lib/firmware/btf_extra/6.6-other");
    EXPECT_EQ(there(), kAll);
    EXPECT_EQ(ran_, Texts());
    made_.write("/sys/module/btf_extra/version", "1.0\n");
    EXPECT_EQ(uninstall(""), std::string("ROOT") + kTables);
    EXPECT_EQ(ran_, Texts({"rmmod btf_extra"}));
    EXPECT_EQ(there(), Texts());
    EXPECT_EQ(uninstall(kRelease), "");
    EXPECT_EQ(ran_, Texts());
    EXPECT_EQ(uninstall("a/b"), "'a/b' is not a kernel release as uname -r prints it");
}

TEST(InstallCommand, WrongUse) {
    for (const char *command : {"install", "uninstall"})
        test::expect_failed(test::run_btf_extra({command, "a/b"}),
                            "'a/b' is not a kernel release as uname -r prints it");
    EXPECT_EQ(test::run_btf_extra({"install", "--yes", "--from", "http://127.0.0.1"}).exit_code, 2);
}

TEST(ProgramRun, Errors) {
    const auto run = [](const Texts &arguments) {
        const auto done = run_program(arguments, true);
        return done ? "" : done.error().message;
    };
    EXPECT_EQ(run({"true"}), "");
    EXPECT_EQ(run({"false"}), "false: exit code 1");
    EXPECT_EQ(run({"sh", "-c", "echo one; echo 'two ' >&2; exit 3"}),
              "sh -c echo one; echo 'two ' >&2; exit 3: two");
    EXPECT_EQ(run({"sh", "-c", "kill -9 $$"}), "sh -c kill -9 $$: killed by signal 9");
    EXPECT_EQ(run({"no-such-program-here"}), "no-such-program-here: No such file or directory");
}

}  // namespace
}  // namespace btf_extra::host
