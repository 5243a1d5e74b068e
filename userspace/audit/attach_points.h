// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Reads the attach points of tools: of BPF objects, of programs that contain one, of bpftrace
// scripts, and of single texts. Nothing of them is loaded or executed.
#ifndef BTF_EXTRA_ATTACH_POINTS_H
#define BTF_EXTRA_ATTACH_POINTS_H

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "userspace/audit/attach_point.h"
#include "userspace/format/result.h"

namespace btf_extra::audit {

struct AttachPoints {
    std::vector<AttachPoint> points;
    size_t others = 0;  // programs of kinds that attach to no function by name: tracepoints, XDP
    bool knows_completed = true;  // false: AttachPoint::completed is not known, and is 0
};

// target: a file, "-" for a probe a line on stdin, or a probe ("kprobe:tcp_*"). A file that is no
// ELF file is a script.
Result<AttachPoints> read_attach_points(const std::string &target);

// name is for messages and for the origin of the points.
Result<AttachPoints> object_attach_points(std::span<const std::byte> elf, const std::string &name);
Result<AttachPoints> script_attach_points(std::string_view script, const std::string &name);

// Returns the BPF objects in the bytes of an ELF program, as skeletons embed them.
std::vector<std::span<const std::byte>> embedded_objects(std::span<const std::byte> elf);

}  // namespace btf_extra::audit

#endif
