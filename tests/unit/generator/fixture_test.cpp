// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Compiled fixtures are compared with what their source alone says (how often a function is
// inlined, which constants it gets), with the calling convention, and with libdw's list of
// instances.
#include <algorithm>
#include <map>

#include <elf.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/support/fixture_build.h"

namespace btf_extra {
namespace {

using test::GeneratedFixture;
using test::NamedSite;
using test::Recipe;

const std::vector<std::string> kSites = {"sites.c", "sites_other.c"};

// The value of a CONST, extended to 64 bits according to the parameter's type.
std::optional<uint64_t> constant_of(const NamedSite::Param &param) {
    if (param.loc == nullptr || (loc_param_flags(param.loc) & ~uint32_t{LOC_SIGNED}) != LOC_CONST)
        return std::nullopt;
    const uint32_t *words = loc_param_values(param.loc);
    const bool is_signed = (loc_param_flags(param.loc) & LOC_SIGNED) != 0;
    uint64_t value = words[0];
    if (loc_vlen(param.loc) == 2)
        value |= uint64_t{words[1]} << 32;
    // A constant that is narrower than the parameter is extended according to SIGNED, one of the
    // same size according to its type.
    const uint32_t shift = 64 - 8 * std::min(param.loc->size, 8u);
    const bool extend_sign = param.loc->size < param.size ? is_signed : param.is_signed;
    value <<= shift;
    return extend_sign ? static_cast<uint64_t>(static_cast<int64_t>(value) >> shift)
                       : value >> shift;
}

bool optimizes(const Recipe &recipe) {
    return recipe.level != "-O0";
}

// The registers of arguments and the stack pointer, by DWARF number.
struct Convention {
    std::vector<uint32_t> registers;
    uint32_t stack;
    uint32_t first_on_stack;  // offset at entry
};
const Convention kX86{{5, 4, 1, 2, 8, 9}, 7, 8};
const Convention kArm64{{0, 1, 2, 3, 4, 5, 6, 7}, 31, 0};

std::string in_register(const Convention &abi, size_t number) {
    return fmt::format("reg{}", abi.registers.at(number));
}
std::string in_pair(const Convention &abi, size_t number) {
    return fmt::format("reg{}, reg{}", abi.registers.at(number), abi.registers.at(number + 1));
}
std::string on_stack(const Convention &abi, size_t number) {
    const size_t offset = abi.first_on_stack + 8 * (number - abi.registers.size());
    return offset == 0 ? fmt::format("*(reg{})", abi.stack)
                       : fmt::format("*(reg{} + {:#x})", abi.stack, offset);
}

// Builds a fixture and answers questions that several tests ask.
class Sites : public testing::TestWithParam<Recipe> {
  protected:
    void build(const Recipe &recipe, const std::vector<std::string> &sources = kSites) {
        recipe_ = recipe;
        abi_ = recipe.compiler.starts_with("aarch64") ? &kArm64 : &kX86;
        test::link_fixture(path(), sources, recipe);
        test::add_base_btf(path());
        auto opened = GeneratedFixture::open(path());
        ASSERT_TRUE(opened) << opened.error().message;
        fixture_ = std::move(*opened);
    }
    std::string path() const { return folder_.path("fixture"); }
    size_t count(std::string_view function, bool body) const {
        return static_cast<size_t>(
            std::ranges::count_if(fixture_->sites(), [&](const NamedSite &site) {
                return site.function == function && site.body == body;
            }));
    }
    NamedSite only(std::string_view function) const {
        const std::vector<NamedSite> sites = fixture_->sites_of(function);
        EXPECT_EQ(sites.size(), 1u) << function;
        return sites.at(0);
    }
    // Returns true if this is the only instance of a function that clang has compiled: no other one
    // shows that nothing is assigned to its parameters.
    bool perhaps_assigned(const NamedSite &site) const {
        return recipe_.compiler.starts_with("clang") && !site.body &&
               count(site.function, false) + count(site.function, true) == 1;
    }
    // Expects the text of a location that the convention fixes. An optional one may also be
    // missing.
    void expect_text(const NamedSite &site, std::string_view name, const std::string &expected,
                     bool optional = false) const {
        const NamedSite::Param &param = site.param(name);
        if (!param.loc && optional)
            return;
        EXPECT_EQ(param.loc_text, expected) << site.function << " " << name;
        if (param.loc) {
            EXPECT_EQ(param.loc->size, param.size) << site.function << " " << name;
        }
    }

    void check_counts() const;
    void check_functions() const;
    void check_constants() const;
    void check_convention() const;
    void check_changed() const;

    test::TemporaryFolder folder_;
    Recipe recipe_;
    const Convention *abi_ = nullptr;
    std::unique_ptr<GeneratedFixture> fixture_;
};

void Sites::check_counts() const {
    const struct {
        const char *function;
        size_t inlined, bodies;
    } rows[] = {
        {"leaf", 3, 0},         {"branch", 1, 0},         {"nothing", 3, 0},
        {"constants", 1, 0},    {"addresses", 1, 0},      {"three_times", 0, 1},
        {"deep", 0, 1},         {"many_constants", 0, 1}, {"an_address", 0, 1},
        {"in_registers", 0, 1}, {"on_the_stack", 0, 1},   {"structs", 0, 1},
        {"wide", 0, 1},         {"variadic", 0, 1},       {"no_parameters", 0, 1},
        {"at_boot", 0, 1},      {"twin", 0, 2},           {"twice", 0, 2},
        {"changed", 0, 1},      {"call_twins", 0, 1},     {"call_other_twins", 0, 1},
        {"call_changed", 0, 1}, {"across", 0, 1},         {"elsewhere", 0, 1},
        {"_start", 0, 1},
    };
    size_t inlined = 0, bodies = 0;
    for (const auto &row : rows) {
        EXPECT_EQ(count(row.function, false), row.inlined) << row.function;
        EXPECT_EQ(count(row.function, true), row.bodies) << row.function;
        inlined += row.inlined;
        bodies += row.bodies;
    }
    // The compiler may turn changed() into changed.constprop.0. Its true signature is one more site
    // of the same body.
    const auto signatures = std::ranges::count_if(fixture_->sites(), [](const NamedSite &site) {
        return site.function.starts_with("changed.");
    });
    EXPECT_LE(signatures, 1);
    EXPECT_EQ(fixture_->sites().size(), inlined + bodies + static_cast<size_t>(signatures));
    EXPECT_EQ(fixture_->view().file().provenance->inline_instances, inlined);
    EXPECT_EQ(test::site_census(fixture_->sites()), test::dwarf_census(path()));
}

void Sites::check_functions() const {
    EXPECT_EQ(only("at_boot").section, ".init.text");
    EXPECT_EQ(only("at_boot").address, fixture_->symbol("at_boot"));
    EXPECT_EQ(std::ranges::count(fixture_->sites_of("nothing"), ".init.text", &NamedSite::section),
              1);

    using Place = std::pair<std::string, std::string>;
    const auto places = [&](std::string_view function) {
        std::vector<Place> out;
        for (const NamedSite &site : fixture_->sites_of(function))
            out.emplace_back(site.file, site.unit);
        std::ranges::sort(out);
        return out;
    };
    EXPECT_EQ(places("twin"), (std::vector<Place>{{"sites.c", ""}, {"sites_other.c", ""}}));
    EXPECT_EQ(places("twice"),
              (std::vector<Place>{{"twice.h", "sites.c"}, {"twice.h", "sites_other.c"}}));
    EXPECT_EQ(places("leaf"), (std::vector<Place>(3, {"sites.c", ""})));

    EXPECT_TRUE(only("variadic").variadic);
    EXPECT_EQ(only("variadic").params.size(), 1u);
    EXPECT_FALSE(only("in_registers").variadic);
    EXPECT_EQ(only("no_parameters").params.size(), 0u);
    EXPECT_EQ(only("structs").param("too_large").reason, MissingReason::kSize);
}

void Sites::check_constants() const {
    const NamedSite site = only("constants");
    const std::pair<const char *, uint64_t> expected[] = {
        {"small", static_cast<uint64_t>(-3)},
        {"large", static_cast<uint64_t>(-0x123456789abcdef)},
        {"all", 0xfedcba9876543210},
        {"flag", 1},
        {"level", static_cast<uint64_t>(-7)},
        {"byte", 0xfe},
        {"negative", static_cast<uint64_t>(-32768)},
        {"null", 0},
        {"word", 0xfffffffe},
    };
    // BTF older than the kind flag of enums (Linux 6.0, commit 6089fb325cf7) does not record that
    // an enum is signed.
    for (const auto &[name, value] : expected) {
        const NamedSite::Param &param = site.param(name);
        const uint64_t mask =
            param.size == 8 ? ~uint64_t{0} : (uint64_t{1} << (8 * param.size)) - 1;
        if (perhaps_assigned(site)) {
            EXPECT_EQ(param.reason, MissingReason::kPerhapsAssigned) << name;
            continue;
        }
        const std::optional<uint64_t> found = constant_of(param);
        ASSERT_TRUE(found) << name << ": " << param.loc_text;
        if (std::string_view(name) == "level")
            EXPECT_EQ(*found & mask, value & mask);
        else
            EXPECT_EQ(*found, value) << name;
    }

    // Each call of leaf() has one constant argument, except for the call in deep().
    std::vector<std::pair<std::optional<uint64_t>, std::optional<uint64_t>>> constants;
    for (const NamedSite &leaf : fixture_->sites_of("leaf"))
        constants.emplace_back(constant_of(leaf.param("x")), constant_of(leaf.param("y")));
    using Pair = decltype(constants)::value_type;
    EXPECT_EQ(std::ranges::count(constants, Pair{std::nullopt, 11}), 1);
    EXPECT_EQ(std::ranges::count(constants, Pair{static_cast<uint64_t>(-12), std::nullopt}), 1);
    EXPECT_EQ(std::ranges::count(constants, Pair{std::nullopt, std::nullopt}), 1);

    // Addresses count from .text. Clang has no locations for these parameters.
    const NamedSite addresses = only("addresses");
    for (const auto &[name, symbol] : {std::pair("object", "variable"), {"code", "an_address"}}) {
        const NamedSite::Param &param = addresses.param(name);
        if (!param.loc && !recipe_.compiler.starts_with("gcc"))
            continue;
        EXPECT_EQ(param.loc_text,
                  fmt::format("{:#x} (addr)", fixture_->symbol(symbol) - fixture_->text_base()))
            << name;
    }
}

void Sites::check_convention() const {
    const NamedSite plain = only("in_registers");
    const std::pair<const char *, uint32_t> sizes[] = {{"a", 4}, {"b", 8}, {"c", 8},
                                                       {"d", 2}, {"e", 1}, {"f", 1}};
    const bool clang = recipe_.compiler.starts_with("clang");
    for (size_t i = 0; i < std::size(sizes); i++) {
        // clang's DWARF 4 has a _Bool as `reg9 & 1`. The format has no such shape.
        const bool masked = clang && recipe_.dwarf == "-gdwarf-4" && sizes[i].second == 1;
        expect_text(plain, sizes[i].first, in_register(*abi_, i), masked);
        EXPECT_EQ(plain.param(sizes[i].first).size, sizes[i].second);
    }
    // Clang describes these relative to the frame that the prologue makes, so they are not known at
    // the entry.
    const NamedSite many = only("on_the_stack");
    for (size_t i = 0; i < many.params.size(); i++)
        expect_text(many, many.params[i].name,
                    i < abi_->registers.size() ? in_register(*abi_, i) : on_stack(*abi_, i),
                    clang && i >= abi_->registers.size());

    // A compiler may give no location for a struct if it passes on only a part of it.
    const NamedSite structs = only("structs");
    expect_text(structs, "eight", in_register(*abi_, 0), true);
    expect_text(structs, "twelve", in_pair(*abi_, 1), true);
    expect_text(structs, "sixteen", in_pair(*abi_, 3), true);
    const NamedSite wide = only("wide");
    expect_text(wide, "a", in_pair(*abi_, 0), true);
    expect_text(wide, "b", in_pair(*abi_, 2), true);
    expect_text(only("variadic"), "count", in_register(*abi_, 0));
    expect_text(only("at_boot"), "a", in_register(*abi_, 0));
    expect_text(only("at_boot"), "b", in_register(*abi_, 1));
    for (const NamedSite &twin : fixture_->sites_of("twin"))
        expect_text(twin, "a", in_register(*abi_, 0));

    // deep(x, y) inlines branch(b = x, a = y), and that leaf(x = a, y = b), at one address.
    const NamedSite branch = only("branch");
    const std::vector<NamedSite> leaves = fixture_->sites_of("leaf");
    const auto leaf = std::ranges::find(leaves, branch.address, &NamedSite::address);
    ASSERT_NE(leaf, leaves.end());
    if (perhaps_assigned(branch)) {
        for (const NamedSite::Param &param : branch.params)
            EXPECT_EQ(param.reason, MissingReason::kPerhapsAssigned) << param.name;
        return;
    }
    EXPECT_EQ(branch.param("a").loc_text, leaf->param("x").loc_text);
    EXPECT_EQ(branch.param("b").loc_text, leaf->param("y").loc_text);
    if (branch.address == fixture_->symbol("deep")) {
        expect_text(branch, "b", in_register(*abi_, 0));
        expect_text(branch, "a", in_register(*abi_, 1));
    }
}

// changed(p, 17, unused) either keeps its signature or loses the arguments that need not be passed.
void Sites::check_changed() const {
    const NamedSite site = only("changed");
    const std::string symbol = fixture_->symbol_at(site.address);
    expect_text(site, "p", in_register(*abi_, 0));
    const NamedSite::Param &same = site.param("same");
    if (same.loc && same.loc_text != in_register(*abi_, 1)) {
        EXPECT_EQ(constant_of(same), 17u) << same.loc_text;
    }
    if (symbol == "changed") {
        expect_text(site, "unused", in_register(*abi_, 2), true);
        EXPECT_FALSE(recipe_.compiler.starts_with("gcc") && recipe_.level == "-O2");
        return;
    }
    EXPECT_EQ(symbol.rfind("changed.", 0), 0u) << symbol;
    EXPECT_EQ(site.param("unused").loc, nullptr);
    const auto by_symbol = test::run_btf_extra(
        {"lookup", symbol, "--tables", path() + ".btf_extra", "--vmlinux", path()});
    EXPECT_EQ(by_symbol.exit_code, 0) << by_symbol.err;
    EXPECT_NE(by_symbol.out.find(symbol + "+0x0"), by_symbol.out.npos) << by_symbol.out;
}

TEST_P(Sites, AsTheSourceSays) {
    ASSERT_NO_FATAL_FAILURE(build(GetParam()));
    check_counts();
    check_functions();
    if (!optimizes(GetParam())) {
        // Code that is not optimized has parameters in memory, which is written after the site.
        for (const NamedSite &site : fixture_->sites())
            for (const NamedSite::Param &param : site.params)
                EXPECT_TRUE(!param.loc || site.function == "on_the_stack")
                    << site.function << " " << param.name << " " << param.loc_text;
        return;
    }
    check_constants();
    check_convention();
    check_changed();
}

std::string test_name(const testing::TestParamInfo<Recipe> &info) {
    std::string out;
    for (const char c : info.param.name())
        if (std::isalnum(static_cast<unsigned char>(c)))
            out += c;
        else if (c == ' ')
            out += '_';
    return out;
}

INSTANTIATE_TEST_SUITE_P(X86, Sites,
                         testing::ValuesIn(test::recipes({"-O0", "-O1", "-O2", "-O3", "-Os"})),
                         test_name);
INSTANTIATE_TEST_SUITE_P(
    Arm64, Sites,
    testing::Values(Recipe{.compiler = "aarch64-linux-gnu-gcc", .level = "-O0"},
                    Recipe{.compiler = "aarch64-linux-gnu-gcc", .level = "-O2"},
                    Recipe{
                        .compiler = "aarch64-linux-gnu-gcc", .level = "-O3", .dwarf = "-gdwarf-4"}),
    test_name);

// A function that is not inlined has a body of its own, which the census counts too.
TEST_F(Sites, TracedProgramHasLibdwsInstances) {
    for (const Recipe &recipe : test::recipes({"-O2"})) {
        SCOPED_TRACE(recipe.name());
        ASSERT_NO_FATAL_FAILURE(build(recipe, {"traced.c"}));
        EXPECT_EQ(test::site_census(fixture_->sites()), test::dwarf_census(path()));
    }
}

}  // namespace
}  // namespace btf_extra
