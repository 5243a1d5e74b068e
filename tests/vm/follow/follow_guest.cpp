// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Runs in a guest with btf_extra.ko, btf_extra_vmlinux.ko and shapes.ko loaded. Programs of fentry
// run at the inlined calls of their functions, too, or are refused.
//
//   follow_guest [PART...]      PART: values, refusals, names, ...
#include "tests/vm/follow/follow_tests.h"

#include <netinet/in.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace guest;

Tool::Tool(const std::vector<const char *> &names, const char *function) {
    object_ = bpf_object__open_file("/follow.bpf.o", nullptr);
    if (object_ == nullptr)
        die("/follow.bpf.o");
    bpf_program *program;
    bpf_object__for_each_program(program, object_) {
        const std::string name = bpf_program__name(program);
        const bool wanted = std::ranges::find(names, name) != names.end();
        bpf_program__set_autoload(program, wanted);
        if (wanted && bpf_program__type(program) == BPF_PROG_TYPE_TRACING &&
            std::strchr(bpf_program__section_name(program), '/') == nullptr &&
            bpf_program__set_attach_target(program, 0, function) != 0)
            die("set_attach_target");
    }
    if (bpf_object__load(object_) != 0)
        return;
    state_ = memory_of<follow_state>(object_, ".bss");
    clear();
}

Tool::~Tool() {
    detach();
    bpf_object__close(object_);
}

const bpf_program *Tool::find(const char *name) const {
    return bpf_object__find_program_by_name(object_, name);
}

int Tool::program(const char *name) const {
    return bpf_program__fd(find(name));
}

int Tool::attach(const char *name, uint64_t cookie) {
    LIBBPF_OPTS(bpf_trace_opts, options);
    options.cookie = cookie;
    const bpf_program *program = find(name);
    bpf_link *link = bpf_program__type(program) == BPF_PROG_TYPE_TRACING
                         ? bpf_program__attach_trace_opts(program, &options)
                         : bpf_program__attach(program);
    if (link == nullptr)
        return -1;
    links_.push_back(link);
    return bpf_link__fd(link);
}

void Tool::detach() {
    for (bpf_link *link : links_)
        bpf_link__destroy(link);
    links_.clear();
}

void Tool::clear() {
    *state_ = {};
    state_->only_pid = static_cast<uint32_t>(getpid());
}

Tool::Stats Tool::stats(const char *name) const {
    bpf_prog_info info = {};
    uint32_t size = sizeof(info);
    if (bpf_obj_get_info_by_fd(program(name), &info, &size) != 0)
        die("bpf_prog_info");
    return {info.run_cnt, info.recursion_misses};
}

btf_extra_attach to_follow_program(const char *object, const char *function, int prog_fd) {
    btf_extra_attach request = attach_to(object, function);
    request.prog_fd = static_cast<uint32_t>(prog_fd);
    request.flags = BTF_EXTRA_INLINE_ONLY;
    return request;
}

btf_extra_attach to_follow(const char *object, const char *function, int link_fd) {
    btf_extra_attach request = to_follow_program(object, function, link_fd);
    request.flags |= BTF_EXTRA_LINK;
    return request;
}

size_t nr_inlined(const std::string &function) {
    const List list = list_sites();
    return static_cast<size_t>(std::ranges::count_if(list.sites, [&](const ListedSite &site) {
        return !site.body && list.func(site).name == function;
    }));
}

void call_fallocate(uint32_t i) {
    syscall(SYS_fallocate, 0x100000000 + 999, i & 3, kOffset + i, kLength - i);
}

namespace {

void work_on_files() {
    struct stat about;
    char bytes[4096] = {};
    for (const char *path : {"/", "/proc/self/status", "/no/such/file", "/tmp", "/sys/kernel"})
        stat(path, &about);
    for (const char *path : {"/proc/self/stat", "/proc/self/maps", "/proc/meminfo", "/proc/mounts",
                             "/sys/kernel/uevent_seqnum"}) {
        const int file = open(path, O_RDONLY | O_CLOEXEC);
        if (read(file, bytes, sizeof(bytes)) < 0 || lseek(file, 0, SEEK_SET) < 0)
            die(path);
        close(file);
    }
    const int folder = open("/proc/self", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    syscall(SYS_getdents64, folder, bytes, sizeof(bytes));
    close(folder);
    // Several threads may be here.
    const std::string own = "/tmp/follow-" + std::to_string(gettid());
    const std::string file_name = own + "/file", link = own + "/link", other = own + "/other";
    mkdir(own.c_str(), 0700);
    const int file = open(file_name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (write(file, bytes, sizeof(bytes)) != sizeof(bytes) || ftruncate(file, 100) != 0)
        die(file_name);
    fsync(file);
    close(file);
    if (symlink("file", link.c_str()) != 0 || readlink(link.c_str(), bytes, 64) < 0 ||
        rename(link.c_str(), other.c_str()) != 0 || unlink(other.c_str()) != 0 ||
        unlink(file_name.c_str()) != 0 || rmdir(own.c_str()) != 0)
        die(own);
}

void work_on_ends(int ends[2]) {
    char bytes[64] = {};
    pollfd both[] = {{ends[0], POLLIN, 0}, {ends[1], POLLIN | POLLOUT, 0}};
    if (write(ends[1], bytes, sizeof(bytes)) != sizeof(bytes) || poll(both, 2, 0) < 0 ||
        read(ends[0], bytes, sizeof(bytes)) != sizeof(bytes))
        die("two ends");
    fcntl(ends[0], F_GETFL);
    close(ends[0]);
    close(ends[1]);
}

}  // namespace

void do_work() {
    work_on_files();
    int ends[2];
    for (const int type : {SOCK_STREAM, SOCK_DGRAM})
        if (socketpair(AF_UNIX, type, 0, ends) == 0)
            work_on_ends(ends);
    if (pipe(ends) == 0)
        work_on_ends(ends);
    for (const int type : {SOCK_STREAM, SOCK_DGRAM}) {
        const int socket_fd = socket(AF_INET, type, 0);
        sockaddr_in nobody = {};
        nobody.sin_family = AF_INET;
        nobody.sin_port = htons(9);
        nobody.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        connect(socket_fd, reinterpret_cast<sockaddr *>(&nobody), sizeof(nobody));
        send(socket_fd, "1", 1, MSG_NOSIGNAL);
        close(socket_fd);
    }
    void *memory =
        mmap(nullptr, 1 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    std::memset(memory, 1, 1 << 16);
    mprotect(memory, 1 << 12, PROT_READ);
    munmap(memory, 1 << 16);
    const pid_t child = fork();
    if (child == 0)
        _exit(0);
    waitpid(child, nullptr, 0);
    usleep(1);
}

int main(int argc, char **argv) {
    libbpf_set_print(nullptr);
    if (argc == 2 && std::string(argv[1]).ends_with("tool"))
        as_tool(std::string(argv[1]) == "lasting-tool");
    // Only some parts are about programs that the kernel completes.
    if (can_complete() && !set_complete("off"))
        die(kComplete);
    const std::pair<const char *, void (*)()> parts[] = {
        {"unload", module_of_completed_goes},
        {"values", values},
        {"library", library},
        {"refusals", refusals},
        {"names", names},
        {"recursion", recursion},
        {"module", module_goes},
        {"complete", complete},
        {"command", command},
        {"audited", audited},
        {"crowd", crowd},
        {"storm", storm},
    };
    for (const auto &[name, part] : parts)
        if (argc == 1 || std::any_of(argv + 1, argv + argc,
                                     [&](const char *asked) { return std::string(asked) == name; }))
            part();
    return Row::failed != 0;
}
