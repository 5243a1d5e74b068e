// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/audit/attach_points.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <iterator>

#include <elf.h>
#include <fmt/format.h>

#include "userspace/format/btf_image.h"

namespace btf_extra::audit {
namespace {

namespace fs = std::filesystem;

Result<AttachPoints> one_probe(const std::string &text) {
    auto point = TRY(parse_bpftrace_probe(text));
    if (!point)
        return Error{
            fmt::format("'{}': no file, and no probe of a function as in kprobe:foo", text),
            EINVAL};
    AttachPoints out;
    out.points.push_back(std::move(*point));
    return out;
}

Result<AttachPoints> probes_of_stdin() {
    AttachPoints out;
    for (std::string line; std::getline(std::cin, line);) {
        if (line.empty())
            continue;
        auto each = TRY(one_probe(line));
        out.points.push_back(std::move(each.points.front()));
    }
    return out;
}

bool is_elf(std::span<const std::byte> bytes) {
    return bytes.size() >= sizeof(Elf64_Ehdr) && std::memcmp(bytes.data(), ELFMAG, SELFMAG) == 0;
}

Result<AttachPoints> points_of_program(std::span<const std::byte> elf, const std::string &path) {
    AttachPoints out;
    const auto objects = embedded_objects(elf);
    if (objects.empty())
        return Error{fmt::format("{}: neither a BPF object nor a program that contains one", path),
                     EINVAL};
    for (const std::span<const std::byte> object : objects) {
        auto each = TRY(object_attach_points(object, path));
        out.points.insert(out.points.end(), std::make_move_iterator(each.points.begin()),
                          std::make_move_iterator(each.points.end()));
        out.others += each.others;
    }
    return out;
}

}  // namespace

Result<AttachPoints> read_attach_points(const std::string &target) {
    if (target == "-")
        return probes_of_stdin();
    std::error_code ignored;
    if (!fs::is_regular_file(target, ignored))
        return target.find('/') != target.npos && target.find(':') == target.npos
                   ? Error{fmt::format("{}: {}", target, std::strerror(ENOENT)), ENOENT}
                   : one_probe(target);
    const std::vector<std::byte> elf = TRY(read_whole_file(target));
    if (!is_elf(elf))
        return script_attach_points({reinterpret_cast<const char *>(elf.data()), elf.size()},
                                    target);
    Elf64_Ehdr header;
    std::memcpy(&header, elf.data(), sizeof(header));
    return header.e_machine == EM_BPF ? object_attach_points(elf, target)
                                      : points_of_program(elf, target);
}

}  // namespace btf_extra::audit
