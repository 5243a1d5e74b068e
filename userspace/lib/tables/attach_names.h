// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Gathers what attach_rules.h decides by: the kernel's version, the symbols of a name and whether
// BTF has a FUNC of it.
#ifndef BTF_EXTRA_ATTACH_NAMES_H
#define BTF_EXTRA_ATTACH_NAMES_H

#include <memory>
#include <optional>
#include <string_view>

#include "userspace/format/result.h"
#include "userspace/lib/tables/attach_rules.h"
#include "userspace/lib/tables/object_files.h"
#include "userspace/lib/tables/site_tables.h"

namespace btf_extra {

// In an ELF file it sees the symbols of that file, and for a module those of its kernel. Which
// other modules will be loaded is not known.
class AttachNames {
  public:
    // The tables must outlive it. paths: of the ELF files, if the tables are read with these.
    static Result<AttachNames> open(const SiteTables &tables, const ObjectPaths &paths);

    // Returns false if no symbols can be seen. Then it knows nothing.
    bool has_symbols() const { return tables_.symbols() != nullptr; }

    // func_id: of the function that has the name, or a body with that symbol.
    NameFacts facts(const SiteObject &object, uint32_t func_id, std::string_view name) const;

    // As trampoline_words() of attach_rules.h.
    std::optional<uint32_t> trampoline_words(const loc_arch *arch) const {
        return btf_extra::trampoline_words(arch, version_);
    }

    // As Symbols::begin_of_body(). Nothing: the place of the body is not known, as in freed text.
    std::optional<Place> begin_of_body(const SiteObject &object, uint32_t site_number) const;

    // Returns the symbol of a body of the function `name` that begins there: that name itself, else
    // a name that the compiler made of it ("foo.isra.0"), else the best. Empty: it has no symbol.
    std::string_view symbol_of_body(const Place &begin, std::string_view name) const;

  private:
    explicit AttachNames(const SiteTables &tables) : tables_(tables) {}
    void add_symbols(const Symbols &symbols, const ElfImage *elf, std::string_view object,
                     std::string_view name, NameFacts &facts) const;

    const SiteTables &tables_;
    std::optional<KernelVersion> version_;
    std::unique_ptr<ElfImage> kernel_;  // of a module's file
    std::unique_ptr<Symbols> kernel_symbols_;
};

}  // namespace btf_extra

#endif
