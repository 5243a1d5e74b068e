// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Builds the programs of tests/fixtures at test time, and generates their tables. If a compiler
// complains, an exception is thrown, because nothing can be tested.
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
#include "tests/support/marked_places.h"
#include "tests/support/objdump_flow.h"
#include "userspace/format/elf_image.h"
#include "userspace/generator/generate.h"
#include "userspace/lib/tables/object_view.h"
#include "userspace/lib/tables/symbol_table.h"

namespace btf_extra::test {

using namespace generator;

struct Recipe {
    std::string compiler = "gcc";  // gcc, clang-14 or aarch64-linux-gnu-gcc
    std::string level = "-O2";
    std::string dwarf = "-gdwarf-5";
    std::vector<std::string> more = {};  // more flags for the compiler and the linker

    std::string name() const;  // "gcc -O2 -gdwarf-5"
    friend void PrintTo(const Recipe &recipe, std::ostream *out) { *out << recipe.name(); }
};

// Returns {gcc, clang} x levels x {DWARF 4, DWARF 5}.
std::vector<Recipe> recipes(const std::vector<std::string> &levels);

// Makes the program PATH from tests/fixtures/SOURCES, without C library and at fixed addresses.
void link_fixture(const std::string &path, const std::vector<std::string> &sources,
                  const Recipe &recipe);
// Compiles tests/fixtures/SOURCE into the object file PATH.
void compile_fixture(const std::string &path, const std::string &source, const Recipe &recipe);
// Adds .BTF that pahole makes.
void add_base_btf(const std::string &path);
// Runs any other command, with tests/fixtures as the working folder.
CommandResult run_in_fixtures(std::vector<std::string> arguments);
void must_run(std::vector<std::string> arguments);

// A site in words that do not depend on ids.
struct NamedSite {
    std::string function;
    std::string file;
    std::string unit;  // empty if it is not needed to tell functions apart
    std::string section;
    uint64_t address = 0;  // link-time address
    bool body = false;
    bool variadic = false;
    uint32_t marks = 0;  // SITE_MARK_*
    struct Param {
        std::string name;
        uint32_t size;  // size of its type; 0: not known
        bool is_signed;
        const btf_type *loc;  // NULL: no location
        std::string loc_text;
        std::optional<MissingReason> reason;
    };
    std::vector<Param> params;

    const Param &param(std::string_view name) const;
};

// A program, and the .btf_extra file that was generated for it.
class GeneratedFixture {
  public:
    // Writes PATH.btf_extra. btf_base has the meaning of the command's --btf-base.
    static Result<std::unique_ptr<GeneratedFixture>>
    open(const std::string &path, const std::string &btf_base = "", uint32_t jobs = 1);

    const std::vector<NamedSite> &sites() const { return sites_; }
    std::vector<NamedSite> sites_of(std::string_view function) const;
    const ObjectView &view() const { return *view_; }
    const ElfImage &elf() const { return elf_; }
    uint64_t text_base() const;
    // Returns the address of the only symbol of that name; 0: there is none.
    uint64_t symbol(const std::string &name) const;
    // Returns the symbol of the code that begins at an address; "": there is none.
    std::string symbol_at(uint64_t address) const;

  private:
    explicit GeneratedFixture(ElfImage elf) : elf_(std::move(elf)) {}
    void read_sites();

    ElfImage elf_;
    std::unique_ptr<ObjectView> view_;
    std::optional<SymbolTable> symbols_;
    std::vector<NamedSite> sites_;
};

// Returns lines "name@address class param=location ...", sorted, to compare two outputs.
std::vector<std::string> site_lines(const std::vector<NamedSite> &sites);

// Returns "name@address class" of every inlined instance and body, sorted and without repeats. It
// uses libdw and no code of the generator.
std::vector<std::string> dwarf_census(const std::string &path);
// Returns "name@address" of every inlined instance whose first instruction other code leads to,
// sorted and without repeats. It uses libdw and objdump.
struct JumpCensus {
    std::vector<std::string> from_inside;   // a jump in its own ranges, or own code that comes back
    std::vector<std::string> from_outside;  // code elsewhere
};
JumpCensus jump_census(const std::string &path, const ObjdumpFlow &flow);
// Returns the places that continue a call (bodies foo.part.0, and instances that are inlined in
// their own function where it is declared, and run after its beginning), and those where not each
// call of an instance begins: all of them if the compiler marks no entries. It uses libdw, nm and
// objdump.
MarkedPlaces mark_census(const std::string &path, const ObjdumpFlow &flow);
// Returns the same text for an output.
std::vector<std::string> site_census(const std::vector<NamedSite> &sites);

}  // namespace btf_extra::test

#endif
