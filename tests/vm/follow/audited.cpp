// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// audit and the file of links name the programs that run at inlined calls as well.
#include <csignal>
#include <memory>

#include "tests/vm/follow/following.h"

using namespace guest;

namespace {

constexpr char kPoint[] = "fentry:vmlinux:ksys_fallocate";

std::string output_of(const char *command) {
    const std::unique_ptr<FILE, int (*)(FILE *)> pipe(popen(command, "r"), pclose);
    std::string out;
    char part[4096];
    while (pipe && std::fgets(part, sizeof(part), pipe.get()) != nullptr)
        out += part;
    return out;
}

// Returns the verdict that audit has of that point: "misses 2 of 3".
std::string verdict_of(const std::string &point) {
    std::istringstream lines(output_of("btf-extra audit 2>&1"));
    std::string all;
    for (std::string line; std::getline(lines, line); all += line + "\n")
        if (line.starts_with(point + " "))
            return line.substr(line.find_first_not_of(' ', point.size()));
    return all;
}

std::string missed(size_t calls) {
    const std::string all = std::to_string(calls + 1);
    return "misses " + std::to_string(calls) + " of " + all;
}

// The line of the only link, without hits and missed hits.
std::string line_of_link(const bpf_link_info &info, size_t sites) {
    return std::to_string(info.prog_id) + " " + std::to_string(info.id) + " " +
           std::to_string(sites);
}

void expect_link(Row &row, int link_fd, size_t sites, const std::string &func) {
    bpf_link_info info = {};
    uint32_t size = sizeof(info);
    row.equal(bpf_obj_get_info_by_fd(link_fd, &info, &size), 0, "bpf_link_info");
    const std::string text = output_of("cat /sys/kernel/debug/btf_extra/links");
    row.expect(text.starts_with(line_of_link(info, sites) + " 0 0 " + func + "\t[vmlinux] "),
               "the file has: " + text);
    row.equal(static_cast<int64_t>(std::ranges::count(text, '\n')), 1, "lines");
}

void followed() {
    Row row("audit: calls at which follow has a program run are not missed");
    const size_t inlined = nr_inlined("ksys_fallocate");
    Tool tool({"fallocate_all"});
    const int link = tool.attach("fallocate_all");
    row.expect(link >= 0, "not attached");
    row.expect(verdict_of(kPoint) == missed(inlined), "not followed: " + verdict_of(kPoint));
    Following following("", kReady);
    row.expect(following.prints(own("fentry") + ": "), "not reported");
    row.expect(verdict_of(kPoint) == "whole", "followed: " + verdict_of(kPoint));
    row.expect(output_of("btf-extra audit").find("btf_extra.ko also runs the program at ") !=
                   std::string::npos,
               "it does not say why");
    expect_link(row, link, inlined, "ksys_fallocate");
    row.equal(following.end(SIGINT), 0, "exit code");
    row.expect(verdict_of(kPoint) == missed(inlined), "after it: " + verdict_of(kPoint));
    row.expect(output_of("cat /sys/kernel/debug/btf_extra/links").empty(), "a link is left");
}

void completed() {
    Row row("audit: calls at which the kernel runs a program are not missed");
    const Completing all("all");
    const size_t inlined = nr_inlined("ksys_fallocate");
    Tool tool({"fallocate_all"});
    const int link = tool.attach("fallocate_all");
    row.expect(link >= 0, "not attached");
    row.expect(verdict_of(kPoint) == "whole", verdict_of(kPoint));
    expect_link(row, link, inlined, "ksys_fallocate");
    row.expect(output_of("btf-extra doctor")
                       .find("the kernel runs them at inlined calls, too: complete=all\n") !=
                   std::string::npos,
               "doctor: " + output_of("btf-extra doctor"));
}

}  // namespace

void audited() {
    followed();
    if (can_complete())
        completed();
}
