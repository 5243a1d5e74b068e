// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/text/kprobe_line.h"

#include <algorithm>

namespace btf_extra {
namespace {

constexpr auto npos = std::string_view::npos;

// Takes the text up to the first such character, and that character. All of it if there is none.
std::string_view take(std::string_view &rest, char end) {
    const size_t size = rest.find(end);
    const std::string_view out = rest.substr(0, size);
    rest.remove_prefix(size == npos ? rest.size() : size + 1);
    return out;
}

// "fd=%di:s32"
std::optional<KprobeLine::Field> parse_field(std::string_view text) {
    const std::string_view name = take(text, '=');
    if (name.empty() || text.empty())
        return {};
    const size_t colon = text.rfind(':');
    return KprobeLine::Field{std::string(name),
                             std::string(colon == npos ? "" : text.substr(colon + 1))};
}

}  // namespace

std::optional<KprobeLine> parse_kprobe_line(std::string_view line) {
    // "p", "r" or, with a number of instances, "r16"
    const std::string_view kind = take(line, ':'), group = take(line, '/'), event = take(line, ' ');
    std::string_view place = take(line, ' ');
    if (kind.empty() || (kind != "p" && kind.front() != 'r') || group.empty() || event.empty() ||
        place.empty())
        return {};
    KprobeLine out = {std::string(group), std::string(event), kind != "p", "", "", {}};
    if (place.find(':') != npos)
        out.module = take(place, ':');
    out.place = place;
    while (!line.empty()) {
        auto field = parse_field(take(line, ' '));
        if (!field)
            return {};
        out.fields.push_back(std::move(*field));
    }
    return out;
}

uint32_t bits_of_kprobe_type(std::string_view type) {
    if (type.empty())
        return 64;
    constexpr std::string_view kSizes[] = {"8", "16", "32", "64"};
    const auto size = std::ranges::find(kSizes, type.substr(1));
    if (std::string_view("sux").find(type.front()) == npos || size == std::end(kSizes))
        return 0;
    return 8U << (size - std::begin(kSizes));
}

}  // namespace btf_extra
