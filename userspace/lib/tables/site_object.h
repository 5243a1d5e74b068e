// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// An object whose sites are known: vmlinux or a module, its blobs, and where its sections are.
#ifndef BTF_EXTRA_SITE_OBJECT_H
#define BTF_EXTRA_SITE_OBJECT_H

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "include/uapi/linux/btf_extra.h"
#include "userspace/format/core_api.h"
#include "userspace/lib/tables/object_view.h"
#include "userspace/lib/tables/symbols.h"
#include "userspace/text/func_text.h"

namespace btf_extra {

// An ELF section of the object. Unknown values are 0.
struct PlacedSection {
    section_place place;       // at run time, or as linked
    uint32_t elf_section = 0;  // its index, if symbols are counted from sections

    Place begin() const { return {elf_section, elf_section != 0 ? 0 : place.address}; }
};

struct SiteObject {
    std::string name;
    uint32_t id;        // as in btf_extra_site
    uint64_t text = 0;  // base of .text, which addresses in locations count from; 0: not known
    std::shared_ptr<const ObjectView> view = nullptr;
    std::vector<PlacedSection> sections = {};  // by loc_index.elf_sections
};

// A function with the requested sites.
struct FoundFunc {
    std::shared_ptr<const SiteObject> object;
    uint32_t id;
    std::vector<btf_extra_site> sites;  // by number; never none
    bool all_sites;                     // false: those of one symbol alone
};

using SharedObject = std::shared_ptr<const SiteObject>;

// Its argument is good until it returns.
using FoundVisitor = std::function<void(const FoundFunc &)>;

// Visits the functions of the object. symbols may be NULL: none are known.
void visit_by_text(const SharedObject &object, const Symbols *symbols, const FuncText &text,
                   const FoundVisitor &visit);
// Each appends the matches of the object to found.
void find_by_address(const SharedObject &object, uint64_t address, std::vector<FoundFunc> &found);
void find_by_place(const SharedObject &object, uint32_t elf_section, uint64_t offset,
                   std::vector<FoundFunc> &found);

// The ELF section of a site in the object, and its offset in it.
struct SitePosition {
    uint32_t elf_section;
    std::string section;  // name
    uint32_t offset;
};
SitePosition position_of(const SiteObject &object, uint32_t site_number);
// The same place as the symbols count.
Place place_of(const SiteObject &object, uint32_t site_number);

// Bit n: parameter n, of those that are named, has a location or an expression.
uint64_t located_params(const ObjectView &view, const btf_extra_site &site);

}  // namespace btf_extra

#endif
