// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "tests/vm/shapes/steps.h"

#include <span>

#include "tests/vm/guest_attach.h"
#include "tests/vm/shapes/shapes_steps.h"
#include "userspace/lib/btf_extra.h"

using namespace guest;

namespace {

struct Step {
    const char *name;
    bool refused;
};
#define STEP_ROW(name, instruction) {#name, false},
#define REFUSED_ROW(name, instruction) {#name, true},
const Step kSteps[] = {STEPS(STEP_ROW, STEP_ROW, STEP_ROW, STEP_ROW, REFUSED_ROW)};

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

std::string function_of(uint32_t which) {
    return std::string("step_") + kSteps[which].name;
}

struct btf_extra_attach request_for(uint32_t which, int program) {
    struct btf_extra_attach request = attach_to("shapes", function_of(which));
    request.prog_fd = static_cast<uint32_t>(program);
    return request;
}

void expect_left_out(Row &row, std::span<const btf_extra_left_out> left_out) {
    row.equal(static_cast<int64_t>(left_out.size()), 1, "sites that are left out");
    for (const btf_extra_left_out &one : left_out) {
        row.equal(one.reason, BTF_EXTRA_REASON_KPROBE, "reason");
        row.equal(one.error, -EOPNOTSUPP, "error of the kprobe");
    }
}

void expect_refusal(uint32_t which, int program, btf_extra_tables *tables) {
    Row row("step: " + std::string(kSteps[which].name) + ": has no probe, and the reason");
    struct btf_extra_attach request = request_for(which, program);
    std::vector<btf_extra_left_out> left_out;
    const Link link(request, &left_out);
    row.equal(link.error, EOPNOTSUPP, "errno");
    expect_left_out(row, left_out);

    const btf_extra_func *const *funcs = nullptr;
    size_t nr_funcs = 0;
    if (btf_extra_find(tables, ("shapes:" + function_of(which)).c_str(), &funcs, &nr_funcs) != 0 ||
        nr_funcs != 1)
        die(std::string("btf_extra_find: ") + btf_extra_last_error());
    btf_extra_attach_opts opts = {};
    opts.sz = sizeof(opts);
    opts.no_module = true;
    btf_extra_kloc *kloc = nullptr;
    btf_extra_report *report = nullptr;
    row.expect(btf_extra_attach(&kloc, tables, funcs[0], program, &opts, &report) != 0,
               "by perf: attached");
    row.expect(report != nullptr, "by perf: no report");
    if (report != nullptr)
        expect_left_out(row, {report->left_out, report->nr_left_out});
    btf_extra_report_free(report);
    btf_extra_detach(kloc);
}

}  // namespace

void steps(int device, btf_extra_tables *tables) {
    const int program = load_program(BPF_PROG_TYPE_KPROBE);
    for (uint32_t which = 0; which < STEP_COUNT; which++) {
        if (kSteps[which].refused) {
            expect_refusal(which, program, tables);
            continue;
        }
        Row row(std::string("step: ") + kSteps[which].name + ": the same under one probe and two");
        const Done wanted = run(device, which);
        struct btf_extra_attach request = request_for(which, program);
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
