// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Runs in a guest with btf_extra.ko and btf_extra_vmlinux.ko loaded. Compares what the kfuncs
// return to BPF programs with /dev/btf_extra. Also tests what an unmodified libbpf finds in the BTF
// of btf_extra_vmlinux.
//
//   kfuncs_guest kfuncs.bpf.o tracing|no-tracing NAME-FILE
//
// no-tracing: this kernel refuses kprobe programs. The name of a function that vmlinux's own BTF
// does not have is written to NAME-FILE.
#include <memory>

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/vm/guest_sites.h"
#include "tests/vm/kfuncs/kfuncs_state.h"

using namespace guest;

namespace {

constexpr int kAsked = 1000;

int device;
Random any;

// ---- the object ----

struct Closer {
    void operator()(bpf_object *object) const { bpf_object__close(object); }
    void operator()(bpf_link *link) const { bpf_link__destroy(link); }
    void operator()(btf *types) const { btf__free(types); }
};
using Object = std::unique_ptr<bpf_object, Closer>;

// Loads only that program of the object; NULL: it does not load.
Object load(const char *file, const char *program) {
    Object object(bpf_object__open_file(file, nullptr));
    if (!object)
        die(file);
    for (const char *one : {"on_demand", "at_kprobe"})
        bpf_program__set_autoload(bpf_object__find_program_by_name(object.get(), one),
                                  std::string(one) == program);
    return bpf_object__load(object.get()) == 0 ? std::move(object) : nullptr;
}

// Returns the memory of the programs. It stays mapped.
kfuncs_state *state_of(const Object &object) {
    const bpf_map *map = bpf_object__find_map_by_name(object.get(), ".bss");
    void *memory = mmap(nullptr, sizeof(kfuncs_state), PROT_READ | PROT_WRITE, MAP_SHARED,
                        bpf_map__fd(map), 0);
    if (memory == MAP_FAILED)
        die(".bss");
    return static_cast<kfuncs_state *>(memory);
}

// ---- the kfuncs ----

// A body is also a site of its true signature, which is not a source function.
int only(const Answer &answer) {
    if (answer.error != 0)
        return -answer.error;
    std::vector<uint32_t> funcs;
    for (const btf_extra_site &site : answer.sites)
        if ((site.flags & BTF_EXTRA_SITE_TRUE_SIGNATURE) == 0)
            funcs.push_back(site.func_id);
    return funcs.size() == 1 ? static_cast<int>(funcs[0]) : -ENOTUNIQ;
}

void compare(Row &row, const kfuncs_state &state, uint64_t address) {
    const Answer all = by_ioctl(device, at_address(address));
    const std::string at = std::to_string(address) + ", ";
    row.equal(state.func, only(by_ioctl(device, at_address(address, BTF_EXTRA_BODY_ONLY))),
              at + "function");
    row.equal(state.inlined, only(by_ioctl(device, at_address(address, BTF_EXTRA_INLINE_ONLY))),
              at + "inlined function");
    const int total = all.error != 0 ? -all.error : static_cast<int>(all.total);
    row.equal(state.count, total, at + "sites");
    row.equal(state.of_none, total, at + "sites, without place for them");
    for (int i = 0; i < std::min(total, KFUNCS_STATE_SITES); i++)
        row.expect(std::memcmp(&state.sites[i], &all.sites[i], sizeof(btf_extra_site)) == 0,
                   at + "site " + std::to_string(i));
}

struct Places {
    std::vector<uint64_t> drawn, shared, unknown;
};

// Draws addresses where one site begins, where several sites of a class begin, and where none does.
Places draw_places(const List &list) {
    const std::vector<ListedSite> &sites = list.sites;
    Places places;
    for (size_t i = 0, next; i < sites.size(); i = next) {  // next address
        unsigned bodies = 0, inlined = 0;
        for (next = i; next < sites.size() && sites[next].address == sites[i].address; next++) {
            const bool of_source = list.func(sites[next]).name.find('.') == std::string::npos;
            bodies += sites[next].body && of_source;
            inlined += !sites[next].body;
        }
        if ((bodies > 1 || inlined > 1) && places.shared.size() < kAsked)
            places.shared.push_back(sites[i].address);
    }
    for (int i = 0; i < kAsked; i++) {
        places.drawn.push_back(sites[any.below(sites.size())].address);
        const uint64_t next = sites[any.below(sites.size())].address + 1;
        if (list.at_address(next) == 0)
            places.unknown.push_back(next);
    }
    for (uint64_t address : {uint64_t{0}, uint64_t{1}, pointer(&places), ~uint64_t{0}})
        places.unknown.push_back(address);
    return places;
}

template <class Run> void ask_all(const std::string &program, const Places &places, Run run) {
    {
        Row row(program + ": where sites begin");
        for (uint64_t address : places.drawn)
            compare(row, run(address), address);
    }
    {
        Row row(program + ": where several of a class begin");
        for (uint64_t address : places.shared) {
            const kfuncs_state &state = run(address);
            compare(row, state, address);
            row.expect(state.func == -ENOTUNIQ || state.inlined == -ENOTUNIQ, "not -ENOTUNIQ");
        }
    }
    Row row(program + ": where no site begins");
    for (uint64_t address : places.unknown) {
        const kfuncs_state &state = run(address);
        compare(row, state, address);
        row.equal(state.func, -ENOENT, "function");
        row.equal(state.inlined, -ENOENT, "inlined function");
        row.equal(state.count, -ENOENT, "sites");
    }
}

void on_demand(const char *file, const Places &places) {
    const Object object = load(file, "on_demand");
    Row row("syscall program: loads");
    row.expect(object != nullptr, std::strerror(errno));
    if (!object)
        return;
    kfuncs_state *state = state_of(object);
    const int program =
        bpf_program__fd(bpf_object__find_program_by_name(object.get(), "on_demand"));
    ask_all("syscall program", places, [&](uint64_t address) -> const kfuncs_state & {
        LIBBPF_OPTS(bpf_test_run_opts, options);
        const uint32_t runs = state->runs;
        state->address = address;
        if (bpf_prog_test_run_opts(program, &options) != 0 || state->runs != runs + 1)
            die("the program was not run");
        return *state;
    });
}

// A process that may not see addresses could try them out. Kernels before 6.4 refuse the call,
// later ones the program.
void hidden(const char *file, bool refused_at_load) {
    const std::string rule = "/proc/sys/kernel/kptr_restrict";
    std::string before;
    std::ifstream(rule) >> before;
    const Object early = load(file, "on_demand");
    std::ofstream(rule) << 2 << std::flush;
    libbpf_set_print([](libbpf_print_level, const char *, va_list) { return 0; });
    {
        Row row("syscall program: whoever may not see addresses learns none");
        const Object late = load(file, "on_demand");
        row.expect(early != nullptr && (late == nullptr) == refused_at_load, "loaded");
        if (late) {
            LIBBPF_OPTS(bpf_test_run_opts, options);
            kfuncs_state *state = state_of(late);
            row.equal(bpf_prog_test_run_opts(bpf_program__fd(bpf_object__find_program_by_name(
                                                 late.get(), "on_demand")),
                                             &options),
                      0, "run");
            for (int got : {state->func, state->inlined, state->count, state->of_none})
                row.equal(got, -EPERM, "returned");
        }
    }
    std::ofstream(rule) << before << std::flush;
    libbpf_set_print(nullptr);
}

void at_kprobe(const char *file, const Places &places) {
    const Object object = load(file, "at_kprobe");
    Row loads("kprobe program: loads and is attached");
    loads.expect(object != nullptr, std::strerror(errno));
    if (!object)
        return;
    const std::unique_ptr<bpf_link, Closer> link(
        bpf_program__attach(bpf_object__find_program_by_name(object.get(), "at_kprobe")));
    loads.expect(link != nullptr, std::strerror(errno));
    if (!link)
        return;
    kfuncs_state *state = state_of(object);
    const auto run = [&](uint64_t address) -> const kfuncs_state & {
        // It calls what the kprobe is at, too.
        state->pid = static_cast<uint32_t>(getpid());
        const uint32_t runs = state->runs;
        state->address = address;
        syscall(SYS_getppid);
        if (state->runs != runs + 1)
            die("the kprobe was hit " + std::to_string(state->runs - runs) + " times");
        return *state;
    };
    {
        Row row("kprobe program: the function that it is in");
        const uint64_t address = body_address(device, KFUNCS_STATE_TARGET);
        state->own = 1;
        row.equal(run(0).func, only(by_ioctl(device, at_address(address, BTF_EXTRA_BODY_ONLY))),
                  "function");
        row.expect(state->func > 0, "no function");
        state->own = 0;
    }
    ask_all("kprobe program", places, run);
}

// ---- BTF of the data module ----

void find_types(const List &list, const char *name_file) {
    const std::unique_ptr<btf, Closer> vmlinux(btf__load_vmlinux_btf());
    const std::unique_ptr<btf, Closer> extra(
        btf__load_module_btf("btf_extra_vmlinux", vmlinux.get()));
    if (libbpf_get_error(vmlinux.get()) || libbpf_get_error(extra.get()))
        die("BTF");
    btf_extra_object object = {};
    btf_extra_info info = {};
    info.objects = pointer(&object);
    info.capacity = 1;
    if (ioctl(device, BTF_EXTRA_IOC_INFO, &info) != 0 || info.count != 1)
        die("INFO");

    Row begins("libbpf: ids of BTF of btf_extra_vmlinux begin where INFO says");
    begins.equal(btf__type_cnt(vmlinux.get()), object.first_func_id, "first id");
    Row row("libbpf: finds functions that vmlinux's BTF does not have");
    std::string found;
    for (int i = 0; i < 5 * kAsked; i++) {
        const std::string &name_of = list.draw_func(any).name;
        const char *name = name_of.c_str();
        if (btf__find_by_name_kind(vmlinux.get(), name, BTF_KIND_FUNC) > 0)
            continue;
        const int id = btf__find_by_name_kind(extra.get(), name, BTF_KIND_FUNC);
        const Answer answer = by_ioctl(device, of_name(name));
        row.expect(
            std::ranges::any_of(
                answer.sites, [&](const auto &one) { return static_cast<int>(one.func_id) == id; }),
            name_of + ": id " + std::to_string(id));
        found = name_of;
        if (i > kAsked)
            break;
    }
    std::ofstream(name_file) << found << '\n';
}

}  // namespace

int main(int argc, char **argv) {
    if (argc != 4)
        die("usage: kfuncs_guest kfuncs.bpf.o tracing|no-tracing NAME-FILE");
    device = open_device(BTF_EXTRA_DEVICE);
    const List list = list_sites();
    const Places places = draw_places(list);
    on_demand(argv[1], places);
    hidden(argv[1], std::string(argv[2]) == "tracing");
    if (std::string(argv[2]) == "tracing") {
        at_kprobe(argv[1], places);
    } else {
        libbpf_set_print([](libbpf_print_level, const char *, va_list) { return 0; });
        Row row("kprobe program: is refused");
        row.expect(load(argv[1], "at_kprobe") == nullptr, "it was loaded");
        row.equal(errno, EACCES, "errno");
    }
    find_types(list, argv[3]);
    return Row::failed != 0;
}
