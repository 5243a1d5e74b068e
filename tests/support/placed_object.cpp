// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "tests/support/placed_object.h"

#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string_view>
#include <vector>

#include <elf.h>

#include "tests/support/command_run.h"

namespace btf_extra::test {
namespace {

template <class T> T read_at(const std::string &bytes, uint64_t at) {
    if (at > bytes.size() || sizeof(T) > bytes.size() - at)
        throw std::runtime_error("relocatable file: cut off");
    T value;
    std::memcpy(&value, bytes.data() + at, sizeof(T));
    return value;
}

template <class T> void write_at(std::string &bytes, uint64_t at, const T &value) {
    (void)read_at<T>(bytes, at);
    std::memcpy(bytes.data() + at, &value, sizeof(T));
}

// The bytes that a relocation stores. A relative one counts from its own place.
struct Stored {
    uint32_t bytes;
    bool relative;
};

Stored stored(uint16_t machine, uint32_t type) {
    if (machine == EM_X86_64) {
        switch (type) {
        case R_X86_64_64:
            return {8, false};
        case R_X86_64_32:
        case R_X86_64_32S:
            return {4, false};
        case R_X86_64_PC32:
        case R_X86_64_PLT32:
            return {4, true};
        case R_X86_64_PC64:
            return {8, true};
        }
    } else if (machine == EM_AARCH64) {
        switch (type) {
        case R_AARCH64_ABS64:
            return {8, false};
        case R_AARCH64_ABS32:
            return {4, false};
        case R_AARCH64_PREL32:
            return {4, true};
        case R_AARCH64_PREL64:
            return {8, true};
        }
    }
    throw std::runtime_error("relocation of type " + std::to_string(type));
}

class Placement {
  public:
    explicit Placement(std::string bytes) : bytes_(std::move(bytes)) {
        header_ = read_at<Elf64_Ehdr>(bytes_, 0);
        for (uint32_t i = 0; i < header_.e_shnum; i++)
            sections_.push_back(read_at<Elf64_Shdr>(bytes_, header_of(i)));
        for (uint32_t i = 0; i < sections_.size(); i++)
            if (sections_[i].sh_flags & SHF_ALLOC) {
                // Distances of 32 bits must reach from the first to the last section.
                if (i >= 128 || sections_[i].sh_size > 1 << kPlacedShift)
                    throw std::runtime_error("relocatable file: too many sections, or a big one");
                sections_[i].sh_addr = uint64_t{i} << kPlacedShift;
            }
    }

    std::string place() {
        for (const Elf64_Shdr &section : sections_)
            if (section.sh_type == SHT_RELA && is_placed(sections_.at(section.sh_info)))
                relocate(section);
        for (const Elf64_Shdr &section : sections_)
            if (section.sh_type == SHT_SYMTAB)
                place_symbols(section);
        header_.e_type = ET_EXEC;
        write_at(bytes_, 0, header_);
        for (uint32_t i = 0; i < sections_.size(); i++)
            write_at(bytes_, header_of(i), sections_[i]);
        return std::move(bytes_);
    }

  private:
    uint64_t header_of(uint32_t section) const {
        return header_.e_shoff + uint64_t{section} * header_.e_shentsize;
    }
    std::string_view name(const Elf64_Shdr &section) const {
        return bytes_.c_str() + sections_.at(header_.e_shstrndx).sh_offset + section.sh_name;
    }

    // Instructions of aarch64 have other relocations, which are skipped.
    bool is_placed(const Elf64_Shdr &section) const {
        const std::string_view text = name(section);
        return text.starts_with(".debug_") || text == "__jump_table" || text == "__ex_table" ||
               text == ".altinstructions" ||
               (header_.e_machine == EM_X86_64 && (section.sh_flags & SHF_EXECINSTR) != 0);
    }

    void relocate(const Elf64_Shdr &list) {
        const Elf64_Shdr &target = sections_.at(list.sh_info);
        if (target.sh_flags & SHF_COMPRESSED)
            throw std::runtime_error("compressed debug section");
        const Elf64_Shdr &symbols = sections_.at(list.sh_link);
        for (uint64_t at = 0; at < list.sh_size; at += sizeof(Elf64_Rela)) {
            const auto entry = read_at<Elf64_Rela>(bytes_, list.sh_offset + at);
            const auto symbol = read_at<Elf64_Sym>(
                bytes_, symbols.sh_offset + ELF64_R_SYM(entry.r_info) * sizeof(Elf64_Sym));
            uint64_t value = symbol.st_value + static_cast<uint64_t>(entry.r_addend);
            if (symbol.st_shndx != SHN_UNDEF && symbol.st_shndx < SHN_LORESERVE)
                value += sections_.at(symbol.st_shndx).sh_addr;
            const auto [size, relative] = stored(header_.e_machine, ELF64_R_TYPE(entry.r_info));
            if (relative)
                value -= target.sh_addr + entry.r_offset;
            if (size == 8)
                write_at(bytes_, target.sh_offset + entry.r_offset, value);
            else
                write_at(bytes_, target.sh_offset + entry.r_offset, static_cast<uint32_t>(value));
        }
    }

    // The relocations are done by now: they count from the symbols' sections.
    void place_symbols(const Elf64_Shdr &table) {
        for (uint64_t at = 0; at < table.sh_size; at += sizeof(Elf64_Sym)) {
            auto symbol = read_at<Elf64_Sym>(bytes_, table.sh_offset + at);
            if (symbol.st_shndx == SHN_UNDEF || symbol.st_shndx >= SHN_LORESERVE)
                continue;
            symbol.st_value += sections_.at(symbol.st_shndx).sh_addr;
            write_at(bytes_, table.sh_offset + at, symbol);
        }
    }

    std::string bytes_;
    Elf64_Ehdr header_;
    std::vector<Elf64_Shdr> sections_;
};

}  // namespace

void place_object(const std::string &from, const std::string &to) {
    write_file(to, Placement(read_file(from)).place());
}

}  // namespace btf_extra::test
