// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <memory>

#include <bpf/libbpf.h>
#include <elf.h>
#include <fmt/format.h>
#include <linux/bpf.h>

#include "userspace/audit/attach_points.h"

namespace btf_extra::audit {
namespace {

// libbpf says why it refuses an object only in its log.
std::string last_line;

int keep_line(libbpf_print_level level, const char *format, va_list arguments) {
    if (level != LIBBPF_WARN)
        return 0;
    char line[256];
    std::vsnprintf(line, sizeof(line), format, arguments);
    last_line = line;
    while (last_line.ends_with('\n'))
        last_line.pop_back();
    if (last_line.starts_with("libbpf: "))
        last_line.erase(0, std::strlen("libbpf: "));
    return 0;
}

struct CloseObject {
    void operator()(bpf_object *object) const { bpf_object__close(object); }
};

}  // namespace

Result<AttachPoints> object_attach_points(std::span<const std::byte> elf, const std::string &name) {
    last_line.clear();
    const auto before = libbpf_set_print(keep_line);
    LIBBPF_OPTS(bpf_object_open_opts, options, .object_name = "audit");
    const std::unique_ptr<bpf_object, CloseObject> object(
        bpf_object__open_mem(elf.data(), elf.size(), &options));
    const int error = errno;
    libbpf_set_print(before);
    if (!object)
        return Error{fmt::format("{}: libbpf cannot read it: {}", name,
                                 last_line.empty() ? std::strerror(error) : last_line),
                     EINVAL};
    AttachPoints out;
    bpf_program *program = nullptr;
    bpf_object__for_each_program(program, object.get()) {
        auto point = parse_section_name(bpf_program__section_name(program));
        if (!point)
            return Error{
                fmt::format("{}: {}: {}", name, bpf_program__name(program), point.error().message),
                EINVAL};
        if (!*point) {
            out.others++;
            continue;
        }
        (*point)->reads =
            context_reads({bpf_program__insns(program), bpf_program__insn_cnt(program)});
        (*point)->origin = fmt::format("{}: {}", name, bpf_program__name(program));
        out.points.push_back(std::move(**point));
    }
    return out;
}

std::vector<std::span<const std::byte>> embedded_objects(std::span<const std::byte> elf) {
    std::vector<std::span<const std::byte>> out;
    for (size_t at = 1; at + sizeof(Elf64_Ehdr) <= elf.size(); at++) {
        const auto *found =
            static_cast<const std::byte *>(std::memchr(elf.data() + at, ELFMAG0, elf.size() - at));
        if (found == nullptr)
            break;
        at = static_cast<size_t>(found - elf.data());
        Elf64_Ehdr header;
        if (elf.size() - at < sizeof(header))
            break;
        std::memcpy(&header, found, sizeof(header));
        if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_machine != EM_BPF ||
            header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_shentsize != sizeof(Elf64_Shdr))
            continue;
        // The section headers are at the end of a relocatable file.
        const uint64_t table = uint64_t{header.e_shnum} * sizeof(Elf64_Shdr);
        if (header.e_shoff > elf.size() - at || table > elf.size() - at - header.e_shoff)
            continue;
        const size_t size = static_cast<size_t>(header.e_shoff + table);
        out.push_back(elf.subspan(at, size));
        at += size - 1;
    }
    return out;
}

}  // namespace btf_extra::audit
