// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/format/zstd_file.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include <fmt/format.h>
#include <gelf.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zstd.h>

#include "userspace/format/temporary_file.h"

namespace btf_extra {
namespace {

constexpr uint32_t kZstdCompression = 2;  // ELFCOMPRESS_ZSTD: glibc 2.36 does not have it
constexpr size_t kHeader = sizeof(Elf64_Chdr);

Error error(const std::string &path, std::string_view where, std::string_view reason) {
    return Error{fmt::format("{}: {}: {}", path, where, reason)};
}

Error failed_call(const std::string &path) {
    return error(path, "decompress", std::strerror(errno));
}

FileDescriptor file_in_memory() {
    return FileDescriptor(memfd_create("btf-extra", MFD_CLOEXEC));
}

// A writable mapping of a part of a file. size is greater than 0.
class Mapping {
  public:
    Mapping(int fd, uint64_t offset, uint64_t size) {
        const uint64_t page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
        skipped_ = offset % page;
        size_ = size + skipped_;
        memory_ = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
                       static_cast<off_t>(offset - skipped_));
    }
    ~Mapping() {
        if (*this)
            munmap(memory_, size_);
    }
    Mapping(const Mapping &) = delete;
    Mapping &operator=(const Mapping &) = delete;

    explicit operator bool() const { return memory_ != MAP_FAILED; }
    std::byte *data() const { return static_cast<std::byte *>(memory_) + skipped_; }

  private:
    void *memory_;
    uint64_t size_, skipped_;
};

struct CompressedSection {
    Elf64_Shdr header;
    size_t index;
    std::string name;
    std::span<const std::byte> bytes;  // without the Elf64_Chdr
    Elf64_Chdr plain;
};

// Leaves out bytes that are cut off: reading them is an error.
std::vector<CompressedSection> zstd_sections(Elf *elf) {
    std::vector<CompressedSection> found;
    size_t names = 0;
    if (elf_getshdrstrndx(elf, &names) != 0)
        return found;
    for (Elf_Scn *scn = nullptr; (scn = elf_nextscn(elf, scn)) != nullptr;) {
        const Elf64_Shdr *header = elf64_getshdr(scn);
        if (header == nullptr || !(header->sh_flags & SHF_COMPRESSED) ||
            header->sh_type == SHT_NOBITS)
            continue;
        const Elf_Data *data = elf_rawdata(scn, nullptr);
        if (data == nullptr || data->d_buf == nullptr || data->d_size < kHeader)
            continue;
        CompressedSection section{
            .header = *header, .index = elf_ndxscn(scn), .name = {}, .bytes = {}, .plain = {}};
        std::memcpy(&section.plain, data->d_buf, kHeader);
        if (section.plain.ch_type != kZstdCompression)
            continue;
        const char *name = elf_strptr(elf, names, header->sh_name);
        section.name = name ? name : fmt::format("section {}", section.index);
        section.bytes =
            std::span(static_cast<const std::byte *>(data->d_buf), data->d_size).subspan(kHeader);
        found.push_back(std::move(section));
    }
    return found;
}

}  // namespace

bool is_zstd_file(int fd) {
    std::array<unsigned char, 4> magic{};
    constexpr std::array<unsigned char, 4> kMagic{0x28, 0xb5, 0x2f, 0xfd};
    return pread(fd, magic.data(), magic.size(), 0) == std::ssize(magic) && magic == kMagic;
}

Result<FileDescriptor> decompress_zstd_file(const std::string &path, int fd) {
    FileDescriptor out = file_in_memory();
    const std::unique_ptr<ZSTD_DStream, decltype(&ZSTD_freeDStream)> stream(ZSTD_createDStream(),
                                                                            ZSTD_freeDStream);
    if (!out || !stream)
        return failed_call(path);
    std::vector<std::byte> compressed(ZSTD_DStreamInSize()), plain(ZSTD_DStreamOutSize());
    size_t left = 0;  // 0 at the end of a frame
    for (off_t at = 0;;) {
        const ssize_t got = pread(fd, compressed.data(), compressed.size(), at);
        if (got < 0)
            return failed_call(path);
        if (got == 0)
            break;
        at += got;
        ZSTD_inBuffer in{compressed.data(), static_cast<size_t>(got), 0};
        for (bool full = false; in.pos < in.size || full;) {
            ZSTD_outBuffer piece{plain.data(), plain.size(), 0};
            left = ZSTD_decompressStream(stream.get(), &piece, &in);
            if (ZSTD_isError(left))
                return error(path, "zstd", ZSTD_getErrorName(left));
            if (!write_all(out.get(), std::span(plain).first(piece.pos)))
                return failed_call(path);
            full = piece.pos == piece.size && left != 0;
        }
    }
    if (left != 0)
        return error(path, "zstd", "the file is cut off");
    return out;
}

Result<FileDescriptor> decompress_zstd_sections(const std::string &path, Elf *elf) {
    const auto sections = zstd_sections(elf);
    if (sections.empty())
        return FileDescriptor();
    const Elf64_Ehdr *file_header = elf64_getehdr(elf);
    FileDescriptor out = file_in_memory();
    uint64_t end = 0;
    const char *whole = elf_rawfile(elf, &end);
    if (!out || whole == nullptr || !write_all(out.get(), std::as_bytes(std::span(whole, end))))
        return failed_call(path);
    for (const CompressedSection &section : sections) {
        constexpr uint64_t kAlignment = 4096;
        const uint64_t begin = (end + kAlignment - 1) / kAlignment * kAlignment;
        const uint64_t size = section.plain.ch_size;
        end = begin + size;
        if (end < begin || ftruncate(out.get(), static_cast<off_t>(end)) != 0)
            return error(path, section.name, "cannot be decompressed: no memory of that size");
        if (size != 0) {
            const Mapping plain(out.get(), begin, size);
            if (!plain)
                return error(path, section.name, "cannot be decompressed: no memory of that size");
            const size_t written =
                ZSTD_decompress(plain.data(), size, section.bytes.data(), section.bytes.size());
            if (ZSTD_isError(written))
                return error(
                    path, section.name,
                    fmt::format("cannot be decompressed: zstd: {}", ZSTD_getErrorName(written)));
            if (written != size)
                return error(
                    path, section.name,
                    fmt::format("cannot be decompressed: {} bytes, not {}", written, size));
        }
        Elf64_Shdr header = section.header;
        header.sh_flags &= ~static_cast<uint64_t>(SHF_COMPRESSED);
        header.sh_offset = begin;
        header.sh_size = size;
        header.sh_addralign = section.plain.ch_addralign;
        const auto place =
            static_cast<off_t>(file_header->e_shoff + section.index * sizeof(header));
        if (pwrite(out.get(), &header, sizeof(header), place) != ssize_t{sizeof(header)})
            return failed_call(path);
    }
    return out;
}

}  // namespace btf_extra
