// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Everything that attaches to stubs, comes and goes, all at once or one kind after the other.
#include <thread>

#include "tests/vm/phantoms/phantom_tests.h"
#include "tests/vm/phantoms/storm_actors.h"

using namespace guest;

namespace {

struct Kind {
    const char *name;
    std::vector<std::string> stubs;  // how their names begin; none: all stubs
    std::vector<void (*)(const Storm &)> actors;
};

const Kind kKinds[] = {
    {"all", {}, {attach_and_kill, switch_tracers, load_and_unload, arm_by_hand, call_shapes}},
    {"attach", {}, {attach_from_four, call_shapes}},
    {"bpftrace", {"shape_"}, {kill_bpftrace, call_shapes}},
    {"tracers", {}, {switch_tracers, call_shapes, change_maps}},
    {"modules", {"shape_", "site_"}, {attach_from_four, load_and_unload, arm_by_hand, call_shapes}},
    {"orders", {"shape_register"}, {unload_in_every_order}},
    {"recursion",
     {"__select_bucket", "on_stack", "shape_register"},
     {attach_from_four, trace_stacks, change_maps, call_shapes}},
    {"places",
     {"site_in_nmi", "__current_set_polling", "shape_register"},
     {attach_from_four, send_nmis, call_shapes}},
};

const Kind &find_kind(const std::string &name) {
    for (const Kind &kind : kKinds)
        if (name == kind.name)
            return kind;
    die(name + ": no such storm");
}

bool is_of(const Kind &kind, const std::string &stub) {
    return kind.stubs.empty() || std::ranges::any_of(kind.stubs, [&](const std::string &begin) {
               return stub.starts_with(begin);
           });
}

std::vector<std::string> all_stubs() {
    std::vector<std::string> stubs;
    std::ifstream list("/proc/kallsyms");
    for (std::string line; std::getline(list, line);) {
        const size_t module = line.find("\t[inlined]");
        const std::string name = line.substr(19, module - 19);
        if (module != std::string::npos && !stub_state(name).empty())
            stubs.push_back(name);
    }
    return stubs;
}

// Calls that came to a stub, seen or missed.
uint64_t calls_of(const std::vector<std::string> &stubs) {
    uint64_t calls = 0;
    for (const std::string &stub : stubs) {
        auto state = stub_state(stub);
        calls += std::stoull(state["hits"]) + std::stoull(state["missed"]);
    }
    return calls;
}

}  // namespace

void storm(unsigned seconds, const std::string &name) {
    const Kind &kind = find_kind(name);
    const std::vector<std::string> stubs = all_stubs();
    for (const std::string &stub : stubs)
        wait_for_state(stub, "idle");
    const std::multiset<std::string> before = probe_list();
    const uint64_t calls_before = calls_of(stubs);
    Storm storm = {{}, time(nullptr) + seconds};
    std::ranges::copy_if(stubs, std::back_inserter(storm.stubs),
                         [&](const std::string &stub) { return is_of(kind, stub); });
    if (storm.stubs.empty())
        die(name + ": no stub for this storm");
    {
        std::vector<std::thread> threads;
        for (const auto &actor : kind.actors)
            threads.emplace_back([&] { actor(storm); });
        for (std::thread &thread : threads)
            thread.join();
    }
    {
        Row row("storm: " + name + ": after " + std::to_string(seconds) + " s nothing is armed");
        for (const std::string &stub : all_stubs()) {
            auto state = wait_for_state(stub, "idle");
            row.expect(state["state"] == "idle" && state["armed"] == "0",
                       stub + ": " + state["state"] + ", " + state["armed"]);
            std::printf("# %s: usable %s, hits %s, missed %s\n", stub.c_str(),
                        state["usable"].c_str(), state["hits"].c_str(), state["missed"].c_str());
        }
        expect_probes(row, before);
        // In a short storm on a busy machine nothing may be attached for long enough.
        if (seconds >= 60 && name != "orders")
            row.expect(calls_of(all_stubs()) > calls_before, "no call came");
    }
    Row row("storm: " + name + ": a stub works after it");
    const AtStub program("enter", "shape_register");
    row.expect(wait_for_state("shape_register", "armed")["state"] == "armed", "not armed");
    const size_t calls = call_shape(SHAPE_register, 20);
    row.equal(static_cast<int64_t>(program.seen().hits), static_cast<int64_t>(calls), "hits");
}
