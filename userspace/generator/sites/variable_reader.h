// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Reads the variables of static storage of one unit: those of its files, and the static ones of its
// functions. A declaration is no variable.
#ifndef BTF_EXTRA_VARIABLE_READER_H
#define BTF_EXTRA_VARIABLE_READER_H

#include <cstdint>

#include "userspace/generator/sites/unit_state.h"

namespace btf_extra::generator {

// It adds to the sites of a unit, which must outlive it.
class VariableReader {
  public:
    explicit VariableReader(UnitState &state) : state_(state) {}

    // Reads a DW_TAG_variable. of_file: it is in no function, so it has static storage without an
    // address, too. Returns the offset after the entry and its children. 0: malformed.
    uint64_t read(const Die &die, bool of_file);

    // Reads the variables inside of an abstract instance, from the offset after its attributes on.
    void read_inside(const Die &function, uint64_t offset);

  private:
    void add(const Die &die, const AttributeValue &location, bool of_file);

    UnitState &state_;
};

}  // namespace btf_extra::generator

#endif
