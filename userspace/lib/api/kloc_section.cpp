// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Adds SEC("kloc/<object>:<function>") to libbpf. libbpf 1.1 cannot make a struct bpf_link for
// another kind of attachment. So the program is also attached to a uprobe at a function of this
// library that nobody calls. Then the descriptor in that link is replaced by the one that holds the
// kloc.
#include <cerrno>
#include <cstring>
#include <memory>
#include <string>

#include <bpf/libbpf.h>
#include <fcntl.h>
#include <link.h>
#include <unistd.h>

#include "userspace/lib/api/api_error.h"
#include "userspace/lib/attach/kloc.h"
#include "userspace/lib/btf_extra.h"

using namespace btf_extra;

namespace {

constexpr char kSection[] = "kloc/";

[[gnu::noinline, gnu::used]] void never_called() {
    asm volatile("");
}

// The file and offset of the code at an address.
struct Origin {
    uintptr_t address;
    std::string path;
    size_t offset = 0;
};

int note_origin(dl_phdr_info *info, size_t, void *data) {
    auto *origin = static_cast<Origin *>(data);
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const auto &header = info->dlpi_phdr[i];
        const uintptr_t begin = info->dlpi_addr + header.p_vaddr;
        if (header.p_type != PT_LOAD || origin->address < begin ||
            origin->address - begin >= header.p_filesz)
            continue;
        const bool main_program = info->dlpi_name == nullptr || info->dlpi_name[0] == '\0';
        origin->path = main_program ? "/proc/self/exe" : info->dlpi_name;
        origin->offset = origin->address - begin + header.p_offset;
        return 1;
    }
    return 0;
}

// The options for programs of that section.
btf_extra_attach_opts section_opts;

struct DestroyLink {
    void operator()(bpf_link *link) const { bpf_link__destroy(link); }
};

Result<std::unique_ptr<bpf_link, DestroyLink>> make_link(const bpf_program *prog) {
    Origin origin = {reinterpret_cast<uintptr_t>(&never_called), "", 0};
    dl_iterate_phdr(note_origin, &origin);
    std::unique_ptr<bpf_link, DestroyLink> link(bpf_program__attach_uprobe(
        prog, false, 0 /* this process */, origin.path.c_str(), origin.offset));
    if (!link) {
        const int code = errno;
        return Error{std::string("a uprobe for libbpf's link: ") + std::strerror(code), code};
    }
    return link;
}

int attach_section(const bpf_program *prog, long, bpf_link **link) {
    *link = nullptr;
    const char *text = bpf_program__section_name(prog) + std::strlen(kSection);
    btf_extra_kloc *attached = nullptr;
    if (int error = btf_extra_attach_kloc(&attached, prog, text, &section_opts, nullptr);
        error != 0)
        return error;
    const std::unique_ptr<btf_extra_kloc> kloc(attached);
    return api_guard([&]() -> Result<void> {
        auto made = TRY(make_link(prog));
        const auto held = TRY(kloc->into_descriptor());
        if (dup3(held.get(), bpf_link__fd(made.get()), O_CLOEXEC) < 0)
            return Error{std::strerror(errno), errno};
        *link = made.release();
        return {};
    });
}

}  // namespace

int btf_extra_register_kloc(const btf_extra_attach_opts *opts) {
    return api_guard([&]() -> Result<void> {
        section_opts = TRY(api_opts(opts));
        static const int handler = [] {
            LIBBPF_OPTS(libbpf_prog_handler_opts, opts);
            opts.prog_attach_fn = attach_section;
            return libbpf_register_prog_handler(kSection, BPF_PROG_TYPE_KPROBE,
                                                static_cast<bpf_attach_type>(0), &opts);
        }();
        if (handler < 0)
            return Error{"libbpf refuses a handler of kloc/", -handler};
        return {};
    });
}
