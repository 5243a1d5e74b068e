// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Files with some wrong bytes, through every subcommand that reads them. Each one ends well, or
// with one line that says why. The others read each file that `check` accepts.
//
// BTF_EXTRA_MUTANTS: the number of files of each kind (`make mutants`). BTF_EXTRA_SEED: that of the
// first.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/support/fixture_build.h"
#include "userspace/cli/command.h"

namespace btf_extra {
namespace {

using test::read_file;
using test::write_file;

uint32_t number_from(const char *variable, uint32_t otherwise) {
    const char *text = std::getenv(variable);
    return text != nullptr ? static_cast<uint32_t>(std::strtoul(text, nullptr, 10)) : otherwise;
}

// While it lives, what is written to a standard stream goes into memory. A sanitizer writes its
// report to the descriptor, so that is seen.
class Captured {
  public:
    explicit Captured(FILE *&stream)
        : stream_(stream), before_(stream), memory_(open_memstream(&text_, &size_)) {
        stream_ = memory_;
    }
    ~Captured() {
        stream_ = before_;
        std::fclose(memory_);
        std::free(text_);
    }
    Captured(const Captured &) = delete;
    Captured &operator=(const Captured &) = delete;

    std::string text() {
        std::fflush(memory_);
        return {text_, size_};
    }

  private:
    FILE *&stream_;
    FILE *const before_;
    char *text_ = nullptr;
    size_t size_ = 0;
    FILE *memory_;
};

struct Outcome {
    int exit_code = 0;
    std::string err;
};

// The command in this process, which starts a hundred times faster than another one.
Outcome run_here(const std::vector<std::string> &arguments) {
    std::vector<const char *> words = {"btf-extra"};
    for (const std::string &argument : arguments)
        words.push_back(argument.c_str());
    Outcome out;
    CLI::App app;
    for (auto *add : {add_generate, add_stat, add_dump, add_check, add_lookup, add_list, add_probes,
                      add_symbolize, add_expose})
        add(app, out.exit_code);
    Captured output(stdout), errors(stderr);
    try {
        app.parse(static_cast<int>(words.size()), words.data());
    } catch (const CLI::ParseError &error) {
        out.exit_code = kExitUsage;
    }
    out.err = errors.text();
    return out;
}

// Changes one to three places, or cuts the end off.
std::string mutant(std::string bytes, std::mt19937 &random) {
    constexpr std::array<uint32_t, 6> kValues = {0,          1,          0x7fffffff,
                                                 0x80000000, 0xffffff00, 0xffffffff};
    if (random() % 16 == 0) {
        bytes.resize(random() % bytes.size());
        return bytes;
    }
    for (uint32_t places = 1 + random() % 3; places > 0; places--) {
        const size_t at = random() % (bytes.size() - 4);
        if (random() % 4 == 0)
            std::memcpy(&bytes[at & ~size_t{3}], &kValues[random() % kValues.size()], 4);
        else
            bytes[at] ^= static_cast<char>(random() % 2 ? 1 << random() % 8 : 1 + random() % 255);
    }
    return bytes;
}

class Mutants : public testing::Test {
  protected:
    static void SetUpTestSuite() {
        folder_ = std::make_unique<test::TemporaryFolder>();
        test::link_fixture(path("vmlinux"), {"sites.c", "sites_other.c"}, {});
        test::add_base_btf(path("vmlinux"));
        ASSERT_EQ(run_here({"generate", "--lines", "-o", path("good.btf_extra"), path("vmlinux")})
                      .exit_code,
                  0);
    }
    static void TearDownTestSuite() { folder_.reset(); }

    static std::string path(std::string_view name) { return folder_->path(name); }

    // Calls try_one with the bytes of each mutant.
    template <class TryOne> static void for_each(const std::string &file, const TryOne &try_one) {
        const std::string good = read_file(file);
        const uint32_t first = number_from("BTF_EXTRA_SEED", 1);
        const uint32_t count = number_from("BTF_EXTRA_MUTANTS", kInCheck);
        for (uint32_t seed = first; seed - first < count && !HasFailure(); seed++) {
            std::mt19937 random(seed);
            alarm(120);
            const std::string bytes = mutant(good, random);
            try_one(bytes, fmt::format("seed {}", seed));
            alarm(0);
            if (HasFailure()) {
                const auto kept = std::filesystem::temp_directory_path() / "mutant";
                write_file(kept, bytes);
                std::printf("kept: %s\n", kept.c_str());
            }
        }
    }

    // Runs it, and returns whether it ended well. Otherwise one line must say why.
    static bool runs(const std::vector<std::string> &arguments, const std::string &what) {
        const Outcome outcome = run_here(arguments);
        if (outcome.exit_code == 0)
            return true;
        const std::string &err = outcome.err;
        EXPECT_EQ(outcome.exit_code, 1) << what << " " << arguments[0] << ": " << err;
        EXPECT_TRUE(err.starts_with("btf-extra: ") && err.find('\n') == err.size() - 1)
            << what << " " << arguments[0] << ": " << err;
        last_error_ = err;
        return false;
    }

    static constexpr uint32_t kInCheck = 40;
    static inline std::unique_ptr<test::TemporaryFolder> folder_;
    static inline std::string last_error_;
};

TEST_F(Mutants, OfTables) {
    const std::string file = path("mutant.btf_extra"), kernel = path("vmlinux");
    const std::vector<std::vector<std::string>> readers = {
        {"lookup", "*"},
        {"lookup", "--addr", ".text+0x10"},
        {"list", "*"},
        {"list", "-v", "*"},
        {"probes", "*"},
        {"probes", "--format", "perf", "*"},
        {"probes", "--format", "bpftrace", "*"},
        {"symbolize", ".text+0x10", ".text+0x100"},
        {"symbolize", "--addr2line", "-afi", "-e", kernel, "0x10"},
        {"expose", "-o", path("stubs.ko"), "*"},
    };
    uint32_t taken = 0;
    for_each(path("good.btf_extra"), [&](const std::string &bytes, const std::string &what) {
        write_file(file, bytes);
        const bool good = runs({"check", file, "--vmlinux", kernel}, what);
        taken += good;
        // If the kernel's BTF is not given, the file must say where that ends.
        const bool good_alone = runs({"check", file}, what);
        for (const char *alone : {"stat", "dump"}) {
            const bool read = runs({alone, file}, what);
            EXPECT_TRUE(read || !good_alone) << what << " " << alone << ": " << last_error_;
        }
        for (std::vector<std::string> reader : readers) {
            const bool may_refuse = reader[0] == "expose" || reader[1] == "--addr";
            const bool names_kernel = std::ranges::find(reader, "-e") != reader.end();
            reader.insert(reader.end(), {"--tables", file});
            if (!names_kernel)
                reader.insert(reader.end(), {"--vmlinux", kernel});
            // A changed name hides the section of frames.
            const bool read =
                runs(reader, what) || last_error_.find(": no frames") != std::string::npos;
            EXPECT_TRUE(read || !good || may_refuse)
                << what << " " << fmt::format("{}", fmt::join(reader, " ")) << last_error_;
        }
    });
    // Some wrong bytes are in names, in frames and in what nothing reads.
    EXPECT_GT(taken, 0u);
}

TEST_F(Mutants, OfDebugInformation) {
    const std::string file = path("mutant"), tables = path("of_mutant.btf_extra");
    uint32_t taken = 0;
    for_each(path("vmlinux"), [&](const std::string &bytes, const std::string &what) {
        write_file(file, bytes);
        if (runs({"generate", "--lines", "-o", tables, file}, what)) {
            taken++;
            EXPECT_TRUE(runs({"check", tables, "--vmlinux", file}, what)) << what << last_error_;
            EXPECT_TRUE(runs({"stat", tables}, what)) << what;
            // There may be no function left, or no symbol to place the sections by.
            const bool found = runs({"lookup", "*", "--tables", tables, "--vmlinux", file}, what);
            EXPECT_TRUE(found || last_error_.ends_with(": no function *\n") ||
                        last_error_.ends_with(".symtab: not there\n"))
                << what << ' ' << last_error_;
            std::filesystem::remove(tables);
        } else {
            EXPECT_FALSE(std::filesystem::exists(tables)) << what;
        }
        // It is another file than that of the tables, or is it?
        runs({"list", "-v", "*", "--tables", path("good.btf_extra"), "--vmlinux", file}, what);
        runs({"probes", "*", "--tables", path("good.btf_extra"), "--vmlinux", file}, what);
    });
    EXPECT_GT(taken, 0u);
}

}  // namespace
}  // namespace btf_extra
