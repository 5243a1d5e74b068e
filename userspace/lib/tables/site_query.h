// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Which sites a name, a function id or an address stands for.
#ifndef BTF_EXTRA_SITE_QUERY_H
#define BTF_EXTRA_SITE_QUERY_H

#include <cstdint>
#include <string_view>
#include <vector>

#include "userspace/format/elf_image.h"
#include "userspace/format/result.h"
#include "userspace/lib/tables/object_view.h"
#include "userspace/lib/tables/symbol_table.h"

namespace btf_extra {

class SiteQuery {
  public:
    // All three must outlive the query.
    SiteQuery(const ObjectView &view, const ElfImage &kernel, const SymbolTable &symbols)
        : view_(view), kernel_(kernel), symbols_(symbols) {}

    // All answers are site numbers of the index, in order of (function's name and id, ELF section,
    // offset, class, number); none: not found.

    // A source name: its inlined instances and bodies, whatever the bodies' symbols. A symbol with
    // a suffix ("foo.isra.0"): its true signature, and the bodies of foo that it names and that
    // have none. An empty file leaves all in.
    std::vector<uint32_t> by_name(std::string_view name, std::string_view file) const;

    std::vector<uint32_t> by_func(uint32_t func_id) const;

    // "ffffffff81000000", with 0x or not, not in modules; else "symbol", "symbol+0x10" or
    // ".text+0x10". An error: neither.
    Result<std::vector<uint32_t>> by_address(std::string_view text) const;

    // Where a site is in the kernel's ELF file; NULL: it has no such section.
    const ElfSection *elf_section(uint32_t site_number) const;

  private:
    std::vector<uint32_t> ordered(std::vector<uint32_t> numbers) const;
    void append_func(uint32_t func_id, std::vector<uint32_t> &out) const;
    void append_place(const ElfSection &section, uint64_t offset, std::vector<uint32_t> &out) const;

    const ObjectView &view_;
    const ElfImage &kernel_;
    const SymbolTable &symbols_;
};

// Whether a declared file is the one asked for: the same path, or ends in it after a '/'.
bool file_matches(std::string_view declared, std::string_view asked);

}  // namespace btf_extra

#endif
