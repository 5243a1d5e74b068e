// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The source functions of one unit, by its entries: an instance, a body or a declaration to what it
// is one of, with its prototype and where it was declared.
#ifndef BTF_EXTRA_SOURCE_FUNCTIONS_H
#define BTF_EXTRA_SOURCE_FUNCTIONS_H

#include <cstdint>
#include <memory_resource>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "userspace/generator/dwarf/dwarf_types.h"
#include "userspace/generator/dwarf/line_program.h"
#include "userspace/generator/model/site_model.h"
#include "userspace/generator/sites/reader_input.h"
#include "userspace/generator/types/type_map.h"

namespace btf_extra::generator {

// Offsets are those of .debug_info. An entry that is malformed is of no function, an attribute that
// is malformed is as if absent.
class SourceFunctions {
  public:
    struct Param {
        uint64_t die = 0;  // its entry in the abstract instance
        TypeRef type = 0;
        uint64_t size = 0;  // bytes of a value
    };
    // Lives as long as the memory.
    struct Function {
        uint32_t number = 0;  // in UnitSites::functions
        std::span<const Param> params;
        bool variadic = false;
        SourcePlace declared;
        bool declared_here = false;  // its file is a number of the unit that is being read
    };

    // What is read is added to sites: functions, their parameters and paths. memory is for tables.
    // All of them outlive it.
    SourceFunctions(const ReaderInput &input, const Unit &unit, DwarfTypes &types, UnitSites &sites,
                    std::pmr::memory_resource *memory);

    // The source function of an entry, through its abstract origins; nullptr:
    // none that has a name.
    const Function *at(uint64_t die_offset);
    // The position of a parameter entry in the prototype, or -1.
    int position_of(const Function &function, uint64_t die_offset) const;
    // A file by the number that it has in a unit, normalised, relative to the source tree; empty:
    // there is none.
    std::string_view file_of(const Unit &unit, uint64_t number);

    // The unit's own name, likewise.
    std::string_view unit_path() const { return unit_path_; }
    // A string that lives as long as the sites.
    std::string_view keep(std::string text);
    // Adds a function, whose parameters are those in sites from its first_param on; returns its
    // number.
    uint32_t add(const SourceFunction &function);

  private:
    struct Files {
        std::vector<std::string> written;          // by number, as the unit spells them
        std::vector<std::string_view> normalized;  // those asked for so far
    };

    const Unit *unit_at(uint64_t offset) const;
    const Function *read(const Unit &unit, const Die &die);

    const ReaderInput &input_;
    const Unit &unit_;
    DwarfTypes &types_;
    UnitSites &sites_;
    std::string_view unit_path_;
    TypeMap type_map_;
    std::pmr::polymorphic_allocator<> memory_;
    std::pmr::unordered_map<uint64_t, const Function *> functions_;  // by entry
    std::unordered_map<uint64_t, Files> files_;                      // by unit
    std::vector<Param> params_;  // of the function that is being read
};

}  // namespace btf_extra::generator

#endif
