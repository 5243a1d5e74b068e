// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/format/btf_image.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include <elf.h>
#include <fmt/format.h>
#include <sys/stat.h>

namespace btf_extra {
namespace {

struct CloseFile {
    void operator()(std::FILE *file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

Error file_error(const std::string &path, std::string_view where) {
    return Error{fmt::format("{}: {}: {}", path, where, std::strerror(errno))};
}

}  // namespace

std::string fault_text(const btf_fault &fault) {
    const std::string where = fault.type_id != 0 ? fmt::format("type {}, ", fault.type_id) : "";
    return fmt::format("{}byte {:#x}: {}", where, fault.offset, btf_fault_text(fault.code));
}

Error BtfImage::error(const btf_fault &fault) const {
    return Error{fmt::format("{}: {}", place_, fault_text(fault))};
}

std::unique_ptr<BtfImage> BtfImage::of(std::string place, const btf_blob &blob) {
    std::unique_ptr<BtfImage> image(new BtfImage);
    image->place_ = std::move(place);
    image->blob_ = blob;
    return image;
}

Result<std::unique_ptr<BtfImage>> BtfImage::open(std::string place, std::vector<std::byte> bytes,
                                                 const BtfImage *base) {
    std::unique_ptr<BtfImage> image(new BtfImage);
    image->place_ = std::move(place);
    image->bytes_ = std::move(bytes);
    if (image->bytes_.size() > UINT32_MAX)
        return Error{image->place_ + ": 4 GiB or more"};
    btf_fault fault = {};
    if (btf_blob_open(&image->blob_, image->bytes_.data(),
                      static_cast<uint32_t>(image->bytes_.size()),
                      base != nullptr ? &base->blob_ : nullptr, &fault) != 0)
        return image->error(fault);
    image->blob_.step_bits = 0;
    image->offsets_.resize(btf_blob_nr_offsets(&image->blob_));
    btf_blob_index(&image->blob_, image->offsets_.data());
    return image;
}

bool BtfImage::has_func(std::string_view name) const {
    if (!funcs_) {
        funcs_.emplace();
        if (!bytes_.empty())
            for (uint32_t id = blob_.first_id; id < btf_blob_end_id(&blob_); id++) {
                const btf_type *type = btf_blob_type(&blob_, id);
                if (loc_kind(type) != BTF_KIND_FUNC)
                    continue;
                if (const char *func = btf_blob_string(&blob_, type->name_off))
                    funcs_->insert(func);
            }
    }
    return funcs_->contains(name);
}

std::unique_ptr<BtfImage> BtfImage::from_counts(uint32_t end_id, uint32_t end_string) {
    std::unique_ptr<BtfImage> image(new BtfImage);
    image->place_ = "base BTF";
    btf_blob_open_counts(&image->blob_, end_id - 1, end_string);
    return image;
}

Result<void> BtfImage::check_counts(uint32_t end_id, uint32_t end_string,
                                    std::string_view above) const {
    uint32_t my_end_id = btf_blob_end_id(&blob_);
    uint32_t my_end_string = btf_blob_end_string(&blob_);
    if (my_end_id == end_id && my_end_string == end_string)
        return {};
    return Error{fmt::format("{}: base BTF of another kernel: {} ends at type {} and string byte "
                             "{}, not {} and {}",
                             above, place_, my_end_id - 1, my_end_string, end_id - 1, end_string)};
}

Result<std::unique_ptr<BtfImage>> open_elf_btf(const ElfImage &image, const BtfImage *below) {
    const ElfSection *section = image.find(".BTF");
    if (section == nullptr)
        return image.error(".BTF", "not there");
    auto bytes = TRY(image.bytes(*section));
    return BtfImage::open(image.path() + ": .BTF", {bytes.begin(), bytes.end()}, below);
}

namespace {

// A program that opens raw BTF as a compressed file loses 3 MB in libdw (elfutils 0.188).
bool begins_btf(std::span<const std::byte> bytes) {
    constexpr std::byte kMagic[] = {std::byte{0x9f}, std::byte{0xeb}};
    return bytes.size() >= std::size(kMagic) &&
           std::equal(std::begin(kMagic), std::end(kMagic), bytes.begin());
}

}  // namespace

Result<std::unique_ptr<BtfImage>> open_base_btf(const std::string &path, const BtfImage *below) {
    const bool is_elf = TRY(is_elf_file(path));
    if (is_elf) {
        const auto image = TRY(ElfImage::open(path));
        return open_elf_btf(image, below);
    }
    auto bytes = TRY(read_whole_file(path));
    // Any other file may be an ELF file that is compressed as a whole.
    if (!begins_btf(bytes))
        if (const auto image = ElfImage::open(path))
            return open_elf_btf(*image, below);
    return BtfImage::open(path + ": BTF", std::move(bytes), below);
}

Result<bool> is_elf_file(const std::string &path) {
    File file(std::fopen(path.c_str(), "rbe"));
    if (!file)
        return file_error(path, "open");
    std::array<char, SELFMAG> magic = {};
    size_t got = std::fread(magic.data(), 1, magic.size(), file.get());
    if (std::ferror(file.get()))
        return file_error(path, "read");
    return got == magic.size() && std::memcmp(magic.data(), ELFMAG, SELFMAG) == 0;
}

Result<std::vector<std::byte>> read_whole_file(const std::string &path) {
    constexpr size_t kLeast = 1 << 12, kMost = UINT32_MAX;
    File file(std::fopen(path.c_str(), "rbe"));
    if (!file)
        return file_error(path, "open");
    // Files of /proc and many of /sys have no size, or another one.
    struct stat about = {};
    const size_t expected =
        fstat(fileno(file.get()), &about) == 0 ? static_cast<size_t>(about.st_size) : 0;
    if (expected >= kMost)
        return Error{path + ": read: 4 GiB or more"};
    std::vector<std::byte> bytes(std::max(expected + 1, kLeast));
    size_t length = 0, got;
    while ((got = std::fread(bytes.data() + length, 1, bytes.size() - length, file.get())) != 0) {
        length += got;
        if (length == kMost)
            return Error{path + ": read: 4 GiB or more"};
        if (length == bytes.size())
            bytes.resize(std::min(2 * length, kMost));
    }
    if (std::ferror(file.get()))
        return file_error(path, "read");
    bytes.resize(length);
    return bytes;
}

}  // namespace btf_extra
