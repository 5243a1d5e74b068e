// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// One unit of .debug_info to its sites: every inlined instance and every body,
// with the location of each parameter there.
#ifndef BTF_EXTRA_DWARF_READER_H
#define BTF_EXTRA_DWARF_READER_H

#include <cstdint>
#include <memory>
#include <memory_resource>
#include <optional>
#include <vector>

#include "userspace/generator/dwarf/address_list.h"
#include "userspace/generator/dwarf/debug_file.h"
#include "userspace/generator/dwarf/dwarf_types.h"
#include "userspace/generator/locations/param_slots.h"
#include "userspace/generator/locations/site_context.h"
#include "userspace/generator/model/site_model.h"
#include "userspace/generator/sites/clones.h"
#include "userspace/generator/sites/code_place.h"
#include "userspace/generator/sites/copied_entries.h"
#include "userspace/generator/sites/loop_heads.h"
#include "userspace/generator/sites/reader_input.h"
#include "userspace/generator/sites/source_functions.h"

namespace btf_extra::generator {

// One for each thread.
class UnitReader {
  public:
    UnitReader(const ReaderInput &input, std::unique_ptr<FrameTable> frames);
    ~UnitReader();

    UnitSites read(const Unit &unit);

  private:
    using Function = SourceFunctions::Function;

    // Where entries are met: whose parameters are children here, and at what
    // point they are wanted.
    struct Scope {
        const Function *function = nullptr;  // nullptr: nobody's
        const Function *site = nullptr;      // of the innermost site around; nullptr: none
        size_t first_slot = 0;               // of the site, in slots_
        CodePoint point;
        const Enclosing *enclosing = nullptr;
        const CodePlace *body = nullptr;  // of the out-of-line function whose parameters these are
        bool own_only = false;            // sites in it have been read
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
        Tables(const ReaderInput &input, const Unit &unit, DwarfTypes &types, UnitSites &sites)
            : functions(input, unit, types, sites, &memory), param_slots(sites, &memory) {}

        std::pmr::monotonic_buffer_resource memory{1 << 16};
        SourceFunctions functions;
        ParamSlots param_slots;
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

    const ReaderInput &input_;
    const DebugSections &sections_;
    std::unique_ptr<FrameTable> frames_;
    DwarfTypes types_;
    LoopHeads loop_heads_;
    Clones clones_;
    CopiedEntries copied_entries_;
    std::vector<Instance> instances_;  // by their numbers in copied_entries_
    bool marks_entries_ = false;       // the compiler of the unit that is being read
    std::vector<CodeRange> ranges_;    // of the instance that is being read

    // Of the unit that is being read:
    const Unit *unit_ = nullptr;
    ExprFormat format_;
    UnitSites *sites_ = nullptr;
    std::vector<ParamSlot> slots_;  // of the sites around the current entry, the innermost last
    ParamParts parts_;              // of the body around it
    std::optional<Tables> tables_;
};

}  // namespace btf_extra::generator

#endif
