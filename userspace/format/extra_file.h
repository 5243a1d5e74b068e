// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Reads and writes the .btf_extra container: a small ELF64 relocatable file, little-endian.
// kernel/core/FORMAT.md describes its sections.
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
    uint64_t flags;    // SHF_ALLOC, SHF_EXECINSTR and SHF_WRITE only
    uint64_t address;  // link address; 0 in a relocatable object
    uint64_t size;
    bool operator==(const ObjectSection &) const = default;
};

// Identifies a level of base BTF.
struct BaseIdentity {
    uint32_t size;   // in bytes
    uint32_t crc32;  // zlib's sum of these bytes
    bool operator==(const BaseIdentity &) const = default;
};

// Files of older versions have no sections, vmlinux_btf, base and site_marks.
struct ExtraFile {
    uint16_t machine = 0;                      // e_machine of the input: EM_X86_64, EM_AARCH64
    std::vector<std::byte> types;              // split layout; empty in the inline one
    std::vector<std::byte> func_info;          // split layout; empty in the inline one
    std::vector<std::byte> inline_blob;        // inline layout; empty in the split one
    std::vector<std::byte> build_id_note;      // header, name, id; empty: the input had none
    std::vector<ObjectSection> sections;       // executable, not empty, in the object's order
    std::optional<ObjectSection> vmlinux_btf;  // named .BTF.vmlinux; vmlinux only
    std::vector<BaseIdentity> base;            // in order, vmlinux first
    std::optional<std::vector<uint32_t>> site_marks;  // nullopt: not known
    std::optional<uint32_t> own_types;                // is written, but not read
    std::optional<Provenance> provenance;             // absent in files of other producers
};

// Returns the bytes of the container.
Result<std::vector<std::byte>> extra_file_bytes(const ExtraFile &file);

// Writes a temporary file in the same folder and renames it to path. On failure nothing is left
// behind, and a file at path is untouched. The same content always gives the same bytes.
Result<void> write_extra_file(const std::string &path, const ExtraFile &file);

// Any bytes are safe. The blobs themselves are not checked: loc_validate() does that.
Result<ExtraFile> read_extra_file(const std::string &path);

}  // namespace btf_extra

#endif
