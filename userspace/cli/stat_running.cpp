// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// btf-extra stat --running: what the running kernel has loaded.
#include <cmath>
#include <cstdio>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "userspace/cli/command.h"
#include "userspace/cli/stat_running.h"
#include "userspace/lib/tables/running_kernel.h"

namespace btf_extra {
namespace {

struct Totals {
    uint64_t funcs = 0, inlined = 0, bodies = 0, bytes = 0, load_ns = 0;

    void add(const btf_extra_object &object) {
        funcs += object.nr_funcs;
        inlined += object.nr_inline;
        bodies += object.nr_bodies;
        bytes += object.bytes;
        load_ns += object.load_ns;
    }
    double bytes_per_site() const {
        const uint64_t sites = inlined + bodies;
        return sites == 0 ? 0 : static_cast<double>(bytes) / static_cast<double>(sites);
    }
    double load_ms() const { return static_cast<double>(load_ns) / 1e6; }
};

Totals totals_of(const btf_extra_object &object) {
    Totals out;
    out.add(object);
    return out;
}

nlohmann::ordered_json to_json(const Totals &totals) {
    return {{"functions", totals.funcs},
            {"inline_sites", totals.inlined},
            {"body_sites", totals.bodies},
            {"bytes", totals.bytes},
            {"bytes_per_site", std::round(totals.bytes_per_site() * 100) / 100},
            {"load_ms", std::round(totals.load_ms() * 1000) / 1000}};
}

void print_json(const RunningObjects &running, const Totals &all) {
    nlohmann::ordered_json objects = nlohmann::ordered_json::array();
    for (const btf_extra_object &object : running.objects) {
        nlohmann::ordered_json each = {{"name", object_name(object)}, {"id", object.id}};
        each.update(to_json(totals_of(object)));
        each["text"] = nullptr;
        if (object.text != 0)
            each["text"] = fmt::format("{:#x}", object.text);
        each["build_id"] = object_build_id(object);
        objects.push_back(std::move(each));
    }
    nlohmann::ordered_json out = {{"generation", running.generation},
                                  {"objects", std::move(objects)},
                                  {"total", to_json(all)}};
    fmt::print("{}\n", out.dump(2));
}

void print_row(std::string_view name, const Totals &totals, std::string_view build_id) {
    fmt::print("{:<24} {:>9} {:>9} {:>9} {:>10} {:>10.2f} {:>8.1f}  {}\n", name, totals.funcs,
               totals.inlined, totals.bodies, totals.bytes, totals.bytes_per_site(),
               totals.load_ms(), build_id);
}

void print_text(const RunningObjects &running, const Totals &all) {
    fmt::print("{:<24} {:>9} {:>9} {:>9} {:>10} {:>10} {:>8}  {}\n", "object", "functions",
               "inlined", "bodies", "bytes", "bytes/site", "load ms", "build-id");
    for (const btf_extra_object &object : running.objects)
        print_row(object_name(object), totals_of(object), object_build_id(object));
    print_row("total", all, "-");
}

}  // namespace

int run_running_stat(bool json) {
    auto device = open_query_device();
    if (!device)
        return fail(device.error());
    auto running = RunningKernel(std::move(*device)).objects();
    if (!running)
        return fail(running.error());
    Totals all;
    for (const btf_extra_object &object : running->objects)
        all.add(object);
    if (json)
        print_json(*running, all);
    else
        print_text(*running, all);
    return kExitDone;
}

}  // namespace btf_extra
