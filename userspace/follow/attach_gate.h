// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Holds the system calls by which a command attaches its fentry programs, so that these can be
// followed before their first call: seccomp notifies this process, which lets the calls continue.
#ifndef BTF_EXTRA_ATTACH_GATE_H
#define BTF_EXTRA_ATTACH_GATE_H

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include "userspace/format/file_descriptor.h"
#include "userspace/lib/attach/attached_link.h"
#include "userspace/lib/attach/link_target.h"

namespace btf_extra {

// A program that is about to be attached to a kernel function: of fentry, fexit or fmod_ret.
struct ComingAttach {
    FileDescriptor program;
    uint32_t prog_id;
    LinkTarget target;
    uint64_t cookie;
    LinkOwner owner;
};

class AttachGate {
  public:
    // In the process of the command: sends its gate to the other end of the socket. If the kernel
    // refuses that, nothing is sent, and no call is held.
    static void send(int socket);
    // In the process that follows. Nothing: no gate was sent.
    static std::optional<AttachGate> receive(int socket);

    // Is readable when a call is held.
    int fd() const { return listener_.get(); }
    // Lets one held call continue, after visit has returned. Every call is let through, whatever it
    // is. Returns false if there is no process left whose calls are held.
    bool pass(const std::function<void(const ComingAttach &)> &visit) const;

  private:
    explicit AttachGate(FileDescriptor listener) : listener_(std::move(listener)) {}

    FileDescriptor listener_;
};

}  // namespace btf_extra

#endif
