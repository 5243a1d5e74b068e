// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// btf-extra stat --running: what the running kernel has loaded.
#include <cmath>
#include <cstdio>

#include <fmt/format.h>

#include "userspace/cli/command.h"
#include "userspace/lib/tables/running_kernel.h"
#include "userspace/text/json_text.h"

namespace btf_extra {
namespace {

double bytes_per_site(const btf_extra_object &object) {
    const uint64_t sites = uint64_t{object.nr_inline} + object.nr_bodies;
    return sites == 0 ? 0 : static_cast<double>(object.bytes) / static_cast<double>(sites);
}

double load_ms(const btf_extra_object &object) {
    return static_cast<double>(object.load_ns) / 1e6;
}

// The sums of the figures, as those of one object.
btf_extra_object total_of(const std::vector<btf_extra_object> &objects) {
    btf_extra_object total = {};
    for (const btf_extra_object &object : objects) {
        total.nr_funcs += object.nr_funcs;
        total.nr_inline += object.nr_inline;
        total.nr_bodies += object.nr_bodies;
        total.bytes += object.bytes;
        total.load_ns += object.load_ns;
    }
    return total;
}

ordered_json figures(const btf_extra_object &object) {
    return {{"functions", object.nr_funcs},
            {"inline_sites", object.nr_inline},
            {"body_sites", object.nr_bodies},
            {"bytes", object.bytes},
            {"bytes_per_site", std::round(bytes_per_site(object) * 100) / 100},
            {"load_ms", std::round(load_ms(object) * 1000) / 1000}};
}

void print_json(const RunningObjects &running) {
    ordered_json objects = ordered_json::array();
    for (const btf_extra_object &object : running.objects) {
        ordered_json each = {{"name", object_name(object)}, {"id", object.id}};
        each.update(figures(object));
        each["text"] = nullptr;
        if (object.text != 0)
            each["text"] = fmt::format("{:#x}", object.text);
        each["build_id"] = object_build_id(object);
        objects.push_back(std::move(each));
    }
    print_object({{"generation", running.generation},
                  {"objects", std::move(objects)},
                  {"total", figures(total_of(running.objects))}});
}

void print_row(std::string_view name, const btf_extra_object &object, std::string_view build_id) {
    fmt::print("{:<24} {:>9} {:>9} {:>9} {:>10} {:>10.2f} {:>8.1f}  {}\n", name, object.nr_funcs,
               object.nr_inline, object.nr_bodies, object.bytes, bytes_per_site(object),
               load_ms(object), build_id);
}

void print_text(const RunningObjects &running) {
    fmt::print("{:<24} {:>9} {:>9} {:>9} {:>10} {:>10} {:>8}  {}\n", "object", "functions",
               "inlined", "bodies", "bytes", "bytes/site", "load ms", "build-id");
    for (const btf_extra_object &object : running.objects)
        print_row(object_name(object), object, object_build_id(object));
    print_row("total", total_of(running.objects), "-");
}

}  // namespace

Result<void> print_running_stat(bool json) {
    auto device = TRY(open_query_device());
    RunningKernel kernel(std::move(device));
    const auto running = TRY(kernel.objects());
    if (json)
        print_json(running);
    else
        print_text(running);
    return {};
}

}  // namespace btf_extra
