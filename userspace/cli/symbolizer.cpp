// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/cli/symbolizer.h"

#include <algorithm>
#include <cerrno>
#include <fstream>

#include <fmt/format.h>

#include "userspace/format/hex_number.h"

namespace btf_extra {
namespace {

constexpr size_t kMaxKnown = 1 << 20;  // answers that are kept
constexpr std::chrono::milliseconds kBetweenLooks(100);

// Returns the names, states and addresses of all modules.
std::string loaded_modules() {
    std::ifstream in("/proc/modules");
    std::string out;
    for (std::string name, size, uses, users, state, rest;
         in >> name >> size >> uses >> users >> state && std::getline(in, rest);)
        out += name + ' ' + state + rest + '\n';
    return out;
}

bool same_calls(const InlineChain &a, const InlineChain &b) {
    return std::ranges::equal(a.frames, b.frames, [](const ChainFrame &x, const ChainFrame &y) {
        return x.name == y.name && x.call_file == y.call_file && x.call_line == y.call_line;
    });
}

}  // namespace

Result<std::unique_ptr<SiteTables>> open_tables_with_frames(TablesChoice choice) {
    auto tables = TRY(open_tables(choice));
    const auto *objects = TRY(tables->objects());
    if (std::ranges::any_of(*objects,
                            [](const SharedObject &object) { return has_frames(*object); }))
        return tables;
    if (tables->source() != SiteTables::Source::kModule)
        return Error{fmt::format("{}: no frames: generate it without --no-frames", tables->name()),
                     ENOENT};
    // The module keeps them if it is asked to. The files that it has read have them.
    choice.no_module = true;
    auto files = open_tables_with_frames(choice);
    if (!files)
        return Error{fmt::format("{}: no frames: {}", tables->name(), files.error().message),
                     files.error().code};
    return files;
}

Result<Symbolizer> Symbolizer::open(TablesChoice choice) {
    std::string modules = loaded_modules();
    Symbolizer out(TRY(open_tables_with_frames(choice)));
    out.modules_ = std::move(modules);
    out.looked_ = Clock::now();
    out.choice_ = choice;
    out.choice_.no_module |= out.tables_->source() == SiteTables::Source::kFiles;
    out.objects_ = TRY(out.tables_->objects());
    if (out.tables_->symbols() == nullptr)
        return Error{fmt::format("{}: {}", out.tables_->name(), kHiddenAddresses), EPERM};
    if (out.tables_->running())
        out.kaslr_ = 0;
    return out;
}

bool Symbolizer::refresh() {
    if (!tables_->running())
        return false;
    const auto now = Clock::now();
    if (now - looked_ < kBetweenLooks)
        return false;
    looked_ = now;
    if (loaded_modules() == modules_)
        return false;
    auto opened = open(choice_);
    if (!opened)
        return false;  // as while modules come and go; the next look tries again
    opened->kaslr_ = kaslr_;
    *this = std::move(*opened);
    return true;
}

std::optional<InlineChain> Symbolizer::chain_at(const Place &place) const {
    for (const SharedObject &object : *objects_)
        if (auto chain = btf_extra::chain_at(object, place))
            return chain;
    return {};
}

std::optional<Place> Symbolizer::place_of(uint64_t address) const {
    return tables_->symbols()->place_of(address);
}

Result<Symbolizer::Named> Symbolizer::find(const std::string &text) {
    refresh();
    Named out;
    std::optional<Place> place;
    if (const auto address = parse_hex(text)) {
        out.address = address;
        place = place_of(*address - (tables_->running() ? 0 : kaslr_.value_or(0)));
    } else {
        place = TRY(place_named(text));
        if (place->section == 0)
            out.address = place->offset;
    }
    if (place)
        name(out, *place, false);
    return out;
}

const Symbolizer::Named &Symbolizer::find(uint64_t address, bool return_address) {
    refresh();
    auto &known = return_address ? callers_ : others_;
    if (known.size() > kMaxKnown)
        known.clear();
    const auto [entry, fresh] = known.try_emplace(address);
    if (fresh) {
        entry->second.address = address;
        if (const auto place = place_of(address - (return_address ? 1 : 0)))
            name(entry->second, *place, return_address);
    }
    return entry->second;
}

// place: of the call, if the name is that of the address behind it.
void Symbolizer::name(Named &named, const Place &place, bool return_address) const {
    if (const auto around = tables_->symbols()->around(place))
        named.symbol =
            fmt::format("{}+{:#x}", around->symbol, around->distance + (return_address ? 1 : 0));
    named.chain = chain_at(place);
    for (const SharedObject &object : *objects_)
        if (!named.line)
            named.line = line_at(*object, place);
    if (named.symbol.empty() && named.chain)
        named.symbol = named.chain->frames.back().name;
}

Result<Place> Symbolizer::place_named(const std::string &text) const {
    const SiteTables::Named named = TRY(tables_->named(text));
    if (named.symbols.size() > 1)
        return Error{fmt::format("{}: '{}' stands for {} symbols: name an address", tables_->name(),
                                 text.substr(0, text.find('+')), named.symbols.size()),
                     EINVAL};
    Place place = named.elf_section ? objects_->front()->sections[*named.elf_section].begin()
                                    : named.symbols.front();
    place.offset += named.offset;
    return place;
}

// Says whether a symbol of that name begins so far before the place.
bool Symbolizer::is_symbol_at(const Place &place, std::string_view name, uint64_t distance) const {
    return place.offset >= distance &&
           std::ranges::count(tables_->symbols()->names({place.section, place.offset - distance}),
                              name) != 0;
}

std::vector<ChainFrame> Symbolizer::find(const StackFrame &frame, bool return_address) const {
    std::vector<Place> candidates;
    // A return address at the beginning of a function is that of a call at the end of another one.
    const uint64_t back = return_address ? 1 : 0;
    const auto call =
        frame.address && kaslr_ ? place_of(*frame.address - *kaslr_ - back) : std::nullopt;
    if (frame.offset) {
        if (*frame.offset < back)
            return {};
        const uint64_t distance = *frame.offset - back;
        // The address tells which one it is of symbols with one name. A table of all names is made
        // only for those that are not where it says.
        if (call && is_symbol_at(*call, frame.symbol, distance))
            candidates.push_back(*call);
        else
            for (const Place &place : tables_->symbols()->places(frame.symbol))
                candidates.push_back({place.section, place.offset + distance});
    } else if (frame.address && kaslr_) {
        const auto place = place_of(*frame.address - *kaslr_);
        const bool begins = place && !tables_->symbols()->names(*place).empty();
        if (!frame.symbol.empty() && return_address && begins)
            return {};
        if (call)
            candidates.push_back(*call);
    }
    if (candidates.size() > 1 && frame.address && kaslr_)
        std::erase_if(candidates, [&](const Place &place) { return call != place; });
    std::optional<InlineChain> found;
    for (const Place &place : candidates) {
        auto chain = chain_at(place);
        if (chain && !frame.module.empty() && chain->object->name != frame.module)
            continue;
        if (chain && frame.module.empty() && frame.format == StackFormat::kTrace &&
            chain->object->name != "vmlinux")
            continue;
        if (!chain || (found && !same_calls(*found, *chain)))
            return {};
        found = std::move(chain);
    }
    return found ? std::move(found->frames) : std::vector<ChainFrame>();
}

}  // namespace btf_extra
