// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Tests libbtf_extra in a guest. Its programs must see the arguments of fallocate() and write()
// that this process passed.
//
//   library_guest OBJECT module|perf
#include <cstring>
#include <linux/types.h>

#include <sys/syscall.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "tests/vm/guest_sites.h"
#include "tests/vm/library/seen.h"
#include "userspace/lib/btf_extra.h"

namespace {

struct Bss {
    seen inlined, body;
    int only_pid;
};

class Programs {
  public:
    explicit Programs(const char *path) {
        object_ = bpf_object__open_file(path, nullptr);
        if (object_ == nullptr || bpf_object__load(object_) != 0)
            guest::die("load of the programs");
        bpf_map *map;
        bpf_object__for_each_map(
            map, object_) if (bpf_map__is_internal(map)) if (std::strstr(bpf_map__name(map),
                                                                         ".bss") != nullptr) bss_ =
            map;
        if (bss_ == nullptr || bpf_map__value_size(bss_) < offsetof(Bss, only_pid) + sizeof(int))
            guest::die("variables of the programs");
        clear();
    }
    ~Programs() { bpf_object__close(object_); }
    bpf_program *program(const char *name) {
        return bpf_object__find_program_by_name(object_, name);
    }
    int map(const char *name) { return bpf_object__find_map_fd_by_name(object_, name); }
    void clear() {
        Bss all = {};
        all.only_pid = getpid();
        write(all);
    }
    Bss read() {
        Bss all = {};
        const int zero = 0;
        std::vector<char> bytes(bpf_map__value_size(bss_));
        bpf_map_lookup_elem(bpf_map__fd(bss_), &zero, bytes.data());
        std::memcpy(&all, bytes.data(), std::min(sizeof(all), bytes.size()));
        return all;
    }

  private:
    void write(const Bss &all) {
        const int zero = 0;
        std::vector<char> bytes(bpf_map__value_size(bss_));
        std::memcpy(bytes.data(), &all, std::min(sizeof(all), bytes.size()));
        bpf_map_update_elem(bpf_map__fd(bss_), &zero, bytes.data(), 0);
    }
    bpf_object *object_;
    bpf_map *bss_ = nullptr;
};

int entries(int map) {
    int count = 0;
    char key[8], next[8];
    for (int error = bpf_map_get_next_key(map, nullptr, next); error == 0;
         error = bpf_map_get_next_key(map, key, next)) {
        count++;
        std::memcpy(key, next, sizeof(key));
    }
    return count;
}

// No file has these descriptors, so nothing else happens.
void compare(guest::Row &row, Programs &programs, bool inlined, uint64_t site, uint64_t cookie) {
    const struct {
        long args[SEEN_ARGS];  // as they are passed
        long inlined, body;    // the first one as fallocate() and write() take it
    } calls[] = {{{999, 0, 0, 0}, 999, 999},
                 {{998, -1, -1, 1}, 998, 998},
                 {{0xfffffff0L, 0x7fffffff, 0x123456789abcdef0, -1}, -16, 0xfffffff0L},
                 {{0x7fffffffL, INT32_MIN, INT64_MIN, INT64_MAX - 1000}, 0x7fffffffL, 0x7fffffffL}};
    const int nr_args = inlined ? 4 : 3;
    uint64_t count = 0;
    for (int i = 0; i < 1000; i++) {
        for (const auto &call : calls) {
            const long *args = call.args;
            if (inlined)
                syscall(SYS_fallocate, args[0], args[1], args[2], args[3] + i);
            else
                syscall(SYS_write, args[0], args[1], args[2] + i);
            const Bss all = programs.read();
            const seen &seen = inlined ? all.inlined : all.body;
            row.equal(seen.calls, ++count, "calls");
            row.equal(seen.args[0], inlined ? call.inlined : call.body, "first argument");
            row.equal(seen.args[1], args[1], "second argument");
            for (int n = 2; n < nr_args; n++)
                row.equal(seen.args[n], args[n] + (n + 1 == nr_args ? i : 0), "other arguments");
            row.equal(seen.narrow, args[0] & 0xff, "first argument as a byte");
            row.equal(seen.error, 0, "the first argument is there");
            row.equal(seen.beyond, -ENOENT, "a parameter too many");
            row.equal(seen.cookie, cookie, "cookie");
            if (site != 0)
                row.equal(seen.site, site, "site");
        }
    }
}

void call_both() {
    syscall(SYS_fallocate, 999, 0, 0, 0);
    syscall(SYS_write, 999, 0, 0);
}

void attach_row(const char *object, bool module, bool inlined) {
    const char *function = inlined ? "ksys_fallocate" : "ksys_write";
    guest::Row row(std::string(function) + (inlined ? ", inlined" : ", a body"));
    Programs programs(object);
    btf_extra_open_opts open = {};
    open.sz = sizeof(open);
    open.no_module = !module;
    btf_extra_tables *tables;
    if (btf_extra_open(&tables, &open) != 0)
        guest::die(btf_extra_last_error());
    row.equal(btf_extra_uses_module(tables), module, "the module is used");
    const btf_extra_func *const *funcs;
    size_t count;
    if (btf_extra_find(tables, function, &funcs, &count) != 0)
        guest::die(btf_extra_last_error());
    row.equal(count, 1, "functions");
    size_t nr_all;
    const btf_extra_site *all_sites = btf_extra_func_sites(funcs[0], &nr_all);
    std::vector<btf_extra_site> sites;
    for (size_t i = 0; i < nr_all; i++)
        if ((all_sites[i].site_class == BTF_EXTRA_CLASS_BODY) != inlined)
            sites.push_back(all_sites[i]);
    const size_t nr_sites = sites.size();
    row.expect(nr_sites > 0, "there are sites");
    btf_extra_attach_opts opts = {};
    opts.sz = sizeof(opts);
    opts.cookie = 0xc00c1e0000000001;
    opts.required = 7;
    opts.flags = inlined ? BTF_EXTRA_INLINE_ONLY : BTF_EXTRA_BODY_ONLY;
    btf_extra_kloc *kloc;
    btf_extra_report *report;
    const int fd = bpf_program__fd(programs.program(inlined ? "on_inlined" : "on_body"));
    if (btf_extra_attach(&kloc, tables, funcs[0], fd, &opts, &report) != 0)
        guest::die(btf_extra_last_error());
    row.equal(report->attached, nr_sites, "attached");
    row.equal(report->nr_left_out, 0, "left out");
    btf_extra_report_free(report);
    const btf_extra_probe *probes;
    size_t nr_probes;
    row.equal(btf_extra_kloc_probes(kloc, &probes, &nr_probes), 0, "probes");
    row.equal(nr_probes, nr_sites, "probes");
    row.expect(probes[0].site.address == sites[0].address, "the first probe is at the first site");
    compare(row, programs, inlined, nr_sites == 1 ? sites[0].address : 0, opts.cookie);
    btf_extra_detach(kloc);
    programs.clear();
    call_both();
    const Bss all = programs.read();
    row.equal(all.inlined.calls + all.body.calls, 0, "calls after detach");
    if (!module)
        row.equal(entries(programs.map("btf_loc_specs")), 0, "entries after detach");
    btf_extra_close(tables);
}

// This uses only libbpf.
void section_row(const char *object) {
    guest::Row row("SEC(\"kloc/...\")");
    Programs programs(object);
    bpf_link *link = bpf_program__attach(programs.program("on_inlined"));
    row.expect(link != nullptr, std::string("attach: ") + btf_extra_last_error());
    if (link == nullptr)
        return;
    compare(row, programs, true, 0, 0);
    row.equal(bpf_link__destroy(link), 0, "destroy");
    programs.clear();
    call_both();
    row.equal(programs.read().inlined.calls, 0, "calls after destroy");
}

// Nothing is attached if a site that is required is left out, and the report says why.
void report_row(const char *object, bool module) {
    guest::Row row("reports");
    Programs programs(object);
    const int fd = bpf_program__fd(programs.program("on_body"));
    btf_extra_open_opts open = {};
    open.sz = sizeof(open);
    open.no_module = !module;
    btf_extra_tables *tables;
    if (btf_extra_open(&tables, &open) != 0)
        guest::die(btf_extra_last_error());
    const struct {
        const char *text;
        uint64_t required;
        size_t max_sites;
        int error;
        std::vector<uint32_t> reasons;  // any of these; empty: no report
    } cases[] = {
        {"vmlinux:skb_headlen",
         1,
         0,
         -EOPNOTSUPP,
         {BTF_EXTRA_REASON_PARAMETER, BTF_EXTRA_REASON_LOOP_HEAD, BTF_EXTRA_REASON_NO_ENTRY,
          BTF_EXTRA_REASON_NOTRACE}},
        {"start_kernel", 0, 0, -EOPNOTSUPP, {BTF_EXTRA_REASON_NO_TEXT}},
        {"ct_nmi_enter", 0, 0, -EOPNOTSUPP, {BTF_EXTRA_REASON_NOTRACE, BTF_EXTRA_REASON_KPROBE}},
        {"skb_headlen", 0, 10, -E2BIG, {}},
    };
    for (const auto &one : cases) {
        const btf_extra_func *const *funcs;
        size_t count;
        if (btf_extra_find(tables, one.text, &funcs, &count) != 0)
            guest::die(btf_extra_last_error());
        btf_extra_attach_opts opts = {};
        opts.sz = sizeof(opts);
        opts.required = one.required;
        opts.max_sites = one.max_sites;
        btf_extra_kloc *kloc = nullptr;
        btf_extra_report *report = nullptr;
        row.equal(btf_extra_attach(&kloc, tables, funcs[0], fd, &opts, &report), one.error,
                  one.text);
        std::printf("%s\n", btf_extra_last_error());
        row.expect(kloc == nullptr, std::string(one.text) + ": nothing is attached");
        row.equal(report != nullptr, !one.reasons.empty(), std::string(one.text) + ": a report");
        if (report == nullptr)
            continue;
        row.equal(report->attached, 0, std::string(one.text) + ": attached");
        row.expect(report->nr_left_out > 0, std::string(one.text) + ": left out");
        size_t parameters = 0;
        for (size_t i = 0; i < report->nr_left_out; i++) {
            const btf_extra_left_out &left = report->left_out[i];
            row.expect(std::ranges::count(one.reasons, left.reason) != 0,
                       std::string(one.text) + ": " + btf_extra_reason_text(&left));
            const bool parameter = left.reason == BTF_EXTRA_REASON_PARAMETER;
            row.equal(left.parameters, parameter ? one.required : 0, "parameters");
            parameters += parameter ? 1 : 0;
        }
        row.expect(parameters > 0 || one.required == 0,
                   std::string(one.text) + ": sites without the parameter");
        btf_extra_report_free(report);
    }
    if (!module)
        row.equal(entries(programs.map("btf_loc_specs")), 0, "entries");
    btf_extra_close(tables);
}

}  // namespace

int main(int argc, char **argv) {
    if (argc != 3)
        return 2;
    if (btf_extra_register_kloc(nullptr) != 0)
        guest::die(btf_extra_last_error());
    const bool module = std::strcmp(argv[2], "module") == 0;
    attach_row(argv[1], module, true);
    attach_row(argv[1], module, false);
    section_row(argv[1]);
    report_row(argv[1], module);
    return guest::Row::failed != 0;
}
