// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "tests/vm/shapes/steps.h"

#include "tests/vm/guest_attach.h"
#include "tests/vm/shapes/shapes_steps.h"

using namespace guest;

namespace {

#define STEP_NAME(name, instruction) #name,
const char *const kNames[] = {STEPS(STEP_NAME, STEP_NAME, STEP_NAME, STEP_NAME)};

// Registers of which each bit is set in one and clear in another, and what arithmetic carries over.
constexpr uint64_t kValues[][2] = {
    {0xfedcba9876543210, 0x0123456789abcdef},
    {0x0123456789abcdef, 0xfedcba9876543210},
    {0, ~uint64_t{0}},
    {0xffffffff, 0x80000000},
};

struct Done {
    std::vector<uint64_t> flags, source, target;
    bool operator==(const Done &) const = default;
};

constexpr uint64_t kCalls = std::size(kValues) * 2;

Done run(int device, uint32_t which) {
    Done done;
    for (const auto &[source, target] : kValues)
        for (const uint32_t flags : {0U, ~0U}) {
            shapes_step step = {which, flags, source, target};
            if (ioctl(device, SHAPES_IOC_STEP, &step) != 0)
                die("SHAPES_IOC_STEP");
            done.flags.push_back(step.flags);
            done.source.push_back(step.source);
            done.target.push_back(step.target);
        }
    return done;
}

void expect_hits(Row &row, const Link &link, uint64_t wanted) {
    row.equal(static_cast<int64_t>(link.state().hits), static_cast<int64_t>(wanted), "hits");
}

}  // namespace

void steps(int device) {
    const int program = load_program(BPF_PROG_TYPE_KPROBE);
    for (uint32_t which = 0; which < STEP_COUNT; which++) {
        Row row(std::string("step: ") + kNames[which] + ": the same under one probe and two");
        const Done wanted = run(device, which);
        btf_extra_attach request = attach_to("shapes", std::string("step_") + kNames[which]);
        request.prog_fd = static_cast<uint32_t>(program);
        const Link one(request);
        row.equal(one.error, 0, "errno");
        row.equal(request.attached, 1, "probes");
        row.expect(run(device, which) == wanted, "one probe");
        expect_hits(row, one, kCalls);
        {
            const Link other(request);
            row.expect(run(device, which) == wanted, "two probes");
            expect_hits(row, one, 2 * kCalls);
            expect_hits(row, other, kCalls);
        }
        row.expect(run(device, which) == wanted, "the first probe again");
        expect_hits(row, one, 3 * kCalls);
    }
}
