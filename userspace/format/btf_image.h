// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// A BTF blob that owns its bytes and its table of types. Images stack up like the core's blobs. The
// lower one must outlive the upper one.
#ifndef BTF_EXTRA_BTF_IMAGE_H
#define BTF_EXTRA_BTF_IMAGE_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "userspace/format/core_api.h"
#include "userspace/format/elf_image.h"
#include "userspace/format/result.h"

namespace btf_extra {

// "type 5, byte 0x1c: reason"
std::string fault_text(const btf_fault &fault);

class BtfImage {
  public:
    // place is "FILE: SECTION", for messages. base is NULL if the blob has none.
    static Result<std::unique_ptr<BtfImage>> open(std::string place, std::vector<std::byte> bytes,
                                                  const BtfImage *base);

    // Makes a base of which only the counts are known.
    static std::unique_ptr<BtfImage> from_counts(uint32_t end_id, uint32_t end_string);

    // A blob that is open already; its bytes and tables are the caller's.
    static std::unique_ptr<BtfImage> of(std::string place, const btf_blob &blob);

    BtfImage(const BtfImage &) = delete;
    BtfImage &operator=(const BtfImage &) = delete;

    const btf_blob &blob() const { return blob_; }
    const std::vector<std::byte> &bytes() const { return bytes_; }  // empty: only counts are known
    const std::string &place() const { return place_; }

    // Returns true if the blob itself has a FUNC of that name. The first call collects the names.
    bool has_func(std::string_view name) const;

    // Returns an error, under the place of the upper blob, if that was made on other counts.
    Result<void> check_counts(uint32_t end_id, uint32_t end_string, std::string_view above) const;

    // Returns "PLACE: type 5, byte 0x1c: reason".
    Error error(const btf_fault &fault) const;

  private:
    BtfImage() = default;

    std::string place_;
    std::vector<std::byte> bytes_;
    std::vector<uint32_t> offsets_;
    btf_blob blob_ = {};
    mutable std::optional<std::unordered_set<std::string_view>> funcs_;
};

// Opens the section .BTF of an ELF file. below is NULL if the blob has no base.
Result<std::unique_ptr<BtfImage>> open_elf_btf(const ElfImage &image,
                                               const BtfImage *below = nullptr);

// Does the same by path: a raw BTF file, or the section .BTF of an ELF file.
Result<std::unique_ptr<BtfImage>> open_base_btf(const std::string &path,
                                                const BtfImage *below = nullptr);

// Returns true if the file begins like an ELF file, or an error if it cannot be read.
Result<bool> is_elf_file(const std::string &path);

// Reads a whole file of less than 4 GiB.
Result<std::vector<std::byte>> read_whole_file(const std::string &path);

}  // namespace btf_extra

#endif
