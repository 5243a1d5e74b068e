// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Tells where the probe of a site stands.
#ifndef BTF_EXTRA_PROBE_PLACE_H
#define BTF_EXTRA_PROBE_PLACE_H

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "include/uapi/linux/btf_extra.h"
#include "userspace/format/core_api.h"

namespace btf_extra {

// Returns the code at the site, up to that many bytes.
using ReadCode = std::function<std::vector<uint8_t>(size_t size)>;

// Returns the distance from the site to its probe: 0, or the size of the instruction of a static
// key. Nothing: the site has BTF_EXTRA_SITE_AFTER_KEY, but its instruction is another one.
std::optional<uint32_t> probe_distance(const btf_extra_site &site, const loc_arch *arch,
                                       const ReadCode &read);

}  // namespace btf_extra

#endif
