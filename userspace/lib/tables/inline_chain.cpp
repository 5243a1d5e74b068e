// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/lib/tables/inline_chain.h"

#include <span>

namespace btf_extra {

bool has_frames(const SiteObject &object) {
    return object.view->frames().sections != nullptr;
}

namespace {

// Returns the number that the frames have for a section; nothing: no body can be there.
std::optional<uint32_t> frames_section(const SiteObject &object, uint32_t elf_section,
                                       uint64_t offset) {
    if (!has_frames(object) || offset > UINT32_MAX)
        return {};
    const char *name = object.view->index().elf_sections[elf_section].name;
    const int section = inline_frames_find_section(&object.view->frames(), name);
    if (section < 0)
        return {};
    return static_cast<uint32_t>(section);
}

}  // namespace

std::optional<InlineChain> chain_at(const SharedObject &object, uint32_t elf_section,
                                    uint64_t offset) {
    const inline_frames &frames = object->view->frames();
    const auto section = frames_section(*object, elf_section, offset);
    if (!section)
        return {};
    inline_frame found[INLINE_FRAMES_DEPTH];
    const uint32_t nr = inline_frames_at(&frames, *section, static_cast<uint32_t>(offset), found,
                                         INLINE_FRAMES_DEPTH);
    if (nr == 0)
        return {};
    InlineChain out{.object = object, .frames = {}};
    out.frames.reserve(nr);
    for (const inline_frame &frame : std::span(found).first(nr))
        out.frames.push_back(
            {.func_id = frame.func,
             .name = object->view->func_name(frame.func),
             .call_file = frame.call_file != 0 ? inline_frames_file(&frames, frame.call_file) : "",
             .call_line = frame.call_line});
    return out;
}

std::optional<std::string_view> body_file_at(const SiteObject &object, uint32_t elf_section,
                                             uint64_t offset) {
    const inline_frames &frames = object.view->frames();
    const auto section = frames_section(object, elf_section, offset);
    const uint32_t file =
        section ? inline_frames_body_file(&frames, *section, static_cast<uint32_t>(offset)) : 0;
    if (file == 0)
        return {};
    return inline_frames_file(&frames, file);
}

std::optional<InlineChain> chain_at(const SharedObject &object, uint64_t address) {
    return chain_at(object, Place{0, address});
}

std::optional<InlineChain> chain_at_linked(const SharedObject &object, uint64_t address) {
    for (const ObjectSection &section : object->view->file().sections) {
        const int elf = loc_index_elf_section(&object->view->index(), section.name.c_str());
        if (elf >= 0 && section.address != 0 && address - section.address < section.size)
            return chain_at(object, static_cast<uint32_t>(elf), address - section.address);
    }
    return {};
}

namespace {

// Calls look_up with each section of the object that begins at or before the place, and with the
// place in it, until that finds something.
template <class LookUp>
auto find_in_sections(const SiteObject &object, const Place &place, const LookUp &look_up)
    -> decltype(look_up(0, 0)) {
    for (uint32_t elf = 0; elf < object.sections.size(); elf++) {
        const PlacedSection &section = object.sections[elf];
        const bool counted = place.section != 0;
        if (counted ? place.section != section.elf_section : section.place.address == 0)
            continue;
        const uint64_t begin = counted ? 0 : section.place.address;
        if (place.offset < begin)
            continue;
        if (auto found = look_up(elf, place.offset - begin))
            return found;
    }
    return {};
}

}  // namespace

std::optional<InlineChain> chain_at(const SharedObject &object, const Place &place) {
    return find_in_sections(*object, place, [&](uint32_t elf_section, uint64_t offset) {
        return chain_at(object, elf_section, offset);
    });
}

std::optional<SourceLine> line_at(const SiteObject &object, const Place &place) {
    const LineTable *lines = object.view->lines();
    if (lines == nullptr)
        return {};
    return find_in_sections(object, place, [&](uint32_t elf_section, uint64_t offset) {
        return lines->find(object.view->index().elf_sections[elf_section].name, offset);
    });
}

}  // namespace btf_extra
