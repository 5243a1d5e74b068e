// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Attaches a program to every target of an audit of the running kernel, as libbpf does it for any
// tool, and compares the result with what the audit says: whether it attaches, and the error.
//
//   audit_guest OBJECT AUDIT             AUDIT: the output of btf-extra audit --json
//   audit_guest OBJECT --some AUDIT      prints for one target of each kind and verdict "kprobe
//                                        NAME yes", or no, as it attaches
//   audit_guest OBJECT --hold NAMES N    attaches a program of each kind to N of the functions,
//                                        prints "KIND FUNCTIONS" for each, and holds them
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <sys/syscall.h>
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

template <bool at_return> Attached attach_kprobe(const char *path, const std::string &name) {
    static bpf_object *object = nullptr;
    static const uint64_t *calls;
    if (object == nullptr) {
        object = bpf_object__open_file(path, nullptr);
        if (object == nullptr || bpf_object__load(object) != 0)
            guest::die("load of the programs");
        calls = guest::memory_of<uint64_t>(object, ".bss");
    }
    return {bpf_program__attach_kprobe(bpf_object__find_program_by_name(object, "by_kprobe"),
                                       at_return, name.c_str()),
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

// Programs that BPF_LINK_CREATE attaches. libbpf of Debian 12 does not know most of them. Their
// numbers in the kernel's enum bpf_attach_type never change.
struct TracingKind {
    const char *name;
    uint32_t attach_type;
    bool is_multi;
};
constexpr TracingKind kTracingKinds[] = {
    {"fexit", BPF_TRACE_FEXIT, false}, {"fsession", 58, false},      {"fentry.multi", 59, true},
    {"fexit.multi", 60, true},         {"fsession.multi", 61, true},
};

// Returns a link, or -1 and errno.
int link_of(const TracingKind &kind, const std::vector<std::string> &names) {
    static const btf *types = btf__load_vmlinux_btf();
    std::vector<uint32_t> ids;
    for (const std::string &name : names)
        if (const int id = btf__find_by_name_kind(types, name.c_str(), BTF_KIND_FUNC); id > 0)
            ids.push_back(static_cast<uint32_t>(id));
    // A kernel without such programs refuses them whatever their function.
    const int any = btf__find_by_name_kind(types, "vfs_fallocate", BTF_KIND_FUNC);
    const uint32_t id = ids.empty() ? static_cast<uint32_t>(any) : ids.front();
    const int program =
        guest::try_load_program(BPF_PROG_TYPE_TRACING, 0, kind.attach_type, kind.is_multi ? 0 : id);
    if (program < 0)
        return -1;
    if (ids.empty()) {
        close(program);
        errno = ESRCH;
        return -1;
    }
    // struct link_create of union bpf_attr.
    const struct {
        uint32_t program, target, attach_type, flags;
        uint64_t ids, cookies;
        uint32_t count, padding;
    } attributes = {static_cast<uint32_t>(program),
                    0,
                    kind.attach_type,
                    0,
                    kind.is_multi ? reinterpret_cast<uint64_t>(ids.data()) : 0,
                    0,
                    kind.is_multi ? static_cast<uint32_t>(ids.size()) : 0,
                    0};
    const long link = syscall(SYS_bpf, BPF_LINK_CREATE, &attributes, sizeof(attributes));
    const int error = errno;
    close(program);  // the link holds it
    errno = error;
    return static_cast<int>(link);
}

// Returns NULL and errno if the kernel does not take them.
bpf_link *attach_kprobe_multi(const char *path, const std::vector<std::string> &names,
                              bool at_return) {
    bpf_object *object = bpf_object__open_file(path, nullptr);
    if (object == nullptr)
        guest::die("open of the programs");
    bpf_program *program = bpf_object__find_program_by_name(object, "by_kprobe_multi");
    bpf_program__set_autoload(program, true);
    std::vector<const char *> texts;
    for (const std::string &name : names)
        texts.push_back(name.c_str());
    LIBBPF_OPTS(bpf_kprobe_multi_opts, options);
    options.syms = texts.data();
    options.cnt = texts.size();
    options.retprobe = at_return;
    bpf_link *link = nullptr;
    if (bpf_object__load(object) == 0)
        link = bpf_program__attach_kprobe_multi_opts(program, nullptr, &options);
    const int error = errno;
    bpf_object__close(object);
    errno = error;
    return link;
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
    const Attached attached = attach_kprobe<false>(path, name);
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

const TracingKind *tracing_kind(const std::string &kind) {
    const auto *found = std::ranges::find(kTracingKinds, kind, &TracingKind::name);
    return found == std::end(kTracingKinds) ? nullptr : found;
}

bool is_multi(const std::string &kind) {
    return kind.ends_with(".multi");
}

// Returns 0, or the errno of the attach.
int attach_error(const char *path, const std::string &kind, const std::string &name) {
    if (const TracingKind *tracing = tracing_kind(kind)) {
        const int link = link_of(*tracing, {name});
        const int error = link < 0 ? errno : 0;
        close(link);
        return error;
    }
    bpf_link *link = kind == "fentry"      ? attach_fentry(path, name).link
                     : kind == "kretprobe" ? attach_kprobe<true>(path, name).link
                     : is_multi(kind) ? attach_kprobe_multi(path, {name}, kind == "kretprobe.multi")
                                      : attach_kprobe<false>(path, name).link;
    const int error = link == nullptr ? errno : 0;
    bpf_link__destroy(link);
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
        if ((kind != "kprobe" && kind != "fentry") ||
            (name != "ksys_fallocate" && name != "vfs_fallocate") || finding["attaches"] != true)
            continue;
        const Attached attached =
            (kind == "fentry" ? attach_fentry : attach_kprobe<false>)(path, name);
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

// A link to many functions takes all of its names, or none.
std::vector<std::string> names_for(const char *path, const std::vector<std::string> &names,
                                   const std::string &kind, size_t wanted) {
    std::vector<std::string> out;
    for (const std::string &name : names)
        if (out.size() < wanted && attach_error(path, kind, name) == 0)
            out.push_back(name);
    return out;
}

[[noreturn]] void hold(const char *path, const char *file, size_t wanted) {
    std::ifstream in(file);
    std::vector<std::string> names;
    for (std::string name; in >> name;)
        names.push_back(name);
    std::map<std::string, size_t> held;
    for (const std::string &name : names) {
        const auto hold = [&](const char *kind, auto &&attach) {
            if (held[kind] < wanted)
                held[kind] += attach();
        };
        hold("kprobe", [&] { return attach_kprobe<false>(path, name).link != nullptr; });
        hold("kretprobe", [&] { return attach_kprobe<true>(path, name).link != nullptr; });
        hold("fentry", [&] { return attach_fentry(path, name).link != nullptr; });
        for (const TracingKind &kind : kTracingKinds)
            if (!kind.is_multi)
                hold(kind.name, [&] { return link_of(kind, {name}) >= 0; });
    }
    for (const TracingKind &kind : kTracingKinds)
        if (kind.is_multi) {
            const auto chosen = names_for(path, names, kind.name, wanted);
            if (!chosen.empty() && link_of(kind, chosen) >= 0)
                held[kind.name] = chosen.size();
        }
    for (const char *kind : {"kprobe.multi", "kretprobe.multi"}) {
        const auto chosen = names_for(path, names, kind, wanted);
        if (!chosen.empty() &&
            attach_kprobe_multi(path, chosen, std::string(kind) == "kretprobe.multi") != nullptr)
            held[kind] = chosen.size();
    }
    for (const auto &[kind, count] : held)
        if (count != 0)
            std::printf("%s %zu\n", kind.c_str(), count);
    std::fflush(stdout);
    for (;;)
        pause();
}

void print_some(const json &audit) {
    std::set<std::pair<std::string, std::string>> printed;
    for (const json &target : audit["targets"]) {
        const std::string kind = target["kind"], text = target["target"];
        const json &finding = target["findings"][0];
        if ((kind == "kprobe" || kind == "fentry") && !finding["attaches"].is_null() &&
            printed.emplace(kind, finding["verdict"]).second)
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

// Compares a finding of the audit with the error of the attach. A finding of a kind for many
// functions does not say whether it attaches, and the verdict decides.
bool agrees(const json &target, int error) {
    const std::string kind = target["kind"], text = target["target"];
    const json &finding = target["findings"][0];
    if (finding["attaches"].is_null())
        return (finding["verdict"] == "whole" || finding["verdict"] == "misses") == (error == 0);
    return (kind != "kprobe" ||
            (event_error(text.substr(text.find(':') + 1)) == 0) == (error == 0)) &&
           finding["attaches"] == (error == 0) &&
           (error == 0 || finding["error"].is_null() || finding["error"] == error_name(error));
}

void compare_errors(const char *path, const json &audit) {
    std::map<std::string, Count> counts;
    for (const json &target : audit["targets"]) {
        const std::string kind = target["kind"], text = target["target"];
        const json &finding = target["findings"][0];
        Count &count = counts[kind];
        count.targets++;
        if (finding["attaches"].is_null() &&
            (!is_multi(kind) || finding["verdict"] == "not known")) {
            count.unknown++;
            continue;
        }
        const int error = attach_error(path, kind, text.substr(text.find(':') + 1));
        if (agrees(target, error))
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
}

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
    compare_errors(arguments[1], audit);
    for (const char *kind : {"kprobe", "fentry"})
        compare_places(arguments[1], audit, kind);
    compare_calls(arguments[1], audit);
    return 0;
}
