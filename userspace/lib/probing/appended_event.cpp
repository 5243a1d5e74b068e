// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/lib/probing/appended_event.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

#include <fmt/format.h>

namespace btf_extra {
namespace {

constexpr const char *kFiles[] = {"/sys/kernel/tracing/kprobe_events",
                                  "/sys/kernel/debug/tracing/kprobe_events"};

// Instructions that only mark a target of branches: 4 bytes on x86-64, and up to two on arm64.
constexpr uint64_t kMarkSize = 4, kMarksSize = 8;

Result<std::vector<KprobeLine>> read_lines(const std::string &path) {
    std::ifstream file(path);
    for (const char *each : kFiles)
        if (path.empty() && !file.is_open())
            file.open(each);
    if (!file.is_open())
        return Error{fmt::format("{}: {}", path.empty() ? kFiles[0] : path, std::strerror(errno)),
                     errno};
    std::vector<KprobeLine> out;
    for (std::string line; std::getline(file, line);)
        if (auto parsed = parse_kprobe_line(line))
            out.push_back(std::move(*parsed));
    return out;
}

Result<uint64_t> address_of(const SiteTables &tables, const KprobeLine &line) {
    // The kernel hides the address of a probe that was not placed by a symbol.
    if (line.place.starts_with("0x"))
        return Error{"the kernel does not show the address of its probe; place it by a symbol"};
    const auto named = TRY(tables.named(line.place));
    for (const Place &symbol : named.symbols)
        if (line.module.empty() || tables.symbols()->object_of(symbol) == line.module)
            return symbol.offset + named.offset;
    return Error{fmt::format("{}: no symbol of {}", line.place, line.module)};
}

}  // namespace

bool AppendedEvent::has(const SiteObject &object, const Symbols &symbols,
                        const btf_extra_site &site, uint64_t distance_to_probe) const {
    if (site.site_class != BTF_EXTRA_CLASS_BODY)
        return addresses.contains(site.address + distance_to_probe);
    for (uint64_t mark = 0; mark <= kMarksSize; mark += kMarkSize)
        if (addresses.contains(site.address + mark))
            return true;
    const loc_arch *arch = loc_arch_of(object.view->file().machine);
    return addresses.contains(symbols.begin_of_body({0, site.address}, arch).offset);
}

Result<AppendedEvent> find_event(const SiteTables &tables, const std::string &text,
                                 const std::string &kprobe_events) {
    AppendedEvent out = {text, {}, {}};
    std::ranges::replace(out.name, ':', '/');
    const auto lines = TRY(read_lines(kprobe_events));
    for (const KprobeLine &line : lines) {
        if (line.group + "/" + line.event != out.name)
            continue;
        if (line.at_return)
            return Error{
                fmt::format("{}: its probe is at a return, and an inlined call has none", text)};
        const auto address = address_of(tables, line);
        if (!address)
            return Error{fmt::format("{}: {}", text, address.error().message)};
        out.fields = line.fields;
        out.addresses.insert(*address);
    }
    if (out.addresses.empty())
        return Error{fmt::format("{}: kprobe_events has no such event; write GROUP:EVENT", text),
                     ENOENT};
    return out;
}

Result<std::vector<std::string>> functions_of(SiteTables &tables, const AppendedEvent &event) {
    const auto has_body = [&](const FoundFunc &func) {
        return std::ranges::any_of(func.sites, [&](const btf_extra_site &site) {
            return site.site_class == BTF_EXTRA_CLASS_BODY &&
                   event.has(*func.object, *tables.symbols(), site, 0);
        });
    };
    const auto objects = TRY(tables.objects());
    uint64_t hook_size = 0;
    for (const SharedObject &object : *objects)
        if (const loc_arch *arch = loc_arch_of(object->view->file().machine))
            hook_size = arch->hook_size;
    std::set<std::string> found;
    for (const uint64_t address : event.addresses)
        for (uint64_t at = address - kMarksSize; at <= address + hook_size; at += kMarkSize) {
            const auto here = TRY(tables.find_at(fmt::format("{:x}", at)));
            for (const FoundFunc &func : here)
                if (has_body(func))
                    found.insert(fmt::format("{}:#{}", func.object->name, func.id));
        }
    if (found.empty())
        return Error{fmt::format("{}: its probe is not where a function begins; name the function",
                                 event.name)};
    return std::vector<std::string>(found.begin(), found.end());
}

Result<void> check_fields(const AppendedEvent &event, const DescribedFunc &func) {
    for (const KprobeLine::Field &field : event.fields) {
        if (bits_of_kprobe_type(field.type) == 0)
            return Error{fmt::format("{}: its field {} is no number, but has the type {}",
                                     event.name, field.name, field.type)};
        if (std::ranges::find(func.params, field.name) == func.params.end())
            return Error{fmt::format("{}: its field {} is no parameter of {}", event.name,
                                     field.name, func.name)};
    }
    return {};
}

}  // namespace btf_extra
