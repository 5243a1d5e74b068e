// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// `generate` must refuse these inputs: it exits with 1, prints one line that names file, place and
// reason, and leaves no file.
#include <chrono>
#include <cstring>
#include <filesystem>
#include <functional>
#include <random>

#include <elf.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/support/fixture_build.h"
#include "userspace/format/btf_image.h"

namespace btf_extra {
namespace {

using test::CommandResult;
using test::run_btf_extra;

class BadInput : public testing::Test {
  protected:
    static void SetUpTestSuite() {
        folder_ = std::make_unique<test::TemporaryFolder>();
        for (const char *compiler : {"gcc", "clang-14"}) {
            const std::string file = path(compiler);
            test::link_fixture(
                file, {"sites.c", "sites_other.c"},
                {.compiler = compiler, .dwarf = compiler[0] == 'g' ? "-gdwarf-5" : "-gdwarf-4"});
            test::add_base_btf(file);
        }
    }
    static void TearDownTestSuite() { folder_.reset(); }

    static std::string path(std::string_view name) { return folder_->path(name); }
    static std::string good() { return path("gcc"); }

    static std::string write(std::string_view name, std::string_view bytes) {
        test::write_file(path(name), bytes);
        return path(name);
    }
    // Writes a changed copy of the good file and returns its path.
    static std::string changed(std::string_view name,
                               const std::function<void(std::string &)> &change) {
        std::string bytes = test::read_file(good());
        change(bytes);
        return write(name, bytes);
    }

    static void expect_refused(const std::string &input, const std::string &message,
                               const std::vector<std::string> &more = {}) {
        SCOPED_TRACE(input);
        const std::vector<std::string> before = folder_->names();
        std::vector<std::string> arguments = {"generate", "-o", path("out"), input};
        arguments.insert(arguments.end(), more.begin(), more.end());
        expect_failed(run_btf_extra(arguments), message);
        EXPECT_EQ(folder_->names(), before);
    }

    static inline std::unique_ptr<test::TemporaryFolder> folder_;
};

TEST_F(BadInput, NotAnElfFileOfOurKind) {
    const std::string text = write("text", "no ELF file, but long enough to be one's header .....");
    const std::string advice = "; the DWARF of a kernel is in the vmlinux of a build with "
                               "CONFIG_DEBUG_INFO, or in the package that btf-extra install names";
    expect_refused(text, text + ": ELF header: not an ELF file" + advice);
    const std::string bare = path("bare");
    test::must_run({"objcopy", "--strip-debug", good(), bare});
    expect_refused(bare, bare + ": .debug_info: No DWARF information found" + advice);
    const std::string empty = write("empty", "");
    expect_refused(empty, empty + ": ELF header: ...");
    expect_refused(path("none"), path("none") + ": open: No such file or directory");
    std::filesystem::create_directories(path("folder"));
    expect_refused(path("folder"), path("folder") + ": ...");

    const std::string narrow =
        changed("narrow", [](std::string &elf) { elf[EI_CLASS] = ELFCLASS32; });
    expect_refused(narrow, narrow + ": ELF header: ...");
    const std::string big = changed("big", [](std::string &elf) { elf[EI_DATA] = ELFDATA2MSB; });
    expect_refused(big, big + ": ELF header: ...");
    const std::string power =
        changed("power", [](std::string &elf) { elf[offsetof(Elf64_Ehdr, e_machine)] = EM_PPC64; });
    expect_refused(power, power + ": ELF header: ppc64 is not supported...");
    test::must_run(
        {"gcc", "-m32", "-g", "-ffreestanding", "-c", "-o", path("m32.o"), "sites_other.c"});
    expect_refused(path("m32.o"), path("m32.o") + ": ELF header: ...");
}

TEST_F(BadInput, SectionsThatAreNotThere) {
    test::must_run({"objcopy", "--strip-debug", good(), path("no_dwarf")});
    expect_refused(path("no_dwarf"), path("no_dwarf") + ": .debug_info: ...");
    test::must_run({"objcopy", "--remove-section=.BTF", good(), path("no_btf")});
    expect_refused(path("no_btf"), path("no_btf") + ": .BTF: not there");
    // Only the BTF is missing: with --btf-base the file is accepted.
    EXPECT_EQ(run_btf_extra({"generate", "--btf-base", good(), "-o", path("fine"), path("no_btf")})
                  .exit_code,
              0);
    for (const char *section : {".debug_info", ".debug_abbrev"}) {
        const std::string file = path(std::string("without") + section);
        test::must_run({"objcopy", std::string("--remove-section=") + section, good(), file});
        expect_refused(file, file + ": .debug_...");
    }
}

// A file whose symbols are passed over would have other tables, and none would say so.
TEST_F(BadInput, SymbolsThatCannotBeRead) {
    const auto with_header = [](std::string_view name, auto change) {
        return changed(name, [&](std::string &elf) {
            Elf64_Ehdr file;
            std::memcpy(&file, elf.data(), sizeof(file));
            for (size_t at = file.e_shoff; at < elf.size(); at += sizeof(Elf64_Shdr)) {
                Elf64_Shdr section;
                std::memcpy(&section, &elf[at], sizeof(section));
                if (section.sh_type == SHT_SYMTAB)
                    change(elf, section);
                std::memcpy(&elf[at], &section, sizeof(section));
            }
        });
    };
    const std::string outside = with_header(
        "outside", [](std::string &elf, Elf64_Shdr &symtab) { symtab.sh_offset = elf.size(); });
    expect_refused(outside, outside + ": .symtab: invalid section header");
    const std::string nameless = with_header("nameless", [](std::string &elf, Elf64_Shdr &symtab) {
        // The first word of a symbol is where its name is.
        std::memset(&elf[symtab.sh_offset + 2 * sizeof(Elf64_Sym)], 0x7f, 4);
    });
    expect_refused(nameless, nameless + ": .symtab: the name of symbol 2 cannot be read");
}

TEST_F(BadInput, BaseBtf) {
    const std::string text = write("text.btf", "no BTF, and no ELF file either");
    expect_refused(good(), text + ": ...", {"--btf-base", text});
    expect_refused(good(), path("none.btf") + ": open: No such file or directory",
                   {"--btf-base", path("none.btf")});
    const std::string whole = test::read_file(good() + ".btf");
    for (const size_t size :
         {size_t{0}, size_t{1}, size_t{23}, size_t{24}, whole.size() / 2, whole.size() - 1}) {
        const std::string cut = write("cut.btf", std::string_view(whole).substr(0, size));
        expect_refused(good(), cut + ": ...", {"--btf-base", cut});
    }
    std::string other_magic = whole;
    other_magic[0] ^= 1;
    const std::string magic = write("magic.btf", other_magic);
    expect_refused(good(), magic + ": ...", {"--btf-base", magic});

    // The BTF of another kernel can be generated on, but the output then fits only that kernel.
    test::link_fixture(path("other"), {"traced.c"}, {});
    test::add_base_btf(path("other"));
    const std::string output = path("other.btf_extra");
    EXPECT_EQ(
        run_btf_extra({"generate", "--btf-base", path("other"), "-o", output, good()}).exit_code,
        0);
    expect_failed(run_btf_extra({"check", output, "--vmlinux", good()}),
                  output + ": .BTF: base BTF of another kernel: ...");
    expect_failed(run_btf_extra({"check", output, "--vmlinux", path("other")}),
                  output + ": .note.gnu.build-id: made for another kernel: ...");
}

TEST_F(BadInput, Output) {
    const std::vector<std::string> before = folder_->names();
    const auto generate_to = [](const std::string &output) {
        return run_btf_extra({"generate", "-o", output, good()});
    };
    expect_failed(generate_to(path("nowhere/out")), path("nowhere/out") + ": ...");
    expect_failed(generate_to(good() + "/out"), good() + "/out: ...");
    expect_failed(generate_to("/proc/out"), "/proc/out: ...");
    std::filesystem::create_directories(path("taken/inside"));
    expect_failed(generate_to(path("taken")), path("taken") + ": ...");
    std::filesystem::remove_all(path("taken"));
    EXPECT_EQ(folder_->names(), before);

    if (getuid() != 0) {
        std::filesystem::create_directories(path("locked"));
        std::filesystem::permissions(path("locked"), std::filesystem::perms::owner_read |
                                                         std::filesystem::perms::owner_exec);
        expect_failed(generate_to(path("locked/out")), path("locked/out") + ": ...");
        std::filesystem::remove(path("locked"));
    }
}

// The file cannot grow, as on a full device. The old file stays.
TEST_F(BadInput, OutputThatCannotBeWritten) {
    test::TemporaryFolder folder;
    const std::string output = folder.path("out");
    test::write_file(output, std::string_view("the old file"));
    const std::string command = std::string(std::getenv("BTF_EXTRA_BUILD")) + "/btf-extra";
    // If SIGXFSZ is ignored, write() returns EFBIG. ulimit counts blocks of 512 or 1024 bytes.
    expect_failed(test::run_command({"sh", "-c", "trap '' XFSZ; ulimit -f 1; exec \"$@\"", "sh",
                                     command, "generate", "-o", output, good()}),
                  output + ": ...");
    EXPECT_EQ(folder.names(), std::vector<std::string>{"out"});
    EXPECT_EQ(test::read_file(output), "the old file");
}

// Holds for any input: the output passes the validator, or one line tells the error.
void expect_readable(const std::string &input, const std::string &what) {
    using Clock = std::chrono::steady_clock;
    const auto start = Clock::now();
    alarm(60);
    const Result<ExtraFile> file =
        generator::generate({.input = input, .btf_base = "", .jobs = 2, .progress = {}});
    alarm(0);
    EXPECT_LT(Clock::now() - start, std::chrono::seconds(10)) << what;
    if (file)
        return;
    const std::string &message = file.error().message;
    EXPECT_EQ(message.find(input + ": "), 0u) << what << ": " << message;
    EXPECT_GT(message.size(), input.size() + 6) << what;
    EXPECT_EQ(message.find('\n'), message.npos) << what << ": " << message;
}

TEST_F(BadInput, CutOff) {
    const std::string whole = test::read_file(good());
    std::vector<size_t> sizes;
    for (size_t size = 1; size <= sizeof(Elf64_Ehdr) + 2; size++)
        sizes.push_back(size);
    for (size_t size = 200; size < whole.size(); size += whole.size() / 60)
        sizes.push_back(size);
    for (size_t less = 1; less < 2 * sizeof(Elf64_Shdr); less += 9)
        sizes.push_back(whole.size() - less);
    for (const size_t size : sizes)
        expect_readable(write("cut", std::string_view(whole).substr(0, size)),
                        fmt::format("{} of {} bytes", size, whole.size()));
    // The section headers are at the end of a file: they are cut off.
    for (const size_t size : {size_t{10}, size_t{64}, size_t{5000}, whole.size() - 1})
        expect_refused(write("cut", std::string_view(whole).substr(0, size)),
                       path("cut") + ": ...");
}

// Changes bytes in the middle of the debug sections and of .BTF.
TEST_F(BadInput, WrongBytes) {
    size_t refused = 0, runs = 0;
    for (const char *compiler : {"gcc", "clang-14"}) {
        const std::string whole = test::read_file(path(compiler));
        const auto elf = ElfImage::open(path(compiler));
        ASSERT_TRUE(elf);
        for (const ElfSection &section : elf->sections()) {
            if (!section.name.starts_with(".debug_") && section.name != ".BTF" &&
                section.name != ".eh_frame")
                continue;
            const auto bytes = elf->bytes(section);
            ASSERT_TRUE(bytes);
            // .debug_info and .debug_abbrev have the most structure, so they get the most changes.
            const bool busy = section.name == ".debug_info" || section.name == ".debug_abbrev";
            const size_t at = whole.find(
                std::string_view(reinterpret_cast<const char *>(bytes->data()), bytes->size()));
            ASSERT_NE(at, whole.npos);
            for (uint32_t seed = 0; seed < (busy ? 80u : 20u); seed++) {
                std::mt19937 random(seed);
                std::string copy = whole;
                for (uint32_t flips = 1 + random() % 3; flips > 0; flips--)
                    copy[at + random() % section.size] ^=
                        static_cast<char>(random() % 2 ? 1 << random() % 8 : 1 + random() % 255);
                const std::string what = fmt::format("{} {} seed {}", compiler, section.name, seed);
                expect_readable(write("wrong", copy), what);
                runs++;
                if (seed != 0)
                    continue;
                // The first change of each section goes through the command, too.
                const std::vector<std::string> before = folder_->names();
                const auto result = run_btf_extra({"generate", "-o", path("maybe"), path("wrong")});
                if (result.exit_code != 0) {
                    refused++;
                    expect_failed(result, path("wrong") + ": ...");
                    EXPECT_EQ(folder_->names(), before) << what;
                } else {
                    EXPECT_EQ(result.err, "") << what;
                    EXPECT_EQ(run_btf_extra({"check", path("maybe")}).exit_code, 0) << what;
                    std::filesystem::remove(path("maybe"));
                }
            }
        }
    }
    EXPECT_GT(runs, 400u);
    EXPECT_GT(refused, 0u);
}

}  // namespace
}  // namespace btf_extra
