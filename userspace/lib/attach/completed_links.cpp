// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/lib/attach/completed_links.h"

#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

namespace btf_extra {

CompletedLinks parse_completed_links(std::string_view lines) {
    CompletedLinks out;
    std::istringstream in{std::string(lines)};
    for (std::string line; std::getline(in, line);) {
        uint32_t prog_id = 0, link_id = 0, sites = 0;
        std::istringstream words(line);
        if (words >> prog_id >> link_id >> sites && link_id != 0)
            out[link_id] += sites;
    }
    return out;
}

std::optional<CompletedLinks> completed_links() {
    std::ifstream in(kLinksFile);
    if (!in)
        return {};
    return parse_completed_links(std::string(std::istreambuf_iterator<char>(in), {}));
}

}  // namespace btf_extra
