// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// A symbol table: of an ELF file (SymbolTable), or of the running kernel (Kallsyms).
#ifndef BTF_EXTRA_SYMBOLS_H
#define BTF_EXTRA_SYMBOLS_H

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <memory_resource>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "userspace/format/core_api.h"
#include "userspace/format/place.h"

namespace btf_extra {

// The reason why a table of the running kernel has no addresses.
inline constexpr char kHiddenAddresses[] =
    "addresses are hidden: needs CAP_SYSLOG, and kernel.kptr_restrict below 2";

class Symbols {
  public:
    Symbols() = default;
    Symbols(Symbols &&) = default;
    Symbols &operator=(Symbols &&) = default;
    virtual ~Symbols() = default;

    // Returns the best symbol that the place is in, and the distance from it.
    struct Distance {
        std::string_view symbol;
        uint64_t distance;
    };
    virtual std::optional<Distance> around(Place place) const = 0;

    // The size of a symbol, as tools print it.
    struct Extent {
        uint64_t size;     // the one in the symbol table; 0: the table has no sizes
        uint64_t to_next;  // the distance from the next symbol
        bool is_last;      // to_next is only a lower bound

        // Returns true if a tool may print this size. drgn prints the one of the symbol table. The
        // kernel has no sizes: it prints the distance from the next symbol with a higher address
        // (get_symbol_pos() and find_kallsyms_symbol(), Linux 6.1 to 7.3).
        bool allows(uint64_t printed) const {
            return printed == size || printed == to_next || (is_last && printed >= to_next);
        }
        // Returns true if a tool may print the symbol for a place at that distance from it.
        bool contains(uint64_t distance) const {
            return distance < size || distance < to_next || is_last;
        }
    };
    // Returns the extent of a symbol of that name that begins there.
    virtual Extent extent(Place begin, std::string_view name) const = 0;

    // Returns the object that the symbol at a place is of; "": the only one of the table.
    virtual std::string_view object_of(Place place) const = 0;

    // Returns the names of all symbols that begin there, the best first.
    virtual std::vector<std::string_view> names(Place place) const = 0;

    // Returns the place of the symbols that a body there is called by. The body may be after the
    // hook that its function begins with for tracers. arch may be NULL.
    Place begin_of_body(Place place, const loc_arch *arch) const;

    // Returns the names of these symbols.
    std::vector<std::string_view> names_of_body(Place place, const loc_arch &arch) const;

    // Returns where all symbols of that name are, in ascending order.
    std::vector<Place> places(std::string_view name) const;

    std::vector<std::string_view> all_names() const;

    // Returns the module that a symbol is in, or what /proc/kallsyms names instead ("bpf",
    // "__builtin__ftrace"). Empty: the object that the table is about.
    virtual std::string_view module_of(std::string_view name, Place place) const;

    // Returns true if a symbol is one of code.
    virtual bool is_code(std::string_view name, Place place) const = 0;

    // Returns the place of an address, or nothing if it is in no section.
    virtual std::optional<Place> place_of(uint64_t address) const = 0;

    // Returns "tcp_rcv+0x12".
    std::optional<std::string> text(Place place) const;

  protected:
    // Visits all symbols. Their names live as long as the table.
    using Visit = std::function<void(std::string_view name, Place place)>;
    virtual void for_each(const Visit &visit) const = 0;
    virtual size_t count() const = 0;

  private:
    // Most commands look up one name, which takes less time than this. It is made for the second.
    // The memory of its hundreds of thousands of entries is taken and freed as one.
    struct ByName {
        std::pmr::monotonic_buffer_resource memory;
        std::pmr::unordered_multimap<std::string_view, Place> places{&memory};
    };
    mutable std::unique_ptr<ByName> by_name_;
    mutable bool asked_ = false;
};

}  // namespace btf_extra

#endif
