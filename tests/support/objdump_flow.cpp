// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "tests/support/objdump_flow.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <optional>
#include <sstream>
#include <stdexcept>

#include <fcntl.h>
#include <fmt/format.h>
#include <gelf.h>
#include <unistd.h>

#include "tests/support/command_run.h"

namespace btf_extra::test {
namespace {

// Prints the address, the kind and the target of each instruction. Prefixes are left out.
constexpr const char *kX86 = R"awk(
    { text = $2; sub(/ *#.*/, "", text) }
    { while (text ~ /^(lock|rep[nz]*|data16|notrack|bnd|cs|ds|es|gs|addr32) /) sub(/^[a-z0-9]+ +/, "", text) }
    { n = split(text, w, / +/); name = w[1]; kind = "n"; target = 0 }
    name ~ /^jmp/ { kind = "j" }
    name ~ /^(j|loop|xbegin)/ && kind == "n" { kind = "c" }
    kind != "n" { if (w[2] ~ /^[0-9a-f]+$/) target = w[2]; else kind = "x" }
    name ~ /^l?ret/ { kind = "r" }
    name ~ /^(nop|int3|xchg)/ && (name != "xchg" || w[2] == "%ax,%ax") { kind = "i" }
)awk";
constexpr const char *kArm64 = R"awk(
    { n = split($2 " " $3, w, / +/); name = w[1]; kind = "n"; target = 0 }
    name == "b" { kind = "j"; target = w[2] }
    name ~ /^(b\.[a-z]+|cbn?z|tbn?z)$/ { kind = "c"; for (i = 2; i <= n; i++) if (w[i] ~ /^[0-9a-f]+$/) target = w[i] }
    name ~ /^bra?a?b?z?$/ { kind = "x" }
    name ~ /^e?ret/ { kind = "r" }
    name ~ /^(nop|udf)$/ { kind = "i" }
)awk";

// Returns where a distance in a table leads, which counts from its own place.
uint64_t target(uint64_t table, const uint8_t *bytes, uint64_t at) {
    int32_t distance;
    std::memcpy(&distance, bytes + at, sizeof(distance));
    return table + at + static_cast<uint64_t>(int64_t{distance});
}

}  // namespace

bool inside(const AddressRanges &ranges, uint64_t address) {
    return std::ranges::any_of(ranges, [&](const auto &range) {
        return range.first <= address && address < range.second;
    });
}

ObjdumpFlow::ObjdumpFlow(const std::string &path) {
    const bool arm64 =
        run_command({"readelf", "-h", path}).out.find("AArch64") != std::string::npos;
    const CommandResult lines = run_command(
        {"sh", "-c", R"("$0" -d -w --no-show-raw-insn "$1" | awk -F '\t' "$2")",
         arm64 ? "aarch64-linux-gnu-objdump" : "objdump", path,
         fmt::format(
             "!/^ *[0-9a-f]+:/ {{ next }} {} {{ sub(/^ */, \"\", $1); sub(/:.*/, \"\", $1); "
             "print $1, kind, target }}",
             arm64 ? kArm64 : kX86)});
    std::istringstream in(lines.out);
    in >> std::hex;
    for (Instruction each; in >> each.address >> each.kind >> each.target;)
        instructions_.push_back(each);
    if (!in.eof() || instructions_.empty())
        throw std::runtime_error("objdump prints instructions in another way: " + lines.err);
    std::ranges::stable_sort(instructions_, {}, &Instruction::address);
    read_tables(path);
}

// Symbols are around each table of vmlinux. A module has a section for each.
void ObjdumpFlow::read_tables(const std::string &path) {
    elf_version(EV_CURRENT);
    const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    Elf *elf = elf_begin(fd, ELF_C_READ, nullptr);
    size_t names = 0;
    elf_getshdrstrndx(elf, &names);
    std::map<std::string, uint64_t> symbols;
    std::map<std::string, Table> loaded;
    for (Elf_Scn *section = nullptr; (section = elf_nextscn(elf, section)) != nullptr;) {
        GElf_Shdr header;
        gelf_getshdr(section, &header);
        Elf_Data *data = elf_getdata(section, nullptr);
        if (header.sh_type == SHT_PROGBITS && (header.sh_flags & SHF_ALLOC) != 0)
            loaded[elf_strptr(elf, names, header.sh_name)] = {
                header.sh_addr, header.sh_size, static_cast<const uint8_t *>(data->d_buf)};
        if (header.sh_type != SHT_SYMTAB)
            continue;
        GElf_Sym symbol;
        for (int i = 0; gelf_getsym(data, i, &symbol) != nullptr; i++)
            if (const char *name = elf_strptr(elf, header.sh_link, symbol.st_name);
                name != nullptr && std::strncmp(name, "__", 2) == 0)
                symbols[name] = symbol.st_value;
    }
    const auto table = [&](const char *section, const char *first, const char *end) -> Table {
        if (!symbols.contains(first) || !symbols.contains(end))
            return loaded.contains(section) ? loaded[section] : Table();
        const uint64_t begin = symbols[first], size = symbols[end] - begin;
        for (const auto &[_, each] : loaded)
            if (each.address <= begin && begin + size <= each.address + each.size)
                return {begin, size, each.bytes + (begin - each.address)};
        return {};
    };
    const auto jumps = [](const Table &from, uint64_t size, std::map<uint64_t, uint64_t> &to) {
        for (uint64_t at = 0; at + size <= from.size; at += size)
            to[target(from.address, from.bytes, at)] = target(from.address, from.bytes, at + 4);
    };
    jumps(table("__jump_table", "__start___jump_table", "__stop___jump_table"), 16, keys_);
    jumps(table("__ex_table", "__start___ex_table", "__stop___ex_table"), 12, fixups_);
    // Entries have 14 bytes since 6.3 (x86-64), and 12 before and on arm64. With the other size
    // few of them are for instructions.
    const Table replaced =
        table(".altinstructions", "__alt_instructions", "__alt_instructions_end");
    const auto fitting = [&](uint64_t size) {
        uint64_t found = 0;
        for (uint64_t at = 0; at + size <= replaced.size; at += size)
            found += this->at(target(replaced.address, replaced.bytes, at)) != nullptr;
        return found * size;
    };
    read_alternatives(replaced, fitting(14) > fitting(12) ? 14 : 12);
    elf_end(elf);
    close(fd);
}

// An entry has two distances, and the sizes of the code and of what replaces it at its end.
void ObjdumpFlow::read_alternatives(const Table &table, uint64_t entry_size) {
    for (uint64_t at = 0; at + entry_size <= table.size; at += entry_size) {
        const uint64_t from = target(table.address, table.bytes, at);
        const uint64_t to = target(table.address, table.bytes, at + 4);
        const uint8_t *sizes = table.bytes + at + entry_size - 2;
        alternatives_.push_back({from, from + sizes[0], to, to + sizes[1]});
    }
    std::ranges::sort(alternatives_, {}, &Replaced::begin);
}

const ObjdumpFlow::Instruction *ObjdumpFlow::at(uint64_t address) const {
    const auto found = std::ranges::lower_bound(instructions_, address, {}, &Instruction::address);
    return found == instructions_.end() || found->address != address ? nullptr : &*found;
}

void ObjdumpFlow::add_jumps_of(uint64_t begin, uint64_t end, const AddressRanges &ranges,
                               std::vector<uint64_t> &out) const {
    for (const Instruction *each = at(begin);
         each != nullptr && each != instructions_.data() + instructions_.size() &&
         each->address < end;
         ++each) {
        if ((each->kind == 'j' || each->kind == 'c') && inside(ranges, each->target))
            out.push_back(each->target);
        if (each->kind == 'j' || each->kind == 'x' || each->kind == 'r')
            break;
    }
}

ObjdumpBody ObjdumpFlow::body(const AddressRanges &ranges, uint64_t entry) const {
    ObjdumpBody body;
    std::set<uint64_t> idle;
    bool anywhere = false;
    for (const auto &[begin, end] : ranges) {
        if (begin == end)
            continue;
        const Instruction *each = at(begin);
        if (each == nullptr) {
            body.is_known = false;
            return body;
        }
        for (; each != instructions_.data() + instructions_.size() && each->address < end; ++each) {
            const uint64_t address = each->address;
            const uint64_t following =
                each + 1 != instructions_.data() + instructions_.size() ? each[1].address : end;
            std::vector<uint64_t> next;
            bool falls = each->kind == 'n' || each->kind == 'c' || each->kind == 'i';
            if (each->kind == 'j' || each->kind == 'c') {
                next.push_back(each->target);
                body.jumps.insert({address, each->target});
            }
            anywhere |= each->kind == 'x';
            if (const auto key = keys_.find(address); key != keys_.end()) {
                next.push_back(key->second);
                falls = true;
            }
            if (const auto fixup = fixups_.find(address); fixup != fixups_.end())
                next.push_back(fixup->second);
            // The length of what is replaced has one byte.
            auto replaced_at =
                std::ranges::lower_bound(alternatives_, address - 0xff, {}, &Replaced::begin);
            for (; replaced_at != alternatives_.end() && replaced_at->begin <= address;
                 ++replaced_at) {
                const Replaced &replaced = *replaced_at;
                if (address >= replaced.end)
                    continue;
                falls = true;
                if (address == replaced.begin)
                    add_jumps_of(replaced.first, replaced.last, ranges, next);
                if (each->target != 0 && !inside(ranges, each->target))
                    add_jumps_of(each->target, each->target + 32, ranges, next);
            }
            if (falls)
                next.push_back(following);
            if (each->kind == 'i')
                idle.insert(address);
            std::erase_if(next, [&](uint64_t to) { return !inside(ranges, to); });
            body.addresses.push_back(address);
            body.next[address] = std::move(next);
        }
    }
    std::ranges::sort(body.addresses);
    body.starts = {entry};
    std::set<uint64_t> runs = body.after({entry}, {});
    for (const uint64_t address : body.addresses)
        if (!runs.contains(address) && !idle.contains(address)) {
            body.starts.push_back(address);
            runs.merge(body.after({address}, {}));
        }
    for (const uint64_t address : runs)
        for (const uint64_t to : body.next[address])
            body.before[to].push_back(address);
    body.is_known = !anywhere || body.starts.size() == 1;
    return body;
}

std::set<uint64_t> ObjdumpBody::after(const std::vector<uint64_t> &from,
                                      const std::set<uint64_t> &stops,
                                      const AddressRanges &ranges) const {
    std::set<uint64_t> out(from.begin(), from.end());
    std::deque<uint64_t> open(from.begin(), from.end());
    while (!open.empty()) {
        const uint64_t address = open.front();
        open.pop_front();
        const auto found = next.find(address);
        if (found == next.end() || stops.contains(address) ||
            (!ranges.empty() && !inside(ranges, address)))
            continue;
        for (const uint64_t to : found->second)
            if (out.insert(to).second)
                open.push_back(to);
    }
    return out;
}

// A place is on all ways to another one if nothing leads there without it.
bool ObjdumpBody::runs_after(uint64_t first, uint64_t second) const {
    const auto needed_for = [&](uint64_t place, uint64_t address) {
        if (place == address)
            return true;
        std::vector<uint64_t> from = starts;
        std::erase(from, place);
        return !after(from, {place}).contains(address) ||
               (starts.size() == 1 && starts[0] == place);
    };
    const auto stopped = [&](uint64_t place) {
        return needed_for(place, first) && needed_for(place, second);
    };
    if (needed_for(second, first))
        return false;
    if (needed_for(first, second))
        return true;
    // Each place that is needed for both is on any one way to the first of them.
    std::map<uint64_t, uint64_t> came_from;
    std::deque<uint64_t> open(starts.begin(), starts.end());
    for (const uint64_t start : starts)
        came_from[start] = start;
    while (!open.empty() && !came_from.contains(first)) {
        const uint64_t address = open.front();
        open.pop_front();
        for (const uint64_t to : next.at(address))
            if (came_from.emplace(to, address).second)
                open.push_back(to);
    }
    // The one that is nearest to the first stops all ways.
    std::set<uint64_t> stops;
    for (uint64_t place = first; stops.empty(); place = came_from.at(place)) {
        const auto sources = before.find(place);
        const bool alone = sources != before.end() && sources->second.size() == 1 &&
                           next.at(sources->second[0]).size() == 1;
        // A place with one predecessor that leads nowhere else is needed if that predecessor is.
        if ((!alone || place == first) && stopped(place))
            stops.insert(place);
        if (stops.empty() && alone && stopped(sources->second[0]))
            stops.insert(sources->second[0]);
        if (came_from.at(place) == place)
            break;
    }
    return after({first}, stops).contains(second);
}

ObjdumpBody::Order ObjdumpBody::order(uint64_t address, const std::vector<uint64_t> &others,
                                      const std::vector<uint64_t> &leading) const {
    if (!is_known || !next.contains(address))
        return kUnknown;
    const std::set<uint64_t> stops(others.begin(), others.end());
    if (!leading.empty()) {
        ObjdumpBody rest = *this;
        for (const uint64_t from : leading)
            std::erase(rest.next[from], address);
        return rest.order(address, others) == kAfter ? kAfter : kEither;
    }
    if (stops.contains(address) || !after(starts, stops).contains(address))
        return kAfter;
    for (const uint64_t other : others)
        if (next.contains(other) && runs_after(other, address))
            return kEither;
    return kOwn;
}

std::optional<uint64_t> ObjdumpBody::test_of_block(uint64_t address) const {
    for (auto each = next.find(address); each != next.end();) {
        const auto &[from, leads_to] = *each;
        if (leads_to.size() != 1 || ++each == next.end() || leads_to[0] != each->first)
            return leads_to.size() == 2 ? std::optional(from) : std::nullopt;
        const auto sources = before.find(each->first);
        if (sources == before.end() || sources->second.size() != 1)
            return std::nullopt;
    }
    return std::nullopt;
}

bool ObjdumpBody::jumps_from(const AddressRanges &ranges, uint64_t address) const {
    return std::ranges::any_of(jumps, [&](const auto &jump) {
        return jump.second == address && inside(ranges, jump.first);
    });
}

bool ObjdumpBody::repeats(uint64_t address, const AddressRanges &ranges) const {
    const std::set<uint64_t> own = after({address}, {}, ranges);
    const auto sources = before.find(address);
    return sources != before.end() && std::ranges::any_of(sources->second, [&](uint64_t from) {
               return inside(ranges, from) && own.contains(from);
           });
}

}  // namespace btf_extra::test
