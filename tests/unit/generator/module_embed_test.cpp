// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// `generate --embed` makes a module that carries its tables. The tests look at it with libbpf and
// with binutils, and compare it with the container that is generated beside it.
#include <cstring>
#include <optional>

#include <bpf/btf.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include "tests/support/module_build.h"

namespace btf_extra {
namespace {

using test::CommandResult;
using test::run_btf_extra;

struct FreeBtf {
    void operator()(btf *handle) const { btf__free(handle); }
};
using LibbpfBtf = std::unique_ptr<btf, FreeBtf>;

class ModuleEmbed : public testing::Test {
  protected:
    static void SetUpTestSuite() {
        folder_ = std::make_unique<test::TemporaryFolder>();
        test::build_kernel(kernel());
        test::build_module(path("linked.ko"), {}, kernel());
        // Kbuild sets these flags.
        test::must_run(
            {"objcopy", "--set-section-flags", ".BTF=alloc,readonly", path("linked.ko"), plain()});
        test::must_run({"cp", plain(), embedded()});
        const CommandResult result = embed(embedded());
        ASSERT_EQ(result.exit_code, 0) << result.err;
        EXPECT_EQ(result.out + result.err, "");
        container_ = path("plain.btf_extra");
        ASSERT_EQ(run_btf_extra({"generate", "--no-variables", "--vmlinux", kernel(), "-o",
                                 container_, plain()})
                      .exit_code,
                  0);
    }
    static void TearDownTestSuite() { folder_.reset(); }

    static std::string path(std::string_view name) { return folder_->path(name); }
    static std::string kernel() { return path("vmlinux"); }
    static std::string plain() { return path("plain.ko"); }
    static std::string embedded() { return path("embedded.ko"); }
    static CommandResult embed(const std::string &module, const std::string &vmlinux = kernel()) {
        return run_btf_extra({"generate", "--embed", "--vmlinux", vmlinux, module});
    }

    // Returns nullopt if there is no such section.
    static std::optional<std::string> section(const std::string &file, const std::string &name) {
        const auto elf = ElfImage::open(file);
        const ElfSection *found = elf ? elf->find(name) : nullptr;
        if (found == nullptr)
            return std::nullopt;
        const auto bytes = elf->bytes(*found);
        return std::string(reinterpret_cast<const char *>(bytes->data()), bytes->size());
    }
    static std::string container() { return container_; }

    static inline std::unique_ptr<test::TemporaryFolder> folder_;
    static inline std::string container_;
};

struct Parts {
    std::string types, strings;
};

Parts parts_of(const std::string &blob) {
    btf_header header;
    std::memcpy(&header, blob.data(), sizeof(header));
    return {blob.substr(header.hdr_len + header.type_off, header.type_len),
            blob.substr(header.hdr_len + header.str_off, header.str_len)};
}

TEST_F(ModuleEmbed, BtfIsTheModulesOwnThenOurs) {
    const Parts own = parts_of(*section(plain(), ".BTF"));
    const Parts ours = parts_of(*section(container(), ".BTF"));
    const Parts both = parts_of(*section(embedded(), ".BTF"));
    ASSERT_FALSE(ours.types.empty());
    EXPECT_TRUE(both.types == own.types + ours.types);
    EXPECT_TRUE(both.strings == own.strings + ours.strings);
    // No id and no string has moved, so the locations are the same bytes.
    EXPECT_TRUE(section(embedded(), ".BTF.func_info") == section(container(), ".BTF.func_info"));
}

TEST_F(ModuleEmbed, LibbpfReadsOneSplitBtf) {
    const LibbpfBtf base(btf__parse(kernel().c_str(), nullptr));
    ASSERT_TRUE(base);
    const LibbpfBtf own(btf__parse_split(plain().c_str(), base.get()));
    const LibbpfBtf both(btf__parse_split(embedded().c_str(), base.get()));
    ASSERT_TRUE(own && both);
    const auto end_own = static_cast<uint32_t>(btf__type_cnt(own.get()));
    const auto end_both = static_cast<uint32_t>(btf__type_cnt(both.get()));
    ASSERT_GT(end_own, btf__type_cnt(base.get()));
    for (uint32_t id = btf__type_cnt(base.get()); id < end_own; id++) {
        const btf_type *was = btf__type_by_id(own.get(), id);
        const btf_type *is = btf__type_by_id(both.get(), id);
        EXPECT_EQ(std::memcmp(was, is, sizeof(*was)), 0) << id;
        EXPECT_STREQ(btf__name_by_offset(own.get(), was->name_off),
                     btf__name_by_offset(both.get(), is->name_off));
    }
    // The new FUNCs refer to ids of this one BTF. pahole leaves out the two functions "add"
    // because their prototypes differ.
    size_t adds = 0;
    for (uint32_t id = end_own; id < end_both; id++) {
        const btf_type *type = btf__type_by_id(both.get(), id);
        if (btf_is_func(type))
            adds += std::string(btf__name_by_offset(both.get(), type->name_off)) == "add";
    }
    EXPECT_EQ(adds, 1u);
}

TEST_F(ModuleEmbed, RestOfTheContainer) {
    const std::string rest = path("rest.elf");
    test::write_file(rest, *section(embedded(), ".btf_extra"));
    const auto is = ElfImage::open(rest), was = ElfImage::open(container());
    ASSERT_TRUE(is && was);
    EXPECT_TRUE(is->relocatable());
    EXPECT_EQ(is->machine(), was->machine());
    std::vector<std::string> names;
    for (const ElfSection &each : was->sections())
        if (each.name != ".BTF" && each.name != ".BTF.func_info" &&
            each.name != ".btf_extra.provenance")
            names.push_back(each.name);
    std::vector<std::string> got;
    for (const ElfSection &each : is->sections()) {
        if (each.name == ".btf_extra.own_types")
            continue;
        got.push_back(each.name);
        if (each.type == SHT_NOBITS) {
            EXPECT_EQ(each.size, was->find(each.name)->size);
        }
    }
    EXPECT_EQ(got, names);
    EXPECT_EQ(section(rest, ".note.gnu.build-id"), section(plain(), ".note.gnu.build-id"));
    EXPECT_EQ(section(rest, ".btf_extra.site_marks"),
              section(container(), ".btf_extra.site_marks"));
    const LibbpfBtf base(btf__parse(kernel().c_str(), nullptr));
    const LibbpfBtf own(btf__parse_split(plain().c_str(), base.get()));
    const uint32_t own_types = btf__type_cnt(own.get()) - btf__type_cnt(base.get());
    EXPECT_TRUE(section(rest, ".btf_extra.own_types") ==
                std::string(reinterpret_cast<const char *>(&own_types), sizeof(own_types)));
    // The sums are those of vmlinux's BTF and of the module's BTF as it is now.
    std::string sums;
    for (const std::string &level : {*section(kernel(), ".BTF"), *section(embedded(), ".BTF")}) {
        const uint32_t sum[] = {
            static_cast<uint32_t>(level.size()),
            static_cast<uint32_t>(
                crc32_z(0, reinterpret_cast<const Bytef *>(level.data()), level.size()))};
        sums.append(reinterpret_cast<const char *>(sum), sizeof(sum));
    }
    EXPECT_TRUE(section(rest, ".btf_extra.base") == sums);
}

// strip keeps what the kernel loads, and nothing else has changed.
TEST_F(ModuleEmbed, FileAsBinutilsSeeIt) {
    const auto is = ElfImage::open(embedded()), was = ElfImage::open(plain());
    ASSERT_TRUE(is && was);
    ASSERT_EQ(is->sections().size(), was->sections().size() + 2);
    for (const ElfSection &each : is->sections()) {
        const ElfSection *before = was->find(each.name);
        if (before == nullptr) {
            EXPECT_TRUE(each.name == ".BTF.func_info" || each.name == ".btf_extra") << each.name;
            EXPECT_EQ(each.flags, uint64_t{SHF_ALLOC});
            continue;
        }
        const ElfSection &same = was->sections()[each.index - 1];  // the null section is not listed
        EXPECT_EQ(each.name, same.name);
        EXPECT_EQ(each.type, same.type);
        EXPECT_EQ(each.flags, same.flags);
        if (each.name != ".BTF" && each.name != ".shstrtab" && each.type != SHT_NOBITS) {
            EXPECT_TRUE(section(embedded(), each.name) == section(plain(), each.name)) << each.name;
        }
    }
    const std::vector<std::vector<std::string>> looks = {{"objdump", "-dr"}, {"readelf", "-sW"}};
    for (std::vector<std::string> look : looks) {
        look.push_back(plain());
        std::string before = test::run_command(look).out;
        look.back() = embedded();
        std::string now = test::run_command(look).out;
        for (std::string *text : {&before, &now})
            if (const size_t at = text->find(".ko:"); at != std::string::npos)
                text->erase(0, at);  // the name of the file
        EXPECT_TRUE(before == now) << look[0];
    }
    test::must_run({"strip", "--strip-debug", "-o", path("installed.ko"), embedded()});
    for (const char *name : {".BTF", ".BTF.func_info", ".btf_extra"})
        EXPECT_TRUE(section(path("installed.ko"), name) == section(embedded(), name)) << name;
    EXPECT_EQ(section(path("installed.ko"), ".debug_info"), std::nullopt);
}

TEST_F(ModuleEmbed, AgainChangesNothing) {
    const std::string copy = path("again.ko");
    test::must_run({"cp", "--preserve=timestamps", embedded(), copy});
    const std::string stamp = test::run_command({"stat", "-c", "%i %y", copy}).out;
    const CommandResult result = embed(copy);
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_EQ(result.out + result.err, "");
    EXPECT_EQ(test::run_command({"stat", "-c", "%i %y", copy}).out, stamp);
    EXPECT_TRUE(test::read_file(copy) == test::read_file(embedded()));
}

// Kbuild may write new BTF into a module without linking it again.
TEST_F(ModuleEmbed, OverFreshBtfOldSectionsGo) {
    const std::string copy = path("fresh.ko");
    test::write_file(path("own.btf"), *section(plain(), ".BTF"));
    test::write_file(path("old"), std::string_view("of another build"));
    test::must_run({"objcopy", "--update-section", ".BTF=" + path("own.btf"), "--update-section",
                    ".BTF.func_info=" + path("old"), embedded(), copy});
    const CommandResult result = embed(copy);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    for (const char *name : {".BTF", ".BTF.func_info", ".btf_extra"})
        EXPECT_TRUE(section(copy, name) == section(embedded(), name)) << name;
    EXPECT_EQ(ElfImage::open(copy)->sections().size(),
              ElfImage::open(embedded())->sections().size());
}

TEST_F(ModuleEmbed, WithoutBtfItIsLeftAsItIs) {
    const std::string bare = path("bare.ko");
    test::must_run({"objcopy", "--remove-section=.BTF", plain(), bare});
    const std::string before = test::read_file(bare);
    const CommandResult result = embed(bare);
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_EQ(result.err, "btf-extra: " + bare + ": unchanged: no .BTF\n");
    EXPECT_TRUE(test::read_file(bare) == before);
}

TEST_F(ModuleEmbed, Refused) {
    test::build_kernel(path("other"), "6.2.0");
    test::must_run({"cp", embedded(), path("there.ko")});
    // The records are the same, but the strings end differently.
    std::string other = *section(kernel(), ".BTF");
    other[other.size() - 2] ^= 1;
    test::write_file(path("other.btf"), other);
    test::write_file(path("signed.ko"), test::read_file(plain()) + "~Module signature appended~\n");
    test::must_run({"xz", "--keep", "--force", plain()});
    test::must_run({"objcopy", "--add-section", ".BTF.base=" + path("other.btf"), plain(),
                    path("outside.ko")});
    const struct {
        std::string module, vmlinux, message;
    } rows[] = {
        {path("there.ko"), path("other.btf"),
         ".btf_extra: made for the BTF of another kernel: link the module again"},
        {path("signed.ko"), kernel(),
         "signature: the module is signed, and the signature would not fit the new file"},
        {plain() + ".xz", kernel(), "ELF header: compressed; modules in a kernel build are not"},
        {path("outside.ko"), kernel(),
         ".BTF.base: BTF on a distilled base: the module was built out of tree"},
        {kernel(), kernel(), "ELF header: not a relocatable file, as kernel modules are"},
        {path("none.ko"), kernel(), "open: No such file or directory"},
    };
    for (const auto &row : rows) {
        const bool exists = row.module != path("none.ko");
        const std::string before = exists ? test::read_file(row.module) : "";
        const std::vector<std::string> names = folder_->names();
        const CommandResult result = embed(row.module, row.vmlinux);
        EXPECT_EQ(result.exit_code, 1) << row.message;
        EXPECT_EQ(result.err, "btf-extra: " + row.module + ": " + row.message + "\n");
        EXPECT_EQ(folder_->names(), names);
        if (exists) {
            EXPECT_TRUE(test::read_file(row.module) == before);
        }
    }
    // These options contradict each other.
    for (const std::vector<std::string> &more : {std::vector<std::string>{},
                                                 {"--vmlinux", kernel(), "-o", path("out")},
                                                 {"--vmlinux", kernel(), "--btf-base", kernel()}}) {
        std::vector<std::string> arguments = {"generate", "--embed", plain()};
        arguments.insert(arguments.end(), more.begin(), more.end());
        EXPECT_EQ(run_btf_extra(arguments).exit_code, 2);
    }
}

TEST_F(ModuleEmbed, VersionOfTheGenerator) {
    const CommandResult result = run_btf_extra({"--version"});
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_EQ(result.out, "btf-extra 1.0\n");
}

}  // namespace
}  // namespace btf_extra
