// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Puts what `generate` says of a module into the module itself. A kernel build does so, and the
// module loader keeps it. There are three sections, all of them allocated:
//   .BTF            the module's own, with the types after its last record: one split BTF
//   .BTF.func_info  the locations, on top of that
//   .btf_extra      the rest of the container (userspace/format/extra_file.h) without provenance;
//                   its .btf_extra.base names vmlinux's BTF and this .BTF
#ifndef BTF_EXTRA_MODULE_EMBED_H
#define BTF_EXTRA_MODULE_EMBED_H

#include <string>

#include "userspace/generator/generate.h"

namespace btf_extra::generator {

inline constexpr char kEmbeddedSection[] = ".btf_extra";

enum class Embedding {
    kDone,
    kThere,  // the module has it already, for this .BTF and this vmlinux: untouched
    kNoBtf,  // the module has no .BTF: untouched
};

// Changes options.input, which must be a relocatable file, in place. options.vmlinux must be there;
// btf_base must have its default.
Result<Embedding> embed_in_module(const GenerateOptions &options);

}  // namespace btf_extra::generator

#endif
