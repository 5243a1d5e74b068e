// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/lib/tables/symbolizer.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <utility>

#include <fmt/format.h>

#include "userspace/format/elf_image.h"
#include "userspace/format/hex_number.h"
#include "userspace/format/module_name.h"

namespace btf_extra {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxKnown = 1 << 20;  // answers that are kept
constexpr std::string_view kVmlinux = "vmlinux";
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

// Returns the name of the module that the frame is in, or "".
std::string module_of(const StackFrame &frame) {
    const std::string text(frame.module);
    const std::string name = module_name(text);
    return name.empty() ? text : name;
}

// Returns the address of a place of the object, as its tables have addresses.
std::optional<uint64_t> address_of(const SiteObject &object, const Place &place) {
    if (place.section == 0)
        return place.offset;
    for (const PlacedSection &section : object.sections)
        if (section.elf_section == place.section && section.place.address != 0)
            return section.place.address + place.offset;
    return {};
}

std::optional<SourceLine> line_of(const SiteObject &object, const Place &place, bool has_symbols) {
    if (has_symbols)
        return line_at(object, place);
    const LineTable *lines = object.view->lines();
    if (lines == nullptr)
        return {};
    return lines->find(object.view->index().elf_sections[place.section - 1].name, place.offset);
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
    // The module keeps them only on request. The files that it has read contain them.
    choice.no_module = true;
    auto files = open_tables_with_frames(choice);
    if (!files)
        return Error{
            fmt::format("{}: no frames: {}; to have them from the data module: modprobe -r "
                        "btf_extra_vmlinux; echo 1 >/sys/module/btf_extra/parameters/frames; "
                        "modprobe btf_extra_vmlinux",
                        tables->name(), files.error().message),
            files.error().code};
    return files;
}

Result<Symbolizer> Symbolizer::open(TablesChoice choice) {
    std::string modules = loaded_modules();
    std::string folder, modules_folder;
    if (std::error_code ignored; fs::is_directory(choice.file, ignored)) {
        folder = std::exchange(choice.file, (fs::path(choice.file) / "vmlinux.btf_extra").string());
        modules_folder = std::exchange(choice.elf.module, "");
        if (modules_folder.empty())
            modules_folder = fs::absolute(choice.elf.vmlinux, ignored).parent_path().string();
    }
    Symbolizer out(TRY(open_tables_with_frames(choice)));
    out.modules_ = std::move(modules);
    out.folder_ = std::move(folder);
    out.modules_folder_ = std::move(modules_folder);
    out.looked_ = Clock::now();
    out.choice_ = choice;
    out.choice_.no_module |= out.tables_->source() == SiteTables::Source::kFiles;
    out.objects_ = TRY(out.tables_->objects());
    if (out.tables_->symbols() == nullptr && out.tables_->running())
        return Error{fmt::format("{}: {}", out.tables_->name(), kHiddenAddresses), EPERM};
    if (out.tables_->running())
        out.kaslr_ = 0;
    out.kernel_ = out.name_kernel();
    return out;
}

Result<Symbolizer::Named> Symbolizer::find(const std::string &section, uint64_t offset) {
    const std::vector<ObjectSection> &sections = objects_->front()->view->file().sections;
    const auto found = std::ranges::find(sections, section, &ObjectSection::name);
    if (found == sections.end())
        return Error{fmt::format("{}: no section {}", tables_->name(), section), ENOENT};
    if (offset >= found->size)
        return Named();
    return find(found->address != 0 && !tables_->running()
                    ? fmt::format("{:#x}", found->address + offset)
                    : fmt::format("{}+{:#x}", section, offset));
}

KernelName Symbolizer::name_kernel() const {
    std::string banner = tables_->banner();
    if (tables_->running()) {
        std::ifstream in("/proc/version");
        std::getline(in, banner);
    }
    KernelName out = find_kernel_name(banner).value_or(KernelName());
    for (const SharedObject &object : *objects_)
        if (object->name == kVmlinux)
            out.build_id = build_id_of(*object);
    return out;
}

// The module does not have the build-ids of its objects.
std::string Symbolizer::build_id_of(const SiteObject &object) const {
    const std::string id = object.view->build_id();
    if (!id.empty() || !tables_->running())
        return id;
    return notes_build_id(object.name == kVmlinux
                              ? "/sys/kernel/notes"
                              : "/sys/module/" + object.name + "/notes/.note.gnu.build-id");
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

// Without symbols a place is in a section of the first object: its number there and one more.
std::optional<InlineChain> Symbolizer::chain_at(const Place &place) const {
    if (tables_->symbols() == nullptr)
        return btf_extra::chain_at(objects_->front(), place.section - 1, place.offset);
    for (const SharedObject &object : *objects_)
        if (auto chain = btf_extra::chain_at(object, place))
            return chain;
    return {};
}

std::optional<Place> Symbolizer::place_of(uint64_t address) const {
    if (tables_->symbols() != nullptr)
        return tables_->symbols()->place_of(address);
    const ObjectView &view = *objects_->front()->view;
    for (const ObjectSection &section : view.file().sections) {
        const int elf = loc_index_elf_section(&view.index(), section.name.c_str());
        if (elf >= 0 && section.address != 0 && address - section.address < section.size)
            return Place{static_cast<uint32_t>(elf) + 1, address - section.address};
    }
    return {};
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
        if (place->section == 0 && tables_->symbols() != nullptr)
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

// place: of the call, if the name is that of the address after it.
void Symbolizer::name(Named &named, const Place &place, bool return_address) const {
    const Symbols *symbols = tables_->symbols();
    if (const auto around = symbols != nullptr ? symbols->around(place) : std::nullopt)
        named.symbol =
            fmt::format("{}+{:#x}", around->symbol, around->distance + (return_address ? 1 : 0));
    named.chain = chain_at(place);
    for (const SharedObject &object : *objects_)
        if (!named.line)
            named.line = line_of(*object, place, symbols != nullptr);
    if (named.symbol.empty() && named.chain)
        named.symbol = named.chain->frames.back().name;
}

Result<Place> Symbolizer::place_named(const std::string &text) const {
    const bool in_section = text.starts_with('.');
    if (tables_->symbols() == nullptr && !in_section)
        return Error{fmt::format("{}: '{}': no symbols are known; name the kernel's ELF file with "
                                 "--vmlinux",
                                 tables_->name(), text),
                     ENOENT};
    const SiteTables::Named named = TRY(tables_->named(text));
    if (named.symbols.size() > 1)
        return Error{
            fmt::format("{}: '{}' stands for {} symbols: name an address, or the size too, "
                        "as in {}+0x10/0x40",
                        tables_->name(), text.substr(0, text.find('+')), named.symbols.size(),
                        text.substr(0, text.find('+'))),
            EINVAL};
    if (tables_->symbols() == nullptr)
        return Place{*named.elf_section + 1, named.offset};
    Place place = named.elf_section ? objects_->front()->sections[*named.elf_section].begin()
                                    : named.symbols.front();
    place.offset += named.offset;
    return place;
}

// Returns true if a symbol of that name begins so far before the place.
bool Symbolizer::is_symbol_at(const Place &place, std::string_view name, uint64_t distance) const {
    return place.offset >= distance &&
           std::ranges::count(tables_->symbols()->names({place.section, place.offset - distance}),
                              name) != 0;
}

std::string_view Symbolizer::object_at(const Place &place) const {
    const std::string_view name = tables_->symbols()->object_of(place);
    return name.empty() ? std::string_view(objects_->front()->name) : name;
}

// back: 1 for a return address. The address after the last instruction of a function belongs to the
// next one, but the call to this one.
std::vector<Symbolizer::Candidate> Symbolizer::candidates_of(const StackFrame &frame,
                                                             uint64_t back) const {
    std::vector<Candidate> out;
    const bool is_placed = frame.address && kaslr_;
    const auto call = is_placed ? place_of(*frame.address - *kaslr_ - back) : std::nullopt;
    if (tables_->symbols() == nullptr)
        return call && frame.symbol.empty() ? std::vector<Candidate>{{*call, 0}}
                                            : std::vector<Candidate>();
    if (!frame.offset) {
        const auto place = is_placed ? place_of(*frame.address - *kaslr_) : std::nullopt;
        const bool begins = place && !tables_->symbols()->names(*place).empty();
        if (!call || (!frame.symbol.empty() && back != 0 && begins))
            return {};
        if (frame.symbol.empty())
            return {{*call, 0}};
        for (const Place &begin : tables_->symbols()->places(frame.symbol))
            if (begin.section == call->section && begin.offset <= call->offset)
                out = {{begin, call->offset - begin.offset}};  // the nearest one is the last
    } else if (*frame.offset >= back) {
        const uint64_t distance = *frame.offset - back;
        // A table of all names is made only for symbols that are not where the address says.
        if (call && is_symbol_at(*call, frame.symbol, distance))
            out = {{{call->section, call->offset - distance}, distance}};
        else
            for (const Place &begin : tables_->symbols()->places(frame.symbol))
                out.push_back({begin, distance});
    }
    const std::string module = module_of(frame);
    std::erase_if(out, [&](const Candidate &each) {
        const std::string_view object = object_at(each.begin);
        return !module.empty() ? object != module : frame.names_module && object != kVmlinux;
    });
    return out;
}

// Returns the contradiction between the frame and the tables, or "".
std::string Symbolizer::conflict_of(const StackFrame &frame, const Candidate &candidate) const {
    const Symbols::Extent extent = tables_->symbols()->extent(candidate.begin, frame.symbol);
    const uint64_t size = extent.is_last ? extent.size : extent.to_next;
    if (frame.symbol_size && !extent.allows(*frame.symbol_size))
        return fmt::format("{} has {:#x} bytes, not {:#x}", frame.symbol, size, *frame.symbol_size);
    if (!extent.contains(candidate.distance))
        return fmt::format("{} has {:#x} bytes, and no byte {:#x}", frame.symbol, size,
                           candidate.distance);
    const std::string_view name = object_at(candidate.begin);
    const auto object = std::ranges::find(
        *objects_, name, [](const SharedObject &each) { return std::string_view(each->name); });
    if (object == objects_->end())
        return {};
    const std::string id = frame.build_id.empty() ? std::string() : build_id_of(**object);
    if (!id.empty() && id != frame.build_id)
        return fmt::format("{} has build-id {}, not {}", name, id, frame.build_id);
    // A kernel moves by whole pages.
    constexpr uint64_t kPage = 4096;
    const auto begin = address_of(**object, candidate.begin);
    if (frame.address && frame.offset && begin && name == kVmlinux &&
        (*frame.address - *frame.offset - *begin) % kPage != 0)
        return fmt::format("{} is linked at {:#x}, and cannot be at {:#x}", frame.symbol, *begin,
                           *frame.address - *frame.offset);
    return {};
}

// Returns the chain that the frame has at each place, or an empty one if they differ.
std::vector<ChainFrame> Symbolizer::agree(const StackFrame &frame,
                                          const std::vector<Candidate> &candidates) const {
    const std::string module = module_of(frame);
    std::optional<InlineChain> found;
    for (const Candidate &candidate : candidates) {
        auto chain = chain_at(candidate.place());
        if (chain && !module.empty() && chain->object->name != module)
            continue;
        if (!chain || (found && !same_calls(*found, *chain)))
            return {};
        found = std::move(chain);
    }
    return found ? std::move(found->frames) : std::vector<ChainFrame>();
}

// Opens the tables of a module of the folder, with the first of its files that fits them.
Result<std::unique_ptr<Symbolizer>> Symbolizer::open_module(const std::string &name) const {
    TablesChoice choice = choice_;
    choice.file = (fs::path(folder_) / (name + ".btf_extra")).string();
    std::error_code ignored;
    if (!fs::exists(choice.file, ignored))
        return std::unique_ptr<Symbolizer>();
    Error error{fmt::format("{}: no file of this module below {}; name its folder with --module",
                            choice.file, modules_folder_),
                ENOENT};
    const auto try_file = [&](const fs::path &path) -> std::unique_ptr<Symbolizer> {
        if (module_name(path.string()) != name)
            return nullptr;
        choice.elf.module = path.string();
        auto opened = open(choice);
        if (opened)
            return std::make_unique<Symbolizer>(std::move(*opened));
        error = opened.error();
        return nullptr;
    };
    if (auto opened = try_file(modules_folder_))
        return opened;
    for (fs::recursive_directory_iterator at(modules_folder_, ignored), end; at != end;
         at.increment(ignored))
        if (auto opened = try_file(at->path()))
            return opened;
    return error;
}

// Returns the one that has the module of the frame; NULL: no tables have it.
const Symbolizer *Symbolizer::symbolizer_of(const StackFrame &frame) const {
    const std::string module = module_of(frame);
    if (folder_.empty() || module.empty() || module == kVmlinux || choice_.elf.vmlinux.empty())
        return this;
    const auto [known, fresh] = by_module_.try_emplace(module);
    if (fresh) {
        auto opened = open_module(module);
        if (opened)
            known->second = std::move(*opened);
        else if (!first_left_out_)
            first_left_out_ = opened.error();
    }
    return known->second.get();
}

std::string Symbolizer::left_out_modules() const {
    return first_left_out_ ? first_left_out_->message : "";
}

Symbolizer::InText Symbolizer::find(const StackFrame &frame, bool return_address) const {
    const Symbolizer *symbolizer = symbolizer_of(frame);
    if (symbolizer != this)
        return symbolizer != nullptr ? symbolizer->find(frame, return_address) : InText();
    const uint64_t back = return_address ? 1 : 0;
    InText out;
    std::vector<Candidate> candidates = candidates_of(frame, back);
    if (!frame.symbol.empty())
        std::erase_if(candidates, [&](const Candidate &each) {
            std::string conflict = conflict_of(frame, each);
            const bool contradicts = !conflict.empty();
            if (out.conflict.empty())
                out.conflict = std::move(conflict);
            return contradicts;
        });
    if (!candidates.empty())
        out.conflict.clear();
    out.is_weighed = frame.symbol_size || frame.address;
    if (candidates.size() > 1 && frame.address && kaslr_) {
        const auto call = place_of(*frame.address - *kaslr_ - back);
        std::erase_if(candidates, [&](const Candidate &each) { return call != each.place(); });
    }
    out.places = candidates.size();
    out.frames = agree(frame, candidates);
    return out;
}

}  // namespace btf_extra
