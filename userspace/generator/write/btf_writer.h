// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Writes what was merged: the two blobs of the wire format, the expressions, and the provenance.
#ifndef BTF_EXTRA_BTF_WRITER_H
#define BTF_EXTRA_BTF_WRITER_H

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "userspace/format/provenance.h"
#include "userspace/generator/types/base_types.h"
#include "userspace/generator/types/type_map.h"
#include "userspace/generator/write/btf_builder.h"
#include "userspace/generator/write/site_merge.h"

namespace btf_extra::generator {

struct WrittenBlobs {
    std::vector<std::byte> types;
    std::vector<std::byte> func_info;
    std::vector<std::byte> expressions;  // empty: there are none
    Provenance provenance;
};

// The first of the blobs: functions, variables, and the new types that they need.
struct TypesBlob {
    BtfBuilder builder;
    std::vector<uint32_t> func_ids;  // of all functions, by number
};

// The variables become VARs in their order. They come last.
TypesBlob write_types(const std::vector<MergedFunction> &functions,
                      std::span<const Variable> variables, const BaseTypes &base,
                      const NewTypes &new_types);

// types has the functions of merged. section_names are in order of MergedSection::section.
WrittenBlobs write_blobs(TypesBlob types, const MergedUnits &merged,
                         const std::vector<MergedSection> &sections, const BaseTypes &base,
                         const std::vector<std::string> &section_names, size_t threads);

}  // namespace btf_extra::generator

#endif
