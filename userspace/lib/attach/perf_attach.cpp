// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Opens a perf kprobe at the address of every site, each with a BPF link that holds it.
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include <bpf/bpf.h>
#include <fmt/format.h>
#include <linux/perf_event.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "userspace/code/running_code.h"
#include "userspace/lib/attach/kloc.h"
#include "userspace/lib/attach/loc_specs.h"
#include "userspace/lib/probing/placed_site.h"
#include "userspace/lib/probing/probe_place.h"

namespace btf_extra {
namespace {

constexpr char kKprobeType[] = "/sys/bus/event_source/devices/kprobe/type";

// The kernel's SCM_MAX_FD.
constexpr size_t kMaxFdsPerMessage = 253;

// Returns a descriptor that keeps the others open for as long as it is open itself: they are in
// flight in a socket that is never read.
Result<FileDescriptor> hold_together(std::span<const FileDescriptor> held) {
    auto fail = [] {
        const int code = errno;
        return Error{
            fmt::format("cannot keep file descriptors in a socket: {}", std::strerror(code)), code};
    };
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) != 0)
        return fail();
    FileDescriptor keeper(ends[0]), sender(ends[1]);
    while (!held.empty()) {
        const size_t count = std::min(held.size(), kMaxFdsPerMessage);
        std::vector<int> fds;
        for (const FileDescriptor &fd : held.first(count))
            fds.push_back(fd.get());
        char byte = 0;
        iovec data = {&byte, 1};
        std::vector<char> control(CMSG_SPACE(count * sizeof(int)));
        msghdr message = {};
        message.msg_iov = &data;
        message.msg_iovlen = 1;
        message.msg_control = control.data();
        message.msg_controllen = control.size();
        cmsghdr *header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(count * sizeof(int));
        std::memcpy(CMSG_DATA(header), fds.data(), count * sizeof(int));
        if (sendmsg(sender.get(), &message, MSG_NOSIGNAL) < 0)
            return fail();
        held = held.subspan(count);
    }
    return keeper;
}

class PerfKloc : public btf_extra_kloc {
  public:
    PerfKloc(LocSpecs specs, std::vector<FileDescriptor> links, std::vector<btf_extra_probe> probes)
        : specs_(std::move(specs)), links_(std::move(links)), probes_(std::move(probes)) {}

    Result<std::vector<btf_extra_probe>> probes() const override { return probes_; }
    Result<btf_extra_counts> counts() const override {
        return btf_extra_counts{UINT64_MAX, UINT64_MAX};
    }
    Result<FileDescriptor> into_descriptor() override {
        auto held = TRY(hold_together(links_));
        links_.clear();
        probes_.clear();
        specs_.leave();
        return held;
    }

  private:
    LocSpecs specs_;
    std::vector<FileDescriptor> links_;  // removed before the entries that their cookies name
    std::vector<btf_extra_probe> probes_;
};

// Decides if perf has refused the probe of a site because ftrace may not trace the function.
class NotraceRule {
  public:
    explicit NotraceRule(const SiteTables &tables) : tables_(tables) {}

    bool refuses(const SiteObject &object, const btf_extra_site &site) {
        if (!placer_)
            placer_.emplace(SitePlacer::open(tables_));
        return *placer_ &&
               (*placer_)->event_refusal(object, site).reason == BTF_EXTRA_REASON_NOTRACE;
    }

  private:
    const SiteTables &tables_;
    std::optional<Result<SitePlacer>> placer_;  // opened for the first question
};

Result<uint32_t> kprobe_type() {
    std::ifstream in(kKprobeType);
    uint32_t type;
    if (!(in >> type))
        return Error{fmt::format("{}: missing: the kernel has no perf kprobes", kKprobeType),
                     EOPNOTSUPP};
    return type;
}

// The error has the errno of the kernel.
Result<FileDescriptor> open_kprobe(uint32_t type, uint64_t address) {
    perf_event_attr attr = {};
    attr.size = sizeof(attr);
    attr.type = type;
    attr.kprobe_addr = address;
    // The processor does not matter: the program runs on all of them.
    FileDescriptor out(static_cast<int>(
        syscall(SYS_perf_event_open, &attr, -1, 0, -1, (unsigned long)PERF_FLAG_FD_CLOEXEC)));
    if (!out) {
        const int code = errno;
        return Error{std::strerror(code), code};
    }
    return out;
}

Result<FileDescriptor> link_program(int prog_fd, const FileDescriptor &event, uint64_t cookie) {
    LIBBPF_OPTS(bpf_link_create_opts, opts);
    opts.perf_event.bpf_cookie = cookie;
    FileDescriptor out(bpf_link_create(prog_fd, event.get(), BPF_PERF_EVENT, &opts));
    if (!out) {
        const int code = errno;
        return Error{fmt::format("the kernel refuses to attach the program: {}{}",
                                 std::strerror(code),
                                 code == EINVAL ? ": not of type kprobe, or sleepable" : ""),
                     code};
    }
    return out;
}

// Raises the number of descriptors that may be open. Each site takes one.
Result<void> raise_limit(size_t sites) {
    size_t open = 64;
    std::error_code error;
    for (auto it = std::filesystem::directory_iterator("/proc/self/fd", error);
         it != std::filesystem::directory_iterator(); it.increment(error))
        open++;
    const rlim_t needed = open + sites;
    rlimit limit = {};
    getrlimit(RLIMIT_NOFILE, &limit);
    if (limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= needed)
        return {};
    const rlimit raised = {needed, std::max(limit.rlim_max, needed)};
    if (setrlimit(RLIMIT_NOFILE, &raised) != 0)
        return Error{fmt::format("{} sites need {} open files, but the limit of this process is {}",
                                 sites, needed, limit.rlim_max),
                     EMFILE};
    return {};
}

// The kernel exchanges the instruction of a static key under a breakpoint, which is gone in no
// time.
constexpr int kKeyTries = 10;

// Returns the address of the probe of a site; nothing: the code there contradicts the tables, or
// cannot be read.
std::optional<uint64_t> probe_address(const btf_extra_site &site, const RunningCode &code) {
    for (int i = 0; i < kKeyTries; i++) {
        const auto distance = probe_distance(
            site, loc_arch_running(), [&](size_t size) { return code.read(site.address, size); });
        if (distance)
            return site.address + *distance;
        usleep(1000);
    }
    return {};
}

// A site, and where its probe is to stand.
struct Wanted {
    btf_extra_site site;
    uint64_t address;
};

// Returns a site that is left out without trying. Otherwise *address is the address of its probe.
std::optional<btf_extra_left_out> ruled_out(const FoundFunc &func, const btf_extra_site &site,
                                            const AttachRequest &request, const RunningCode &code,
                                            uint64_t *address) {
    const bool exact = (request.flags & BTF_EXTRA_INEXACT) == 0;
    btf_extra_left_out out = {};
    out.site = site;
    out.parameters = request.required & ~located_params(*func.object->view, site);
    if (site.address == 0 || (site.flags & BTF_EXTRA_SITE_FREED) != 0)
        out.reason = BTF_EXTRA_REASON_NO_TEXT;
    else if (exact && (site.flags & BTF_EXTRA_SITE_LOOP_HEAD) != 0)
        out.reason = BTF_EXTRA_REASON_LOOP_HEAD;
    else if (exact && (site.flags & BTF_EXTRA_SITE_NO_ENTRY) != 0)
        out.reason = BTF_EXTRA_REASON_NO_ENTRY;
    else if (out.parameters != 0)
        out.reason = BTF_EXTRA_REASON_PARAMETER;
    else if (const auto stands = probe_address(site, code);
             stands && !code.is_prefixed_call(*stands)) {
        *address = *stands;
        return {};
    } else {
        out.reason = BTF_EXTRA_REASON_KPROBE;
        out.error = -EOPNOTSUPP;
    }
    if (out.reason != BTF_EXTRA_REASON_PARAMETER)
        out.parameters = 0;
    return out;
}

// These errors concern the process, not one site.
bool about_process(int code) {
    return code == EMFILE || code == ENFILE || code == ENOMEM || code == EPERM || code == EACCES;
}

}  // namespace

Result<AttachOutcome> attach_by_perf(const SiteTables &tables, const FoundFunc &func,
                                     const AttachRequest &request) {
    const std::vector<btf_extra_site> sites = wanted_sites(func, request.flags);
    const RunningCode code;
    AttachOutcome out;
    std::vector<Wanted> wanted;
    for (const btf_extra_site &site : sites) {
        uint64_t address = 0;
        if (auto ruled = ruled_out(func, site, request, code, &address))
            out.left_out.push_back(*ruled);
        else
            wanted.push_back({site, address});
    }
    if (wanted.empty() || first_required(out.left_out, request.flags) != nullptr)
        return out;

    auto specs = TRY(LocSpecs::of_program(request.prog_fd));
    auto type = TRY(kprobe_type());
    TRY(raise_limit(wanted.size()));

    // All probes are made before the program runs at the first one.
    NotraceRule notrace(tables);
    std::vector<FileDescriptor> events;
    std::vector<btf_extra_probe> probes;
    for (const auto &[site, address] : wanted) {
        auto event = open_kprobe(type, address);
        if (event) {
            events.push_back(std::move(*event));
            probes.push_back({site, UINT64_MAX});
            continue;
        }
        const int code = event.error().code;
        if (about_process(code))
            return Error{"perf kprobes: " + event.error().message, code};
        const bool by_rule = code == EINVAL && notrace.refuses(*func.object, site);
        out.left_out.push_back(
            {site, by_rule ? uint32_t{BTF_EXTRA_REASON_NOTRACE} : uint32_t{BTF_EXTRA_REASON_KPROBE},
             by_rule ? 0 : -code, 0});
    }
    std::ranges::sort(out.left_out, {}, [](const auto &left) { return left.site.number; });
    if (events.empty() || first_required(out.left_out, request.flags) != nullptr)
        return out;

    for (size_t i = 0; i < events.size(); i++) {
        auto cookie =
            TRY(specs.add_site(*func.object->view, func.object->text, probes[i].site.number,
                               probes[i].site.address, request.cookie));
        auto link = TRY(link_program(request.prog_fd, events[i], cookie));
        events[i] = std::move(link);  // the link holds the event, too
    }
    out.attached = events.size();
    out.kloc = std::make_unique<PerfKloc>(std::move(specs), std::move(events), std::move(probes));
    return out;
}

}  // namespace btf_extra
