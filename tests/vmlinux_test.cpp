// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// A real kernel, $BTF_EXTRA_VMLINUX, through the command and back: against an
// independent reading of its DWARF, against libbpf and bpftool, and at sites that
// were read by hand.
#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <set>

#include <bpf/btf.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/command_run.h"
#include "tests/support/fixture_build.h"
#include "tests/support/oracle_match.h"
#include "userspace/lib/object_view.h"
#include "userspace/lib/symbol_table.h"

namespace btf_extra {
namespace {

using nlohmann::json;
using test::run_btf_extra;

struct FreeBtf {
    void operator()(btf *p) const { btf__free(p); }
};
using LibbpfBtf = std::unique_ptr<btf, FreeBtf>;

struct Pin;

class Vmlinux : public testing::Test {
  protected:
    // Everything that takes long is made once.
    static void SetUpTestSuite() {
        const char *path = std::getenv("BTF_EXTRA_VMLINUX");
        if (!path || !*path)
            return;
        kernel_path_ = path;
        folder_ = std::make_unique<test::TemporaryFolder>();
        const test::CommandResult made = generate("-j2", file());
        ASSERT_EQ(made.exit_code, 0) << made.err;
        ASSERT_EQ(made.out + made.err, "") << "not silent off a terminal";
        Result<ElfImage> kernel = ElfImage::open(kernel_path_);
        ASSERT_TRUE(kernel) << kernel.error().message;
        kernel_ = std::make_unique<ElfImage>(*std::move(kernel));
        Result<std::unique_ptr<ObjectView>> view = ObjectView::open_for_kernel(file(), *kernel_);
        ASSERT_TRUE(view) << view.error().message;
        view_ = *std::move(view);
        Result<SymbolTable> symbols = SymbolTable::load(*kernel_);
        ASSERT_TRUE(symbols) << symbols.error().message;
        symbols_ = std::make_unique<SymbolTable>(*std::move(symbols));
    }
    static void TearDownTestSuite() {
        oracle_.reset();
        symbols_.reset();
        view_.reset();
        kernel_.reset();
        folder_.reset();
    }
    void SetUp() override {
        if (kernel_path_.empty())
            GTEST_SKIP() << "BTF_EXTRA_VMLINUX names no kernel";
        ASSERT_TRUE(symbols_) << "nothing was generated";
    }

    static std::string path(std::string_view name) { return folder_->path(name); }
    static std::string file() { return path("vmlinux.btf_extra"); }
    static test::CommandResult generate(const std::string &jobs, const std::string &out) {
        return run_btf_extra({"generate", jobs, kernel_path_, "-o", out});
    }
    static json stat() {
        const test::CommandResult result = run_btf_extra({"stat", file(), "--json"});
        EXPECT_EQ(result.exit_code, 0) << result.err;
        return json::parse(result.out, nullptr, false);
    }
    static const std::vector<test::Machine> &machines() {
        static const std::vector<test::Machine> states = test::machine_states(40);
        return states;
    }
    static const test::LibdwOracle &oracle() {
        if (!oracle_)
            oracle_ = std::make_unique<test::LibdwOracle>(kernel_path_, machines());
        return *oracle_;
    }
    static const ElfSection *elf_section(const loc_section &section) {
        return kernel_->find(view_->index().elf_sections[section.elf].name);
    }
    static LibbpfBtf libbpf_base() { return LibbpfBtf(btf__parse(kernel_path_.c_str(), nullptr)); }
    // The section .BTF of the file as it stands. (This libbpf has btf__new_split() in its header
    // alone.)
    static LibbpfBtf libbpf_types(btf *base) {
        return LibbpfBtf(btf__parse_split(file().c_str(), base));
    }

    // The number of the one site of that function there.
    static std::optional<uint32_t> find(const Pin &pin);

    // That just those places, "function@address", have the mark, and no fewer than so many. How
    // many of them are no sites: they are in the bodies of overridden functions.
    static size_t expect_marked(uint32_t mark, std::vector<std::string> expected, size_t at_least) {
        std::set<std::string> marked, sites;
        for (uint32_t number = 0; number < view_->index().nr_sites; number++) {
            const loc_section *section = nullptr;
            const loc_site *site = loc_index_site(&view_->index(), number, &section);
            const std::string text = fmt::format("{}@{:x}", view_->func_name(site->func),
                                                 elf_section(*section)->address + site->offset);
            sites.insert(text);
            if ((view_->site_marks(number) & mark) != 0)
                marked.insert(text);
        }
        const size_t overridden =
            std::erase_if(expected, [&](const std::string &text) { return !sites.contains(text); });
        std::vector<std::string> differences;
        std::ranges::set_symmetric_difference(marked, expected, std::back_inserter(differences));
        for (size_t i = 0; i < differences.size() && i < 20; i++)
            ADD_FAILURE() << differences[i];
        EXPECT_EQ(differences.size(), 0u);
        EXPECT_GT(marked.size(), at_least);
        std::cout << fmt::format("{} places have the mark\n", marked.size());
        return overridden;
    }

    static inline std::string kernel_path_;
    static inline std::unique_ptr<test::TemporaryFolder> folder_;
    static inline std::unique_ptr<ElfImage> kernel_;
    static inline std::unique_ptr<ObjectView> view_;
    static inline std::unique_ptr<SymbolTable> symbols_;
    static inline std::unique_ptr<test::LibdwOracle> oracle_;
};

TEST_F(Vmlinux, Counts) {
    const json counts = stat();
    ASSERT_TRUE(counts.is_object());
    EXPECT_EQ(counts["inline_instances"], oracle().counts().inline_instances);
    EXPECT_GT(counts["inline_instances"], 300'000);
    const double all = counts["inline_sites_all_params"];
    EXPECT_GE(all / counts["inline_sites"].get<double>(), 0.79);
    EXPECT_LE(counts["bytes_per_site"], 21.0);
    uint64_t missing = 0;
    for (const json &count : counts["not_available"])
        missing += count.get<uint64_t>();
    EXPECT_EQ(counts["params"], counts["params_located"].get<uint64_t>() + missing);
    EXPECT_FALSE(counts["not_available"].contains("unknown"));
    EXPECT_EQ(counts["sites"], counts["inline_sites"].get<uint64_t>() +
                                   counts["body_sites"].get<uint64_t>() +
                                   counts["true_signatures"].get<uint64_t>());
    std::cout << counts.dump(2) << '\n';
}

// Every site and every parameter of the whole kernel.
TEST_F(Vmlinux, AgreesWithLibdw) {
    const test::OracleMatch match = test::match_oracle(*view_, oracle(), machines());
    for (const std::string &disagreement : match.disagreements)
        ADD_FAILURE() << disagreement;
    EXPECT_EQ(match.disagreeing, 0u);
    EXPECT_EQ(match.sites, oracle().sites().size());
    const uint64_t params = match.plain + match.simplified + match.given_up + match.without_value +
                            match.absent + match.undecoded;
    EXPECT_LT(match.undecoded * 10'000, params);
    std::cout << fmt::format(
        "{} sites, {} of them bodies; {} parameters: {} plain, {} simplified, {} given up,\n"
        "{} without a value, {} without a location, {} not decoded by libdw\n",
        match.sites, match.bodies, params, match.plain, match.simplified, match.given_up,
        match.without_value, match.absent, match.undecoded);

    const test::OracleCounts &counts = oracle().counts();
    std::cout << fmt::format("{} locations by zero-length entries, {} by later views\n"
                             "{} parameters with a second entry, {} with a second location, {} "
                             "of them behind one that is not plain\n"
                             "{} not stored yet; {} renamed\n",
                             counts.zero_length, counts.later_view, counts.two_entries,
                             counts.two_locations, counts.plain_behind_other, counts.not_stored_yet,
                             match.renamed);
    for (const std::string &param : match.undecoded_params)
        std::cout << "not decoded: " << param << '\n';
    EXPECT_GT(counts.zero_length, 10'000u) << "location views are not read";
    EXPECT_EQ(counts.outside_sections, 0u);
    EXPECT_EQ(counts.without_name, 0u);
    EXPECT_EQ(counts.unknown_origin, 0u);
    // GCC puts them nowhere else; the generator does not look there.
    EXPECT_EQ(counts.in_blocks, 0u) << "parameters in lexical blocks";
    EXPECT_EQ(counts.variables_located, 0u) << "parameters as variables";
}

// The comparison itself: one location changed, one byte in the whole file.
TEST_F(Vmlinux, ComparisonFindsAWrongRegister) {
    ExtraFile changed = view_->file();
    const btf_blob &blob = view_->locations().blob();
    size_t at = 0;
    for (uint32_t i = 0; i < blob.nr_types && at == 0; i++) {
        const btf_type *type = btf_blob_record(&blob, i);
        if (loc_kind(type) == LOC_KIND_PARAM && type->size == 8 &&
            loc_param_flags(type) == LOC_REG && loc_param_values(type)[0] == 5)
            at = reinterpret_cast<const uint8_t *>(loc_param_values(type)) - blob.data;
    }
    ASSERT_NE(at, 0u);
    changed.func_info[at] = std::byte{4};
    ASSERT_TRUE(write_extra_file(path("changed.btf_extra"), changed));
    const auto view = ObjectView::open_for_kernel(path("changed.btf_extra"), *kernel_);
    ASSERT_TRUE(view) << view.error().message;
    const test::OracleMatch match = test::match_oracle(**view, oracle(), machines());
    EXPECT_GT(match.disagreeing, 10'000u);
    ASSERT_FALSE(match.disagreements.empty());
    EXPECT_NE(match.disagreements[0].find("values 0x5 in DWARF, size 8 flags 0x8 values 0x4"),
              std::string::npos)
        << match.disagreements[0];
}

TEST_F(Vmlinux, SameBytesForEveryNumberOfThreads) {
    const std::string first = test::read_file(file());
    ASSERT_FALSE(first.empty());
    for (const char *jobs : {"-j1", "-j2", "-j3"}) {
        const test::CommandResult result = generate(jobs, path("again.btf_extra"));
        ASSERT_EQ(result.exit_code, 0) << result.err;
        EXPECT_TRUE(test::read_file(path("again.btf_extra")) == first) << jobs;
    }
}

TEST_F(Vmlinux, CheckIsContent) {
    const test::CommandResult result = run_btf_extra({"check", file(), "--vmlinux", kernel_path_});
    EXPECT_EQ(result.exit_code, 0) << result.err;
}

TEST_F(Vmlinux, SitesAreInExecutableSections) {
    for (uint32_t i = 0; i < view_->index().nr_sections; i++) {
        const loc_section &section = view_->index().sections[i];
        const ElfSection *elf = elf_section(section);
        ASSERT_NE(elf, nullptr) << view_->index().elf_sections[section.elf].name;
        EXPECT_TRUE(elf->executable() && elf->allocated()) << elf->name;
        uint64_t outside = 0;
        for (uint32_t site = 0; site < section.nr_sites; site++)
            outside += section.sites[site].offset >= elf->size;
        EXPECT_EQ(outside, 0u) << elf->name;
    }
}

// The symbol of a body is the function's name, or that and a suffix (".isra.0"). A weak definition
// that another one overrides loses its symbol to the other, and is none of the sites.
TEST_F(Vmlinux, BodiesAreWhereTheirSymbolsAre) {
    uint64_t bodies = 0, suffixed = 0;
    std::vector<std::string> strangers;
    for (uint32_t i = 0; i < view_->index().nr_sections; i++) {
        const loc_section &section = view_->index().sections[i];
        if (section.loc_class != LOC_CLASS_BODY)
            continue;
        const ElfSection *elf = elf_section(section);
        ASSERT_NE(elf, nullptr);
        for (uint32_t number = 0; number < section.nr_sites; number++) {
            const loc_site &site = section.sites[number];
            const std::string_view name = view_->func_name(site.func);
            bool same = false, with_suffix = false;
            for (const Symbol &symbol : symbols_->at(elf->index, site.offset)) {
                const std::string_view text = symbol.name;
                same |= text == name;
                with_suffix |= text.starts_with(name) && text.substr(name.size()).starts_with('.');
            }
            bodies++;
            suffixed += with_suffix && !same;
            if (same || with_suffix)
                continue;
            strangers.push_back(fmt::format("{} at {}", name, symbols_->text(*elf, site.offset)));
        }
    }
    EXPECT_GT(bodies, 40'000u);
    EXPECT_GT(suffixed, 100u);
    EXPECT_GT(oracle().counts().overridden, 10u);
    EXPECT_LT(oracle().counts().overridden, bodies / 100);
    std::cout << fmt::format("{} bodies, {} with a suffix; {} overridden ones are left out\n",
                             bodies, suffixed, oracle().counts().overridden);
    EXPECT_EQ(strangers.size(), 0u);
    for (size_t i = 0; i < strangers.size() && i < 10; i++)
        ADD_FAILURE() << strangers[i];
}

// Each is at the only body with its very name that the source has there, and its arguments are in
// the registers of the ABI, in order.
TEST_F(Vmlinux, TrueSignatures) {
    const std::vector<uint32_t> registers = kernel_->machine() == EM_AARCH64
                                                ? std::vector<uint32_t>{0, 1, 2, 3, 4, 5, 6, 7}
                                                : std::vector<uint32_t>{5, 4, 1, 2, 8, 9};
    const auto has_changed = [](std::string_view symbol) {
        return (symbol.find(".isra.") != symbol.npos ||
                symbol.find(".constprop.") != symbol.npos) &&
               symbol.find(".part.") == symbol.npos && symbol.find(".cold") == symbol.npos;
    };
    std::set<uint32_t> seen;
    uint64_t changed = 0;
    for (uint32_t number = 0; number < view_->index().nr_sites; number++) {
        const loc_section *section = nullptr;
        const loc_site *site = loc_index_site(&view_->index(), number, &section);
        if (section->loc_class != LOC_CLASS_BODY)
            continue;
        const auto symbols = symbols_->at(elf_section(*section)->index, site->offset);
        const std::string name(view_->func_name(site->func));
        if (!view_->is_true_signature(site->func)) {
            changed += std::ranges::any_of(symbols, [&](const Symbol &symbol) {
                return std::string_view(symbol.name).starts_with(name + ".") &&
                       has_changed(symbol.name);
            });
            continue;
        }
        EXPECT_TRUE(seen.insert(site->func).second) << name << " has two bodies";
        EXPECT_TRUE(has_changed(name)) << name;
        EXPECT_TRUE(std::ranges::any_of(symbols, [&](const Symbol &symbol) {
            return symbol.name == name;
        })) << name;
        size_t used = 0;
        for (const Parameter &param : view_->parameters(number)) {
            ASSERT_NE(param.loc, nullptr) << name << " " << param.name;
            ASSERT_EQ(loc_param_flags(param.loc), uint32_t{LOC_REG}) << name;
            for (uint32_t i = 0; i < loc_vlen(param.loc); i++) {
                ASSERT_LT(used, registers.size()) << name;
                EXPECT_EQ(loc_param_values(param.loc)[i], registers[used++]) << name;
            }
        }
    }
    EXPECT_GT(seen.size(), 300u);
    EXPECT_LT(seen.size(), changed);
    std::cout << fmt::format("{} of {} changed bodies have a true signature\n", seen.size(),
                             changed);
}

// Every inlined instance of the whole kernel, against objdump's jumps and libdw's ranges.
TEST_F(Vmlinux, LoopHeadsAreWhereObjdumpAndLibdwSay) {
    const test::JumpCensus census =
        test::jump_census(kernel_path_, kernel_->machine() == EM_AARCH64);
    const size_t overridden = expect_marked(SITE_MARK_LOOP_HEAD, census.from_inside, 1000);
    EXPECT_LE(overridden, oracle().counts().overridden);
    for (uint32_t number = 0; number < view_->index().nr_sites; number++) {
        const loc_section *section = nullptr;
        loc_index_site(&view_->index(), number, &section);
        if ((view_->site_marks(number) & SITE_MARK_LOOP_HEAD) != 0) {
            EXPECT_EQ(section->loc_class, static_cast<uint32_t>(LOC_CLASS_INLINE)) << number;
        }
    }
    std::cout << fmt::format("{} other instances begin where a jump leads to\n",
                             census.from_outside.size());
}

TEST_F(Vmlinux, EntriesAreMissingWhereLibdwSays) {
    expect_marked(SITE_MARK_NO_ENTRY, test::no_entry_census(kernel_path_), 1000);
}

TEST_F(Vmlinux, PartsAreWhereSymbolsAndLibdwSay) {
    expect_marked(SITE_MARK_PART, test::part_census(kernel_path_), 5000);
}

TEST_F(Vmlinux, LibbpfReadsTheTypes) {
    const LibbpfBtf base = libbpf_base();
    ASSERT_NE(base, nullptr);
    const LibbpfBtf types = libbpf_types(base.get());
    ASSERT_NE(types, nullptr);
    ASSERT_NE(view_->types(), nullptr);
    const btf_blob &blob = view_->types()->blob();
    EXPECT_EQ(btf__type_cnt(base.get()), blob.first_id);
    EXPECT_EQ(btf__type_cnt(types.get()), btf_blob_end_id(&blob));
    ASSERT_TRUE(view_->file().provenance);
    EXPECT_EQ(view_->file().provenance->base_end_id, btf__type_cnt(base.get()));

    const std::set<uint32_t> every_stock_kernel = {
        BTF_KIND_INT,      BTF_KIND_PTR,  BTF_KIND_ARRAY,      BTF_KIND_STRUCT, BTF_KIND_UNION,
        BTF_KIND_ENUM,     BTF_KIND_FWD,  BTF_KIND_TYPEDEF,    BTF_KIND_CONST,  BTF_KIND_VOLATILE,
        BTF_KIND_RESTRICT, BTF_KIND_FUNC, BTF_KIND_FUNC_PROTO, BTF_KIND_FLOAT,  BTF_KIND_DECL_TAG};
    std::set<uint32_t> kinds;
    uint64_t differing = 0;
    for (uint32_t id = blob.first_id; id < btf_blob_end_id(&blob); id++) {
        const btf_type *theirs = btf__type_by_id(types.get(), id);
        const btf_type *ours = btf_blob_type(&blob, id);
        ASSERT_NE(theirs, nullptr) << id;
        ASSERT_NE(ours, nullptr) << id;
        kinds.insert(btf_kind(theirs));
        differing += theirs->info != ours->info || theirs->size != ours->size ||
                     std::string_view(btf__name_by_offset(types.get(), theirs->name_off)) !=
                         btf_blob_string(&blob, ours->name_off);
    }
    EXPECT_EQ(differing, 0u);
    for (const uint32_t kind : kinds)
        EXPECT_TRUE(every_stock_kernel.contains(kind)) << "kind " << kind;
}

// Debian's bpftool does not know the location kinds: the types alone.
TEST_F(Vmlinux, BpftoolPrintsTheSameTypes) {
    const std::vector<std::byte> &types = view_->file().types;
    const ElfSection *section = kernel_->find(".BTF");
    ASSERT_NE(section, nullptr);
    const auto base = kernel_->bytes(*section);
    ASSERT_TRUE(base);
    test::write_file(path("base.btf"), *base);
    test::write_file(path("types.btf"), types);
    const test::CommandResult theirs = test::run_command(
        {"bpftool", "-B", path("base.btf"), "btf", "dump", "file", path("types.btf")});
    ASSERT_EQ(theirs.exit_code, 0) << theirs.err;
    const test::CommandResult ours = run_btf_extra({"dump", file(), "--btf-base", kernel_path_});
    ASSERT_EQ(ours.exit_code, 0) << ours.err;
    const size_t locations = ours.out.find("] LOC_");
    ASSERT_NE(locations, std::string::npos);
    const std::string mine = ours.out.substr(0, ours.out.rfind('\n', locations) + 1);
    const auto [a, b] =
        std::mismatch(mine.begin(), mine.end(), theirs.out.begin(), theirs.out.end());
    const size_t same = static_cast<size_t>(a - mine.begin());
    EXPECT_TRUE(mine == theirs.out) << "they part at '" << mine.substr(same, 80) << "', '"
                                    << theirs.out.substr(same, 80) << "'";
    EXPECT_GT(mine.size(), 1'000'000u);
}

// Compiled twice from one file, for 64-bit and 32-bit programs: two functions.
TEST_F(Vmlinux, FillThreadCoreInfoIsTwoFunctions) {
    const loc_range funcs = loc_index_by_name(&view_->index(), "fill_thread_core_info");
    ASSERT_EQ(funcs.end - funcs.first, 2u);
    const LibbpfBtf base = libbpf_base();
    const LibbpfBtf types = libbpf_types(base.get());
    ASSERT_NE(types, nullptr);
    std::set<std::set<std::string>> tags;
    std::set<uint32_t> protos;
    for (uint32_t i = funcs.first; i < funcs.end; i++) {
        const uint32_t func = view_->index().funcs[i];
        protos.insert(btf__type_by_id(types.get(), func)->type);
        std::set<std::string> of_func;
        for (uint32_t id = btf__type_cnt(base.get()); id < btf__type_cnt(types.get()); id++) {
            const btf_type *type = btf__type_by_id(types.get(), id);
            if (btf_is_decl_tag(type) && type->type == func)
                of_func.insert(btf__name_by_offset(types.get(), type->name_off));
        }
        tags.insert(of_func);
    }
    EXPECT_EQ(protos.size(), 2u) << "the same prototype";
    EXPECT_EQ(tags, (std::set<std::set<std::string>>{
                        {"file:fs/binfmt_elf.c", "unit:fs/binfmt_elf.c"},
                        {"file:fs/binfmt_elf.c", "unit:fs/compat_binfmt_elf.c"}}));
}

// ---- sites that were read by hand ----

struct Pin {
    const char *function;
    loc_class site_class;
    const char *symbol;
    uint64_t offset;
    struct Param {
        test::PlainLocation location;  // size 0: none, for this reason
        NotAvailable reason{};
    };
    std::vector<Param> params;
};

Pin::Param reg(uint32_t number, uint32_t size = 8) {
    return {{size, LOC_REG, {number}}};
}
Pin::Param pair(uint32_t low, uint32_t high) {
    return {{16, LOC_REG, {low, high}}};
}
Pin::Param value(uint32_t number, uint32_t offset, uint32_t size = 8) {
    return {{size, LOC_REG | LOC_OFFSET, {number, offset}}};
}
Pin::Param memory(uint32_t number, uint32_t offset, uint32_t size = 8) {
    if (offset == 0)
        return {{size, LOC_REG | LOC_DEREF, {number}}};
    return {{size, LOC_REG | LOC_DEREF | LOC_OFFSET, {number, offset}}};
}
Pin::Param constant(uint32_t number, uint32_t size = 8) {
    return size > 4 ? Pin::Param{{size, LOC_CONST, {number, 0}}}
                    : Pin::Param{{size, LOC_CONST, {number}}};
}
Pin::Param address(uint32_t from_text) {
    return {{8, LOC_CONST | LOC_ADDR, {from_text, 0}}};
}
Pin::Param sign_extended(Pin::Param param) {
    param.location.flags |= LOC_SIGNED;
    return param;
}
Pin::Param none(NotAvailable reason) {
    return {{}, reason};
}

// Each was read from llvm-dwarfdump --debug-info=OFFSET and the bytes of .debug_loclists, and
// against objdump -d, of Debian's 6.1.192-2 cloud-amd64 kernel; never from btf-extra.
constexpr char kPinnedBuildId[] = "3b43fad5034874490492495d552c0af6a5fab235";

std::vector<Pin> pins() {
    using enum NotAvailable;
    return {
        // Entry view 11; [+0x98, +0x98) is there from view 11 up to 13.
        {"skb_headlen", LOC_CLASS_INLINE, "audit_log_nf_skb", 0x98, {reg(5)}},
        // Its one entry, of zero length, is at +0x0.
        {"skb_headlen", LOC_CLASS_INLINE, "__skb_to_sgvec", 0x5, {none(kNoLocationHere)}},
        // &sgx_encl_release, 0xffffffff8105ae70
        {"kref_put", LOC_CLASS_INLINE, "sgx_mmu_notifier_free", 0x1a, {reg(5), address(0x5ae70)}},
        // &rchan_buf->kref: the instruction after next is lea 0x70(%rdi),%rdx
        {"kref_put",
         LOC_CLASS_INLINE,
         "relay_file_release",
         0xc,
         {value(5, 0x70), none(kOptimizedOut)}},
        // In DWARF flags come before size.
        {"kmalloc",
         LOC_CLASS_INLINE,
         "attribute_container_add_device",
         0x54,
         {constant(0x310), constant(0xdc0, 4)}},
        // fbreg -216 and -360; six pushes, sub $0x130,%rsp; mov 0x90(%rsp),%rdi
        {"set_pte_at",
         LOC_CLASS_INLINE,
         "try_to_unmap_one",
         0x9eb,
         {reg(12), memory(7, 0), memory(7, 0x90), none(kOptimizedOut)}},
        // fbreg -136 as a value; six pushes, sub $0xa0,%rsp
        {"crypto_wait_req",
         LOC_CLASS_INLINE,
         "fscrypt_crypt_block",
         0x24f,
         {reg(0, 4), value(7, 0x50)}},
        // breg1 0, const1u 0xff, and
        {"is_pointer_value", LOC_CLASS_INLINE, "check_cond_jmp_op", 0x4dd, {reg(13), reg(1, 1)}},
        // The same of r15, in an entry of zero length.
        {"op_is_write", LOC_CLASS_INLINE, "blk_rq_map_kern", 0x22, {reg(15, 1)}},
        // (int)(r14 + 1), sign-extended; lea 0x1(%r14),%edx is what stands there
        {"find_next_bit",
         LOC_CLASS_INLINE,
         "sched_init_numa",
         0x5fa,
         {none(kNoLocationHere), constant(0x400), sign_extended(value(14, 1, 4))}},
        // movslq 0x90(%rsp),%rdx
        {"count_vm_events",
         LOC_CLASS_INLINE,
         "migrate_pages",
         0x560,
         {constant(0x38, 4), sign_extended(memory(7, 0x90, 4))}},
        // &alarmtimer_nsleep_wakeup, 0xffffffff8114e0b0
        {"alarm_init",
         LOC_CLASS_INLINE,
         "alarm_timer_nsleep_restart",
         0x34,
         {reg(3), reg(6, 4), address(0x14e0b0)}},
        // cpu_info + 0x28, per-CPU: DW_OP_addr 0x19068
        {"x86_this_cpu_constant_test_bit",
         LOC_CLASS_INLINE,
         "native_play_dead",
         0x3c,
         {constant(0x83, 4), constant(0x19068)}},
        // DW_OP_entry_value(rsi), 0x2f bytes into the function
        {"sugov_iowait_apply",
         LOC_CLASS_INLINE,
         "sugov_iowait_apply",
         0x2f,
         {reg(5), none(kEntryValue)}},
        // The compiler made the third parameter a constant: DW_AT_const_value 0x80.
        {"i8042_pnp_id_to_string",
         LOC_CLASS_BODY,
         "i8042_pnp_id_to_string.constprop.0",
         0x0,
         {reg(5), reg(4), constant(0x80, 4)}},
        // Three instances, one in the other, at one instruction; a3 is the first in DWARF.
        {"audit_syscall_entry",
         LOC_CLASS_INLINE,
         "syscall_trace_enter.constprop.0",
         0x105,
         {reg(12, 4), reg(4), reg(5), memory(13, 0x60), reg(8)}},
        {"audit_context", LOC_CLASS_INLINE, "syscall_trace_enter.constprop.0", 0x105, {}},
        {"get_current", LOC_CLASS_INLINE, "syscall_trace_enter.constprop.0", 0x105, {}},
        // mov (%rdx),%rax; mov 0x8(%rdx),%rcx; and here
        {"timespec64_to_ktime", LOC_CLASS_INLINE, "do_sys_poll", 0x4e2, {pair(0, 2)}},
    };
}

std::optional<uint32_t> Vmlinux::find(const Pin &pin) {
    std::vector<uint32_t> found;
    for (const Symbol *symbol : symbols_->named(pin.symbol)) {
        for (uint32_t i = 0; i < view_->index().nr_elf_sections; i++) {
            const ElfSection *elf = kernel_->find(view_->index().elf_sections[i].name);
            if (!elf || elf->index != symbol->section)
                continue;
            const uint64_t offset = symbol->offset + pin.offset;
            const loc_range range =
                loc_index_by_offset(&view_->index(), i, static_cast<uint32_t>(offset));
            for (uint32_t at = range.first; at < range.end; at++) {
                const uint32_t number = view_->index().by_offset[at];
                const loc_section *section = nullptr;
                const loc_site *site = loc_index_site(&view_->index(), number, &section);
                if (section->loc_class == uint32_t{pin.site_class} &&
                    view_->func_name(site->func) == pin.function)
                    found.push_back(number);
            }
        }
    }
    return found.size() == 1 ? std::optional(found[0]) : std::nullopt;
}

TEST_F(Vmlinux, SitesReadByHand) {
    if (view_->build_id() != kPinnedBuildId)
        GTEST_SKIP() << "they were read from the kernel with build-id " << kPinnedBuildId
                     << " (6.1.192-2), this is " << view_->build_id();
    for (const Pin &pin : pins()) {
        SCOPED_TRACE(fmt::format("{} at {}+{:#x}", pin.function, pin.symbol, pin.offset));
        const std::optional<uint32_t> number = find(pin);
        ASSERT_TRUE(number) << "no such site, or several";
        const std::vector<Parameter> params = view_->parameters(*number);
        ASSERT_EQ(params.size(), pin.params.size());
        for (size_t i = 0; i < params.size(); i++) {
            SCOPED_TRACE(params[i].name);
            const Pin::Param &expected = pin.params[i];
            if (expected.location.size == 0) {
                EXPECT_EQ(params[i].loc, nullptr);
                EXPECT_EQ(params[i].reason, expected.reason);
                continue;
            }
            ASSERT_NE(params[i].loc, nullptr);
            const uint32_t *values = loc_param_values(params[i].loc);
            EXPECT_EQ(params[i].loc->size, expected.location.size);
            EXPECT_EQ(loc_param_flags(params[i].loc), expected.location.flags);
            EXPECT_EQ(std::vector<uint32_t>(values, values + loc_vlen(params[i].loc)),
                      expected.location.values);
        }
    }
}

}  // namespace
}  // namespace btf_extra
