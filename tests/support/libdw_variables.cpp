// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "tests/support/libdw_variables.h"

#include <algorithm>
#include <sstream>
#include <stdexcept>

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <unistd.h>

#include "tests/support/command_run.h"

namespace btf_extra::test {
namespace {

std::string name_of(Dwarf_Die *die) {
    Dwarf_Attribute attribute;
    const char *name = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_name, &attribute));
    return name != nullptr ? name : "";
}

bool has_flag(Dwarf_Die *die, unsigned name, bool integrate) {
    Dwarf_Attribute attribute;
    bool value = false;
    Dwarf_Attribute *found =
        integrate ? dwarf_attr_integrate(die, name, &attribute) : dwarf_attr(die, name, &attribute);
    return found != nullptr && dwarf_formflag(found, &value) == 0 && value;
}

// "struct sk_buff", down to the first type that is neither a qualifier nor a typedef.
std::string type_text(Dwarf_Die type) {
    for (int depth = 0; depth < 100; depth++) {
        switch (dwarf_tag(&type)) {
        case DW_TAG_const_type:
        case DW_TAG_volatile_type:
        case DW_TAG_restrict_type:
        case DW_TAG_atomic_type:
        case DW_TAG_typedef: {
            Dwarf_Attribute attribute;
            if (dwarf_formref_die(dwarf_attr(&type, DW_AT_type, &attribute), &type) == nullptr)
                return "";
            continue;
        }
        case DW_TAG_structure_type:
        case DW_TAG_union_type:
        case DW_TAG_enumeration_type: {
            if (has_flag(&type, DW_AT_declaration, false))
                return "";
            const char *kind = dwarf_tag(&type) == DW_TAG_structure_type ? "struct "
                               : dwarf_tag(&type) == DW_TAG_union_type   ? "union "
                                                                         : "enum ";
            return kind + name_of(&type);
        }
        case DW_TAG_base_type:
            return name_of(&type).find("complex") != std::string::npos ? "" : name_of(&type);
        case DW_TAG_pointer_type:
            return "pointer";
        case DW_TAG_array_type: {
            Dwarf_Attribute attribute;
            Dwarf_Die element;
            if (dwarf_formref_die(dwarf_attr(&type, DW_AT_type, &attribute), &element) == nullptr)
                return "";
            const std::string of = type_text(element);
            return of.empty() ? "" : "[] of " + of;
        }
        default:
            return "";
        }
    }
    return "";
}

class Walk {
  public:
    explicit Walk(std::vector<DwarfVariable> &out) : out_(out) {}

    void unit(Dwarf_Die *die) {
        Dwarf_Die child;
        if (dwarf_child(die, &child) != 0)
            return;
        do
            visit(child, true);
        while (dwarf_siblingof(&child, &child) == 0);
    }

  private:
    void visit(Dwarf_Die die, bool of_file) {
        if (dwarf_tag(&die) == DW_TAG_variable)
            add(die, of_file);
        Dwarf_Die child;
        if (dwarf_child(&die, &child) != 0)
            return;
        do
            visit(child, false);
        while (dwarf_siblingof(&child, &child) == 0);
    }

    void add(Dwarf_Die die, bool of_file) {
        if (has_flag(&die, DW_AT_declaration, false))
            return;
        DwarfVariable variable{.name = name_of(&die)};
        Dwarf_Attribute location;
        if (dwarf_attr(&die, DW_AT_location, &location) == nullptr) {
            variable.no_location = true;
        } else {
            Dwarf_Block block{};
            Dwarf_Op *ops = nullptr;
            size_t count = 0;
            const bool is_expression = dwarf_formblock(&location, &block) == 0;
            variable.no_location = is_expression && block.length == 0;
            if (is_expression && block.length != 0 &&
                dwarf_getlocation(&location, &ops, &count) == 0 && count != 0 &&
                ops[0].atom == DW_OP_addr) {
                if (count == 1)
                    variable.address = ops[0].number;
                of_file = true;  // it has static storage
            }
        }
        if (!of_file || variable.name.empty())
            return;
        variable.external = has_flag(&die, DW_AT_external, true);
        Dwarf_Attribute attribute;
        Dwarf_Die type;
        if (dwarf_formref_die(dwarf_attr_integrate(&die, DW_AT_type, &attribute), &type)) {
            variable.type = type_text(type);
            Dwarf_Word size = 0;
            if (dwarf_aggregate_size(&type, &size) == 0)
                variable.size = size;
        }
        out_.push_back(std::move(variable));
    }

    std::vector<DwarfVariable> &out_;
};

}  // namespace

std::vector<DwarfVariable> dwarf_variables(const std::string &path) {
    std::vector<DwarfVariable> out;
    const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    Dwarf *dwarf = dwarf_begin(fd, DWARF_C_READ);
    if (dwarf == nullptr)
        throw std::runtime_error(path + ": " + dwarf_errmsg(-1));
    Dwarf_CU *unit = nullptr;
    Dwarf_Die die;
    while (dwarf_get_units(dwarf, unit, &unit, nullptr, nullptr, &die, nullptr) == 0) {
        const int language = dwarf_srclang(&die);
        if (language != DW_LANG_Rust && language != DW_LANG_Mips_Assembler)
            Walk(out).unit(&die);
    }
    dwarf_end(dwarf);
    close(fd);
    return out;
}

std::map<std::string, std::vector<NmSymbol>> nm_symbols(const std::string &path) {
    const CommandResult printed = run_command({"nm", "-n", "-S", path});
    if (printed.exit_code != 0)
        throw std::runtime_error(printed.err);
    std::map<std::string, std::vector<NmSymbol>> out;
    std::istringstream lines(printed.out);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::vector<std::string> parts;
        for (std::string part; words >> part;)
            parts.push_back(part);
        // "ADDRESS [SIZE] TYPE NAME"
        if (parts.size() < 3 || parts.size() > 4 || parts[0].size() != 16)
            continue;
        out[parts.back()].push_back(
            {.address = std::stoull(parts[0], nullptr, 16),
             .size = parts.size() == 4 ? std::stoull(parts[1], nullptr, 16) : 0,
             .type = parts[parts.size() - 2][0]});
    }
    return out;
}

}  // namespace btf_extra::test
