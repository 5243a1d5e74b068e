// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// A program that comes by its own function, a module whose function is followed, and a storm of
// links.
#include <atomic>
#include <csignal>
#include <iterator>

#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/vm/follow/follow_tests.h"
#include "tests/vm/shapes/shapes.h"

using namespace guest;

ShapeCalls call_both() {
    const int shapes = open_device(SHAPES_DEVICE);
    std::vector<shape_record> records(256);
    shapes_run request = {};
    request.records = pointer(records.data());
    request.capacity = static_cast<uint32_t>(records.size());
    request.only = SHAPE_both;
    if (ioctl(shapes, SHAPES_IOC_RUN, &request) != 0)
        die("SHAPES_IOC_RUN");
    close(shapes);
    ShapeCalls seen = {request.count, 0};
    for (uint32_t i = 0; i < request.count; i++)
        seen.values += records[i].args[0][0];
    return seen;
}

int unload(const char *module) {
    return syscall(SYS_delete_module, module, O_NONBLOCK) == 0 ? 0 : errno;
}

bool on_distilled_base(const char *module) {
    std::ifstream file(module, std::ios::binary);
    const std::string bytes(std::istreambuf_iterator<char>(file), {});
    return bytes.find(".BTF.base") != std::string::npos;
}

namespace {

// Kernels differ in which of these they have inlined, and in which a look-up in a map comes by.
const char *const kInMaps[] = {
    "__htab_map_lookup_elem", "htab_map_lookup_elem", "lookup_nulls_elem_raw", "lookup_elem_raw",
    "htab_map_hash",          "htab_lock_bucket",     "htab_unlock_bucket",    "alloc_htab_elem"};

// Returns true if a look-up in a map comes by this function, and an inlined call of it exists.
bool recurs_at(const char *function) {
    btf_extra_lookup lookup = of_name(function);
    lookup.flags = BTF_EXTRA_INLINE_ONLY;
    if (by_ioctl(device(), lookup).sites.empty())
        return false;
    Tool tool({"recurs", "at_tracepoint"}, function);
    const int link_fd = tool.loaded() ? tool.attach("recurs") : -1;
    if (link_fd < 0)
        return false;
    btf_extra_attach request = to_follow("vmlinux", function, link_fd);
    request.flags |= BTF_EXTRA_BEST_EFFORT;
    const Link link(request);
    if (link.error != 0 || tool.attach("at_tracepoint") < 0)
        return false;
    for (int i = 0; i < 1000; i++)
        getppid();
    const btf_extra_link state = link.state();
    const uint64_t runs = tool.state().by_fentry.calls, misses = tool.stats("recurs").misses;
    std::printf("# %s: %u sites, %lu runs, %llu hits, %llu missed, %lu misses of the kernel\n",
                function, request.attached, runs, state.hits, state.missed, misses);
    if (runs < 1000)
        return false;
    Row row("a program that comes by its own function does not run inside itself");
    row.expect(misses >= 1000, "it is not missed");
    row.expect(state.hits <= runs, "more hits than runs");
    return true;
}

}  // namespace

void recursion() {
    for (const char *function : kInMaps)
        if (recurs_at(function))
            return;
    std::printf("skip a program that comes by its own function: a look-up comes by no function "
                "that is inlined as well\n");
}

void module_goes() {
    const std::multiset<std::string> before = probe_list();
    {
        Tool tool({"any_all"}, "shape_both");
        const int link_fd = tool.loaded() ? tool.attach("any_all") : -1;
        if (on_distilled_base("/shapes.ko")) {
            refused("a function of a module on a distilled base", EINVAL,
                    to_follow("shapes", "shape_both", link_fd));
            return;
        }
        {
            Row row("a function of a module: not followed, and followed");
            row.expect(link_fd >= 0, "not attached");
            ShapeCalls called = call_both();
            const uint64_t alone = tool.state().by_fentry.calls;
            row.expect(alone > 0 && alone < called.calls, "without: " + std::to_string(alone));
            btf_extra_attach request = to_follow("shapes", "shape_both", link_fd);
            const Link link(request);
            row.equal(link.error, 0, "errno");
            tool.clear();
            called = call_both();
            row.equal(tool.state().by_fentry.calls, static_cast<int64_t>(called.calls), "calls");
            row.equal(tool.state().by_fentry.sums[0], static_cast<int64_t>(called.values),
                      "sum of the values");
        }
        Row row("the module of a followed function");
        btf_extra_attach request = to_follow("shapes", "shape_both", link_fd);
        const Link link(request);
        row.equal(link.error, 0, "errno");
        row.expect(unload("btf_extra") != 0, "btf_extra went");
        row.expect(unload("shapes") != 0, "it went while its program is attached");
        tool.detach();
        // From 6.2 on the program holds it, and the link does that.
        const bool went = unload("shapes") == 0;
        std::printf("# the module %s while the program is held\n", went ? "went" : "stayed");
        if (went) {
            for (const btf_extra_probe &probe : link.probes())
                row.expect(probe.site.address == 0, "a probe is left");
            row.equal(std::system("insmod /shapes.ko"), 0, "insmod");
        }
        call_both();
    }
    Row row("it can go when nothing is followed");
    for (int i = 0; i < 50 && unload("shapes") != 0; i++)
        usleep(100000);
    row.equal(std::system("insmod /shapes.ko"), 0, "insmod");
    expect_probes(row, before);
}

namespace {

// Calls the functions in processes of its own all the time. A thread would not do: the children
// that it forks would get a copy of each link, and keep the link.
class Callers {
  public:
    explicit Callers(int nr) {
        void *shared = mmap(nullptr, sizeof(*rounds_), PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (shared == MAP_FAILED)
            die("mmap");
        rounds_ = new (shared) std::atomic<uint64_t>(0);
        for (int i = 0; i < nr; i++) {
            const pid_t child = fork();
            if (child < 0)
                die("fork");
            for (uint32_t n = 0; child == 0; n++) {
                call_fallocate(n);
                do_work();
                ++*rounds_;
            }
            children_.push_back(child);
        }
    }
    Callers(const Callers &) = delete;
    Callers &operator=(const Callers &) = delete;
    ~Callers() {
        for (const pid_t child : children_) {
            kill(child, SIGKILL);
            waitpid(child, nullptr, 0);
        }
        munmap(rounds_, sizeof(*rounds_));
    }
    uint64_t rounds() const { return *rounds_; }

  private:
    std::vector<pid_t> children_;
    std::atomic<uint64_t> *rounds_;
};

// Links come and go, their owners are killed, and the functions are called all the time.
void storm_of_links(Row &row, const Callers &callers) {
    constexpr int kSeconds = 5;
    Tool tool({"fallocate_all", "path_put_all"});
    const int fallocate_fd = tool.attach("fallocate_all"), path_fd = tool.attach("path_put_all");
    tool.count_all();
    const btf_extra_attach requests[] = {to_follow("vmlinux", "ksys_fallocate", fallocate_fd),
                                         to_follow("vmlinux", "path_put", path_fd)};
    uint64_t links = 0, killed = 0;
    const time_t end = time(nullptr) + kSeconds;
    for (int i = 0; time(nullptr) < end || links < 2 || killed < 2 || callers.rounds() == 0; i++) {
        btf_extra_attach request = requests[i % 2];
        request.flags |= BTF_EXTRA_BEST_EFFORT;
        const pid_t child = i % 4 > 1 ? fork() : -1;
        if (child == 0) {
            const Link link(request);
            pause();
            _exit(0);
        }
        if (child > 0) {
            usleep(20000);
            kill(child, SIGKILL);
            waitpid(child, nullptr, 0);
            killed++;
            continue;
        }
        const Link link(request);
        row.equal(link.error, 0, "errno");
        usleep(10000);
        links++;
    }
    std::printf("# %lu rounds of calls, %lu links, %lu killed\n", callers.rounds(), links, killed);
}

// The kernel completes programs, their owners are killed, some while they attach, and the parameter
// changes.
void storm_of_completed(Row &row, const Callers &callers) {
    constexpr int kSeconds = 5;
    const Completing changing("off");
    Tool tool({"fallocate_all", "path_put_all"});
    tool.count_all();
    uint64_t links = 0, killed = 0;
    const time_t end = time(nullptr) + kSeconds;
    for (uint32_t i = 0; time(nullptr) < end || links < 2 || killed < 2; i++) {
        const char *const modes[] = {"all", "best-effort", "strict", "off", "all"};
        const char *const program = i % 2 == 0 ? "fallocate_all" : "path_put_all";
        set_complete(modes[i % std::size(modes)]);
        const pid_t child = i % 4 > 1 ? fork() : -1;
        if (child == 0) {
            tool.attach(program);
            pause();
            _exit(0);
        }
        if (child > 0) {
            usleep(i % 8 > 4 ? 1000 : 20000);
            kill(child, SIGKILL);
            waitpid(child, nullptr, 0);
            killed++;
            continue;
        }
        row.expect(tool.attach(program) >= 0 || errno == EOPNOTSUPP, std::strerror(errno));
        usleep(10000);
        tool.detach();
        links++;
    }
    std::printf("# %lu rounds of calls, %lu links, %lu killed\n", callers.rounds(), links, killed);
}

}  // namespace

void storm() {
    const std::multiset<std::string> before = probe_list();
    {
        Row row("a storm of links, calls and killed owners");
        storm_of_links(row, Callers(2));
        expect_probes(row, before);
    }
    if (!can_complete())
        return;
    Row row("a storm of programs that the kernel completes");
    storm_of_completed(row, Callers(2));
    expect_probes(row, before);
}
