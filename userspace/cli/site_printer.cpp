// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/cli/site_printer.h"

#include <cstdio>

#include <fmt/format.h>

#include "userspace/text/c_type.h"
#include "userspace/text/expression_text.h"
#include "userspace/text/json_text.h"
#include "userspace/text/loc_text.h"

namespace btf_extra {
namespace {

const btf_blob &blob_of(const PrintedSite &site) {
    return site.view->locations().blob();
}

const char *class_of(const PrintedSite &site) {
    return site.site.site_class == BTF_EXTRA_CLASS_INLINE ? "inline" : "body";
}

std::string people(const PrintedSite &site, const Parameter &param,
                   const NameAddress &name_address) {
    if (param.loc != nullptr)
        return loc_text_for_people(param.loc, site.view->file().machine,
                                   btf_type_value(&blob_of(site), param.type_id),
                                   [&](uint64_t offset) { return name_address(site, offset); });
    if (param.expression)
        return expression_text_for_people(
            *param.expression, site.view->file().machine,
            [&](uint64_t offset) { return name_address(site, offset); });
    if (param.reason)
        return fmt::format("<not available: {}>", btf_extra::text(*param.reason));
    return "<not available>";
}

void print_header(const PrintedSite &site, uint32_t func) {
    auto file = site.view->func_file(func);
    auto unit = site.view->func_unit(func);
    fmt::print("{}\n    id {}{}, {}{}\n", c_prototype(blob_of(site), func), func,
               site.object.empty() ? "" : " [" + site.object + "]", file ? *file : "file not known",
               unit ? " in unit " + *unit : "");
}

ordered_json json_params(const PrintedSite &site) {
    ordered_json out = ordered_json::array();
    for (const Parameter &param : site.view->parameters(site.site.number)) {
        ordered_json each = {
            {"name", param.name}, {"loc", nullptr}, {"reason", nullptr}, {"expression", nullptr}};
        if (param.loc != nullptr)
            each["loc"] = loc_text(param.loc);
        if (param.reason)
            each["reason"] = btf_extra::text(*param.reason);
        if (param.expression)
            each["expression"] = expression_text(*param.expression);
        out.push_back(std::move(each));
    }
    return out;
}

}  // namespace

std::string text_offset(uint64_t offset) {
    const bool before = static_cast<int64_t>(offset) < 0;
    return fmt::format(".text{}{:#x}", before ? '-' : '+', before ? 0 - offset : offset);
}

void print_sites_text(const std::vector<PrintedSite> &sites, const NameAddress &name_address) {
    const PrintedSite *last = nullptr;
    for (const PrintedSite &site : sites) {
        const uint32_t func = site.site.func_id;
        if (last == nullptr || last->view != site.view || last->site.func_id != func) {
            if (last != nullptr)
                fmt::print("\n");
            print_header(site, func);
        }
        last = &site;
        const uint32_t flags = site.site.flags;
        fmt::print("  {} {:<6} {}{}{}{}{}{}{}{}", site.address.value_or(site.absent),
                   class_of(site), site.symbol.value_or(site.absent), site.freed ? " (freed)" : "",
                   (flags & BTF_EXTRA_SITE_LOOP_HEAD) != 0 ? " (loop head)" : "",
                   (flags & BTF_EXTRA_SITE_NO_ENTRY) != 0 ? " (no entry)" : "",
                   (flags & BTF_EXTRA_SITE_UNLISTED) != 0 ? " (unlisted)" : "",
                   (flags & BTF_EXTRA_SITE_CLOSED) != 0 ? " (closed)" : "",
                   (flags & BTF_EXTRA_SITE_AFTER_KEY) != 0 ? " (probe after static key)" : "",
                   (flags & BTF_EXTRA_SITE_PART) != 0 ? " (part)" : "");
        for (const Parameter &param : site.view->parameters(site.site.number))
            fmt::print("  {}={}", param.name.empty() ? "?" : param.name,
                       people(site, param, name_address));
        fmt::print("\n");
    }
}

void print_sites_json(const std::vector<PrintedSite> &sites, bool running) {
    ordered_json list = ordered_json::array();
    for (const PrintedSite &printed : sites) {
        const uint32_t func = printed.site.func_id, flags = printed.site.flags;
        ordered_json site;
        site["address"] = or_null(printed.address);
        site["class"] = class_of(printed);
        site["name"] = printed.view->func_name(func);
        site["id"] = func;
        site["symbol"] = or_null(printed.symbol);
        site["prototype"] = or_null(known_prototype(blob_of(printed), func));
        site["file"] = or_null(printed.view->func_file(func));
        if (printed.view->file().site_marks) {
            site["loop_head"] = (flags & BTF_EXTRA_SITE_LOOP_HEAD) != 0;
            site["no_entry"] = (flags & BTF_EXTRA_SITE_NO_ENTRY) != 0;
            site["part"] = (flags & BTF_EXTRA_SITE_PART) != 0;
            site["unlisted"] = (flags & BTF_EXTRA_SITE_UNLISTED) != 0;
            site["closed"] = (flags & BTF_EXTRA_SITE_CLOSED) != 0;
            site["after_key"] = (flags & BTF_EXTRA_SITE_AFTER_KEY) != 0;
        }
        site["params"] = json_params(printed);
        if (running) {
            site["object"] = printed.object;
            site["freed"] = printed.freed;
        }
        list.push_back(std::move(site));
    }
    print_object({{"sites", std::move(list)}});
}

}  // namespace btf_extra
