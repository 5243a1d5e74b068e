// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/lib/probing/traced_functions.h"

#include <cstdlib>
#include <fstream>

namespace btf_extra {

void FunctionSet::add(const Symbols &symbols, const Place &function) {
    places.insert(function);
    for (const std::string_view alias : symbols.names(function))
        names.emplace(alias);
}

// The kernel looks for a part foo.isra.0.cold by its place, then for foo by name, and for nothing
// between.
bool FunctionSet::has(const Place &function, const std::string &symbol) const {
    if (places.empty() ? names.contains(symbol) : places.contains(function))
        return true;
    const size_t suffix = symbol.find('.');
    return suffix != std::string::npos && names.contains(symbol.substr(0, suffix));
}

namespace {

// The kernel lists one of the names that a function has.
void add_name(FunctionSet &out, const Symbols &symbols, const std::string &name) {
    out.names.insert(name);
    if (const std::vector<Place> places = symbols.places(name); places.size() == 1)
        for (const std::string_view alias : symbols.names(places.front()))
            out.names.emplace(alias);
}

}  // namespace

FunctionSet functions_at(const Symbols &symbols, const std::vector<Place> &places,
                         uint64_t before) {
    FunctionSet out;
    for (const Place &each : places) {
        Place place = {each.section, each.offset + before};
        if (before == 0 || symbols.names(place).empty())
            place = each;
        if (const auto func = symbols.around(place))
            out.add(symbols, {place.section, place.offset - func->distance});
    }
    return out;
}

FunctionSet traced_functions(const Symbols &symbols, const std::vector<std::string> &folders) {
    FunctionSet out;
    for (const std::string &folder : folders) {
        // Linux 6.5 has the first file (commit 83f74441bcb1). In the second one the kernel hides
        // some names: on arm64, 6.12, those of 87 functions that it does trace.
        std::ifstream addresses(folder + "/available_filter_functions_addrs");
        std::ifstream names(folder + "/available_filter_functions");
        std::vector<Place> calls;
        for (std::string line; std::getline(addresses, line);)
            calls.push_back({0, std::strtoull(line.c_str(), nullptr, 16)});
        out = functions_at(symbols, calls, 0);
        if (calls.empty())
            for (std::string line; std::getline(names, line);)
                add_name(out, symbols, line.substr(0, line.find(' ')));
        if (!out.names.empty())
            break;
    }
    return out;
}

}  // namespace btf_extra
