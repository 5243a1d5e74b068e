// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The symbols of a kernel, /proc/kallsyms, in order of address; and those of modules that are not
// loaded, in order of section and offset.
#ifndef BTF_EXTRA_KALLSYMS_H
#define BTF_EXTRA_KALLSYMS_H

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "userspace/format/result.h"
#include "userspace/lib/tables/symbols.h"

namespace btf_extra {

struct KernelSymbol {
    uint64_t address;      // in a section: the offset
    char type;             // the letter of nm(1): upper case is global
    uint32_t section = 0;  // of a module that is not loaded; else 0
    std::string_view name;
    std::string_view module;  // "": it is of vmlinux

    Place place() const { return {section, address}; }
};

// If several symbols are at one address, the best is global, then weak, then local; then the first
// bytewise.
class Kallsyms : public Symbols {
  public:
    static Result<Kallsyms> load(const std::string &path = "/proc/kallsyms");

    // A line that is not "address type name" is an error. Its message names the line.
    static Result<Kallsyms> parse(std::string_view text);

    // Adds the symbols of modules that are not loaded, from the file kModuleSymbols of
    // kernel_files.h.
    Result<void> add_modules(const std::string &path);
    // Returns the number by which places count that section of such a module; 0: it has no symbol.
    uint32_t section_number(std::string_view module, std::string_view section) const;

    Kallsyms(Kallsyms &&) = default;
    Kallsyms &operator=(Kallsyms &&) = default;

    // Returns true if the reader may not see addresses: all of them are 0.
    bool hidden() const { return hidden_; }

    // Returns all symbols in order of address, the best one of an address first; none if they are
    // hidden.
    std::span<const KernelSymbol> all() const { return symbols_; }

    std::span<const KernelSymbol> at(Place place) const;

    // The symbol may end before the place, because there are no sizes. Returns nothing before the
    // first symbol.
    std::optional<Distance> around(Place place) const override;
    std::vector<std::string_view> names(Place place) const override;
    Extent extent(Place begin, std::string_view name) const override;
    std::string_view object_of(Place place) const override;
    std::optional<Place> place_of(uint64_t address) const override { return Place{0, address}; }
    std::string_view module_of(std::string_view name, Place place) const override;
    bool is_code(std::string_view name, Place place) const override;

  private:
    Kallsyms() = default;
    static Result<Kallsyms> parse(std::vector<std::byte> text);
    void for_each(const Visit &visit) const override;
    size_t count() const override { return symbols_.size(); }
    std::vector<KernelSymbol>::const_iterator first_after(Place place) const;

    std::vector<std::byte> text_, modules_text_;  // the names are in them
    std::map<std::pair<std::string_view, std::string_view>, uint32_t> sections_;  // of modules
    std::vector<KernelSymbol> symbols_;
    bool hidden_ = true;
};

}  // namespace btf_extra

#endif
