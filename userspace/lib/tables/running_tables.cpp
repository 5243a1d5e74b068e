// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include <algorithm>
#include <cerrno>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "userspace/lib/tables/kallsyms.h"
#include "userspace/lib/tables/running_view.h"
#include "userspace/lib/tables/site_query.h"
#include "userspace/lib/tables/site_tables.h"

namespace btf_extra {
namespace {

class RunningTables : public SiteTables {
  public:
    RunningTables(RunningKernel kernel, std::string sys_kernel)
        : kernel_(std::move(kernel)), sys_kernel_(std::move(sys_kernel)) {}

    Result<std::vector<FoundFunc>> find(const FuncText &text) override;
    bool uses_module() const override { return true; }

  private:
    Result<std::vector<FoundFunc>> ask(const RunningQuery &query);
    Result<std::vector<FoundFunc>> find_alias(const FuncText &text);

    RunningKernel kernel_;
    std::string sys_kernel_;
    RunningViews views_;
};

std::string source_name(const std::string &symbol) {
    return symbol.substr(0, func_suffix_strip(symbol.c_str()));
}

Result<std::vector<FoundFunc>> RunningTables::ask(const RunningQuery &query) {
    auto found = look_up(kernel_, query, sys_kernel_, views_);
    if (!found)
        return found.error();
    views_.insert(found->views.begin(), found->views.end());
    std::map<uint32_t, std::shared_ptr<const TableObject>> objects;
    for (const btf_extra_object &object : found->objects.objects)
        if (found->views.contains(object.id))
            objects[object.id] = std::make_shared<TableObject>(
                TableObject{object_name(object), object.id, object.text, found->views[object.id]});
    std::map<std::pair<uint32_t, uint32_t>, FoundFunc> funcs;
    for (const btf_extra_site &site : found->sites.sites) {
        FoundFunc &func = funcs[{site.object, site.func_id}];
        func.object = objects.at(site.object);
        func.id = site.func_id;
        func.sites.push_back(site);
    }
    std::vector<FoundFunc> out;
    for (auto &[key, func] : funcs) {
        std::ranges::sort(func.sites, {}, &btf_extra_site::number);
        func.all_sites = func.object->view->func_name(func.id) == query.name || query.name.empty();
        out.push_back(std::move(func));
    }
    return out;
}

// The kernel knows but one of the symbols at an address: the others are found by address.
Result<std::vector<FoundFunc>> RunningTables::find_alias(const FuncText &text) {
    std::vector<FoundFunc> out;
    const std::string source = source_name(text.name);
    if (source == text.name)
        return out;
    auto symbols = Kallsyms::load();
    if (!symbols)
        return symbols.error();
    for (uint64_t address : symbols->named(text.name)) {
        RunningQuery query = {.by = BTF_EXTRA_BY_ADDRESS,
                              .object = text.object,
                              .name = "",
                              .file = "",
                              .address = address,
                              .flags = BTF_EXTRA_BODY_ONLY};
        auto found = ask(query);
        if (!found)
            return found.error();
        for (FoundFunc &func : *found) {
            auto file = func.object->view->func_file(func.id);
            if (func.object->view->func_name(func.id) != source ||
                (!text.file.empty() && !(file && file_matches(*file, text.file))))
                continue;
            func.all_sites = false;
            out.push_back(std::move(func));
        }
    }
    return out;
}

Result<std::vector<FoundFunc>> RunningTables::find(const FuncText &text) {
    if (!text.object.empty() || text.id) {
        auto objects = kernel_.objects();
        if (!objects)
            return objects.error();
        if (!text.object.empty() && objects->find(text.object) == nullptr)
            return Error{fmt::format("{}: no object {}", BTF_EXTRA_DEVICE, text.object), ENOENT};
    }
    RunningQuery query = {
        .by = BTF_EXTRA_BY_NAME, .object = text.object, .name = text.name, .file = text.file};
    if (text.id) {
        query.by = BTF_EXTRA_BY_ID;
        query.func_id = *text.id;
        if (query.object.empty())
            query.object = "vmlinux";
    }
    auto found = ask(query);
    if (!found || !found->empty() || text.id)
        return found;
    return find_alias(text);
}

}  // namespace

Result<std::unique_ptr<SiteTables>> open_running_tables(RunningKernel kernel,
                                                        const std::string &sys_kernel) {
    return std::unique_ptr<SiteTables>(
        std::make_unique<RunningTables>(std::move(kernel), sys_kernel));
}

uint64_t located_params(const ObjectView &view, const btf_extra_site &site) {
    const btf_blob &blob = view.locations().blob();
    const btf_type *proto = btf_blob_type(&blob, site.loc_proto);
    if (proto == nullptr || loc_kind(proto) != LOC_KIND_PROTO)
        return 0;
    uint64_t out = 0;
    for (uint32_t i = 0; i < std::min(loc_vlen(proto), 64u); i++)
        if (loc_proto_ids(proto)[i] != 0)
            out |= uint64_t{1} << i;
    return out;
}

}  // namespace btf_extra
