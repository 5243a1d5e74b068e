// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Programs made of tests/fixtures at test time, and what the generator makes of
// them. A compiler that complains is an exception: nothing can be tested then.
#ifndef BTF_EXTRA_TESTS_FIXTURE_BUILD_H
#define BTF_EXTRA_TESTS_FIXTURE_BUILD_H

#include <cstdint>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/command_run.h"
#include "userspace/format/elf_image.h"
#include "userspace/generator/generate.h"
#include "userspace/lib/tables/object_view.h"
#include "userspace/lib/tables/symbol_table.h"

namespace btf_extra::test {

struct Recipe {
    std::string compiler = "gcc";  // gcc, clang-14, aarch64-linux-gnu-gcc
    std::string level = "-O2";
    std::string dwarf = "-gdwarf-5";
    std::vector<std::string> more = {};  // flags to compile and to link with

    std::string name() const;  // "gcc -O2 -gdwarf-5"
    friend void PrintTo(const Recipe &recipe, std::ostream *out) { *out << recipe.name(); }
};

// {gcc, clang} x levels x {DWARF 4, DWARF 5}
std::vector<Recipe> recipes(const std::vector<std::string> &levels);

// A new program PATH of tests/fixtures/SOURCES, without C library, at fixed addresses.
void link_fixture(const std::string &path, const std::vector<std::string> &sources,
                  const Recipe &recipe);
// tests/fixtures/SOURCE to the object file PATH.
void compile_fixture(const std::string &path, const std::string &source, const Recipe &recipe);
// Adds .BTF, by pahole.
void add_base_btf(const std::string &path);
// For anything else; with tests/fixtures as the working folder.
CommandResult run_in_fixtures(std::vector<std::string> arguments);
void must_run(std::vector<std::string> arguments);

// A site, in words that do not depend on ids.
struct NamedSite {
    std::string function;
    std::string file;
    std::string unit;  // empty: not needed to tell it apart
    std::string section;
    uint64_t address = 0;  // link time
    bool body = false;
    bool variadic = false;
    uint32_t marks = 0;  // SITE_MARK_*
    struct Param {
        std::string name;
        uint32_t size;  // of its type; 0: not known
        bool is_signed;
        const btf_type *loc;  // NULL: no location
        std::string loc_text;
        std::optional<NotAvailable> reason;
    };
    std::vector<Param> params;

    const Param &param(std::string_view name) const;
};

// A program, and the .btf_extra file that was generated for it.
class GeneratedFixture {
  public:
    // Writes PATH.btf_extra. btf_base: as of the command.
    static Result<std::unique_ptr<GeneratedFixture>> open(const std::string &path,
                                                          const std::string &btf_base = "",
                                                          Layout layout = Layout::kSplit,
                                                          uint32_t jobs = 1);

    const std::vector<NamedSite> &sites() const { return sites_; }
    std::vector<NamedSite> sites_of(std::string_view function) const;
    const ObjectView &view() const { return *view_; }
    const ElfImage &elf() const { return elf_; }
    uint64_t text_base() const;
    // Address of the only symbol of that name; 0: there is none.
    uint64_t symbol(const std::string &name) const;
    // The symbol of code that begins at an address; empty: none.
    std::string symbol_at(uint64_t address) const;

  private:
    explicit GeneratedFixture(ElfImage elf) : elf_(std::move(elf)) {}
    void read_sites();

    ElfImage elf_;
    std::unique_ptr<ObjectView> view_;
    std::optional<SymbolTable> symbols_;
    std::vector<NamedSite> sites_;
};

// As lines "name@address class param=location ...", sorted: to compare two outputs.
std::vector<std::string> site_lines(const std::vector<NamedSite> &sites);

// By libdw, and nothing of the generator: "name@address class" of every inlined
// instance and body, sorted, each once.
std::vector<std::string> dwarf_census(const std::string &path);
// By libdw and objdump: "name@address" of every inlined instance whose first instruction is where a
// direct jump leads to, sorted, each once.
struct JumpCensus {
    std::vector<std::string> from_inside;   // one at least is in the instance's own ranges
    std::vector<std::string> from_outside;  // all are elsewhere
};
JumpCensus jump_census(const std::string &path, bool arm64);
// By libdw and nm: "name@address" of all that goes on with a call: bodies foo.part.0, and what is
// inlined in its own function where that is declared; sorted, each once.
// Instances without DW_AT_entry_pc, in units where others have a DW_AT_GNU_entry_view.
std::vector<std::string> no_entry_census(const std::string &path);
std::vector<std::string> part_census(const std::string &path);
// The same of an output.
std::vector<std::string> site_census(const std::vector<NamedSite> &sites);

}  // namespace btf_extra::test

#endif
