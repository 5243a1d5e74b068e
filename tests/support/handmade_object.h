// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// A kernel of which only the debug information matters: an ELF file around
// hand-made DWARF, and what the generator makes of it, as text.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tests/support/dwarf_builder.h"
#include "tests/support/list_bytes.h"

namespace btf_extra::test {

// What is loaded, by section; all are 0x1000 bytes long, in this order.
constexpr uint64_t kPerCpuData = 0;             // .data..percpu
constexpr uint64_t kCode = 0xffffffff81000000;  // .text
constexpr uint64_t kData = kCode + 0x1000;      // .data
constexpr uint64_t kBss = kCode + 0x2000;       // .bss
constexpr uint64_t kInitCode = kCode + 0x3000;  // .init.text
constexpr uint64_t kEnd = kCode + 0x4000;

// DWARF types that the base BTF has, labelled with these names: "long", "int",
// "char", "void*", "s0" (a struct of 0 bytes), "s3", "s9", "s12", "s16", "s17".
std::vector<Entry> base_type_entries();

// Entries of the usual shape; more attributes and children can be added.

// A C unit at kCode with base_type_entries() and what is given.
Entry c_unit(std::vector<Entry> children, std::vector<Attribute> more = {});
// void name(type first, ...): an abstract instance labelled `name`, its
// parameters labelled "name.first", and so on.
struct ParamDecl {
    std::string name;
    std::string type = "long";
};
Entry abstract(const std::string &name, const std::vector<ParamDecl> &params,
               bool variadic = false);
// The out-of-line function void name(void), with no frame base.
Entry body(const std::string &name, uint64_t low_pc, std::vector<Entry> children,
           std::vector<Attribute> more = {});
// An inlined instance of the function with that label.
Entry inlined(const std::string &function, std::vector<Attribute> where,
              std::vector<Entry> children);
inline Entry inlined(const std::string &function, uint64_t low_pc, std::vector<Entry> children) {
    return inlined(function, {attr::address(DW_AT_low_pc, low_pc)}, std::move(children));
}
// A parameter of an instance: DW_AT_abstract_origin, and where it is.
Entry param(const std::string &origin, std::vector<Attribute> attributes);
inline Entry param(const std::string &origin, const Expr &location) {
    return param(origin, {attr::expression(DW_AT_location, location)});
}

// What came out.
struct Outcome {
    // One line for each site, in the order of the blob:
    //   func.text+0x100 host()
    //   inline.text+0x110 f(a=reg5, b=*(reg7 + 0x8):4, c=<optimized out>, ...)
    // ":4" is the size where it is not 8, "..." the end of a variadic function; or
    //   error: REASON
    std::string text;
    uint64_t inline_instances = 0;
    uint32_t skipped_rust_units = 0;
    std::map<std::string, std::string> files{};  // by function
};

class HandmadeObject {
  public:
    DwarfBuilder dwarf;

    // Adds to a section other than .debug_info and .debug_abbrev.
    HandmadeObject &add(const std::string &section, const Expr &bytes);
    HandmadeObject &add_unit(const Entry &root, const UnitShape &shape = {}) {
        dwarf.add_unit(root, shape);
        return *this;
    }

    Outcome generate();
    std::string sites() { return generate().text; }
};

}  // namespace btf_extra::test
