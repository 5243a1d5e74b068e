// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/code/running_code.h"

#include <algorithm>
#include <cstring>

#include <elf.h>
#include <fcntl.h>
#include <unistd.h>

#include "userspace/format/core_api.h"

namespace btf_extra {
namespace {

template <class Header> bool read_header(int fd, Header *header, uint64_t offset) {
    return pread(fd, header, sizeof(*header), static_cast<off_t>(offset)) == sizeof(*header);
}

}  // namespace

RunningCode::RunningCode(const std::string &path) : fd_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    Elf64_Ehdr file;
    if (!fd_ || !read_header(fd_.get(), &file, 0) ||
        std::memcmp(file.e_ident, ELFMAG, SELFMAG) != 0 || file.e_ident[EI_CLASS] != ELFCLASS64 ||
        file.e_phentsize != sizeof(Elf64_Phdr))
        return;
    for (unsigned i = 0; i < file.e_phnum; i++) {
        Elf64_Phdr header;
        if (!read_header(fd_.get(), &header, file.e_phoff + i * sizeof(header)))
            return;
        if (header.p_type == PT_LOAD)
            segments_.push_back({header.p_vaddr, header.p_filesz, header.p_offset});
    }
}

std::vector<uint8_t> RunningCode::read(uint64_t address, size_t size) const {
    for (const Segment &segment : segments_) {
        const uint64_t within = address - segment.address;
        if (within >= segment.size)
            continue;
        std::vector<uint8_t> out(std::min<uint64_t>(size, segment.size - within));
        const ssize_t got =
            pread(fd_.get(), out.data(), out.size(), static_cast<off_t>(segment.offset + within));
        out.resize(got > 0 ? static_cast<size_t>(got) : 0);
        return out;
    }
    return {};
}

bool RunningCode::is_prefixed_call(uint64_t address) const {
    constexpr size_t kLongest = 15;
    const std::vector<uint8_t> code = read(address, kLongest);
    return loc_arch_call(loc_arch_running(), code.data(), static_cast<uint32_t>(code.size())) ==
           LOC_CALL_PREFIXED;
}

}  // namespace btf_extra
