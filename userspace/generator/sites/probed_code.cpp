// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/generator/sites/probed_code.h"

#include <elf.h>
#include <gelf.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string_view>

#include "userspace/format/core_api.h"
#include "userspace/format/linked_bytes.h"

namespace btf_extra::generator {

namespace {

// A table of addresses: between these symbols of vmlinux, in these sections of a module.
struct TableName {
    std::string_view first, end;
    std::array<std::string_view, 2> sections;
};

constexpr TableName kCalls = {
    "__start_mcount_loc", "__stop_mcount_loc", {"__mcount_loc", "__patchable_function_entries"}};
constexpr TableName kBlacklist = {
    "__start_kprobe_blacklist", "__stop_kprobe_blacklist", {"_kprobe_blacklist", ""}};

struct ClosedText {
    std::string_view first, end, section;  // likewise
};
constexpr ClosedText kClosed[] = {
    {"__noinstr_text_start", "__noinstr_text_end", ".noinstr.text"},
    {"__kprobes_text_start", "__kprobes_text_end", ".kprobes.text"},
    {"__entry_text_start", "__entry_text_end", ".entry.text"},
    {"__hyp_text_start", "__hyp_text_end", ".hyp.text"},  // of a hypervisor
};

class AddressTables {
  public:
    explicit AddressTables(const DebugFile &file) : file_(file), elf_(file.elf()) {
        for (const auto &[symbol, name] : file.symbols())
            if (std::string_view(name).starts_with("__"))
                bounds_.emplace(name, symbol.st_value);
    }

    std::vector<uint64_t> read(const TableName &name) const {
        std::vector<uint64_t> out;
        if (!elf_.relocatable()) {
            out = linked(name);
        } else {
            for (const ElfSection &section : elf_.sections())
                if (std::ranges::find(name.sections, section.name) != name.sections.end())
                    append_relocated(section, out);
        }
        std::erase(out, 0);  // what the linker has dropped
        std::ranges::sort(out);
        return out;
    }

    std::vector<std::pair<uint64_t, uint64_t>> closed() const {
        std::vector<std::pair<uint64_t, uint64_t>> out;
        for (const ClosedText &text : kClosed) {
            const auto first = bounds_.find(text.first), end = bounds_.find(text.end);
            if (first != bounds_.end() && end != bounds_.end())
                out.emplace_back(first->second, end->second);
            for (const ElfSection &section : file_.sections())
                if (section.name == text.section)
                    out.emplace_back(section.address, section.address + section.size);
        }
        return out;
    }

  private:
    std::vector<uint64_t> linked(const TableName &name) const {
        const auto first = bounds_.find(name.first), end = bounds_.find(name.end);
        if (first == bounds_.end() || end == bounds_.end() || first->second >= end->second)
            return {};
        return linked_addresses(elf_, first->second, end->second - first->second);
    }

    void append_relocated(const ElfSection &section, std::vector<uint64_t> &out) const {
        for (const ElfSection &table : elf_.sections()) {
            GElf_Shdr header;
            if (table.type != SHT_RELA ||
                !gelf_getshdr(elf_getscn(elf_.handle(), table.index), &header) ||
                header.sh_info != section.index)
                continue;
            Elf_Data *data = elf_getdata(elf_getscn(elf_.handle(), table.index), nullptr);
            GElf_Rela relocation;
            for (int i = 0; data && gelf_getrela(data, i, &relocation); ++i) {
                const uint64_t number = GELF_R_SYM(relocation.r_info);
                if (number >= file_.symbols().size())
                    continue;
                const GElf_Sym &symbol = file_.symbols()[number].entry;
                const auto target =
                    std::ranges::find(file_.sections(), symbol.st_shndx, &ElfSection::index);
                if (target != file_.sections().end())
                    out.push_back(target->address + symbol.st_value +
                                  static_cast<uint64_t>(relocation.r_addend));
            }
        }
    }

    const DebugFile &file_;
    const ElfImage &elf_;
    std::map<std::string_view, uint64_t> bounds_;
};

}  // namespace

ProbedCode::ProbedCode(const DebugFile &file, const DefinedSymbols &symbols)
    : file_(file), symbols_(symbols) {
    if (const loc_arch *arch = loc_arch_of(file.elf().machine()))
        hook_before_ = arch->hook_before;
    const AddressTables tables(file);
    calls_ = tables.read(kCalls);
    blacklist_ = tables.read(kBlacklist);
    closed_ = tables.closed();
}

bool ProbedCode::has_one(const std::vector<uint64_t> &places, uint32_t section,
                         uint64_t offset) const {
    const auto around = symbols_.around(section, offset);
    if (!around)
        return false;
    const uint64_t base = file_.sections()[section].address;
    const auto first = std::ranges::lower_bound(places, base + around->first);
    return first != places.end() && *first < base + around->second;
}

bool ProbedCode::traced(uint32_t section, uint64_t offset) const {
    if (has_one(calls_, section, offset))
        return true;
    const auto around = symbols_.around(section, offset);
    return around && hook_before_ != 0 &&
           std::ranges::binary_search(calls_, file_.sections()[section].address + around->first -
                                                  hook_before_);
}

bool ProbedCode::kept_out(uint32_t section, uint64_t offset) const {
    const uint64_t address = file_.sections()[section].address + offset;
    return has_one(blacklist_, section, offset) ||
           std::ranges::any_of(closed_, [&](const auto &text) {
               return address >= text.first && address < text.second;
           });
}

}  // namespace btf_extra::generator
