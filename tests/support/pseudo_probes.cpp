// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "tests/support/pseudo_probes.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <gelf.h>
#include <unistd.h>

#include "userspace/format/core_api.h"

namespace btf_extra::test {
namespace {

// LLVM's docs, PseudoProbe.h: a record is the index, the type and attributes in a byte, the
// address.
constexpr uint8_t kIsDistance = 0x80, kSentinel = 0x20, kHasDiscriminator = 0x40;

class Reader {
  public:
    explicit Reader(std::vector<uint8_t> bytes) : bytes_(std::move(bytes)) {}

    bool ends() const { return at_ == bytes_.size(); }
    uint8_t byte() { return *take(1); }
    uint64_t word() {
        uint64_t value;
        std::memcpy(&value, take(sizeof(value)), sizeof(value));
        return value;
    }
    std::string text(size_t size) {
        return std::string(reinterpret_cast<const char *>(take(size)), size);
    }
    uint64_t number() { return leb(false); }
    int64_t distance() { return static_cast<int64_t>(leb(true)); }

  private:
    const uint8_t *take(size_t size) {
        if (size > bytes_.size() - at_)
            throw std::runtime_error(".pseudo_probe: truncated");
        at_ += size;
        return bytes_.data() + at_ - size;
    }
    uint64_t leb(bool is_signed) {
        uint64_t value = 0;
        unsigned shift = 0;
        uint8_t next;
        do {
            next = byte();
            value |= shift < 64 ? uint64_t{next & 0x7fu} << shift : 0;
            shift += 7;
        } while ((next & 0x80) != 0);
        if (is_signed && (next & 0x40) != 0 && shift < 64)
            value |= ~uint64_t{0} << shift;
        return value;
    }

    std::vector<uint8_t> bytes_;
    size_t at_ = 0;
};

class Descriptor {
  public:
    explicit Descriptor(const std::string &path) : fd_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
        if (fd_ < 0)
            throw std::runtime_error(path + ": cannot be opened");
    }
    ~Descriptor() { close(fd_); }
    Descriptor(const Descriptor &) = delete;
    Descriptor &operator=(const Descriptor &) = delete;
    int get() const { return fd_; }

  private:
    int fd_;
};

std::vector<uint8_t> section_of(const std::string &path, std::string_view name) {
    const Descriptor file(path);
    elf_version(EV_CURRENT);
    Elf *elf = elf_begin(file.get(), ELF_C_READ, nullptr);
    size_t names = 0;
    elf_getshdrstrndx(elf, &names);
    std::vector<uint8_t> out;
    for (Elf_Scn *section = nullptr; (section = elf_nextscn(elf, section)) != nullptr;) {
        GElf_Shdr header;
        gelf_getshdr(section, &header);
        if (elf_strptr(elf, names, header.sh_name) != name)
            continue;
        const Elf_Data *data = elf_rawdata(section, nullptr);
        const auto *bytes = static_cast<const uint8_t *>(data->d_buf);
        out.insert(out.end(), bytes, bytes + data->d_size);
    }
    elf_end(elf);
    return out;
}

struct CodeSymbol {
    uint64_t begin = 0, end = 0;
};

// Returns the functions of the symbol table by name, each in order of address.
std::map<std::string, std::vector<CodeSymbol>> code_symbols(const std::string &path) {
    const Descriptor file(path);
    elf_version(EV_CURRENT);
    Elf *elf = elf_begin(file.get(), ELF_C_READ, nullptr);
    std::map<std::string, std::vector<CodeSymbol>> out;
    for (Elf_Scn *section = nullptr; (section = elf_nextscn(elf, section)) != nullptr;) {
        GElf_Shdr header;
        gelf_getshdr(section, &header);
        if (header.sh_type != SHT_SYMTAB)
            continue;
        GElf_Sym symbol;
        Elf_Data *data = elf_getdata(section, nullptr);
        for (int i = 0; gelf_getsym(data, i, &symbol) != nullptr; i++) {
            const char *name = elf_strptr(elf, header.sh_link, symbol.st_name);
            if (name == nullptr || GELF_ST_TYPE(symbol.st_info) != STT_FUNC)
                continue;
            const std::string_view whole = name;
            out[std::string(whole.substr(0, whole.find(".llvm.")))].push_back(
                {symbol.st_value, symbol.st_value + symbol.st_size});
        }
    }
    elf_end(elf);
    for (auto &[_, symbols] : out)
        std::ranges::sort(symbols, {}, &CodeSymbol::begin);
    return out;
}

// The probes of one function with a body.
struct ProbedFunction {
    std::string name;
    bool is_placed = false;  // its addresses are not distances from the beginning of the body
    uint64_t last = 0;       // the highest one
    std::vector<ProbedEntry> entries;
};

class ProbeTree {
  public:
    explicit ProbeTree(const std::string &path) : reader_(section_of(path, ".pseudo_probe")) {
        for (Reader names(section_of(path, ".pseudo_probe_desc")); !names.ends();) {
            const uint64_t function = names.word();
            names.word();  // a hash of its blocks
            names_[function] = names.text(names.number());
        }
        while (!reader_.ends()) {
            functions_.emplace_back().is_placed = goes_on_;
            address_ = goes_on_ ? address_ : 0;
            read_function();
            // LLVM 14 has an address at the beginning of a section, and then goes on from there.
            goes_on_ |= functions_.back().is_placed;
        }
    }

    // Newer versions of LLVM count from the symbol of the function. Static functions may have one
    // name: the probes are in the order of the code.
    std::vector<ProbedEntry> take(const std::map<std::string, std::vector<CodeSymbol>> &symbols) {
        std::map<std::string, size_t> count, taken;
        for (const ProbedFunction &function : functions_)
            ++count[function.name];
        std::vector<ProbedEntry> out;
        for (ProbedFunction &function : functions_) {
            uint64_t begin = 0;
            if (!function.is_placed) {
                const auto found = symbols.find(function.name);
                const size_t number = taken[function.name]++;
                if (found == symbols.end() || found->second.size() != count[function.name] ||
                    function.last > found->second[number].end - found->second[number].begin)
                    continue;
                begin = found->second[number].begin;
            }
            for (ProbedEntry &entry : function.entries)
                out.push_back({begin + entry.address, std::move(entry.chain)});
        }
        return out;
    }

  private:
    void read_function() {
        const uint64_t number = reader_.word();
        const auto name = names_.find(number);
        ProbedFunction &function = functions_.back();
        chain_.insert(chain_.begin(), name != names_.end() ? name->second : "?");
        if (chain_.size() == 1)
            function.name = chain_.front();
        const uint64_t probes = reader_.number(), inlined = reader_.number();
        for (uint64_t i = 0; i < probes; i++) {
            const uint64_t index = reader_.number();
            const uint8_t kind = reader_.byte();
            const bool is_sentinel = index == 0 && (kind & kSentinel) != 0;
            if ((kind & kIsDistance) != 0) {
                address_ += static_cast<uint64_t>(reader_.distance());
            } else if (is_sentinel) {
                reader_.word();  // the function that this one was split from
            } else {
                address_ = reader_.word();
                function.is_placed = true;
            }
            if ((kind & kHasDiscriminator) != 0)
                reader_.number();
            if (is_sentinel)
                continue;
            function.last = std::max(function.last, address_);
            if (index == 1 && chain_.size() > 1)
                function.entries.push_back({address_, chain_});
        }
        for (uint64_t i = 0; i < inlined; i++) {
            reader_.number();  // which call of the caller
            read_function();
        }
        chain_.erase(chain_.begin());
    }

    Reader reader_;
    std::map<uint64_t, std::string> names_;
    NameChain chain_;
    uint64_t address_ = 0;
    bool goes_on_ = false;
    std::vector<ProbedFunction> functions_;
};

struct DwarfBody {
    AddressRanges ranges;
    uint64_t entry = 0;
    std::set<NameChain> with_code;  // the instances that have any
};

class DwarfBodies {
  public:
    explicit DwarfBodies(const std::string &path) : file_(path) {
        Dwarf *dwarf = dwarf_begin(file_.get(), DWARF_C_READ);
        Dwarf_CU *unit = nullptr;
        Dwarf_Die die;
        while (dwarf_get_units(dwarf, unit, &unit, nullptr, nullptr, &die, nullptr) == 0)
            walk(&die, {}, nullptr);
        dwarf_end(dwarf);
    }
    std::vector<DwarfBody> take() { return std::move(bodies_); }

  private:
    static AddressRanges ranges_of(Dwarf_Die *die) {
        AddressRanges out;
        Dwarf_Addr base = 0, start = 0, end = 0;
        for (ptrdiff_t at = 0; (at = dwarf_ranges(die, at, &base, &start, &end)) > 0;)
            if (start < end)
                out.emplace_back(start, end);
        return out;
    }

    void walk(Dwarf_Die *die, NameChain chain, DwarfBody *body) {
        DwarfBody own;
        const int tag = dwarf_tag(die);
        if (tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine) {
            Dwarf_Attribute attribute;
            const char *name = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_name, &attribute));
            chain.insert(chain.begin(), name != nullptr ? name : "?");
        }
        if (tag == DW_TAG_subprogram) {
            own.ranges = ranges_of(die);
            body = own.ranges.empty() ? nullptr : &own;
            Dwarf_Addr entry = 0;
            if (dwarf_entrypc(die, &entry) == 0)
                own.entry = entry;
        } else if (tag == DW_TAG_inlined_subroutine && body != nullptr && !ranges_of(die).empty()) {
            body->with_code.insert(chain);
        }
        Dwarf_Die child;
        if (dwarf_child(die, &child) == 0)
            do
                walk(&child, chain, body);
            while (dwarf_siblingof(&child, &child) == 0);
        if (body == &own)
            bodies_.push_back(std::move(own));
    }

    Descriptor file_;
    std::vector<DwarfBody> bodies_;
};

// Returns the first instruction of the block with an address: all of a block runs, or none of it.
uint64_t block_of(const ObjdumpBody &body, uint64_t address) {
    std::set<uint64_t> seen;
    while (seen.insert(address).second) {
        const auto from = body.before.find(address);
        if (from == body.before.end() || from->second.size() != 1 ||
            std::ranges::find(body.starts, address) != body.starts.end() ||
            body.next.at(from->second[0]).size() != 1)
            break;
        address = from->second[0];
    }
    return address;
}

// The probes and the sites of one function in a body, at the first instructions of their blocks.
// The probes of a block come first, because they stay in place while code around them is scheduled.
struct Events {
    std::map<uint64_t, std::multiset<uint64_t>> probes;  // addresses by block
    std::map<uint64_t, std::set<uint64_t>> sites;        // likewise
};

// Says what the instructions that follow `block`, or come before it, have as their first event.
struct Met {
    std::vector<uint64_t> probes;  // blocks
    bool site = false, end = false;

    bool only_probes() const { return !probes.empty() && !site && !end; }
    bool only_sites() const { return site && probes.empty() && !end; }
};
Met meet(const ObjdumpBody &body, const Events &events, uint64_t block, bool forwards) {
    Met met;
    const auto &ways = forwards ? body.next : body.before;
    std::set<uint64_t> seen;
    std::vector<uint64_t> open;
    const auto go_on = [&](uint64_t from) {
        const auto found = ways.find(from);
        const bool starts = !forwards && std::ranges::find(body.starts, from) != body.starts.end();
        met.end |= starts || found == ways.end() || found->second.empty();
        if (found != ways.end())
            for (const uint64_t to : found->second)
                if (seen.insert(to).second)
                    open.push_back(to);
    };
    go_on(block);
    while (!open.empty()) {
        const uint64_t address = open.back();
        open.pop_back();
        const bool has_probe = events.probes.contains(address);
        const bool has_site = events.sites.contains(address);
        if (has_probe || has_site) {
            if (forwards ? has_probe : !has_site)
                met.probes.push_back(address);
            else
                met.site = true;
            continue;
        }
        go_on(address);
    }
    return met;
}

// Returns true if each hit of a site is one call. Its code may have been moved before or after the
// probe.
bool is_in_step(const ObjdumpBody &body, const Events &events, uint64_t block) {
    if (meet(body, events, block, false).only_probes())
        return true;
    const Met next = meet(body, events, block, true);
    return next.only_probes() && std::ranges::none_of(next.probes, [&](uint64_t probe) {
               return events.sites.contains(probe) || meet(body, events, probe, true).site;
           });
}

bool has_site(const ObjdumpBody &body, const Events &events, uint64_t block, size_t number) {
    const auto here = events.sites.find(block);
    if (here != events.sites.end())
        return number < here->second.size();
    return number == 0 && (meet(body, events, block, true).only_sites() ||
                           meet(body, events, block, false).only_sites());
}

}  // namespace

std::vector<ProbedEntry> probed_entries(const std::string &path) {
    std::vector<ProbedEntry> found = ProbeTree(path).take(code_symbols(path));
    std::ranges::stable_sort(found, {}, &ProbedEntry::address);
    return found;
}

ProbeCensus probe_census(const std::string &path, const std::vector<NamedSite> &sites) {
    constexpr uint32_t kMarks = SITE_MARK_NO_ENTRY | SITE_MARK_LOOP_HEAD | SITE_MARK_PART;
    ProbeCensus out;
    const ObjdumpFlow flow(path);
    const std::vector<ProbedEntry> entries = probed_entries(path);
    std::multimap<uint64_t, const NamedSite *> sites_at;
    for (const NamedSite &site : sites)
        if (!site.body)
            sites_at.emplace(site.address, &site);
    for (const DwarfBody &each : DwarfBodies(path).take()) {
        std::vector<const ProbedEntry *> probes;
        std::vector<const NamedSite *> inlined, plain;
        for (const auto &[begin, end] : each.ranges) {
            for (auto at = std::ranges::lower_bound(entries, begin, {}, &ProbedEntry::address);
                 at != entries.end() && at->address < end; ++at)
                probes.push_back(&*at);
            for (auto at = sites_at.lower_bound(begin); at != sites_at.end() && at->first < end;
                 ++at) {
                inlined.push_back(at->second);
                if ((at->second->marks & kMarks) == 0)
                    plain.push_back(at->second);
            }
        }
        if (probes.empty() && inlined.empty())
            continue;
        const ObjdumpBody body = flow.body(each.ranges, each.entry);
        std::map<std::string, std::vector<const ProbedEntry *>> probed;
        for (const ProbedEntry *entry : probes)
            probed[entry->chain.front()].push_back(entry);
        const auto events_of = [&](const std::vector<const NamedSite *> &from) {
            std::map<std::string, Events> events;
            for (const auto &[function, of_function] : probed)
                for (const ProbedEntry *entry : of_function)
                    events[function].probes[block_of(body, entry->address)].insert(entry->address);
            for (const NamedSite *site : from)
                events[site->function].sites[block_of(body, site->address)].insert(site->address);
            return events;
        };
        const auto all_events = events_of(inlined), plain_events = events_of(plain);
        const auto judge = [&](const std::map<std::string, Events> &all,
                               ProbeCensus::Sites &count) {
            for (const auto &[function, events] : all)
                for (const auto &[block, sites_here] : events.sites) {
                    if (events.probes.empty()) {
                        count.without_probes += sites_here.size();
                        continue;
                    }
                    size_t right = 0;
                    if (const auto here = events.probes.find(block); here != events.probes.end()) {
                        right = std::min(sites_here.size(), here->second.size());
                    } else {
                        right = is_in_step(body, events, block) ? 1 : 0;
                    }
                    count.judged += sites_here.size();
                    count.in_step += right;
                    size_t number = 0;
                    for (const uint64_t address : sites_here)
                        if (number++ >= right)
                            count.odd.push_back(fmt::format("{}@{:#x}", function, address));
                }
        };
        judge(all_events, out.all);
        judge(plain_events, out.plain);
        for (const auto &[function, of_function] : probed)
            for (const ProbedEntry *entry : of_function) {
                if (!each.with_code.contains(entry->chain)) {
                    ++out.entries_without_code;
                    continue;
                }
                ++out.entries;
                const uint64_t block = block_of(body, entry->address);
                // Entries in one place are one site. The sites of a block take its first places.
                const auto &here = all_events.at(function).probes.at(block);
                const std::set<uint64_t> places(here.begin(), here.end());
                const auto number =
                    static_cast<size_t>(std::distance(places.begin(), places.find(entry->address)));
                out.entries_with_plain_site +=
                    has_site(body, plain_events.at(function), block, number);
                if (has_site(body, all_events.at(function), block, number))
                    ++out.entries_with_site;
                else
                    out.missed.push_back(fmt::format("{}@{:#x}", function, entry->address));
            }
    }
    return out;
}

}  // namespace btf_extra::test
