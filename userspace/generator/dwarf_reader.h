// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// One unit of .debug_info to its sites: every inlined instance and every body,
// with the location of each parameter there.
#ifndef BTF_EXTRA_DWARF_READER_H
#define BTF_EXTRA_DWARF_READER_H

#include <cstdint>
#include <map>
#include <memory>
#include <memory_resource>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "userspace/generator/address_list.h"
#include "userspace/generator/copied_entries.h"
#include "userspace/generator/debug_file.h"
#include "userspace/generator/defined_symbols.h"
#include "userspace/generator/dwarf_types.h"
#include "userspace/generator/own_jumps.h"
#include "userspace/generator/register_use.h"
#include "userspace/generator/site_context.h"
#include "userspace/generator/site_model.h"
#include "userspace/generator/source_path.h"
#include "userspace/generator/true_signature.h"
#include "userspace/generator/type_map.h"

namespace btf_extra {

// What all threads share; nothing of it changes but the new types.
struct ReaderInput {
    const DebugFile &file;
    const DefinedSymbols &symbols;
    const UnitSet &units;
    const SourceTree &source_tree;
    const BaseTypes &base;
    NewTypes &new_types;
};

// One for each thread.
class UnitReader {
  public:
    UnitReader(const ReaderInput &input, std::unique_ptr<FrameTable> frames);
    ~UnitReader();

    UnitSites read(const Unit &unit);

  private:
    struct Param {
        uint64_t die = 0;  // its entry in the abstract instance
        TypeRef type = 0;
        uint64_t size = 0;  // bytes of a value
    };
    struct Function {
        uint32_t number = 0;  // in UnitSites::functions
        std::span<const Param> params;
        bool variadic = false;
        SourcePlace declared;
        bool declared_here = false;  // its file is a number of the unit that is being read
    };
    // Where entries are met: whose parameters are children here, and at what
    // point they are wanted.
    struct Scope {
        const Function *function = nullptr;  // nullptr: nobody's
        const Function *site = nullptr;      // of the innermost site around; nullptr: none
        size_t first_slot = 0;               // of the site, in slots_
        CodePoint point;
        const Enclosing *enclosing = nullptr;
        bool body = false;      // these are parameters of an out-of-line function
        bool own_only = false;  // sites in it have been read
    };
    // An inlined instance that has been read.
    struct Instance {
        uint64_t die = 0;
        const Function *function = nullptr;
        Enclosing enclosing;
        uint8_t marks = 0;  // SITE_MARK_PART, if it is one
    };
    // What is known of one unit. A million small nodes in a kernel: their memory
    // is taken and let go as a whole, without a word to other threads.
    struct Tables {
        Tables(const ReaderInput &input, TypeSource &source)
            : type_map(input.base, input.new_types, source, &memory) {}

        std::pmr::monotonic_buffer_resource memory{1 << 16};
        TypeMap type_map;
        std::pmr::unordered_map<uint64_t, const Function *> functions{&memory};  // by entry
        std::pmr::unordered_map<LocParam, uint32_t, LocParamHash> loc_params{&memory};
    };

    // These return the offset behind what they read; 0 after fail().
    uint64_t walk(uint64_t offset, const Scope &scope, uint32_t depth);
    uint64_t visit_subprogram(const Die &die, uint32_t depth);
    uint64_t visit_inlined(const Die &die, const Scope &scope, uint32_t depth);
    uint64_t visit_parameter(const Die &die, const Scope &scope);
    uint64_t fail(uint64_t offset);

    // The children of an entry, and the site that it is if its function is known
    // and its address in an executable section. site: the rest of it.
    uint64_t visit_site(const Die &die, uint64_t after_attributes, Site site, Scope scope,
                        uint32_t depth);
    // Whether this is the body of an overridden definition.
    bool is_overridden(const Function *function, uint64_t address) const;
    // Whether what is inlined here is the rest of a call whose beginning is the site around it.
    bool is_part(const Function *function, const Scope &scope, const SourcePlace &call);
    // false: in no executable section.
    bool place_site(Site &site, uint64_t address) const;
    // Room for the parameters of a site, none of them located, in slots_.
    void begin_params(Scope &scope);
    void add_copied_site(const CopiedEntries::Copy &copy);
    const Unit *unit_at(uint64_t offset) const;
    // The source function of an entry, through its abstract origins; nullptr:
    // none that has a name.
    const Function *function_at(uint64_t die_offset);
    const Function *read_function(const Unit &unit, const Die &die);
    // The position of a parameter entry in the prototype, or -1.
    int position_of(const Function &function, uint64_t die_offset);
    ParamSlot slot_of(const Location &location);
    // Where the compiler changed the signature of a body: the function that it is, too.
    void add_true_signature(const Die &die, const Function &function, const Site &body,
                            std::span<const ParamSlot> slots);
    std::vector<EntryParam> entry_params(const Function &function,
                                         std::span<const ParamSlot> slots);
    EntryParam::Shape shape_of(TypeRef type);
    std::string_view path(std::string path);  // kept in sites_
    std::string_view file_of(const Unit &unit, uint64_t number);

    const ReaderInput &input_;
    const DebugSections &sections_;
    std::unique_ptr<FrameTable> frames_;
    DwarfTypes types_;
    OwnJumps own_jumps_;
    RegisterUse register_use_;
    CopiedEntries copied_entries_;
    std::vector<Instance> instances_;  // by their numbers in copied_entries_
    bool marks_entries_ = false;       // the compiler of the unit that is being read
    std::vector<CodeRange> ranges_;    // of the instance that is being read

    // Of the unit that is being read:
    const Unit *unit_ = nullptr;
    ExprFormat format_;
    UnitSites *sites_ = nullptr;
    std::vector<ParamSlot> slots_;  // of the sites around the current entry, the innermost last
    std::map<int, std::vector<RegisterPart>> parts_;  // of parameters of the body, by position
    std::string_view unit_path_;
    std::optional<Tables> tables_;
    std::vector<Param> params_;  // of the function that is being read
    struct Files {
        std::vector<std::string> written;          // by number, as the unit spells them
        std::vector<std::string_view> normalized;  // those asked for so far
    };
    std::unordered_map<uint64_t, Files> files_;  // by unit
};

}  // namespace btf_extra

#endif
