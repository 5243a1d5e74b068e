// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/lib/tables/running_view.h"

#include <cstring>
#include <filesystem>

#include <elf.h>
#include <fmt/format.h>

#include "userspace/format/base_stack.h"
#include "userspace/format/btf_image.h"

namespace btf_extra {
namespace {

// The first id of the types tells what they stand on.
Result<BaseStack> open_base(const btf_extra_object &object, const std::string &sys_kernel) {
    auto vmlinux = open_base_btf(sys_kernel + "/btf/vmlinux");
    if (!vmlinux)
        return vmlinux.error();
    BaseStack base(std::move(*vmlinux));
    std::string top = sys_kernel + "/btf/vmlinux";
    if (object_name(object) != "vmlinux" &&
        btf_blob_end_id(&base.top().blob()) < object.first_func_id) {
        top = sys_kernel + "/btf/" + object_name(object);
        if (auto added = base.add_file(top); !added)
            return added.error();
    }
    const uint32_t end = btf_blob_end_id(&base.top().blob());
    if (end != object.first_func_id)
        return Error{fmt::format("{}: ends at type {}, but the types of {} begin at {}", top,
                                 end - 1, object_name(object), object.first_func_id)};
    return base;
}

}  // namespace

Result<std::unique_ptr<ObjectView>> open_running_view(const btf_extra_object &object,
                                                      const std::string &sys_kernel) {
    auto base = open_base(object, sys_kernel);
    if (!base)
        return base.error();
    const std::string path = sys_kernel + "/btf_extra/" + object_name(object);
    auto func_info = read_whole_file(path);
    if (!func_info)
        return func_info.error();
    auto types = read_whole_file(path + ".types");
    if (!types)
        return types.error();
    ExtraFile file;
    // It is not there where the marks are not known.
    if (std::filesystem::exists(path + ".marks")) {
        auto marks = read_whole_file(path + ".marks");
        if (!marks)
            return marks.error();
        file.site_marks.emplace(marks->size() / sizeof(uint32_t));
        if (!marks->empty())
            std::memcpy(file.site_marks->data(), marks->data(),
                        file.site_marks->size() * sizeof(uint32_t));
    }
    const loc_arch *arch = loc_arch_running();
    file.machine = arch != nullptr ? arch->machine : uint16_t{EM_NONE};
    file.types = std::move(*types);
    file.func_info = std::move(*func_info);
    return ObjectView::open_content(path, std::move(file), std::move(*base));
}

}  // namespace btf_extra
