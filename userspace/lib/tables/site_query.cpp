// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/lib/tables/site_query.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <tuple>

#include <fmt/format.h>

#include "userspace/format/hex_number.h"

namespace btf_extra {

bool file_matches(std::string_view declared, std::string_view asked) {
    std::string path = std::filesystem::path(asked).lexically_normal().string();
    return declared == path || declared.ends_with("/" + path);
}

const ElfSection *SiteQuery::elf_section(uint32_t site_number) const {
    const loc_section *section;
    loc_index_site(&view_.index(), site_number, &section);
    return kernel_.find(view_.index().elf_sections[section->elf].name);
}

void SiteQuery::append_func(uint32_t func_id, std::vector<uint32_t> &out) const {
    const loc_index &index = view_.index();
    for (uint32_t i = 0; i < index.nr_sections; i++) {
        loc_range range = loc_index_by_func(&index, i, func_id);
        for (uint32_t j = range.first; j < range.end; j++)
            out.push_back(index.sections[i].first_site + j);
    }
}

void SiteQuery::append_place(const ElfSection &section, uint64_t offset,
                             std::vector<uint32_t> &out) const {
    const loc_index &index = view_.index();
    int elf = loc_index_elf_section(&index, section.name.c_str());
    if (elf < 0 || offset > UINT32_MAX)
        return;
    loc_range range =
        loc_index_by_offset(&index, static_cast<uint32_t>(elf), static_cast<uint32_t>(offset));
    out.insert(out.end(), index.by_offset + range.first, index.by_offset + range.end);
}

std::vector<uint32_t> SiteQuery::ordered(std::vector<uint32_t> numbers) const {
    auto key = [&](uint32_t number) {
        const loc_section *section;
        const loc_site *site = loc_index_site(&view_.index(), number, &section);
        return std::tuple(view_.func_name(site->func), site->func, section->elf, site->offset,
                          section->loc_class, number);
    };
    std::ranges::sort(numbers, {}, key);
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    return numbers;
}

std::vector<uint32_t> SiteQuery::by_func(uint32_t func_id) const {
    std::vector<uint32_t> out;
    append_func(func_id, out);
    return ordered(std::move(out));
}

std::vector<uint32_t> SiteQuery::by_name(std::string_view name, std::string_view file) const {
    const loc_index &index = view_.index();
    auto collect = [&](const std::string &source_name) {
        std::vector<uint32_t> out;
        loc_range range = loc_index_by_name(&index, source_name.c_str());
        for (uint32_t i = range.first; i < range.end; i++) {
            auto declared = view_.func_file(index.funcs[i]);
            if (file.empty() || (declared && file_matches(*declared, file)))
                append_func(index.funcs[i], out);
        }
        return out;
    };
    const std::string symbol_name(name);
    std::vector<uint32_t> out = collect(symbol_name);
    const size_t source_length = func_suffix_strip(symbol_name.c_str());
    if (source_length < symbol_name.size()) {
        std::vector<uint32_t> of_source = collect(symbol_name.substr(0, source_length));
        std::erase_if(of_source, [&](uint32_t number) {
            // A body with a function of that very name has been found.
            const auto named = view_.true_signatures(number);
            if (std::ranges::any_of(
                    named, [&](uint32_t func) { return view_.func_name(func) == symbol_name; }))
                return true;
            const loc_section *section;
            const loc_site *site = loc_index_site(&index, number, &section);
            const ElfSection *place = elf_section(number);
            if (section->loc_class != LOC_CLASS_BODY || place == nullptr)
                return true;
            return std::ranges::none_of(symbols_.at(place->index, site->offset),
                                        [&](const Symbol &symbol) { return name == symbol.name; });
        });
        out.insert(out.end(), of_source.begin(), of_source.end());
    }
    return ordered(std::move(out));
}

Result<std::vector<uint32_t>> SiteQuery::by_address(std::string_view text) const {
    std::vector<uint32_t> out;
    if (auto address = parse_hex(text)) {
        if (kernel_.relocatable())
            return Error{fmt::format("'{}' is no place in a module, whose sections all begin at 0: "
                                     "section+0xoffset, or symbol+0xoffset",
                                     text)};
        for (const ElfSection &section : kernel_.sections())
            if (section.executable() && *address >= section.address &&
                *address - section.address < section.size)
                append_place(section, *address - section.address, out);
        return ordered(std::move(out));
    }
    std::string_view name = text.substr(0, text.find('+'));
    std::optional<uint64_t> offset = 0;
    if (name.size() != text.size())
        offset = parse_hex(text.substr(name.size() + 1));
    if (!offset)
        return Error{fmt::format("'{}' is neither an address nor symbol+0xoffset", text)};
    if (const ElfSection *section = kernel_.find(name);
        section != nullptr && section->executable()) {
        append_place(*section, *offset, out);
        return ordered(std::move(out));
    }
    auto found = symbols_.named(name);
    if (found.empty())
        return Error{fmt::format("'{}' is neither an address nor a symbol", name)};
    for (const Symbol *symbol : found)
        for (const ElfSection &section : kernel_.sections())
            if (section.index == symbol->section)
                append_place(section, symbol->offset + *offset, out);
    return ordered(std::move(out));
}

}  // namespace btf_extra
