// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The functions that an address is in: inlined ones, and the one with the body around them. And the
// line of the source that it is of.
#ifndef BTF_EXTRA_INLINE_CHAIN_H
#define BTF_EXTRA_INLINE_CHAIN_H

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "userspace/lib/tables/site_object.h"
#include "userspace/lib/tables/symbols.h"

namespace btf_extra {

// Names live as long as the object.
struct ChainFrame {
    uint32_t func_id = 0;
    std::string_view name;
    std::string_view call_file;  // where it is called; empty: not known, or it is the body
    uint32_t call_line = 0;      // 0: likewise
};

struct InlineChain {
    SharedObject object;
    std::vector<ChainFrame> frames;  // innermost first; the body is the last
};

// Returns true if the file of the object has frames.
bool has_frames(const SiteObject &object);

// Returns nothing where the object has no body.
std::optional<InlineChain> chain_at(const SharedObject &object, uint32_t elf_section,
                                    uint64_t offset);
std::optional<InlineChain> chain_at(const SharedObject &object, uint64_t address);
// The same at an address as the object was linked, which its file knows. A module has none.
std::optional<InlineChain> chain_at_linked(const SharedObject &object, uint64_t address);
// Returns the chain at a place. The place is one of the symbols that the object is placed by.
std::optional<InlineChain> chain_at(const SharedObject &object, const Place &place);

// The source file of most calls in the body there. Returns nothing if the object has no body there,
// or if no function is inlined in it.
std::optional<std::string_view> body_file_at(const SiteObject &object, uint32_t elf_section,
                                             uint64_t offset);

// Returns nothing if the file of the object does not know the line.
std::optional<SourceLine> line_at(const SiteObject &object, const Place &place);

}  // namespace btf_extra

#endif
