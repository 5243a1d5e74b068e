// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Reads and writes what a .btf_extra file holds. kernel/core/FORMAT.md describes the file, and the
// core reads it (extra_elf.h). Only tools read the provenance.
#ifndef BTF_EXTRA_EXTRA_FILE_H
#define BTF_EXTRA_EXTRA_FILE_H

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "userspace/format/line_table.h"
#include "userspace/format/provenance.h"
#include "userspace/format/result.h"
#include "userspace/format/site_mark_list.h"
#include "userspace/format/variable_list.h"

namespace btf_extra {

inline constexpr char kTypesSection[] = ".BTF";
inline constexpr char kFuncInfoSection[] = ".BTF.func_info";
inline constexpr char kBuildIdSection[] = ".note.gnu.build-id";
inline constexpr char kBaseSection[] = ".btf_extra.base";
inline constexpr char kSiteMarksSection[] = ".btf_extra.site_marks";
inline constexpr char kExpressionsSection[] = ".btf_extra.expressions";
inline constexpr char kOwnTypesSection[] = ".btf_extra.own_types";
inline constexpr char kVmlinuxBtfSection[] = ".BTF.vmlinux";
inline constexpr char kFramesSection[] = ".btf_extra.frames";
inline constexpr char kLinesSection[] = ".btf_extra.lines";
inline constexpr char kVariablesSection[] = ".btf_extra.variables";
inline constexpr char kProvenanceSection[] = ".btf_extra.provenance";
inline constexpr char kCarriedSection[] = ".btf_extra.file";  // of no .btf_extra file

// A section of the object that the file describes.
struct ObjectSection {
    std::string name;
    uint64_t flags;    // SHF_ALLOC, SHF_EXECINSTR, SHF_WRITE and EXTRA_SHF_BEHIND_HOOKS only
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

// They select what is read. Frames need no lines, no variables and no provenance. Sites need no
// variables and no frames: those of a file are read with it, because the blobs are valid as a
// whole, but not those of the running kernel, which has validated them.
enum class FileParts { kAll, kPlaces, kSites };

struct ExtraFile {
    FileParts parts = FileParts::kAll;
    uint16_t machine = 0;  // e_machine of the input: EM_X86_64, EM_AARCH64
    std::vector<std::byte> types;
    std::vector<std::byte> func_info;
    std::vector<std::byte> build_id_note;      // header, name and id; written as it is
    std::vector<ObjectSection> sections;       // executable, not empty, in the object's order
    std::optional<ObjectSection> vmlinux_btf;  // named .BTF.vmlinux; vmlinux only
    std::vector<BaseIdentity> base;            // from vmlinux upwards
    std::optional<SiteMarkList> site_marks;    // none: not known
    std::vector<std::byte> expressions;        // see loc_expression.h; empty: there are none
    std::optional<uint32_t> own_types;         // written, not read
    std::vector<std::byte> frames;             // see inline_frames.h; empty: there are none
    std::vector<std::byte> lines;              // see line_table.h; likewise
    std::optional<VariableList> variables;     // none: not known
    std::optional<Provenance> provenance;      // absent in files of other producers
    std::vector<std::byte> container;  // the bytes of the file; empty: it was not read from one
};

// Returns the bytes of the container. An error names path, where they are to be written. The same
// content always gives the same bytes.
Result<std::vector<std::byte>> extra_file_bytes(const std::string &path, const ExtraFile &file);

// Returns an ELF file that carries a container, the bytes of a .btf_extra file, in kCarriedSection,
// beside the build-id note and for the same machine. debuginfod takes it for an executable.
Result<std::vector<std::byte>> carrier_bytes(const std::string &path, const ExtraFile &file);

// Returns the container in such an ELF file. An error names where its bytes are from.
Result<std::vector<std::byte>> carried_container(const std::string &where,
                                                 std::vector<std::byte> carrier);

// Opens the lines of a file, which must stay. It is not an error if there are none.
Result<std::optional<LineTable>> open_lines(const std::string &path, const ExtraFile &file);

// Returns the items of an array in a file. Bytes after the last whole one are left out.
template <class T> std::vector<T> items_of(std::span<const std::byte> bytes) {
    std::vector<T> out(bytes.size() / sizeof(T));
    if (!out.empty())
        std::memcpy(out.data(), bytes.data(), out.size() * sizeof(T));
    return out;
}

// The file may be one that carries the container. Any bytes are safe: extra_elf_open() checks the
// container. OpenedBlobs checks the blobs.
Result<ExtraFile> read_extra_file(const std::string &path, FileParts parts = FileParts::kAll);

}  // namespace btf_extra

#endif
