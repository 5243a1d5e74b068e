// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Clones are bodies whose signature the compiler changed (foo.isra.0). Each becomes a function of
// its own, beside the one of the source: it has the name of its symbol, and what is still passed.
#ifndef BTF_EXTRA_CLONES_H
#define BTF_EXTRA_CLONES_H

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "userspace/generator/dwarf/code_place.h"
#include "userspace/generator/locations/param_slots.h"
#include "userspace/generator/model/site_model.h"
#include "userspace/generator/sites/live_in_registers.h"
#include "userspace/generator/sites/reader_input.h"
#include "userspace/generator/sites/source_functions.h"
#include "userspace/generator/sites/true_signature.h"

namespace btf_extra::generator {

// The parts of parameters that are in pieces, by the position in the prototype.
using ParamParts = std::map<int, std::vector<RegisterPart>>;

// A body as it was read. It refers to what the reader has.
struct BodyAtEntry {
    const Unit &unit;
    const CodePlace &place;
    const Site &site;
    const SourceFunctions::Function &function;
    std::span<const ParamSlot> slots;  // of all its parameters
    const ParamParts &parts;
};

// Each thread has its own.
class Clones {
  public:
    // Both must outlive it.
    Clones(const ReaderInput &input, TypeSource &types)
        : input_(input), types_(types), live_in_registers_(input.file) {}

    // If the compiler changed the parameters of a body, and it is certain which are left: adds the
    // function that the body has become, and a site of it. functions and slots belong to sites.
    void add(const BodyAtEntry &body, SourceFunctions &functions, ParamSlots &slots,
             UnitSites &sites);

  private:
    std::vector<EntryParam> entry_params(const BodyAtEntry &body, const ParamSlots &slots);
    EntryParam::Shape shape_of(TypeRef type);
    // Returns true if its code reads an argument in a register after those of a signature.
    bool reads_more(const BodyAtEntry &body, const TrueSignature &signature);

    const ReaderInput &input_;
    TypeSource &types_;
    LiveInRegisters live_in_registers_;
};

}  // namespace btf_extra::generator

#endif
