// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// A module whose sites are probed goes, and comes again with an init that takes its time.
#include <chrono>
#include <thread>

#include "tests/vm/phantoms/phantom_tests.h"

using namespace guest;

namespace {

constexpr int kInitMs = 1500;
const std::string kModule = "phantom_sites";

int64_t count_of(const std::string &stub, const char *key) {
    return std::stoll(stub_state(stub)[key]);
}

void hold(const std::string &stub, const char *order) {
    std::ofstream(std::string(kStubs) + stub) << order;
}

bool wait_for_armed(const std::string &stub, bool armed) {
    for (int i = 0; i < 200 && (count_of(stub, "armed") != 0) != armed; i++)
        usleep(100000);
    return (count_of(stub, "armed") != 0) == armed;
}

std::string init_state() {
    std::string state;
    std::ifstream("/sys/module/" + kModule + "/initstate") >> state;
    return state;
}

// Waits until the module runs its init, and its sites are known.
bool wait_for_init() {
    btf_extra_lookup lookup = of_name("site_called");
    lookup.object = pointer(kModule.c_str());
    for (int i = 0; i < 200; i++) {
        if (init_state() == "coming" && !by_ioctl(device(), lookup).sites.empty())
            return true;
        usleep(10000);
    }
    return false;
}

}  // namespace

// The kernel lets no kprobe run within another, and counts the hit as missed at the probe. That
// count outlives the probe.
void gone() {
    const std::string stub = "site_in_probe";
    constexpr int64_t kCalls = 30;
    Row row("gone: what was missed stays counted when the module goes, and comes again");
    hold(stub, "arm");
    const int64_t before = count_of(stub, "missed");
    std::ofstream("/sys/module/" + kModule + "/parameters/probed") << kCalls;
    row.equal(count_of(stub, "missed") - before, kCalls, "missed");
    row.equal(unload(kModule), 0, "rmmod");
    row.expect(wait_for_armed(stub, false), "probes are there");
    row.equal(count_of(stub, "missed") - before, kCalls, "missed without the module");
    row.equal(load(kModule), 0, "insmod");
    row.expect(wait_for_armed(stub, true), "no probes");
    row.equal(count_of(stub, "missed") - before, kCalls, "missed with the module");
    hold(stub, "auto");
    row.expect(wait_for_state(stub, "idle")["state"] == "idle", "not idle");
    row.equal(count_of(stub, "missed") - before, kCalls, "missed when it is disarmed");
}

void coming() {
    const std::string stub = "site_called";
    const auto comes = [] { return load(kModule, "init_ms=" + std::to_string(kInitMs)); };
    {
        Row row("coming: who attaches waits until the module lives");
        row.equal(unload(kModule), 0, "rmmod");
        int loaded = -1;
        std::thread loader([&] { loaded = comes(); });
        row.expect(wait_for_init(), "its init was not seen");
        btf_extra_attach request = attach_to(kModule.c_str(), "site_called");
        request.prog_fd = static_cast<uint32_t>(load_program(BPF_PROG_TYPE_KPROBE));
        const Link link(request);
        row.equal(link.error, 0, "errno");
        row.expect(init_state() == "live", init_state());
        row.equal(request.attached, 1, "probes");
        loader.join();
        row.equal(loaded, 0, "insmod");
    }
    Row row(
        "coming: a stub that is held can be read meanwhile, and is armed when the module lives");
    hold(stub, "arm");
    row.equal(unload(kModule), 0, "rmmod");
    std::thread loader([&] { comes(); });
    row.expect(wait_for_init(), "its init was not seen");
    auto state = stub_state(stub);
    row.expect(state["state"] == "held" && state["armed"] == "0", state["state"]);
    row.expect(!state.contains("error"), "an error");
    loader.join();
    row.expect(wait_for_armed(stub, true), "no probes");
    hold(stub, "auto");
    row.expect(wait_for_state(stub, "idle")["state"] == "idle", "not idle");
}
