// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/lib/attach/link_target.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

#include <bpf/bpf.h>
#include <fmt/format.h>
#include <linux/bpf.h>

#include "userspace/format/btf_image.h"
#include "userspace/format/file_descriptor.h"

namespace btf_extra {
namespace {

// The name of a BTF of the kernel's.
Result<std::string> btf_name(uint32_t btf_id) {
    const FileDescriptor btf(bpf_btf_get_fd_by_id(btf_id));
    if (!btf)
        return Error{fmt::format("BTF {}: {}", btf_id, std::strerror(errno)), errno};
    char name[BTF_EXTRA_OBJECT_NAME_LEN] = {};
    bpf_btf_info info = {};
    info.name = reinterpret_cast<uintptr_t>(name);
    info.name_len = sizeof(name);
    uint32_t size = sizeof(info);
    if (bpf_obj_get_info_by_fd(btf.get(), &info, &size) != 0)
        return Error{fmt::format("BTF {}: {}", btf_id, std::strerror(errno)), errno};
    return std::string(name);
}

// Returns "" if the id is no function's. The ids of a module on a distilled base are only in the
// kernel's BTF of it: in the tables they are those of other functions.
Result<std::string> function_name(const SiteObject &object, uint32_t func_id) {
    const BtfImage &base = object.view->base().top();
    std::unique_ptr<BtfImage> own;
    if (func_id >= btf_blob_end_id(&base.blob()))
        own = TRY(open_base_btf("/sys/kernel/btf/" + object.name, &base));
    const btf_blob &blob = own ? own->blob() : base.blob();
    const btf_type *type = btf_blob_type(&blob, func_id);
    if (type == nullptr || loc_kind(type) != BTF_KIND_FUNC)
        return std::string();
    const char *name = btf_blob_string(&blob, type->name_off);
    return std::string(name != nullptr ? name : "");
}

}  // namespace

Result<LinkTarget> link_target(int link_fd) {
    bpf_link_info info = {};
    uint32_t size = sizeof(info);
    if (bpf_obj_get_info_by_fd(link_fd, &info, &size) != 0) {
        // The kernel says so of a descriptor that is not open.
        const int code = errno == EBADFD ? EBADF : errno;
        return Error{fmt::format("the BPF link: {}", std::strerror(code)), code};
    }
    if (size < offsetof(bpf_link_info, tracing) + sizeof(info.tracing) ||
        info.type != BPF_LINK_TYPE_TRACING || info.tracing.attach_type != BPF_TRACE_FENTRY)
        return Error{"it is no BPF link of fentry", EINVAL};
    return link_target(info.tracing.target_obj_id, info.tracing.target_btf_id);
}

Result<LinkTarget> link_target(uint32_t btf_id, uint32_t func_id) {
    auto object = TRY(btf_name(btf_id));
    return LinkTarget{std::move(object), func_id};
}

Result<std::string> target_text(SiteTables &tables, const LinkTarget &target) {
    const auto &objects = *TRY(tables.objects());
    const auto object =
        std::ranges::find(objects, target.object, [](const auto &each) { return each->name; });
    if (object == objects.end())
        return Error{target.object + ": there are no tables of it", ENOENT};
    const auto name = TRY(function_name(**object, target.func_id));
    if (name.empty())
        return Error{fmt::format("{}: #{} is no function", target.object, target.func_id), ENOENT};
    return fmt::format("{}:{}", target.object, name);
}

Result<OwnAttach> attach_to_own(const SiteTables &tables, const std::string &text,
                                std::span<const DescribedFunc *const> funcs, int fd,
                                const btf_extra_attach_opts &opts) {
    Error error = {text + ": the BPF link is at another function", EINVAL};
    for (const DescribedFunc *func : funcs) {
        auto outcome = attach(tables, *func, fd, opts);
        if (outcome)
            return OwnAttach{func, std::move(*outcome)};
        if (outcome.error().code != EINVAL)
            error = outcome.error();
    }
    return error;
}

}  // namespace btf_extra
