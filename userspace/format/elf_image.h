// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Reads an ELF64 little-endian file: its sections, their bytes and its build-id. A file that is
// compressed as a whole (x.ko.xz) is decompressed, and so are sections that are compressed with
// zstd. Any bytes are safe. libelf is not thread-safe: one thread at a time.
#ifndef BTF_EXTRA_ELF_IMAGE_H
#define BTF_EXTRA_ELF_IMAGE_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <libelf.h>

#include "userspace/format/file_descriptor.h"
#include "userspace/format/result.h"

namespace btf_extra {

struct ElfSection {
    std::string name;
    uint32_t index;  // its number in the section header table
    uint32_t type;   // SHT_*
    uint64_t flags;  // SHF_*
    uint64_t address;
    uint64_t size;

    bool executable() const;
    bool allocated() const;
};

// Returns the number of the executable section that holds an address. sections are loaded, and in
// ascending order of address.
std::optional<uint32_t> executable_section(std::span<const ElfSection> sections, uint64_t address);

class ElfImage {
  public:
    static Result<ElfImage> open(const std::string &path);
    // Reads an image in memory. Messages call it path.
    static Result<ElfImage> from_bytes(std::string path, std::vector<std::byte> bytes);

    const std::string &path() const { return path_; }
    uint16_t machine() const { return machine_; }
    bool relocatable() const {
        return relocatable_;
    }  // its symbols count from the start of their section
    Elf *handle() const { return elf_.get(); }
    // The file, or what zstd had compressed, as a file in memory. -1: the image was in memory.
    int fd() const { return fd_.get(); }
    bool zstd() const { return zstd_; }  // the file, or a section of it, was compressed with zstd

    const std::vector<ElfSection> &sections() const { return sections_; }
    const ElfSection *find(std::string_view name) const;  // NULL: there is none

    // Returns the bytes as they are in the file, with any alignment. They are valid while the image
    // is.
    Result<std::span<const std::byte>> bytes(const ElfSection &section) const;

    // Returns the whole GNU build-id note (header, name, id), in whichever section it is; empty:
    // there is none.
    std::vector<std::byte> build_id_note() const;

    Error error(std::string_view where, std::string_view reason) const;

  private:
    Result<void> read_file();
    Result<void> read_sections();

    struct EndElf {
        void operator()(Elf *elf) const { elf_end(elf); }
    };

    std::string path_;
    FileDescriptor fd_;
    std::vector<std::byte> bytes_;  // the bytes of an image in memory
    std::unique_ptr<Elf, EndElf> elf_;
    uint16_t machine_ = 0;
    bool zstd_ = false;
    bool relocatable_ = false;
    std::vector<ElfSection> sections_;
};

// Finds the build-id in a run of ELF notes. Returns it as lower-case hex, or "" if there is none.
std::string build_id_text(std::span<const std::byte> notes);

// Returns the same of a file of notes, as sysfs has them. "": it cannot be read, or has none.
std::string notes_build_id(const std::string &path);

}  // namespace btf_extra

#endif
