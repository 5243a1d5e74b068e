// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/ioctl.h>

#include "userspace/lib/attach/kloc.h"

namespace btf_extra {
namespace {

constexpr uint32_t kPage = 1024;

// The error of an ioctl on the device or on an attachment.
Error device_error(int code) {
    const char *reason = code == EPERM ? "needs CAP_PERFMON or CAP_SYS_ADMIN, and no lockdown"
                         : code == EBADF || code == EINVAL
                             ? "the program must be of type kprobe and not sleepable, or of fentry "
                               "at this function, not sleepable and for inlined calls only"
                         : code == EEXIST ? "the program runs at inlined calls already"
                         : code == ENOENT ? "the function is gone"
                         : code == ENOTTY ? "another version of btf_extra is loaded"
                                          : std::strerror(code);
    return Error{fmt::format("{}: {}", BTF_EXTRA_DEVICE, reason), code};
}

class ModuleKloc : public btf_extra_kloc {
  public:
    explicit ModuleKloc(FileDescriptor fd) : fd_(std::move(fd)) {}

    Result<std::vector<btf_extra_probe>> probes() const override {
        std::vector<btf_extra_probe> out;
        for (;;) {
            const size_t got = out.size();
            out.resize(got + kPage);
            auto page = TRY(ask(out.data() + got, kPage, static_cast<uint32_t>(got)));
            out.resize(got + std::min(page.count, kPage));
            if (page.count == 0 || out.size() >= page.total)
                return out;
        }
    }

    Result<btf_extra_counts> counts() const override {
        auto link = TRY(ask(nullptr, 0, 0));
        return btf_extra_counts{link.hits, link.missed};
    }

    Result<FileDescriptor> into_descriptor() override { return std::move(fd_); }

  private:
    Result<btf_extra_link> ask(btf_extra_probe *probes, uint32_t capacity, uint32_t first) const {
        btf_extra_link link = {};
        link.probes = reinterpret_cast<uintptr_t>(probes);
        link.capacity = capacity;
        link.first = first;
        if (ioctl(fd_.get(), BTF_EXTRA_IOC_LINK, &link) != 0)
            return device_error(errno);
        return link;
    }

    FileDescriptor fd_;
};

}  // namespace

Result<AttachOutcome> attach_by_module(const FoundFunc &func, const AttachRequest &request) {
    if (!func.all_sites)
        return Error{"the module attaches to all bodies of a function, not to those of one symbol",
                     EOPNOTSUPP};
    FileDescriptor device(open(BTF_EXTRA_DEVICE, O_RDWR | O_CLOEXEC));
    if (!device)
        return device_error(errno);
    AttachOutcome out;
    // More sites may be left out than at the look-up.
    out.left_out.resize(func.sites.size() + 16);
    struct btf_extra_attach attach = {};
    int fd, code;
    for (;;) {
        attach = {};
        attach.prog_fd = static_cast<uint32_t>(request.prog_fd);
        attach.flags = request.flags;
        attach.object = func.object->id;
        attach.func_id = func.id;
        attach.required = request.required;
        attach.cookie = request.cookie;
        attach.left_out = reinterpret_cast<uintptr_t>(out.left_out.data());
        attach.capacity = static_cast<uint32_t>(out.left_out.size());
        fd = ioctl(device.get(), BTF_EXTRA_IOC_ATTACH, &attach);
        code = fd < 0 ? errno : 0;
        if (code != EOPNOTSUPP || attach.total <= out.left_out.size())
            break;
        out.left_out.resize(attach.total);
    }
    FileDescriptor link(fd);
    if (code != 0 && code != EOPNOTSUPP)
        return device_error(code);
    out.left_out.resize(std::min<size_t>(attach.count, out.left_out.size()));
    if (code == 0) {
        out.attached = attach.attached;
        out.kloc = std::make_unique<ModuleKloc>(std::move(link));
    }
    return out;
}

}  // namespace btf_extra
