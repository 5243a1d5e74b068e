// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "tests/vm/sweep/untraced.h"

#include <fstream>
#include <map>
#include <string>
#include <vector>

using namespace guest;

namespace {

std::unordered_set<std::string> traced_names() {
    std::unordered_set<std::string> names;
    std::ifstream file("/sys/kernel/tracing/available_filter_functions");
    for (std::string line; std::getline(file, line);)
        names.insert(line.substr(0, line.find(' ')));
    if (names.empty())
        die("available_filter_functions");
    return names;
}

// Symbols of text by their addresses, each with whether ftrace knows one of that name.
std::map<uint64_t, bool> traced_addresses() {
    const std::unordered_set<std::string> names = traced_names();
    std::map<uint64_t, bool> traced;
    std::ifstream file("/proc/kallsyms");
    for (std::string line; std::getline(file, line);) {
        constexpr size_t kType = 17;
        if (std::string("tTwW").find(line[kType]) == std::string::npos ||
            line.find('\t') != std::string::npos)
            continue;
        const std::string name = line.substr(kType + 2);
        traced[std::stoull(line, nullptr, 16)] |=
            names.contains(name) || names.contains(name.substr(0, name.find('.')));
    }
    return traced;
}

}  // namespace

std::unordered_set<uint32_t> untraced_functions(const List &list) {
    const std::map<uint64_t, bool> traced = traced_addresses();
    std::unordered_set<uint32_t> ids;
    for (const ListedSite &site : list.sites) {
        const auto behind = traced.upper_bound(site.address);
        if (behind == traced.begin() || !std::prev(behind)->second)
            ids.insert(site.func_id);
    }
    return ids;
}
