// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// What `generate` says of a module, in the module itself: for a kernel build, whose module loader
// keeps it. Three sections, all of them allocated:
//   .BTF            the module's own, with the types behind its last record: one split BTF
//   .BTF.func_info  the locations, on top of that
//   .btf_extra      the rest of the container, without provenance: see
//   userspace/format/extra_file.h;
//                   its .btf_extra.base names vmlinux's BTF and this .BTF
#ifndef BTF_EXTRA_MODULE_EMBED_H
#define BTF_EXTRA_MODULE_EMBED_H

#include <string>

#include "userspace/generator/generate.h"

namespace btf_extra::generator {

inline constexpr char kEmbeddedSection[] = ".btf_extra";

enum class Embedding {
    kDone,
    kThere,  // the module has it, over its very .BTF and that vmlinux: untouched
    kNoBtf,  // the module has no .BTF: untouched
};

// Of options.input, a relocatable file, in place; options.vmlinux is there, layout and btf_base as
// by default.
Result<Embedding> embed_in_module(const GenerateOptions &options);

}  // namespace btf_extra::generator

#endif
