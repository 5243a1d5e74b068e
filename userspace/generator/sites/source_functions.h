// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Finds the source functions of one unit by its entries: which function an instance, a body or a
// declaration is one of, with its prototype and the place where it was declared.
#ifndef BTF_EXTRA_SOURCE_FUNCTIONS_H
#define BTF_EXTRA_SOURCE_FUNCTIONS_H

#include <cstdint>
#include <map>
#include <memory_resource>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "userspace/generator/dwarf/dwarf_types.h"
#include "userspace/generator/dwarf/line_program.h"
#include "userspace/generator/model/site_model.h"
#include "userspace/generator/sites/reader_input.h"
#include "userspace/generator/types/type_map.h"

namespace btf_extra::generator {

// Offsets are those of entries. A reference to an entry that is missing is an error of the unit. A
// malformed attribute counts as absent.
class SourceFunctions {
  public:
    struct Param {
        uint64_t die = 0;  // its entry in the abstract instance
        TypeRef type = 0;
        uint64_t size = 0;  // bytes of a value
    };
    // It lives as long as the memory.
    struct Function {
        uint32_t number = 0;  // in UnitSites::functions
        std::span<const Param> params;
        bool variadic = false;
        SourcePlace declared;
        const Unit *file_unit = nullptr;  // the one whose number of the file is in declared
        // The same with the number that the unit of these sites has; nullopt: it has none, or the
        // place is not known.
        std::optional<SourcePlace> here;
        uint64_t die = 0;  // its abstract instance
    };

    // Adds what it reads to sites: functions, their parameters and paths. Its tables are in memory.
    // All of these outlive it.
    SourceFunctions(const ReaderInput &input, const Unit &unit, DwarfTypes &types, UnitSites &sites,
                    std::pmr::memory_resource *memory);

    // Returns the source function of an entry, by its abstract origins. nullptr: it has none with a
    // name. from is the entry that refers to it, or the same.
    const Function *at(uint64_t die_offset, uint64_t from);
    // Returns the position of a parameter entry in the prototype, or -1.
    int position_of(const Function &function, uint64_t die_offset, uint64_t from) const;
    // Returns true if a macro writes the head of a function, so that its parameters or variables
    // are declared at the very place of the function.
    bool written_by_macro(const Function &function);
    // Returns a file by the number that it has in a unit, normalised and relative to the source
    // tree. Empty: there is none.
    std::string_view file_of(const Unit &unit, uint64_t number);
    // Returns the lowest number of the same file by each number that the unit of these sites has.
    // It is empty if no function is declared in another unit: then numbers stand for themselves.
    std::span<const uint64_t> same_files() const { return same_files_; }

    // Returns the id of a type.
    TypeId type_id(TypeRef ref) { return type_map_.map(ref); }

    // The unit's own name, normalised and relative to the source tree.
    std::string_view unit_path() const { return unit_path_; }
    // Keeps a string as long as the sites live.
    std::string_view keep(std::string text);
    // Adds a function and returns its number. Its parameters are those in sites, from its
    // first_param on.
    uint32_t add(const SourceFunction &function);

  private:
    // One for each file table, which units may share.
    struct Files {
        std::vector<std::string> written;          // by number, as the unit spells them
        std::vector<std::string_view> normalized;  // those asked for so far
    };

    const Unit *unit_at(uint64_t offset) const;
    // Notes that an entry refers, at last, to none of the wanted kind: the unit has an error then.
    void note_dangling(uint64_t from) const;
    Files &files_of(const Unit &unit);
    // Returns the absolute path of a file; empty: there is none.
    std::string path_of(const Unit &unit, uint64_t number);
    // Returns the place with the number that the unit of these sites has.
    std::optional<SourcePlace> place_here(const Unit &unit, SourcePlace place);
    const Function *read(const Unit &unit, const Die &die);
    // Reads the parameters of an entry into params_ and the sites. Returns true if more may follow.
    bool read_params(const Unit &unit, const Die &die);

    const ReaderInput &input_;
    const Unit &unit_;
    DwarfTypes &types_;
    UnitSites &sites_;
    std::string_view unit_path_;
    TypeMap type_map_;
    std::pmr::polymorphic_allocator<> memory_;
    std::pmr::unordered_map<uint64_t, const Function *> functions_;      // by entry
    std::map<std::pair<const DebugSections *, uint64_t>, Files> files_;  // by line program
    std::unordered_map<std::string, uint64_t> own_files_;                // lowest numbers by path
    std::vector<uint64_t> same_files_;
    std::vector<Param> params_;  // of the function that is being read
};

}  // namespace btf_extra::generator

#endif
