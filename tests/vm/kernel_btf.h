// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The BTF that the kernel has, for the test programs that run in a guest.
#ifndef BTF_EXTRA_KERNEL_BTF_H
#define BTF_EXTRA_KERNEL_BTF_H

#include <cstdint>
#include <string>

#include <bpf/bpf.h>
#include <unistd.h>

// Calls visit(id, name, fd) with each BTF of the kernel and its modules, until it returns true. The
// descriptor is closed after that.
template <class Visit> void for_each_kernel_btf(const Visit &visit) {
    for (uint32_t id = 0; bpf_btf_get_next_id(id, &id) == 0;) {
        const int fd = bpf_btf_get_fd_by_id(id);
        char name[64] = {};
        bpf_btf_info info = {};
        info.name = reinterpret_cast<uintptr_t>(name);
        info.name_len = sizeof(name);
        uint32_t size = sizeof(info);
        const bool wanted =
            fd >= 0 && bpf_obj_get_info_by_fd(fd, &info, &size) == 0 && info.kernel_btf != 0;
        const bool done = wanted && visit(id, std::string(name), fd);
        close(fd);
        if (done)
            return;
    }
}

#endif
