// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Tests the real modules of the kernel $BTF_EXTRA_VMLINUX, from the tree $BTF_EXTRA_MODULES that
// vm/fetch-modules.sh makes. They are compared with an independent reading of their DWARF, whose
// sections an independent linker has placed, and with their symbol tables.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/command_run.h"
#include "tests/support/oracle_match.h"
#include "tests/support/placed_object.h"
#include "userspace/lib/tables/object_view.h"
#include "userspace/lib/tables/symbol_table.h"

namespace btf_extra {
namespace {

using nlohmann::json;
using test::run_btf_extra;

std::string environment(const char *name) {
    const char *value = std::getenv(name);
    return value ? value : "";
}

class VmlinuxModules : public testing::Test {
  protected:
    void SetUp() override {
        if (kernel_path().empty() || tree().empty())
            GTEST_SKIP() << "BTF_EXTRA_VMLINUX, BTF_EXTRA_MODULES name no kernel and modules";
        for (const auto &entry : std::filesystem::recursive_directory_iterator(tree())) {
            const std::string path = entry.path().string();
            const bool debug = path.find("/usr/lib/debug/") != path.npos;
            if (entry.is_regular_file() && path.ends_with(".ko"))
                (debug ? debug_ : stripped_).push_back(path);
        }
        std::ranges::sort(debug_);
        std::ranges::sort(stripped_);
        ASSERT_FALSE(debug_.empty());
    }

    static std::string kernel_path() { return environment("BTF_EXTRA_VMLINUX"); }
    static std::string tree() { return environment("BTF_EXTRA_MODULES"); }
    std::string file() const { return folder_.path("module.btf_extra"); }

    void generate(const std::string &module, const char *jobs = "-j1") const {
        const test::CommandResult made =
            run_btf_extra({"generate", jobs, "--vmlinux", kernel_path(), "-o", file(), module});
        ASSERT_EQ(made.exit_code, 0) << made.err;
        ASSERT_EQ(made.out + made.err, "");
    }

    test::TemporaryFolder folder_;
    std::vector<std::string> debug_, stripped_;
};

// A module's tables of the kernel are not read, so no site is marked `after key`.
TEST_F(VmlinuxModules, NoProbeAfterAStaticKey) {
    for (const std::string &path : debug_) {
        generate(path);
        const test::CommandResult judged = test::run_command(
            {environment("BTF_EXTRA_SOURCE") + "/tests/real/after_key.py", path, file()});
        EXPECT_EQ(judged.exit_code, 0) << path << ": " << judged.out << judged.err;
    }
}

// Compares every site and every parameter.
TEST_F(VmlinuxModules, AgreeWithLibdw) {
    const std::vector<test::Machine> machines = test::machine_states(72);
    const auto kernel = ElfImage::open(kernel_path());
    ASSERT_TRUE(kernel);
    for (const std::string &path : debug_) {
        SCOPED_TRACE(path);
        generate(path);
        const auto module = ElfImage::open(path);
        ASSERT_TRUE(module);
        const auto view = ObjectView::open_for(file(), *kernel, &*module);
        ASSERT_TRUE(view) << view.error().message;
        const std::string placed = folder_.path("placed");
        test::place_object(path, placed);
        const test::LibdwOracle oracle(placed, test::ObjdumpFlow(placed), machines,
                                       test::LibdwOracle::kModule);
        const test::OracleMatch match = test::match_oracle(**view, oracle, machines);
        for (const std::string &disagreement : match.disagreements)
            ADD_FAILURE() << disagreement;
        EXPECT_EQ(match.disagreeing, 0u);
        EXPECT_EQ(match.sites, oracle.sites().size());
        EXPECT_EQ(oracle.counts().outside_sections, 0u);
        EXPECT_EQ(oracle.counts().in_blocks, 0u);
        std::cout << fmt::format(
            "{}: {} sites, {} of them bodies; parameters: {} plain, {} simplified, {} computed, "
            "{} given up, {} without a value, {} without a location, {} not decoded by libdw\n",
            std::filesystem::path(path).stem().string(), match.sites, match.bodies, match.plain,
            match.simplified, match.computed, match.given_up, match.without_value, match.absent,
            match.undecoded);

        // There is no address constant and no FUNC of vmlinux.
        const btf_blob &blob = (*view)->locations().blob();
        for (uint32_t i = 0; i < blob.nr_types; i++) {
            const btf_type *type = btf_blob_record(&blob, i);
            EXPECT_FALSE(loc_kind(type) == LOC_KIND_PARAM && (loc_param_flags(type) & LOC_ADDR))
                << i;
        }
        const auto base = open_elf_btf(*kernel);
        ASSERT_TRUE(base);
        for (uint32_t i = 0; i < (*view)->index().nr_funcs; i++)
            EXPECT_GE((*view)->index().funcs[i], btf_blob_end_id(&(*base)->blob()));
    }
}

// The symbol of a body is the function's name, perhaps with a suffix (".isra.0").
TEST_F(VmlinuxModules, BodiesAreWhereTheirSymbolsAre) {
    for (const std::string &path : debug_) {
        SCOPED_TRACE(path);
        generate(path);
        const auto module = ElfImage::open(path);
        ASSERT_TRUE(module);
        const auto symbols = SymbolTable::load(*module);
        ASSERT_TRUE(symbols);
        const auto view = ObjectView::open(file());
        ASSERT_TRUE(view) << view.error().message;
        for (uint32_t i = 0; i < (*view)->index().nr_sections; i++) {
            const loc_section &section = (*view)->index().sections[i];
            if (section.loc_class != LOC_CLASS_BODY)
                continue;
            const ElfSection *elf = module->find((*view)->index().elf_sections[section.elf].name);
            ASSERT_NE(elf, nullptr);
            for (uint32_t number = 0; number < section.nr_sites; number++) {
                const loc_site &site = section.sites[number];
                const std::string name((*view)->func_name(site.func));
                if (name == "(base)")  // the module's own BTF names it
                    continue;
                EXPECT_TRUE(std::ranges::any_of(
                    symbols->at(elf->index, site.offset),
                    [&](const Symbol &symbol) {
                        return symbol.name == name ||
                               std::string_view(symbol.name).starts_with(name + ".");
                    }))
                    << name << " at " << symbols->text(*elf, site.offset);
            }
        }
    }
}

// A module is installed without debug information. Its debug file is where Debian puts it.
TEST_F(VmlinuxModules, StrippedModulesFindTheirDebugFile) {
    ASSERT_EQ(stripped_.size(), debug_.size());
    for (size_t i = 0; i < debug_.size(); i++) {
        generate(debug_[i]);
        const std::string first = test::read_file(file());
        generate(stripped_[i], "-j3");
        EXPECT_TRUE(test::read_file(file()) == first) << stripped_[i];
        const test::CommandResult check =
            run_btf_extra({"check", file(), "--vmlinux", kernel_path(), "--module", stripped_[i]});
        EXPECT_EQ(check.exit_code, 0) << check.err;
        for (const char *command : {"stat", "dump"}) {
            const test::CommandResult result = run_btf_extra(
                {command, file(), "--json", "--vmlinux", kernel_path(), "--module", stripped_[i]});
            EXPECT_EQ(result.exit_code, 0) << result.err;
            EXPECT_TRUE(json::parse(result.out, nullptr, false).is_object());
        }
    }
    const test::CommandResult other =
        run_btf_extra({"check", file(), "--vmlinux", kernel_path(), "--module", debug_.front()});
    EXPECT_EQ(other.exit_code, debug_.size() == 1 ? 0 : 1);
    EXPECT_EQ(run_btf_extra({"check", file(), "--vmlinux", kernel_path()}).exit_code, 1);
}

}  // namespace
}  // namespace btf_extra
