// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/follow/attach_gate.h"

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <string>

#include <bpf/bpf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/bpf.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace btf_extra {
namespace {

// The number of the system call may be another one's in a program of 32 bits. That is held, too,
// if its first argument fits, and continues.
FileDescriptor install_filter() {
    sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_bpf, 0, 4),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args[0])),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, BPF_LINK_CREATE, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, BPF_RAW_TRACEPOINT_OPEN, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const sock_fprog program = {std::size(code), code};
    return FileDescriptor(static_cast<int>(
        syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program)));
}

// A message of one byte, with room for a descriptor.
struct Message {
    Message() {
        header.msg_iov = &data;
        header.msg_iovlen = 1;
        header.msg_control = control;
        header.msg_controllen = sizeof(control);
    }
    Message(const Message &) = delete;
    Message &operator=(const Message &) = delete;

    char byte = 0;
    iovec data = {&byte, 1};
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
    msghdr header = {};
};

// Returns the process of a thread.
uint32_t process_of(uint32_t thread) {
    std::ifstream file(fmt::format("/proc/{}/status", thread));
    for (std::string key, value; file >> key && std::getline(file >> std::ws, value);)
        if (key == "Tgid:")
            return static_cast<uint32_t>(std::strtoul(value.c_str(), nullptr, 10));
    return 0;
}

FileDescriptor copy_of(uint32_t process, uint32_t fd) {
    const FileDescriptor pidfd(static_cast<int>(syscall(SYS_pidfd_open, process, 0)));
    return FileDescriptor(static_cast<int>(syscall(SYS_pidfd_getfd, pidfd.get(), fd, 0)));
}

// The process may change the memory before the kernel reads it again. Then the program at inlined
// calls has another cookie than at the body, and no other harm is done.
std::optional<bpf_attr> attribute_of(const seccomp_notif &call) {
    const FileDescriptor memory(
        open(fmt::format("/proc/{}/mem", call.pid).c_str(), O_RDONLY | O_CLOEXEC));
    bpf_attr out = {};
    const size_t size = std::min<size_t>(call.data.args[2], sizeof(out));
    const auto got = pread(memory.get(), &out, size, static_cast<off_t>(call.data.args[1]));
    return got == static_cast<ssize_t>(size) ? std::optional(out) : std::nullopt;
}

std::optional<ComingAttach> coming_attach(const seccomp_notif &call) {
    const auto attribute = attribute_of(call);
    const bool by_link = call.data.args[0] == BPF_LINK_CREATE;
    if (!attribute || (!by_link && attribute->raw_tracepoint.name != 0))
        return {};
    const uint32_t process = process_of(call.pid);
    FileDescriptor program = copy_of(process, by_link ? attribute->link_create.prog_fd
                                                      : attribute->raw_tracepoint.prog_fd);
    bpf_prog_info info = {};
    uint32_t size = sizeof(info);
    if (!program || bpf_obj_get_info_by_fd(program.get(), &info, &size) != 0 ||
        info.type != BPF_PROG_TYPE_TRACING || info.attach_btf_id == 0)
        return {};
    auto target = link_target(info.attach_btf_obj_id, info.attach_btf_id);
    if (!target)
        return {};
    return ComingAttach{std::move(program), info.id, std::move(*target),
                        by_link ? attribute->link_create.tracing.cookie : 0, owner_of(process)};
}

}  // namespace

void AttachGate::send(int socket) {
    const FileDescriptor listener = install_filter();
    if (!listener)
        return;
    Message message;
    cmsghdr *control = CMSG_FIRSTHDR(&message.header);
    control->cmsg_level = SOL_SOCKET;
    control->cmsg_type = SCM_RIGHTS;
    control->cmsg_len = CMSG_LEN(sizeof(int));
    const int fd = listener.get();
    std::memcpy(CMSG_DATA(control), &fd, sizeof(fd));
    sendmsg(socket, &message.header, MSG_NOSIGNAL);
}

std::optional<AttachGate> AttachGate::receive(int socket) {
    Message message;
    const ssize_t got = recvmsg(socket, &message.header, MSG_CMSG_CLOEXEC);
    const cmsghdr *control = got > 0 ? CMSG_FIRSTHDR(&message.header) : nullptr;
    if (control == nullptr || control->cmsg_type != SCM_RIGHTS)
        return {};
    int fd;
    std::memcpy(&fd, CMSG_DATA(control), sizeof(fd));
    return AttachGate(FileDescriptor(fd));
}

bool AttachGate::pass(const std::function<void(const ComingAttach &)> &visit) const {
    seccomp_notif call = {};
    if (ioctl(listener_.get(), SECCOMP_IOCTL_NOTIF_RECV, &call) != 0)
        return errno == EINTR || errno == ENOENT;  // its process was killed
    if (const auto coming = coming_attach(call))
        visit(*coming);
    seccomp_notif_resp answer = {};
    answer.id = call.id;
    answer.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
    // The process may have been killed meanwhile.
    ioctl(listener_.get(), SECCOMP_IOCTL_NOTIF_SEND, &answer);
    return true;
}

}  // namespace btf_extra
