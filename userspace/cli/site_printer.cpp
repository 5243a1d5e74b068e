// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/cli/site_printer.h"

#include <cstdio>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "userspace/text/c_type.h"
#include "userspace/text/loc_text.h"

namespace btf_extra {
namespace {

using nlohmann::ordered_json;

const btf_blob &blob_of(const PrintedSite &site) {
    return site.view->locations().blob();
}

const loc_site &record_of(const PrintedSite &site, const loc_section *&section) {
    return *loc_index_site(&site.view->index(), site.number, &section);
}

uint32_t func_of(const PrintedSite &site) {
    const loc_section *section;
    return record_of(site, section).func;
}

const char *class_of(const PrintedSite &site) {
    const loc_section *section;
    record_of(site, section);
    return section->loc_class == LOC_CLASS_INLINE ? "inline" : "body";
}

std::string people(const PrintedSite &site, const Parameter &param,
                   const NameAddress &name_address) {
    if (param.loc != nullptr)
        return loc_text_for_people(param.loc, site.view->file().machine,
                                   btf_type_value(&blob_of(site), param.type_id),
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

ordered_json or_null(const std::optional<std::string> &text) {
    return text ? ordered_json(*text) : ordered_json(nullptr);
}

ordered_json json_params(const PrintedSite &site) {
    ordered_json out = ordered_json::array();
    for (const Parameter &param : site.view->parameters(site.number)) {
        ordered_json each = {{"name", param.name}, {"loc", nullptr}, {"reason", nullptr}};
        if (param.loc != nullptr)
            each["loc"] = loc_text(param.loc);
        if (param.reason)
            each["reason"] = btf_extra::text(*param.reason);
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
        const uint32_t func = func_of(site);
        if (last == nullptr || last->view != site.view || func_of(*last) != func) {
            if (last != nullptr)
                fmt::print("\n");
            print_header(site, func);
        }
        last = &site;
        const uint32_t marks = site.marks.value_or(0);
        fmt::print("  {} {:<6} {}{}{}{}{}", site.address.value_or(site.absent), class_of(site),
                   site.symbol.value_or(site.absent), site.freed ? " (freed)" : "",
                   (marks & SITE_MARK_LOOP_HEAD) != 0 ? " (loop head)" : "",
                   (marks & SITE_MARK_NO_ENTRY) != 0 ? " (no entry)" : "",
                   (marks & SITE_MARK_PART) != 0 ? " (part)" : "");
        for (const Parameter &param : site.view->parameters(site.number))
            fmt::print("  {}={}", param.name.empty() ? "?" : param.name,
                       people(site, param, name_address));
        fmt::print("\n");
    }
}

void print_sites_json(const std::vector<PrintedSite> &sites, bool running) {
    ordered_json list = ordered_json::array();
    for (const PrintedSite &printed : sites) {
        const uint32_t func = func_of(printed);
        ordered_json site;
        site["address"] = or_null(printed.address);
        site["class"] = class_of(printed);
        site["name"] = printed.view->func_name(func);
        site["id"] = func;
        site["symbol"] = or_null(printed.symbol);
        site["prototype"] = c_prototype(blob_of(printed), func);
        site["file"] = or_null(printed.view->func_file(func));
        if (printed.marks) {
            site["loop_head"] = (*printed.marks & SITE_MARK_LOOP_HEAD) != 0;
            site["no_entry"] = (*printed.marks & SITE_MARK_NO_ENTRY) != 0;
            site["part"] = (*printed.marks & SITE_MARK_PART) != 0;
        }
        site["params"] = json_params(printed);
        if (running) {
            site["object"] = printed.object;
            site["freed"] = printed.freed;
        }
        list.push_back(std::move(site));
    }
    ordered_json out = {{"sites", std::move(list)}};
    fmt::print("{}\n", out.dump(2, ' ', false, ordered_json::error_handler_t::replace));
}

}  // namespace btf_extra
