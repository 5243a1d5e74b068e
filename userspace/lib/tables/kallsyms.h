// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The symbols of the running kernel, /proc/kallsyms, in order of address.
#ifndef BTF_EXTRA_KALLSYMS_H
#define BTF_EXTRA_KALLSYMS_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "userspace/format/result.h"

namespace btf_extra {

struct KernelSymbol {
    uint64_t address;
    char type;  // as nm(1) has it: upper case for global
    std::string_view name;
};

// Of symbols at one address the best is: global, weak, local; then the name that is first bytewise.
class Kallsyms {
  public:
    static Result<Kallsyms> load(const std::string &path = "/proc/kallsyms");

    // A line that is none of "address type name" is an error; its message names the line.
    static Result<Kallsyms> parse(std::string text);

    Kallsyms(Kallsyms &&) = default;
    Kallsyms &operator=(Kallsyms &&) = default;

    // Whether the reader may not see addresses: they all read as 0.
    bool hidden() const { return hidden_; }

    // In order of address, the best of an address first. None, where they are hidden.
    std::span<const KernelSymbol> all() const { return symbols_; }

    std::span<const KernelSymbol> at(uint64_t address) const;

    // "tcp_rcv+0x12", after the best of the nearest symbols before it; as there are no sizes, also
    // past the end of that one. Nothing before the first symbol.
    std::optional<std::string> text(uint64_t address) const;

    // Addresses of all of that name.
    std::vector<uint64_t> named(std::string_view name) const;

  private:
    Kallsyms() = default;

    std::vector<char> bytes_;  // with the names
    std::vector<KernelSymbol> symbols_;
    bool hidden_ = true;
};

}  // namespace btf_extra

#endif
