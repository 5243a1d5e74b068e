// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Programs and functions that do not go together, and sites that never take part.
#include <map>
#include <memory>

#include <bpf/btf.h>

#include "tests/vm/follow/follow_tests.h"

using namespace guest;

namespace {

// One that the kernel does not load or attach needs no refusal.
void of_kind(const std::string &kind, const char *program, const char *function) {
    Tool tool({program});
    const int link_fd = tool.loaded() ? tool.attach(program) : -1;
    if (link_fd < 0)
        std::printf("# this kernel has no %s\n", kind.c_str());
    else
        refused("the link of " + kind, EINVAL, to_follow("vmlinux", function, link_fd));
}

void kinds() {
    of_kind("fexit", "at_exit", "ksys_fallocate");
    of_kind("fmod_ret", "modifies", "ksys_fallocate");
    of_kind("fentry that may sleep", "sleeps", "ksys_fallocate");
    of_kind("a kprobe", "by_event", "ksys_fallocate");
    of_kind("a raw tracepoint", "at_tracepoint", "ksys_fallocate");
    Tool tool({"at_exit"});
    refused("a program for fexit that is not attached", EINVAL,
            to_follow_program("vmlinux", "ksys_fallocate", tool.program("at_exit")));
}

void requests() {
    Tool tool({"fallocate_all"});
    const btf_extra_attach before =
        to_follow_program("vmlinux", "ksys_fallocate", tool.program("fallocate_all"));
    btf_extra_attach request = before;
    request.flags = 0;
    refused("a program of fentry at all sites", EINVAL, request);
    request.flags = BTF_EXTRA_BODY_ONLY;
    refused("a program of fentry at the body", EINVAL, request);
    request = before;
    request.flags |= BTF_EXTRA_LINK;
    refused("a program in the place of a link", EINVAL, request);
    request = before;
    request.required = 1 << 4;
    refused("a parameter that the function does not have", EINVAL, request);

    const int link_fd = tool.attach("fallocate_all");
    refused("a program that was attached, without its link", EINVAL, before);
    const btf_extra_attach good = to_follow("vmlinux", "ksys_fallocate", link_fd);
    request = good;
    request.flags &= ~BTF_EXTRA_LINK;
    refused("a link in the place of a program", EINVAL, request);
    request = good;
    request.cookie = 1;
    refused("a link, and a cookie besides", EINVAL, request);
    request = good;
    request.flags = BTF_EXTRA_LINK;
    refused("a link at all sites", EINVAL, request);
    request = good;
    request.prog_fd = static_cast<uint32_t>(-1);
    refused("a link that there never was", EBADF, request);
    request = good;
    request.object = 0x7fffffff;
    refused("an object that there is not", ENOENT, request);
    request = good;
    const Link link(request);
    {
        Row row("the request that the others differ from is fine");
        row.equal(link.error, 0, "errno");
    }
    refused("a link that is followed already", EEXIST, good);
}

// The program was checked for another function. These two have one prototype.
void other_function() {
    Tool tool({"path_put_all"});
    const int link_fd = tool.attach("path_put_all");
    refused("a program of path_put at path_get", EINVAL, to_follow("vmlinux", "path_get", link_fd));
    refused("a program of path_put at ksys_fallocate", EINVAL,
            to_follow("vmlinux", "ksys_fallocate", link_fd));
    refused("a program of vmlinux at a function of a module", EINVAL,
            to_follow("shapes", "shape_both", link_fd));
}

}  // namespace

void refusals() {
    kinds();
    requests();
    other_function();
}

// The program belongs to the function whose body it is attached to, not to one of the same name.
void names() {
    Row row("of functions with one name, a program is followed at its own alone");
    const List list = list_sites();
    std::map<uint32_t, std::pair<bool, bool>> has;  // a body, an inlined site
    for (const ListedSite &site : list.sites)
        (site.body ? has[site.func_id].first : has[site.func_id].second) = true;
    std::map<std::string, std::vector<uint32_t>> by_name;
    for (const ListedFunc &func : list.funcs)
        if (has[func.id].second)
            by_name[func.name].push_back(func.id);
    const std::unique_ptr<btf, decltype(&btf__free)> kernel(btf__load_vmlinux_btf(), btf__free);
    if (!kernel)
        die("BTF of vmlinux");
    const uint32_t object = attach_to("vmlinux", "ksys_fallocate").object;
    size_t tried = 0, followed = 0, refused = 0;
    for (const auto &[name, ids] : by_name) {
        const int id = ids.size() < 2 || tried == 40
                           ? -1
                           : btf__find_by_name_kind(kernel.get(), name.c_str(), BTF_KIND_FUNC);
        const int program = id < 0 ? -1
                                   : try_load_program(BPF_PROG_TYPE_TRACING, 0, BPF_TRACE_FENTRY,
                                                      static_cast<uint32_t>(id));
        if (program < 0)
            continue;
        size_t taken = 0;
        for (const uint32_t func_id : ids) {
            btf_extra_attach request = {};
            request.prog_fd = static_cast<uint32_t>(program);
            request.flags = BTF_EXTRA_INLINE_ONLY | BTF_EXTRA_BEST_EFFORT;
            request.object = object;
            request.func_id = func_id;
            const Link link(request);
            row.expect(link.error == 0 || link.error == EINVAL || has_no_site(link),
                       name + ": " + std::strerror(link.error));
            taken += link.error != EINVAL;
            refused += link.error == EINVAL;
        }
        close(program);
        row.expect(taken <= 1, name + ": taken for " + std::to_string(taken) + " functions");
        tried++;
        followed += taken;
    }
    std::printf("# %zu names of several functions, %zu followed at one, %zu refused\n", tried,
                followed, refused);
    row.expect(tried > 0 && followed > 0 && refused >= followed, "too few");
}
