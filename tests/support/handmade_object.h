// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Makes a kernel of which only the debug information matters: an ELF file around hand-made DWARF.
// Returns the generator's output as text.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tests/support/dwarf_builder.h"
#include "tests/support/list_bytes.h"

namespace btf_extra::test {

// The loaded sections. Each is 0x1000 bytes long, in this order.
constexpr uint64_t kPerCpuData = 0;             // .data..percpu
constexpr uint64_t kCode = 0xffffffff81000000;  // .text
constexpr uint64_t kData = kCode + 0x1000;      // .data
constexpr uint64_t kBss = kCode + 0x2000;       // .bss
constexpr uint64_t kInitCode = kCode + 0x3000;  // .init.text
constexpr uint64_t kEnd = kCode + 0x4000;

// DWARF types that the base BTF has. Their labels are "long", "int", "char", "void*", "s0" (a
// struct of 0 bytes), "s3", "s9", "s12", "s16" and "s17".
std::vector<Entry> base_type_entries();

// These functions make entries of the usual shape. More attributes and children can be added.

// Makes a C unit at kCode with base_type_entries() and the given children.
Entry c_unit(std::vector<Entry> children, std::vector<Attribute> more = {});
// Makes the abstract instance of void name(type first, ...). It is labelled `name`, its parameters
// "name.first" and so on.
struct ParamDecl {
    std::string name;
    std::string type = "long";
};
Entry abstract(const std::string &name, const std::vector<ParamDecl> &params,
               bool variadic = false);
// Makes the out-of-line function void name(void), without a frame base.
Entry body(const std::string &name, uint64_t low_pc, std::vector<Entry> children,
           std::vector<Attribute> more = {});
// Makes an inlined instance of the function with that label.
Entry inlined(const std::string &function, std::vector<Attribute> where,
              std::vector<Entry> children);
inline Entry inlined(const std::string &function, uint64_t low_pc, std::vector<Entry> children) {
    return inlined(function, {attr::address(DW_AT_low_pc, low_pc)}, std::move(children));
}
// Makes a parameter of an instance, with DW_AT_abstract_origin and its place.
Entry param(const std::string &origin, std::vector<Attribute> attributes);
inline Entry param(const std::string &origin, const Expr &location) {
    return param(origin, {attr::expression(DW_AT_location, location)});
}

// The generator's output.
struct Outcome {
    // One line for each site, in the order of the blob:
    //   func.text+0x100 host()
    //   inline.text+0x110 f(a=reg5, b=*(reg7 + 0x8):4, c=<optimized out>, ...)
    // ":4" is a size other than 8, "..." the end of a variadic function. If the generator fails,
    // the text is:
    //   error: REASON
    std::string text;
    uint64_t inline_instances = 0;
    uint32_t skipped_rust_units = 0;
    uint32_t contradicted = 0;
    std::map<std::string, std::string> files{};  // by function
};

class HandmadeObject {
  public:
    DwarfBuilder dwarf;
    // The file beside it that its .gnu_debugaltlink or .debug_sup may name. It has the build-id
    // 01020304. Without sections there is none.
    DwarfBuilder alternate;
    std::string alternate_name = "common.debug";

    // Adds bytes to a section other than .debug_info and .debug_abbrev.
    HandmadeObject &add(const std::string &section, const Expr &bytes);
    HandmadeObject &add_unit(const Entry &root, const UnitShape &shape = {}) {
        dwarf.add_unit(root, shape);
        return *this;
    }

    Outcome generate();
    std::string sites() { return generate().text; }
};

}  // namespace btf_extra::test
