// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/code/code_tables.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <optional>
#include <string_view>

#include <elf.h>
#include <gelf.h>

#include "userspace/code/linked_bytes.h"

namespace btf_extra {
namespace {

// An entry begins with an address of 8 bytes, or with the distance to the instruction in 4.
enum class EntryBegin { kAddress, kDistance };
using enum EntryBegin;

struct TableShape {
    std::string_view first, end;               // symbols around it in vmlinux
    std::array<std::string_view, 2> sections;  // of a module
    size_t entry_size;
    EntryBegin begin;
};

constexpr TableShape kFtraceCalls = {"__start_mcount_loc",
                                     "__stop_mcount_loc",
                                     {"__mcount_loc", "__patchable_function_entries"},
                                     8,
                                     kAddress};
constexpr TableShape kBlacklist = {
    "__start_kprobe_blacklist", "__stop_kprobe_blacklist", {"_kprobe_blacklist"}, 8, kAddress};
constexpr TableShape kStaticKeys = {
    "__start___jump_table", "__stop___jump_table", {"__jump_table"}, 16, kDistance};
constexpr TableShape kStaticCalls = {
    "__start_static_call_sites", "__stop_static_call_sites", {".static_call_sites"}, 8, kDistance};
constexpr TableShape kFaulting = {
    "__start___ex_table", "__stop___ex_table", {"__ex_table"}, 12, kDistance};

// Entries of alternatives have had three sizes: 13 bytes up to 5.18, then 12, and 14 since 6.3
// (Linux commit 5d1dd961e743).
constexpr std::string_view kReplacements = ".altinstr_replacement";

struct ClosedName {
    std::string_view first, end, section;  // likewise
};
constexpr ClosedName kClosed[] = {
    {"__noinstr_text_start", "__noinstr_text_end", ".noinstr.text"},
    {"__kprobes_text_start", "__kprobes_text_end", ".kprobes.text"},
    {"__entry_text_start", "__entry_text_end", ".entry.text"},
    {"__hyp_text_start", "__hyp_text_end", ".hyp.text"},  // of a hypervisor
};

class Reader {
  public:
    Reader(const ElfImage &elf, std::span<const ElfSymbol> symbols) : elf_(elf), symbols_(symbols) {
        for (const ElfSection &section : elf.sections())
            if (section.executable())
                text_.push_back(section);
        std::ranges::sort(text_, {}, &ElfSection::address);
        if (!elf.relocatable())
            for (const auto &[symbol, name] : symbols)
                if (std::string_view(name).starts_with("__"))
                    bounds_.emplace(name, symbol.st_value);
    }

    std::vector<Place> read(const TableShape &shape) const {
        std::vector<Place> out = elf_.relocatable() ? relocated(shape) : linked(shape);
        std::ranges::sort(out);
        return out;
    }

    // The entries have two distances, to an instruction and to another place.
    std::vector<CodeJump> jumps(const TableShape &shape) const {
        std::vector<CodeJump> out;
        const auto read = entries(shape);
        for (const Entry &entry : read.value_or(std::vector<Entry>()))
            if (entry.first && entry.second)
                out.push_back({*entry.first, *entry.second});
        std::ranges::sort(out);
        return out;
    }

    // The size of an entry is the one with which all entries make sense.
    std::optional<std::vector<Alternative>> alternatives() const {
        std::optional<std::vector<Alternative>> found;
        for (const size_t entry_size : {12, 13, 14}) {
            auto read = alternatives(entry_size);
            if (read && found && !(read->empty() && found->empty()))
                return std::nullopt;
            if (read)
                found = std::move(read);
        }
        return found;
    }

    std::vector<ClosedText> closed() const {
        std::vector<ClosedText> out;
        for (const ClosedText &linked : closed_text([&](std::string_view name) {
                 const auto found = bounds_.find(name);
                 return found != bounds_.end() ? std::optional(found->second) : std::nullopt;
             }))
            if (const auto begin = place_of(linked.begin))
                out.push_back(
                    {begin->section, begin->offset, begin->offset + (linked.end - linked.begin)});
        for (const ElfSection &section : text_)
            if (std::ranges::find(kClosed, section.name, &ClosedName::section) != std::end(kClosed))
                out.push_back({section.index, 0, section.size});
        return out;
    }

  private:
    static uint64_t distance_at(std::span<const std::byte> bytes, size_t at) {
        int32_t distance;
        std::memcpy(&distance, bytes.data() + at, sizeof(distance));
        return static_cast<uint64_t>(int64_t{distance});
    }

    // Two distances, and the bytes after them.
    struct Entry {
        std::optional<Place> first, second;  // nullopt: in no code
        std::array<std::byte, 6> rest{};
    };
    static Entry entry_of(std::span<const std::byte> bytes) {
        Entry entry;
        std::ranges::copy_n(bytes.begin() + 8, std::min<ptrdiff_t>(6, bytes.size() - 8),
                            entry.rest.begin());
        return entry;
    }

    // nullopt: the file does not say, or its table does not consist of such entries.
    std::optional<std::vector<Entry>> entries(const TableShape &shape) const {
        std::vector<Entry> out;
        const size_t size = shape.entry_size;
        if (!elf_.relocatable()) {
            const auto range = linked_range(shape.first, shape.end);
            if (!range || (range->second - range->first) % size != 0)
                return std::nullopt;
            const auto bytes = linked_bytes(elf_, range->first, range->second - range->first);
            for (size_t at = 0; at + size <= bytes.size(); at += size) {
                const uint64_t address = range->first + at;
                out.push_back(entry_of(std::span(bytes).subspan(at, size)));
                out.back().first = place_of(address + distance_at(bytes, at));
                out.back().second = place_of(address + 4 + distance_at(bytes, at + 4));
            }
            return out;
        }
        const auto table = std::ranges::find_if(elf_.sections(), [&](const ElfSection &section) {
            return std::ranges::find(shape.sections, section.name) != shape.sections.end();
        });
        if (table == elf_.sections().end())
            return out;
        const auto bytes = elf_.bytes(*table);
        if (!bytes || bytes->size() % size != 0)
            return std::nullopt;
        for (size_t at = 0; at < bytes->size(); at += size)
            out.push_back(entry_of(std::as_bytes(*bytes).subspan(at, size)));
        for_each_target(shape, [&](uint64_t offset, const Place &place) {
            if (offset >= bytes->size() || offset % size > 4 || offset % 4 != 0)
                return;
            Entry &entry = out[offset / size];
            (offset % size == 0 ? entry.first : entry.second) = place;
        });
        return out;
    }

    // An entry ends with the sizes of the code and of its replacement, but with three bytes if it
    // has 13.
    std::optional<std::vector<Alternative>> alternatives(size_t entry_size) const {
        const auto read = entries({"__alt_instructions",
                                   "__alt_instructions_end",
                                   {".altinstructions"},
                                   entry_size,
                                   kDistance});
        if (!read)
            return std::nullopt;
        std::vector<Alternative> out;
        for (const Entry &entry : *read) {
            const size_t sizes = entry_size == 14 ? 4 : 2;
            const auto size = static_cast<uint8_t>(entry.rest[sizes]);
            const auto new_size = static_cast<uint8_t>(entry.rest[sizes + 1]);
            const auto &[code, instead, rest] = entry;
            const bool replaces = instead && new_size != 0;
            if (!code || size < new_size ||
                (replaces && has_replacements() && name_of(*instead) != kReplacements))
                return std::nullopt;
            if (size == 0)  // arm64's 7.3.4 has three
                continue;
            out.push_back(
                {.code = {code->section, code->offset, code->offset + size}, .replacement = {}});
            if (replaces)
                out.back().replacement = {instead->section, instead->offset,
                                          instead->offset + new_size};
        }
        return out;
    }

    // Replacements are beside the code if the file has no section of its own for them.
    bool has_replacements() const {
        return std::ranges::find(text_, kReplacements, &ElfSection::name) != text_.end();
    }
    std::string_view name_of(const Place &place) const {
        return std::ranges::find(text_, place.section, &ElfSection::index)->name;
    }

    std::optional<std::pair<uint64_t, uint64_t>> linked_range(std::string_view first,
                                                              std::string_view end) const {
        const auto low = bounds_.find(first), high = bounds_.find(end);
        if (low == bounds_.end() || high == bounds_.end() || low->second >= high->second)
            return std::nullopt;
        return std::pair(low->second, high->second);
    }

    std::optional<Place> place_of(uint64_t address) const {
        const auto number = executable_section(text_, address);
        if (!number)
            return std::nullopt;
        const ElfSection &section = text_[*number];
        return Place{section.index, address - section.address};
    }

    // The linker writes the address 0 for a function that it drops: that is in no section.
    std::vector<Place> linked(const TableShape &shape) const {
        std::vector<Place> out;
        const auto range = linked_range(shape.first, shape.end);
        if (!range)
            return out;
        const std::vector<std::byte> bytes =
            linked_bytes(elf_, range->first, range->second - range->first);
        for (size_t at = 0; at + shape.entry_size <= bytes.size(); at += shape.entry_size) {
            uint64_t address;
            if (shape.begin == kAddress) {
                std::memcpy(&address, bytes.data() + at, sizeof(address));
            } else {
                address = range->first + at + distance_at(bytes, at);
            }
            if (const auto place = place_of(address))
                out.push_back(*place);
        }
        return out;
    }

    std::vector<Place> relocated(const TableShape &shape) const {
        std::vector<Place> out;
        for_each_target(shape, [&](uint64_t offset, const Place &place) {
            if (offset % shape.entry_size == 0)
                out.push_back(place);
        });
        return out;
    }

    // Calls visit with each place of code that a module's table names, and with the offset in the
    // table. A relocation by a distance stores target - place, too: so either has the place for its
    // target.
    template <class Visit> void for_each_target(const TableShape &shape, Visit visit) const {
        for (const ElfSection &table : elf_.sections()) {
            GElf_Shdr header;
            if (table.type != SHT_RELA ||
                gelf_getshdr(elf_getscn(elf_.handle(), table.index), &header) == nullptr ||
                !is_of(shape, header.sh_info))
                continue;
            Elf_Data *data = elf_getdata(elf_getscn(elf_.handle(), table.index), nullptr);
            GElf_Rela relocation;
            for (int i = 0; data != nullptr && gelf_getrela(data, i, &relocation) != nullptr; ++i) {
                const uint64_t number = GELF_R_SYM(relocation.r_info);
                if (number >= symbols_.size())
                    continue;
                const GElf_Sym &symbol = symbols_[number].entry;
                if (std::ranges::find(text_, symbol.st_shndx, &ElfSection::index) != text_.end())
                    visit(relocation.r_offset,
                          Place{symbol.st_shndx,
                                symbol.st_value + static_cast<uint64_t>(relocation.r_addend)});
            }
        }
    }

    bool is_of(const TableShape &shape, uint32_t index) const {
        const auto section = std::ranges::find(elf_.sections(), index, &ElfSection::index);
        return section != elf_.sections().end() &&
               std::ranges::find(shape.sections, section->name) != shape.sections.end();
    }

    const ElfImage &elf_;
    std::span<const ElfSymbol> symbols_;
    std::vector<ElfSection> text_;  // executable, in order of address
    std::map<std::string_view, uint64_t> bounds_;
};

}  // namespace

std::vector<ClosedText> closed_text(const AddressOf &address_of) {
    std::vector<ClosedText> out;
    for (const ClosedName &name : kClosed) {
        const auto begin = address_of(name.first), end = address_of(name.end);
        if (begin && end && *begin < *end)
            out.push_back({0, *begin, *end});
    }
    return out;
}

CodeTables code_tables(const ElfImage &elf, std::span<const ElfSymbol> symbols) {
    const Reader reader(elf, symbols);
    return {.ftrace_calls = reader.read(kFtraceCalls),
            .blacklisted = reader.read(kBlacklist),
            .static_keys = reader.read(kStaticKeys),
            .static_calls = reader.read(kStaticCalls),
            .faulting = reader.read(kFaulting),
            .closed = reader.closed(),
            .key_jumps = reader.jumps(kStaticKeys),
            .fixups = reader.jumps(kFaulting),
            .alternatives = reader.alternatives()};
}

}  // namespace btf_extra
