// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/lib/tables/site_tables.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <iterator>
#include <tuple>

#include <fmt/format.h>
#include <sys/utsname.h>

#include "userspace/format/hex_number.h"
#include "userspace/text/nearest_names.h"

namespace btf_extra {
namespace {

void sort_by_name(std::vector<FoundFunc> &funcs) {
    std::ranges::stable_sort(funcs, {}, [](const FoundFunc &func) {
        return std::tuple(func.object->id, func.object->view->func_name(func.id), func.id);
    });
}

// perf and `btf-extra probes` name places of the whole kernel by their distance from these.
bool begins_text(std::string_view symbol) {
    return symbol == "_text" || symbol == "_stext";
}

}  // namespace

Result<const std::vector<SharedObject> *> SiteTables::objects() {
    TRY(refresh({}));
    return &objects_;
}

Result<std::vector<FoundFunc>> SiteTables::find(const FuncText &text) {
    std::vector<FoundFunc> out;
    TRY(visit(text, [&](const FoundFunc &found) { out.push_back(found); }));
    return out;
}

Result<void> SiteTables::visit(const FuncText &text, const FoundVisitor &visit) {
    const func_text wanted = text.core();
    TRY(refresh(wanted));
    const Symbols *known = func_suffix_has(text.name.c_str()) ? symbols() : nullptr;
    bool meant = false;
    for (const SharedObject &object : objects_) {
        if (!func_text_has_object(&wanted, object->name.c_str()))
            continue;
        meant = true;
        visit_by_text(object, known, text, visit);
        if (text.id && text.object.empty())
            break;  // ids of modules may be the same
    }
    if (!meant) {
        NearestNames nearest(text.object);
        for (const SharedObject &object : objects_)
            nearest.add(object->name);
        return Error{fmt::format("{}: no object {}{}", name_, text.object, nearest_text(nearest)),
                     ENOENT};
    }
    return {};
}

Result<SiteTables::Named> SiteTables::named(std::string_view text) const {
    const std::string name(text.substr(0, text.find('+')));
    Named out;
    std::optional<uint64_t> size;  // of the symbol
    if (name.size() != text.size()) {
        const size_t slash = text.find('/', name.size());
        const auto offset = parse_number(text.substr(name.size() + 1, slash - name.size() - 1));
        if (slash != text.npos)
            size = parse_number(text.substr(slash + 1));
        if (!offset || (slash != text.npos && !size))
            return Error{fmt::format("{}: '{}' is neither an address nor symbol+0xoffset: an "
                                     "offset without 0x is decimal",
                                     name_, text),
                         EINVAL};
        out.offset = *offset;
    }
    if (!objects_.empty()) {
        const int section = loc_index_elf_section(&objects_.front()->view->index(), name.c_str());
        if (section >= 0) {
            out.elf_section = static_cast<uint32_t>(section);
            return out;
        }
    }
    if (symbols() == nullptr)
        return Error{fmt::format("{}: {}", name_, kHiddenAddresses), EPERM};
    out.symbols = symbols()->places(name);
    if (out.symbols.empty())
        return Error{fmt::format("{}: '{}' is neither an address nor a symbol", name_, name),
                     ENOENT};
    const uint64_t first_size = symbols()->extent(out.symbols.front(), name).to_next;
    std::erase_if(out.symbols, [&](const Place &place) {
        const Symbols::Extent extent = symbols()->extent(place, name);
        return (size && !extent.allows(*size)) ||
               (!begins_text(name) && !extent.contains(out.offset));
    });
    if (out.symbols.empty())
        return Error{fmt::format("{}: '{}': {} has {:#x} bytes; name a place of the kernel that "
                                 "these tables describe",
                                 name_, text, name, first_size),
                     ESTALE};
    return out;
}

Result<std::vector<FoundFunc>> SiteTables::find_at_name(std::string_view text) const {
    const Named wanted = TRY(named(text));
    std::vector<FoundFunc> out;
    if (wanted.elf_section)
        find_by_place(objects_.front(), *wanted.elf_section, wanted.offset, out);
    for (const Place &place : wanted.symbols)
        for (const SharedObject &object : objects_)
            for (uint32_t elf = 0; elf < object->sections.size(); elf++) {
                const PlacedSection &section = object->sections[elf];
                const uint64_t distance = place.offset + wanted.offset - section.begin().offset;
                if (place.section == section.elf_section && distance < section.place.size)
                    find_by_place(object, elf, distance, out);
            }
    return out;
}

Result<std::vector<FoundFunc>> SiteTables::find_at(std::string_view text) {
    TRY(refresh({}));
    const auto address = parse_hex(text);
    if (!address) {
        auto found = find_at_name(text);
        if (found)
            sort_by_name(*found);
        return found;
    }
    if (running() && symbols() == nullptr)
        return Error{fmt::format("{}: {}", name_, kHiddenAddresses), EPERM};
    const auto placed = [](const SharedObject &object) {
        return std::ranges::any_of(object->sections,
                                   [](const auto &each) { return each.place.address != 0; });
    };
    if (std::ranges::none_of(objects_, placed))
        return Error{
            fmt::format("{}: '{}' is ambiguous in a module, whose sections all begin at 0; use "
                        "section+0xoffset or symbol+0xoffset",
                        name_, text),
            EINVAL};
    std::vector<FoundFunc> out;
    for (const SharedObject &object : objects_)
        find_by_address(object, *address, out);
    sort_by_name(out);
    return out;
}

// ---- what a user has chosen ----

namespace {

// Returns the file that `btf-extra firmware` made for the running kernel.
Result<std::string> installed_file() {
    utsname system = {};
    uname(&system);
    for (const char *folder : kFirmwareFolders) {
        const std::string path = fmt::format("{}/{}/vmlinux.btf_extra", folder, system.release);
        if (std::error_code ignored; std::filesystem::exists(path, ignored))
            return path;
    }
    return Error{fmt::format("no tables of {} are installed in {}", system.release,
                             *std::rbegin(kFirmwareFolders)),
                 ENOENT};
}

}  // namespace

Result<std::unique_ptr<SiteTables>> open_tables(const TablesChoice &choice) {
    if (!choice.elf.vmlinux.empty())
        return open_elf_tables(choice.file, choice.elf, choice.parts);
    FileTablesPaths paths;
    paths.parts = choice.parts;
    if (!choice.elf.btf_base.empty())
        paths.base_btf = choice.elf.btf_base;
    paths.file = choice.file;
    if (!paths.file.empty())
        return open_file_tables(paths, false);
    if (!choice.no_module) {
        auto device = open_query_device();
        if (device)
            return open_running_tables(RunningKernel(std::move(*device)), paths.sys_kernel,
                                       paths.kallsyms, choice.parts);
        // The module is loaded, but not for this user: files do not help.
        if (device.error().code == EPERM || device.error().code == EACCES)
            return device.error();
    }
    auto installed = installed_file();
    if (!installed)
        return Error{fmt::format("{}{}; btf-extra install makes them, --tables names a file",
                                 choice.no_module ? "" : "btf_extra is not loaded, and ",
                                 installed.error().message),
                     ENOENT};
    paths.file = *installed;
    return open_file_tables(paths, true);
}

}  // namespace btf_extra
