// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/lib/tables/object_files.h"

namespace btf_extra {

Result<ObjectFiles> ObjectFiles::open(const ObjectPaths &paths) {
    ObjectFiles files;
    files.btf_base_ = paths.btf_base;
    if (paths.vmlinux.empty())
        return files;
    files.vmlinux_ = TRY(ElfImage::open(paths.vmlinux));
    if (paths.module.empty())
        return files;
    files.module_ = TRY(ElfImage::open(paths.module));
    if (!files.module_->relocatable())
        return files.module_->error("ELF header", "not a relocatable file, as kernel modules are");
    return files;
}

Result<std::unique_ptr<ObjectView>> ObjectFiles::view(const std::string &path,
                                                      FileParts parts) const {
    if (vmlinux_)
        return ObjectView::open_for(path, *vmlinux_, module_ ? &*module_ : nullptr, parts);
    return btf_base_.empty() ? ObjectView::open(path) : ObjectView::open_with_base(path, btf_base_);
}

const ElfImage *ObjectFiles::object() const {
    return module_ ? &*module_ : vmlinux_ ? &*vmlinux_ : nullptr;
}

}  // namespace btf_extra
