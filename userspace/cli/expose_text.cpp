// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/cli/expose_text.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include <fmt/format.h>

#include "userspace/text/json_text.h"

namespace btf_extra {

using phantoms::LeftOutSites;
using phantoms::StubState;

namespace {

// Text that the kernel has freed never runs again.
uint64_t freed_sites(const StubState &state) {
    uint64_t out = 0;
    for (const LeftOutSites &each : state.left_out)
        out += each.reason == BTF_EXTRA_REASON_NO_TEXT ? each.sites : 0;
    return out;
}

}  // namespace

void print_stubs_text(const std::vector<ExposedStub> &stubs, bool figures) {
    size_t width = 0;
    for (const ExposedStub &each : stubs)
        width = std::max(width, std::min<size_t>(each.phantom.stub.name.size(), 40));
    for (const auto &[phantom, state, module] : stubs) {
        const uint64_t sites = state.sites - std::min(state.sites, freed_sites(state));
        fmt::print("{:<{}}  {}  {} of {} site{}", phantom.stub.name, width, stub_prototype(phantom),
                   state.usable, sites, sites == 1 ? "" : "s");
        if (figures)
            fmt::print("  {}: {} armed, {} hits, {} missed", state.state, state.armed, state.hits,
                       state.missed);
        fmt::print("\n");
    }
    std::fflush(stdout);
    for (const auto &[phantom, state, module] : stubs) {
        if (state.error != 0)
            fmt::print(stderr, "btf-extra: {}: not armed: {}\n", phantom.stub.name,
                       std::strerror(state.error));
        for (const LeftOutSites &each : state.left_out)
            if (each.reason != BTF_EXTRA_REASON_NO_TEXT)
                fmt::print(stderr, "btf-extra: {}: left out: {}\n", phantom.stub.name,
                           left_out_text(each, param_names(phantom)));
    }
}

void print_stubs_json(const std::vector<ExposedStub> &stubs) {
    ordered_json list = ordered_json::array();
    for (const auto &[phantom, state, module] : stubs) {
        const std::vector<std::string> params = param_names(phantom);
        ordered_json left_out = ordered_json::array();
        for (const LeftOutSites &each : state.left_out) {
            ordered_json names = ordered_json::array();
            for (size_t i = 0; i < std::min<size_t>(params.size(), 64); i++)
                if (each.parameters >> i & 1)
                    names.push_back(params[i]);
            left_out.push_back({{"reason", phantoms::reason_key(each.reason)},
                                {"sites", each.sites},
                                {"params", std::move(names)}});
        }
        list.push_back({{"name", phantom.stub.name},
                        {"module", module},
                        {"prototype", stub_prototype(phantom)},
                        {"state", state.state},
                        {"sites", state.sites},
                        {"usable", state.usable},
                        {"armed", state.armed},
                        {"hits", state.hits},
                        {"missed", state.missed},
                        {"error", state.error == 0 ? ordered_json(nullptr)
                                                   : ordered_json(std::strerror(state.error))},
                        {"left_out", std::move(left_out)}});
    }
    print_object({{"functions", std::move(list)}});
}

}  // namespace btf_extra
