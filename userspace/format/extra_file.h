// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The .btf_extra container: a small ELF64 relocatable file, little-endian, with
//   .BTF                    types        (split layout)
//   .BTF.func_info          locations    (split layout)
//   .BTF.inline             both in one  (inline layout)
//   .note.gnu.build-id      the input's note, byte for byte
//   .btf_extra.base         struct { u32 size, crc32; } for each level of BTF below, vmlinux first
//   .btf_extra.site_marks   u32 [], by site: see kernel/core/site_marks.h
//   .btf_extra.own_types    u32, in a module that carries its blobs in itself alone: how many
//   records
//                           of its .BTF are not ours
//   .text, .init.text, ...  headers alone (SHT_NOBITS): the executable sections of the object
//   .BTF.vmlinux            a header alone: where vmlinux has its own .BTF
//   .btf_extra.provenance   see provenance.h
// Contents begin at offsets that are multiples of 8.
#ifndef BTF_EXTRA_EXTRA_FILE_H
#define BTF_EXTRA_EXTRA_FILE_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "userspace/format/provenance.h"
#include "userspace/format/result.h"

namespace btf_extra {

inline constexpr char kTypesSection[] = ".BTF";
inline constexpr char kFuncInfoSection[] = ".BTF.func_info";
inline constexpr char kInlineSection[] = ".BTF.inline";
inline constexpr char kBuildIdSection[] = ".note.gnu.build-id";
inline constexpr char kBaseSection[] = ".btf_extra.base";
inline constexpr char kSiteMarksSection[] = ".btf_extra.site_marks";
inline constexpr char kOwnTypesSection[] = ".btf_extra.own_types";
inline constexpr char kVmlinuxBtfSection[] = ".BTF.vmlinux";
inline constexpr char kProvenanceSection[] = ".btf_extra.provenance";

// A section of the object that the file describes.
struct ObjectSection {
    std::string name;
    uint64_t flags;    // of SHF_ALLOC, SHF_EXECINSTR, SHF_WRITE
    uint64_t address;  // as linked; 0 in a relocatable object
    uint64_t size;
    bool operator==(const ObjectSection &) const = default;
};

// What a level of base BTF is recognised by.
struct BaseIdentity {
    uint32_t size;   // in bytes
    uint32_t crc32;  // zlib's, of these bytes
    bool operator==(const BaseIdentity &) const = default;
};

// Files of older versions have none of sections, vmlinux_btf, base and site_marks.
struct ExtraFile {
    uint16_t machine = 0;                // e_machine of the input: EM_X86_64, EM_AARCH64
    std::vector<std::byte> types;        // split layout; empty in the inline one
    std::vector<std::byte> func_info;    // split layout; empty in the inline one
    std::vector<std::byte> inline_blob;  // inline layout; empty in the split one
    std::vector<std::byte>
        build_id_note;                    // whole note: header, name, id; empty: the input had none
    std::vector<ObjectSection> sections;  // executable, not empty, in the object's order
    std::optional<ObjectSection> vmlinux_btf;         // named .BTF.vmlinux; vmlinux only
    std::vector<BaseIdentity> base;                   // from vmlinux upwards
    std::optional<std::vector<uint32_t>> site_marks;  // none: not known
    std::optional<uint32_t> own_types;                // written, not read
    std::optional<Provenance> provenance;             // absent in files of other producers
};

// The container in memory.
Result<std::vector<std::byte>> extra_file_bytes(const ExtraFile &file);

// Writes a temporary file in the same folder and renames it to path. On failure nothing is left
// behind and a file that was at path is untouched. The same bytes for the same content.
Result<void> write_extra_file(const std::string &path, const ExtraFile &file);

// Safe on any bytes. The blobs themselves are not looked into: that is loc_validate's work.
Result<ExtraFile> read_extra_file(const std::string &path);

}  // namespace btf_extra

#endif
