// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/lib/probing/probe_place.h"

extern "C" {
#include "kernel/core/loc_arch_key.h"
}

namespace btf_extra {

std::optional<uint32_t> probe_distance(const btf_extra_site &site, const loc_arch *arch,
                                       const ReadCode &read) {
    if ((site.flags & BTF_EXTRA_SITE_AFTER_KEY) == 0)
        return 0;
    const std::vector<uint8_t> code = read(LOC_ARCH_KEY_MAX);
    const uint32_t size = loc_arch_key_size(arch, code.data(), static_cast<uint32_t>(code.size()));
    return size != 0 ? std::optional(size) : std::nullopt;
}

}  // namespace btf_extra
