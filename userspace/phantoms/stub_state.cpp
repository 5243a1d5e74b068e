// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/phantoms/stub_state.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <sstream>
#include <utility>

#include <fmt/format.h>

#include "userspace/lib/btf_extra.h"

namespace btf_extra::phantoms {
namespace {

constexpr std::pair<std::string_view, uint32_t> kReasons[] = {
    {"no_text", BTF_EXTRA_REASON_NO_TEXT},   {"loop_head", BTF_EXTRA_REASON_LOOP_HEAD},
    {"no_entry", BTF_EXTRA_REASON_NO_ENTRY}, {"parameter", BTF_EXTRA_REASON_PARAMETER},
    {"notrace", BTF_EXTRA_REASON_NOTRACE},   {"kprobe", BTF_EXTRA_REASON_KPROBE},
};

bool read_left_out(std::istream &line, StubState &state) {
    std::string reason, mask;
    LeftOutSites out = {};
    if (!(line >> reason >> out.sites))
        return false;
    const auto *known = std::ranges::find(kReasons, std::string_view(reason),
                                          &std::pair<std::string_view, uint32_t>::first);
    if (known == std::end(kReasons))
        return false;
    out.reason = known->second;
    if (line >> mask) {
        const char *end = mask.data() + mask.size();
        if (!mask.starts_with("0x") ||
            std::from_chars(mask.data() + 2, end, out.parameters, 16).ptr != end)
            return false;
    }
    if (out.sites != 0)
        state.left_out.push_back(out);
    return true;
}

}  // namespace

void StubState::leave_out(uint32_t reason, uint64_t parameters) {
    auto known = std::ranges::find(left_out, reason, &LeftOutSites::reason);
    if (known == left_out.end())
        known = left_out.insert(known, {reason, 0, 0});
    known->sites++;
    known->parameters |= parameters;
}

Result<StubState> parse_stub_state(const std::string &place, std::string_view text) {
    StubState out;
    std::istringstream lines{std::string(text)};
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string key;
        words >> key;
        bool read = true;
        if (key == "state")
            read = static_cast<bool>(words >> out.state);
        else if (key == "error")
            read = static_cast<bool>(words >> out.error);
        else if (key == "left_out")
            read = read_left_out(words, out);
        for (const auto &[name, value] :
             {std::pair("sites", &out.sites), std::pair("usable", &out.usable),
              std::pair("armed", &out.armed), std::pair("hits", &out.hits),
              std::pair("missed", &out.missed)})
            if (key == name)
                read = static_cast<bool>(words >> *value);
        if (!read)
            return Error{fmt::format("{}: '{}' is unknown", place, line)};
    }
    out.error = std::abs(out.error);
    if (out.state.empty())
        return Error{fmt::format("{}: it has no state", place)};
    return out;
}

std::string left_out_text(const LeftOutSites &left_out, const std::vector<std::string> &params) {
    btf_extra_left_out reason = {};
    reason.reason = left_out.reason;
    std::string names;
    for (size_t i = 0; i < std::min<size_t>(params.size(), 64); i++)
        if (left_out.parameters >> i & 1)
            names += (names.empty() ? ": " : ", ") + params[i];
    return fmt::format("{} site{}: {}{}", left_out.sites, left_out.sites == 1 ? "" : "s",
                       btf_extra_reason_text(&reason), names);
}

std::string_view reason_key(uint32_t reason) {
    const auto *known =
        std::ranges::find(kReasons, reason, &std::pair<std::string_view, uint32_t>::second);
    return known == std::end(kReasons) ? "unknown" : known->first;
}

}  // namespace btf_extra::phantoms
