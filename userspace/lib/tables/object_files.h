// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The files that a .btf_extra file is read with.
#ifndef BTF_EXTRA_OBJECT_FILES_H
#define BTF_EXTRA_OBJECT_FILES_H

#include <memory>
#include <optional>
#include <string>

#include "userspace/format/elf_image.h"
#include "userspace/format/result.h"
#include "userspace/lib/tables/object_view.h"

namespace btf_extra {

struct ObjectPaths {
    std::string vmlinux;   // the kernel's ELF file; empty: nothing is checked against it
    std::string module;    // empty: the file is about vmlinux
    std::string btf_base;  // the base BTF, raw or in an ELF file, if vmlinux is not given
};

class ObjectFiles {
  public:
    static Result<ObjectFiles> open(const ObjectPaths &paths);

    // Opens a .btf_extra file. Its build-id and its base BTF are checked against these files.
    // All parts are read if no vmlinux is given.
    Result<std::unique_ptr<ObjectView>> view(const std::string &path,
                                             FileParts parts = FileParts::kAll) const;

    // Returns the ELF file that the .btf_extra file describes; NULL: it is not given.
    const ElfImage *object() const;
    // Returns the kernel's. It must be given.
    const ElfImage &kernel() const { return *vmlinux_; }

  private:
    std::string btf_base_;
    std::optional<ElfImage> vmlinux_;
    std::optional<ElfImage> module_;
};

}  // namespace btf_extra

#endif
