// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Links to many functions: stubs of several, or the body and the stub of one that is partly
// inlined. kprobe.multi takes addresses, and fentry.multi, which kernels have from 7 on, ids of one
// BTF.
#include <memory>

#include <bpf/bpf.h>
#include <sys/syscall.h>
#include <sys/utsname.h>

#include "tests/vm/phantoms/phantom_tests.h"

using namespace guest;

namespace {

constexpr auto kFentryMulti = static_cast<bpf_attach_type>(59);

bool has_fentry_multi() {
    utsname running = {};
    uname(&running);
    return std::atoi(running.release) >= 7;
}

std::string object_of_ids;

int choose_object(bpf_program *, bpf_prog_load_opts *options, long) {
    options->expected_attach_type = kFentryMulti;
    options->attach_btf_obj_fd = static_cast<uint32_t>(btf_of(object_of_ids));
    options->attach_btf_id = 0;
    return 0;
}

void know_fentry_multi() {
    LIBBPF_OPTS(libbpf_prog_handler_opts, handler);
    handler.prog_prepare_load_fn = choose_object;
    static const int known =
        libbpf_register_prog_handler("multi", BPF_PROG_TYPE_TRACING, BPF_TRACE_FENTRY, &handler);
    if (known < 0)
        die("libbpf_register_prog_handler");
}

// A program of phantoms.bpf.o and its link.
class ManyProgram {
  public:
    ManyProgram(const ManyProgram &) = delete;
    ~ManyProgram() {
        close(link_);
        bpf_object__close(object_);
    }
    // The program has a link with these functions of one BTF object.
    static std::unique_ptr<ManyProgram> fentry(const std::string &object,
                                               const std::vector<std::string> &functions) {
        know_fentry_multi();
        object_of_ids = object;
        std::unique_ptr<ManyProgram> program(new ManyProgram("enter_any"));
        std::vector<uint32_t> ids;
        for (const std::string &function : functions)
            ids.push_back(id_of(function, object));
        struct {
            uint32_t program, target, attach_type, flags;
            uint64_t ids, cookies;
            uint32_t count, zero;
        } request = {
            static_cast<uint32_t>(program->fd_), 0, kFentryMulti, 0, pointer(ids.data()), 0,
            static_cast<uint32_t>(ids.size()),   0};
        program->take(static_cast<int>(
            syscall(SYS_bpf, BPF_LINK_CREATE, &request, sizeof(request) - sizeof(request.zero))));
        return program;
    }
    static std::unique_ptr<ManyProgram> kprobe(const std::vector<uint64_t> &addresses) {
        std::unique_ptr<ManyProgram> program(new ManyProgram("enter_probe"));
        LIBBPF_OPTS(bpf_link_create_opts, options);
        options.kprobe_multi.addrs = addresses.data();
        options.kprobe_multi.cnt = static_cast<uint32_t>(addresses.size());
        program->take(bpf_link_create(program->fd_, 0, BPF_TRACE_KPROBE_MULTI, &options));
        return program;
    }
    const volatile AtStub::Seen &seen() const { return *seen_; }
    int error = 0;

  private:
    explicit ManyProgram(const std::string &name)
        : object_(bpf_object__open_file("/phantoms.bpf.o", nullptr)) {
        bpf_program *each, *chosen = nullptr;
        bpf_object__for_each_program(each, object_) {
            const bool is_it = name == bpf_program__name(each);
            bpf_program__set_autoload(each, is_it);
            if (is_it)
                chosen = each;
        }
        if (bpf_object__load(object_) != 0)
            die(name);
        fd_ = bpf_program__fd(chosen);
        seen_ = memory_of<const volatile AtStub::Seen>(object_, ".bss");
    }
    void take(int link) {
        link_ = link;
        error = link < 0 ? errno : 0;
    }

    bpf_object *object_;
    int fd_ = -1, link_ = -1;
    const volatile AtStub::Seen *seen_ = nullptr;
};

void several() {
    Row row("fentry.multi: one link sees the calls of several stubs");
    {
        const auto program = ManyProgram::fentry("inlined", {"shape_register", "site_called"});
        row.equal(program->error, 0, "errno");
        for (const char *stub : {"shape_register", "site_called"})
            row.expect(wait_for_state(stub, "armed")["state"] == "armed",
                       stub + std::string(": idle"));
        const auto calls = static_cast<int64_t>(call_shape(SHAPE_register, 30));
        row.equal(static_cast<int64_t>(program->seen().hits), calls, "hits of the first");
        const auto sum = static_cast<int64_t>(program->seen().sum);
        std::ofstream("/sys/module/phantom_sites/parameters/calls") << 20 << std::flush;
        row.equal(static_cast<int64_t>(program->seen().hits), calls + 20, "hits of both");
        row.equal(static_cast<int64_t>(program->seen().sum) - sum, 20 * 21 / 2, "sum of arguments");
    }
    row.expect(wait_for_state("shape_register", "idle")["state"] == "idle", "not idle");
}

// ---- a function with a body that is inlined elsewhere ----

const std::string kPartly = "shape_both", kRest = "shape_both__inlined";

// The programs together see each call once.
void see_all(Row &row, const std::vector<const ManyProgram *> &programs) {
    for (const ManyProgram *program : programs)
        row.equal(program->error, 0, "errno");
    row.expect(wait_for_state(kRest, "armed")["state"] == "armed", "not armed");
    uint64_t sum = 0, called = 0, seen_sum = 0, seen = 0;
    const std::vector<shape_record> records = records_of_calls(SHAPE_both, 40);
    for (const shape_record &record : records) {
        sum += record.args[0][0];
        called += record.args[1][0] == 1 ? 1 : 0;
    }
    for (const ManyProgram *program : programs) {
        std::printf("# hits: %lu\n", static_cast<unsigned long>(program->seen().hits));
        row.expect(program->seen().hits > 0, "one sees no call");
        seen += program->seen().hits;
        seen_sum += program->seen().sum;
    }
    row.expect(called > 0 && called < records.size(),
               "the body is called: " + std::to_string(called));
    row.equal(static_cast<int64_t>(seen), static_cast<int64_t>(records.size()), "hits");
    row.equal(static_cast<int64_t>(seen_sum), static_cast<int64_t>(sum), "sum of arguments");
}

void partly_inlined() {
    if (!has_kprobe_multi()) {
        Row row("kprobe.multi: the kernel has no fprobe, and says so");
        row.equal(ManyProgram::kprobe({stub_address(kRest)})->error, EOPNOTSUPP, "errno");
    } else {
        Row row("kprobe.multi: one link for a body and its stub sees each call of the function");
        const auto program =
            ManyProgram::kprobe({address_in("shapes", kPartly), stub_address(kRest)});
        see_all(row, {program.get()});
    }
    wait_for_state(kRest, "idle");
    if (!has_fentry_multi())
        return;
    Row row("fentry.multi: a link for a body and one for its stub see each call of the function");
    const auto body = ManyProgram::fentry("shapes", {kPartly});
    const auto rest = ManyProgram::fentry("inlined", {kRest});
    see_all(row, {body.get(), rest.get()});
}

}  // namespace

void multi() {
    if (has_fentry_multi())
        several();
    partly_inlined();
}
