// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include <algorithm>

#include <fmt/format.h>

#include "userspace/lib/tables/kallsyms.h"
#include "userspace/lib/tables/running_view.h"
#include "userspace/lib/tables/site_tables.h"

namespace btf_extra {
namespace {

class RunningTables : public SiteTables {
  public:
    RunningTables(RunningKernel kernel, std::string sys_kernel, std::string kallsyms)
        : SiteTables(Source::kModule, "running kernel"), kernel_(std::move(kernel)),
          sys_kernel_(std::move(sys_kernel)), kallsyms_(std::move(kallsyms)) {}

    Result<void> refresh() override;

  private:
    Result<SharedObject> open(const btf_extra_object &object);
    Result<PlacedSection> place(const SiteObject &object, uint32_t elf);

    RunningKernel kernel_;
    std::string sys_kernel_, kallsyms_;
    std::optional<uint64_t> generation_;  // of objects_
};

// Where one of its sites is tells where the section is.
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
    auto answer = kernel_.lookup(query);
    if (!answer)
        return answer.error();
    const auto there = std::ranges::find(answer->sites, first, &btf_extra_site::number);
    if (there == answer->sites.end() || there->object != object.id ||
        there->loc_proto != site.loc_proto || there->site_class != locsec->loc_class)
        return Error{fmt::format("{}: site {} differs from the kernel's tables",
                                 object.view->path(), first)};
    out.place.freed = (there->flags & BTF_EXTRA_SITE_FREED) != 0;
    if (there->address != 0)
        out.place.address = out.begin.offset = there->address - site.offset;
    const uint32_t last = index.by_offset[section.first + section.nr_sites - 1];
    out.place.size = uint64_t{loc_index_site(&index, last, &locsec)->offset} + 1;
    return out;
}

Result<SharedObject> RunningTables::open(const btf_extra_object &object) {
    SiteObject out = {object_name(object), object.id, object.text, nullptr, {}};
    const auto known =
        std::ranges::find(objects_, object.id, [](const auto &each) { return each->id; });
    if (known != objects_.end()) {
        out.view = (*known)->view;
    } else {
        auto view = open_running_view(object, sys_kernel_);
        if (!view)
            return view.error();
        out.view = std::move(*view);
    }
    for (uint32_t elf = 0; elf < out.view->index().nr_elf_sections; elf++) {
        auto placed = place(out, elf);
        if (!placed)
            return placed.error();
        out.sections.push_back(*placed);
    }
    return std::make_shared<const SiteObject>(std::move(out));
}

Result<void> RunningTables::refresh() {
    auto now = kernel_.objects();
    if (!now)
        return now.error();
    if (generation_ == now->generation)
        return {};
    std::vector<SharedObject> opened;
    now = kernel_.in_one_state([&](const RunningObjects &running) -> Result<void> {
        opened.clear();
        for (const btf_extra_object &object : running.objects) {
            auto each = open(object);
            if (!each)
                return each.error();
            opened.push_back(std::move(*each));
        }
        return {};
    });
    if (!now)
        return now.error();
    auto symbols = Kallsyms::load(kallsyms_);
    if (!symbols)
        return symbols.error();
    symbols_ = symbols->hidden() ? nullptr : std::make_unique<Kallsyms>(std::move(*symbols));
    std::ranges::stable_partition(opened, [](const auto &each) { return each->name == "vmlinux"; });
    objects_ = std::move(opened);
    generation_ = now->generation;
    return {};
}

}  // namespace

Result<std::unique_ptr<SiteTables>> open_running_tables(RunningKernel kernel,
                                                        const std::string &sys_kernel,
                                                        const std::string &kallsyms) {
    return std::unique_ptr<SiteTables>(
        std::make_unique<RunningTables>(std::move(kernel), sys_kernel, kallsyms));
}

}  // namespace btf_extra
