// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Attaches a program to every target of an audit of the running kernel, as libbpf does it for any
// tool, and compares the result with what the audit says: whether it attaches, and the error.
//
//   audit_guest OBJECT AUDIT             AUDIT: the output of btf-extra audit --json
//   audit_guest OBJECT --some AUDIT      prints for one target of each kind and verdict "kprobe
//   NAME
//                                        yes", or no, as it attaches
//   audit_guest OBJECT --hold NAMES N    attaches a kprobe to N of the functions and a program of
//   fentry
//                                        to N, prints both numbers, and holds them
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <set>
#include <string>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "tests/vm/guest_attach.h"
#include "userspace/code/running_code.h"

namespace {

using nlohmann::json;

std::string error_name(int error) {
    constexpr int kNotSupp = 524;  // the kernel's own
    return error == kNotSupp ? "ENOTSUPP" : strerrorname_np(error);
}

struct Attached {
    bpf_link *link;                   // NULL: errno says why
    const uint64_t *calls = nullptr;  // that the program has seen
};

Attached attach_kprobe(const char *path, const std::string &name) {
    static bpf_object *object = nullptr;
    static const uint64_t *calls;
    if (object == nullptr) {
        object = bpf_object__open_file(path, nullptr);
        if (object == nullptr || bpf_object__load(object) != 0)
            guest::die("load of the programs");
        calls = guest::memory_of<uint64_t>(object, ".bss");
    }
    return {bpf_program__attach_kprobe(bpf_object__find_program_by_name(object, "by_kprobe"), false,
                                       name.c_str()),
            calls};
}

// libbpf finds the FUNC when it loads the program, and the verifier its address.
Attached attach_fentry(const char *path, const std::string &name) {
    bpf_object *object = bpf_object__open_file(path, nullptr);
    if (object == nullptr)
        guest::die("open of the programs");
    bpf_program *program = bpf_object__find_program_by_name(object, "by_fentry");
    bpf_program__set_autoload(program, true);
    Attached out = {};
    if (bpf_program__set_attach_target(program, 0, name.c_str()) == 0 &&
        bpf_object__load(object) == 0) {
        out.link = bpf_program__attach(program);
        const int error = errno;
        out.calls = guest::memory_of<uint64_t>(object, ".bss");
        errno = error;
    }
    const int error = errno;
    bpf_object__close(object);  // the link holds the program
    errno = error;
    return out;
}

// Returns 0, or the errno with which tracefs refuses a kprobe event at the function: 7.3.4 returns
// EINVAL where perf has ENOENT or EADDRNOTAVAIL.
int event_error(const std::string &name) {
    const std::string events = "/sys/kernel/tracing/kprobe_events";
    const int file = open(events.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
    if (file < 0)
        guest::die(events);
    const auto put = [&](const std::string &line) {
        return write(file, line.data(), line.size()) < 0 ? errno : 0;
    };
    const int error = put("p:audit/event " + name + "\n");
    if (error == 0 && put("-:audit/event\n") != 0)
        guest::die("an event does not go");
    close(file);
    return error;
}

// Returns the addresses of probes that one list has and the other lacks.
std::vector<uint64_t> new_probes(const std::multiset<std::string> &before,
                                 const std::multiset<std::string> &after) {
    std::vector<std::string> lines;
    std::ranges::set_difference(after, before, std::back_inserter(lines));
    std::vector<uint64_t> out;
    for (const std::string &line : lines)
        out.push_back(std::stoull(line, nullptr, 16));
    return out;
}

using Attach = Attached(const char *path, const std::string &name);

// The most bytes before the instruction that a tracer replaces: landing pad and padding.
constexpr uint64_t kHook = 16;

// A kprobe is at the symbol that the audit names, or after the hook of tracers there.
bool kprobe_is_at(const char *path, const std::string &name, uint64_t address) {
    const auto before = guest::probe_list();
    const Attached attached = attach_kprobe(path, name);
    if (attached.link == nullptr)
        return true;  // the comparison of errors reports it
    const std::vector<uint64_t> probes = new_probes(before, guest::probe_list());
    bpf_link__destroy(attached.link);
    return probes.size() == 1 && probes[0] >= address && probes[0] - address <= kHook;
}

// A trampoline is called by the hook of the function, which is an instruction without effect
// before.
bool fentry_is_at(const char *path, const std::string &name, uint64_t address) {
    const btf_extra::RunningCode code;
    const auto before = code.read(address, kHook);
    const Attached attached = attach_fentry(path, name);
    if (attached.link == nullptr)
        return true;  // the comparison of errors reports it
    const auto after = code.read(address, kHook);
    bpf_link__destroy(attached.link);
    return before.size() == kHook && before != after;
}

void compare_places(const char *path, const json &audit, const std::string &kind) {
    guest::Row row(kind + ": a program is where the audit says");
    for (const json &target : audit["targets"]) {
        const json &address = target["findings"][0]["address"];
        if (target["kind"] != kind || address.is_null())
            continue;
        const std::string text = target["target"], name = text.substr(text.find(':') + 1);
        row.expect((kind == "kprobe" ? kprobe_is_at : fentry_is_at)(
                       path, name, std::stoull(std::string(address), nullptr, 16)),
                   text + " is elsewhere");
    }
}

Attach *attach_of(const std::string &kind) {
    return kind == "fentry" ? attach_fentry : attach_kprobe;
}

// Returns 0, or the errno of the attach.
int attach_error(Attach *attach, const char *path, const std::string &name) {
    const Attached attached = attach(path, name);
    const int error = attached.link == nullptr ? errno : 0;
    bpf_link__destroy(attached.link);
    return error;
}

// fallocate(2) calls these. One that is inlined there sees no call, one that is not sees all.
void compare_calls(const char *path, const json &audit) {
    constexpr uint64_t kCalls = 50;
    const int file = open("/tmp/allocated", O_CREAT | O_RDWR | O_CLOEXEC, 0600);
    guest::Row row("a program sees the calls that the audit says");
    for (const json &target : audit["targets"]) {
        const std::string kind = target["kind"], text = target["target"];
        const std::string name = text.substr(text.find(':') + 1);
        const json &finding = target["findings"][0];
        if ((name != "ksys_fallocate" && name != "vfs_fallocate") || finding["attaches"] != true)
            continue;
        const Attached attached = attach_of(kind)(path, name);
        row.expect(attached.link != nullptr, text + " is not attached");
        if (attached.link == nullptr)
            continue;
        const uint64_t before = *attached.calls;
        for (uint64_t i = 0; i < kCalls; i++)
            row.expect(fallocate(file, 0, 0, 4096) == 0, "fallocate");
        const uint64_t seen = *attached.calls - before;
        bpf_link__destroy(attached.link);
        const bool all = finding["missed"] == 0;
        std::printf("# %s: %lu of %lu calls\n", text.c_str(), seen, kCalls);
        row.expect(all ? seen == kCalls : seen < kCalls,
                   text + ": " + std::to_string(seen) + " calls are seen");
    }
    close(file);
}

[[noreturn]] void hold(const char *path, const char *names, size_t wanted) {
    size_t held[2] = {};
    for (Attach *attach : {attach_kprobe, attach_fentry}) {
        std::ifstream in(names);
        size_t &count = held[attach == attach_fentry];
        for (std::string name; count < wanted && in >> name;)
            count += attach(path, name).link != nullptr;
    }
    std::printf("%zu %zu\n", held[0], held[1]);
    std::fflush(stdout);
    for (;;)
        pause();
}

void print_some(const json &audit) {
    std::set<std::pair<std::string, std::string>> printed;
    for (const json &target : audit["targets"]) {
        const std::string kind = target["kind"], text = target["target"];
        const json &finding = target["findings"][0];
        if (!finding["attaches"].is_null() && printed.emplace(kind, finding["verdict"]).second)
            std::printf("%s %s %s\n", kind.c_str(), text.substr(text.find(':') + 1).c_str(),
                        finding["attaches"] == true ? "yes" : "no");
    }
}

json read_audit(const char *path) {
    std::ifstream in(path);
    return json::parse(in);
}

struct Count {
    int targets = 0, unknown = 0, different = 0;
};

}  // namespace

int main(int, char **arguments) {
    libbpf_set_print([](libbpf_print_level, const char *, va_list) { return 0; });
    if (std::string(arguments[2]) == "--hold")
        hold(arguments[1], arguments[3], std::stoul(arguments[4]));
    if (std::string(arguments[2]) == "--some") {
        print_some(read_audit(arguments[3]));
        return 0;
    }
    const json audit = read_audit(arguments[2]);
    std::map<std::string, Count> counts;
    for (const json &target : audit["targets"]) {
        const std::string kind = target["kind"], text = target["target"];
        const json &finding = target["findings"][0];
        Count &count = counts[kind];
        count.targets++;
        if (finding["attaches"].is_null()) {
            count.unknown++;
            continue;
        }
        const std::string name = text.substr(text.find(':') + 1);
        const int error = attach_error(attach_of(kind), arguments[1], name);
        const bool same =
            (kind != "kprobe" || (event_error(name) == 0) == (error == 0)) &&
            finding["attaches"] == (error == 0) &&
            (error == 0 || finding["error"].is_null() || finding["error"] == error_name(error));
        if (same)
            continue;
        count.different++;
        std::printf("# %s: %s: %s; the audit: %s\n", text.c_str(),
                    std::string(finding["verdict"]).c_str(),
                    error == 0 ? "attaches" : error_name(error).c_str(), finding.dump().c_str());
    }
    for (const auto &[kind, count] : counts) {
        std::printf("# %s: %d targets, %d not known\n", kind.c_str(), count.targets, count.unknown);
        std::printf("%s %s: the kernel attaches where the audit says so\n",
                    count.different == 0 && count.unknown * 10 < count.targets ? "pass" : "fail",
                    kind.c_str());
    }
    for (const char *kind : {"kprobe", "fentry"})
        compare_places(arguments[1], audit, kind);
    compare_calls(arguments[1], audit);
    return 0;
}
