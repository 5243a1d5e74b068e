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

constexpr int kAttempts = 16;

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

bool wants_view(const RunningSites &sites, uint32_t object) {
    for (const btf_extra_site &site : sites.sites)
        if (site.object == object)
            return true;
    return false;
}

Result<void> open_views(RunningLookup &out, const std::string &sys_kernel,
                        const RunningViews &known) {
    for (const btf_extra_object &object : out.objects.objects) {
        if (!wants_view(out.sites, object.id))
            continue;
        if (auto open = known.find(object.id); open != known.end()) {
            out.views.insert(*open);
            continue;
        }
        auto view = open_running_view(object, sys_kernel);
        if (!view)
            return view.error();
        out.views[object.id] = std::move(*view);
    }
    return {};
}

// Everything of the answer is in the tables.
Result<void> check_sites(const RunningLookup &out) {
    for (const btf_extra_site &site : out.sites.sites) {
        auto view = out.views.find(site.object);
        if (view == out.views.end())
            return Error{fmt::format("{}: a site belongs to an unknown object", BTF_EXTRA_DEVICE)};
        const loc_section *section;
        const loc_site *mine = loc_index_site(&view->second->index(), site.number, &section);
        if (mine == nullptr || mine->func != site.func_id || mine->loc_proto != site.loc_proto ||
            section->loc_class != site.site_class)
            return Error{fmt::format("{}: site {} differs from the kernel's tables",
                                     view->second->path(), site.number)};
    }
    return {};
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

Result<RunningLookup> look_up(RunningKernel &kernel, const RunningQuery &query,
                              const std::string &sys_kernel, const RunningViews &known) {
    for (int i = 0; i < kAttempts; i++) {
        RunningLookup out;
        auto objects = kernel.objects();
        if (!objects)
            return objects.error();
        out.objects = std::move(*objects);
        auto sites = kernel.lookup(query);
        if (!sites)
            return sites.error();
        out.sites = std::move(*sites);
        if (out.sites.sites.empty())
            return out;
        if (out.sites.generation != out.objects.generation)
            continue;
        // A blob of another object of the same name may have been read, or none at all.
        Result<void> opened = open_views(out, sys_kernel, known);
        auto after = kernel.objects();
        if (!after)
            return after.error();
        if (after->generation != out.objects.generation)
            continue;
        if (!opened)
            return opened.error();
        if (auto checked = check_sites(out); !checked)
            return checked.error();
        return out;
    }
    return Error{fmt::format("{}: the tables keep changing: try again", BTF_EXTRA_DEVICE)};
}

}  // namespace btf_extra
