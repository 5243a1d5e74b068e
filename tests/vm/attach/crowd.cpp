// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Attaches to many sites at once, and attaches and detaches while all processors run over the
// sites.
#include <atomic>
#include <chrono>
#include <thread>

#include "tests/vm/attach/attach_tests.h"
#include "tests/vm/shapes/shapes.h"

using namespace guest;

namespace {

long long milliseconds() {
    using namespace std::chrono;
    return duration_cast<std::chrono::milliseconds>(steady_clock::now().time_since_epoch()).count();
}

void all_at_once() {
    Row row("2,048 sites in one attach, each is hit");
    const std::multiset<std::string> before = probe_list();
    const int shapes = open_device(SHAPES_DEVICE);
    btf_extra_attach request = attach_to("shapes", "shape_crowd");
    request.prog_fd = good_request().prog_fd;
    const long long began = milliseconds();
    {
        const Link link(request);
        std::printf("# attached in %lld ms\n", milliseconds() - began);
        row.equal(link.error, 0, "errno");
        row.equal(request.attached, SHAPES_CROWD, "attached");
        row.equal(static_cast<int64_t>(probe_list().size() - before.size()), SHAPES_CROWD,
                  "probes");
        for (int turn = 1; turn <= 3; turn++) {
            row.equal(ioctl(shapes, SHAPES_IOC_CROWD), 0, "ioctl");
            row.equal(static_cast<int64_t>(link.state().hits), turn * SHAPES_CROWD, "hits");
        }
        row.equal(static_cast<int64_t>(link.state().missed), 0, "missed");
    }
    row.expect(probe_list() == before, "probes are left");
    close(shapes);
}

void under_load() {
    Row row("attach and detach while all processors come by");
    std::atomic<bool> done = false;
    std::atomic<uint64_t> calls = 0;
    std::vector<std::thread> threads;
    const std::multiset<std::string> before = probe_list();
    btf_extra_attach request = good_request();
    for (unsigned i = 0; i < std::thread::hardware_concurrency(); i++)
        threads.emplace_back([&] {
            while (!done)
                calls += call_many();
        });
    uint64_t hits = 0;
    for (int turn = 0; turn < 6; turn++) {
        const Link link(request), second(request);
        row.equal(link.error, 0, "errno");
        row.equal(second.error, 0, "errno of the second");
        // Waits until there is a hit.
        for (int i = 0; i < 1000 && link.state().hits == 0; i++)
            usleep(1000);
        hits += link.state().hits;
        row.expect(link.state().hits > 0, "no hits");
    }
    done = true;
    for (std::thread &thread : threads)
        thread.join();
    std::printf("# %lu calls, %lu hits\n", calls.load(), hits);
    row.expect(hits <= calls, "more hits than calls");
    row.expect(probe_list() == before, "probes are left");
}

}  // namespace

void crowd() {
    under_load();
    all_at_once();
}
