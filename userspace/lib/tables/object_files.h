// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The ELF files that a .btf_extra file was made for.
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
    std::string vmlinux;
    std::string module;  // empty: the file is vmlinux's
};

class ObjectFiles {
  public:
    static Result<ObjectFiles> open(const ObjectPaths &paths);

    // Opens a file that was made for them: build-id and base BTF are checked.
    Result<std::unique_ptr<ObjectView>> view(const std::string &path) const;

    // What the file describes.
    const ElfImage &object() const { return module_ ? *module_ : *vmlinux_; }

  private:
    std::optional<ElfImage> vmlinux_;
    std::optional<ElfImage> module_;
};

}  // namespace btf_extra

#endif
