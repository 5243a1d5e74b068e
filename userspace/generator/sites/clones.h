// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Bodies whose signature the compiler changed (foo.isra.0): each is a function of its own, too,
// with the name of its symbol and what is still passed.
#ifndef BTF_EXTRA_CLONES_H
#define BTF_EXTRA_CLONES_H

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "userspace/generator/locations/param_slots.h"
#include "userspace/generator/model/site_model.h"
#include "userspace/generator/sites/code_place.h"
#include "userspace/generator/sites/live_in_registers.h"
#include "userspace/generator/sites/reader_input.h"
#include "userspace/generator/sites/source_functions.h"
#include "userspace/generator/sites/true_signature.h"

namespace btf_extra::generator {

// Those of parameters that are in pieces, by their position in the prototype.
using ParamParts = std::map<int, std::vector<RegisterPart>>;

// A body as it was read; refers to the reader's.
struct BodyAtEntry {
    const Unit &unit;
    const CodePlace &place;
    const Site &site;
    const SourceFunctions::Function &function;
    std::span<const ParamSlot> slots;  // of all its parameters
    const ParamParts &parts;
};

// One for each thread.
class Clones {
  public:
    // Both outlive it.
    Clones(const ReaderInput &input, TypeSource &types)
        : input_(input), types_(types), live_in_registers_(input.file) {}

    // Where the compiler changed the parameters of a body, and what it left is certain: adds the
    // function that the body is, and a site of it. functions and slots are those of these sites.
    void add(const BodyAtEntry &body, SourceFunctions &functions, ParamSlots &slots,
             UnitSites &sites);

  private:
    std::vector<EntryParam> entry_params(const BodyAtEntry &body, const ParamSlots &slots);
    EntryParam::Shape shape_of(TypeRef type);
    // Whether its code reads an argument in a register behind those of a signature.
    bool reads_more(const BodyAtEntry &body, const TrueSignature &signature);

    const ReaderInput &input_;
    TypeSource &types_;
    LiveInRegisters live_in_registers_;
};

}  // namespace btf_extra::generator

#endif
