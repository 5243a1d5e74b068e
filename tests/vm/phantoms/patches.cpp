// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Live patches. They are ftrace's, too: one of a stub, and one of a function around a site.
#include "tests/vm/phantoms/phantom_tests.h"

using namespace guest;

namespace {

const char *const kStub = "site_called";
constexpr int64_t kCalls = 50;

const std::string kPatch = "live_patch";

int64_t parameter(const std::string &name) {
    int64_t value = -1;
    std::ifstream("/sys/module/" + kPatch + "/parameters/" + name) >> value;
    return value;
}

void call() {
    std::ofstream("/sys/module/phantom_sites/parameters/calls") << kCalls;
}

// Waits until each task runs the new code, or the old one again.
bool settles() {
    const std::string path = "/sys/kernel/livepatch/" + kPatch + "/transition";
    for (int i = 0; i < 300; i++) {
        int transition = 0;
        std::ifstream file(path);
        if (!file || (file >> transition && transition == 0))
            return true;
        usleep(100000);
    }
    return false;
}

void enable(Row &row, const std::string &object, const std::string &function) {
    row.equal(load(kPatch, "object=" + object + " function=" + function), 0, "insmod");
    row.expect(settles(), "the patch stays in transition");
}

void disable(Row &row) {
    std::ofstream("/sys/kernel/livepatch/" + kPatch + "/enabled") << "0";
    row.expect(settles(), "the patch stays in transition");
    int error = unload(kPatch);
    for (int i = 0; i < 100 && error != 0; i++) {
        usleep(100000);
        error = unload(kPatch);
    }
    row.equal(error, 0, "rmmod");
}

}  // namespace

void patches() {
    {
        Row row("live patch of a stub: its code runs at each inlined call, with the argument");
        enable(row, "inlined", kStub);
        row.expect(wait_for_state(kStub, "armed")["state"] == "armed", "not armed");
        call();
        row.equal(parameter("calls"), kCalls, "calls of the patch");
        row.equal(parameter("last"), kCalls, "the last argument");
        disable(row);
        row.expect(wait_for_state(kStub, "idle")["state"] == "idle", "not idle");
    }
    Row row("live patch of a function around a site: calls of the old code alone are seen");
    const AtStub program("enter", kStub);
    row.equal(program.error, 0, "errno");
    row.expect(wait_for_state(kStub, "armed")["state"] == "armed", "not armed");
    call();
    row.equal(static_cast<int64_t>(program.seen().hits), kCalls, "hits before it");
    enable(row, "phantom_sites", "call_around");
    call();
    row.equal(parameter("calls"), kCalls, "calls of the patch");
    row.equal(static_cast<int64_t>(program.seen().hits), kCalls, "hits with it");
    disable(row);
    call();
    row.equal(static_cast<int64_t>(program.seen().hits), 2 * kCalls, "hits after it");
    row.equal(static_cast<int64_t>(program.seen().sum), kCalls * (kCalls + 1), "sum of arguments");
}
