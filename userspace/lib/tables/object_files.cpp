// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/lib/tables/object_files.h"

namespace btf_extra {

Result<ObjectFiles> ObjectFiles::open(const ObjectPaths &paths) {
    ObjectFiles files;
    auto vmlinux = ElfImage::open(paths.vmlinux);
    if (!vmlinux)
        return vmlinux.error();
    files.vmlinux_ = std::move(*vmlinux);
    if (paths.module.empty())
        return files;
    auto module = ElfImage::open(paths.module);
    if (!module)
        return module.error();
    if (!module->relocatable())
        return module->error("ELF header", "not a relocatable file, as kernel modules are");
    files.module_ = std::move(*module);
    return files;
}

Result<std::unique_ptr<ObjectView>> ObjectFiles::view(const std::string &path) const {
    return module_ ? ObjectView::open_for_module(path, *module_, *vmlinux_)
                   : ObjectView::open_for_kernel(path, *vmlinux_);
}

}  // namespace btf_extra
