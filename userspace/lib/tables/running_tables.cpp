// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include <algorithm>
#include <filesystem>

#include <elf.h>
#include <fmt/format.h>

#include "userspace/lib/tables/kallsyms.h"
#include "userspace/lib/tables/site_tables.h"

namespace btf_extra {
namespace {

// The first id of the types shows their base.
Result<BaseStack> open_base(const btf_extra_object &object, std::shared_ptr<const BtfImage> vmlinux,
                            const std::string &sys_kernel) {
    BaseStack base(std::move(vmlinux));
    if (object_name(object) != "vmlinux" &&
        btf_blob_end_id(&base.top().blob()) < object.first_func_id)
        TRY(base.add_file(sys_kernel + "/btf/" + object_name(object)));
    const uint32_t end = btf_blob_end_id(&base.top().blob());
    if (end != object.first_func_id)
        return Error{fmt::format("{}: ends at type {}, but the types of {} begin at {}",
                                 base.top().place(), end - 1, object_name(object),
                                 object.first_func_id)};
    return base;
}

class RunningTables : public SiteTables {
  public:
    RunningTables(RunningKernel kernel, std::string sys_kernel, std::string kallsyms,
                  FileParts parts)
        : SiteTables(Source::kModule, "running kernel"), kernel_(std::move(kernel)),
          sys_kernel_(std::move(sys_kernel)), kallsyms_(std::move(kallsyms)), parts_(parts) {}

    // Reading the kernel's symbols takes long, and most questions need none.
    const Symbols *symbols() const override {
        if (!read_symbols_)
            read_symbols_ = Kallsyms::load(kallsyms_);
        return *read_symbols_ && !(*read_symbols_)->hidden() ? &**read_symbols_ : nullptr;
    }

  private:
    Result<void> refresh(const func_text &) override;
    Result<std::vector<SharedObject>> open_all(const RunningObjects &running);
    Result<PlacedSection> place(const SiteObject &object, uint32_t elf);

    RunningKernel kernel_;
    std::string sys_kernel_, kallsyms_;
    FileParts parts_;
    std::shared_ptr<const BtfImage> vmlinux_btf_;
    std::optional<uint64_t> generation_;  // of objects_
    mutable std::optional<Result<Kallsyms>> read_symbols_;
};

// The address of its section follows from the address of one site.
Result<PlacedSection> RunningTables::place(const SiteObject &object, uint32_t elf) {
    const loc_index &index = object.view->index();
    const loc_elf_section &section = index.elf_sections[elf];
    PlacedSection out = {};
    if (section.nr_sites == 0)
        return out;
    const loc_section *locsec;
    const uint32_t first = index.by_offset[section.first];
    const loc_site &site = *loc_index_site(&index, first, &locsec);
    RunningQuery query = {};
    query.by = BTF_EXTRA_BY_ID;
    query.object = object.name;
    query.func_id = site.func;
    const auto answer = TRY(kernel_.lookup(query));
    const auto there = std::ranges::find(answer.sites, first, &btf_extra_site::number);
    if (there == answer.sites.end() || there->object != object.id ||
        there->loc_proto != site.loc_proto || there->site_class != locsec->loc_class)
        return Error{fmt::format("{}: site {} differs from the kernel's tables",
                                 object.view->path(), first)};
    out.place.freed = (there->flags & BTF_EXTRA_SITE_FREED) != 0;
    if (there->address != 0)
        out.place.address = there->address - site.offset;
    const uint32_t last = index.by_offset[section.first + section.nr_sites - 1];
    out.place.size = uint64_t{loc_index_site(&index, last, &locsec)->offset} + 1;
    return out;
}

Result<std::vector<SharedObject>> RunningTables::open_all(const RunningObjects &running) {
    if (!vmlinux_btf_)
        vmlinux_btf_ = TRY(open_base_btf(sys_kernel_ + "/btf/vmlinux"));
    std::vector<SharedObject> opened;
    for (const btf_extra_object &object : running.objects) {
        SiteObject out = {.name = object_name(object), .id = object.id, .text = object.text};
        const auto known =
            std::ranges::find(objects_, object.id, [](const auto &each) { return each->id; });
        if (known != objects_.end())
            out.view = (*known)->view;
        else
            out.view = TRY(open_running_view(object, vmlinux_btf_, sys_kernel_, parts_));
        for (uint32_t elf = 0; elf < out.view->index().nr_elf_sections; elf++) {
            const auto section = TRY(place(out, elf));
            out.sections.push_back(section);
        }
        opened.push_back(std::make_shared<const SiteObject>(std::move(out)));
    }
    std::ranges::stable_partition(opened, [](const auto &each) { return each->name == "vmlinux"; });
    return opened;
}

Result<void> RunningTables::refresh(const func_text &) {
    const auto current = TRY(kernel_.objects());
    if (generation_ == current.generation)
        return {};
    std::vector<SharedObject> opened;
    const auto now = TRY(kernel_.in_one_state([&](const RunningObjects &running) -> Result<void> {
        opened = TRY(open_all(running));
        return {};
    }));
    read_symbols_.reset();
    objects_ = std::move(opened);
    generation_ = now.generation;
    return {};
}

}  // namespace

Result<std::unique_ptr<ObjectView>> open_running_view(const btf_extra_object &object,
                                                      std::shared_ptr<const BtfImage> vmlinux_btf,
                                                      const std::string &sys_kernel,
                                                      FileParts parts) {
    auto base = TRY(open_base(object, std::move(vmlinux_btf), sys_kernel));
    const std::string path = sys_kernel + "/btf_extra/" + object_name(object);
    const loc_arch *arch = loc_arch_running();
    ExtraFile file;
    file.machine = arch != nullptr ? arch->machine : uint16_t{EM_NONE};
    file.func_info = TRY(read_whole_file(path));
    file.types = TRY(read_whole_file(path + ".types"));
    // There is no such file if the marks are not known.
    if (std::filesystem::exists(path + ".marks")) {
        auto marks = TRY(read_whole_file(path + ".marks"));
        file.site_marks = SiteMarkList::from_bytes(std::move(marks));
    }
    // Nor is there one if no parameter has an expression.
    if (std::filesystem::exists(path + ".expressions"))
        file.expressions = TRY(read_whole_file(path + ".expressions"));
    // Nor is there one if the module does not keep the frames.
    if (parts != FileParts::kSites && std::filesystem::exists(path + ".frames"))
        file.frames = TRY(read_whole_file(path + ".frames"));
    return ObjectView::open_content(path, std::move(file), std::move(base));
}

Result<std::unique_ptr<SiteTables>> open_running_tables(RunningKernel kernel,
                                                        const std::string &sys_kernel,
                                                        const std::string &kallsyms,
                                                        FileParts parts) {
    return std::unique_ptr<SiteTables>(
        std::make_unique<RunningTables>(std::move(kernel), sys_kernel, kallsyms, parts));
}

}  // namespace btf_extra
