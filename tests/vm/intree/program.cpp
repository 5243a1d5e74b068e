// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "tests/vm/intree/program.h"

#include <bpf/bpf.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/vm/guest_sites.h"

using guest::die;
using guest::pointer;

namespace {

// The target of the program that is being loaded.
struct {
    Kind kind;
    int btf_fd;
    uint32_t id;
} target;

int choose_target(bpf_program *, bpf_prog_load_opts *options, long) {
    options->expected_attach_type = static_cast<bpf_attach_type>(target.kind);
    options->attach_btf_obj_fd = target.btf_fd;
    options->attach_btf_id = target.id;
    return 0;
}

// libbpf has no call that sets an id. But a handler for a section of one's own may prepare the
// load.
void register_section() {
    LIBBPF_OPTS(libbpf_prog_handler_opts, options);
    options.prog_prepare_load_fn = choose_target;
    if (libbpf_register_prog_handler("by_id+", BPF_PROG_TYPE_TRACING, BPF_TRACE_FENTRY, &options) <
        0)
        die("libbpf_register_prog_handler");
}

int to_link(int program, Kind kind, const std::vector<uint32_t> &ids,
            const std::vector<uint64_t> &cookies) {
    struct {
        uint32_t program, target, attach_type, flags;
        uint64_t ids, cookies;
        uint32_t count, zero;
    } request = {static_cast<uint32_t>(program),
                 0,
                 static_cast<uint32_t>(kind),
                 0,
                 pointer(ids.data()),
                 pointer(cookies.data()),
                 static_cast<uint32_t>(ids.size()),
                 0};
    return static_cast<int>(
        syscall(SYS_bpf, BPF_LINK_CREATE, &request, sizeof(request) - sizeof(request.zero)));
}

}  // namespace

void Program::load(const char *program, const std::string *name, unsigned log_level) {
    static const bool registered = (register_section(), true);
    static std::vector<char> log(1 << 20);
    static_cast<void>(registered);
    object_.reset(bpf_object__open_file("/intree.bpf.o", nullptr));
    if (!object_)
        die("/intree.bpf.o");
    bpf_program *each = nullptr, *ours = nullptr;
    bpf_object__for_each_program(each, object_.get()) {
        const bool chosen = std::string(bpf_program__name(each)) == program;
        bpf_program__set_autoload(each, chosen);
        if (chosen)
            ours = each;
    }
    log[0] = '\0';
    bpf_program__set_log_level(ours, log_level);
    bpf_program__set_log_buf(ours, log.data(), log.size());
    if (name != nullptr && bpf_program__set_attach_target(ours, 0, name->c_str()) != 0)
        error_ = errno;
    else if (bpf_object__load(object_.get()) != 0)
        error_ = errno;
    log_ = log.data();
    if (error_ != 0)
        return;
    program_ = bpf_program__fd(ours);
    const bpf_map *map = bpf_object__find_map_by_name(object_.get(), ".bss");
    void *memory =
        mmap(nullptr, sizeof(intree_seen), PROT_READ | PROT_WRITE, MAP_SHARED, bpf_map__fd(map), 0);
    if (memory == MAP_FAILED)
        die(".bss");
    seen_ = static_cast<intree_seen *>(memory);
    seen_->pid = static_cast<uint32_t>(getpid());
}

void Program::attach() {
    if (error_ != 0)
        return;
    link_ = bpf_raw_tracepoint_open(nullptr, program_);
    if (link_ < 0)
        error_ = errno;
}

Program::Program(Kind kind, const Func &func, unsigned log_level) {
    target = {kind, func.btf_fd, func.id};
    load(kind == Kind::fentry  ? "enter"
         : kind == Kind::fexit ? "leave"
                               : "modify",
         nullptr, log_level);
    attach();
}

Program::Program(const std::string &name) {
    load("named", &name, 1);
    attach();
}

Program::Program(Kind kind, const std::vector<Func> &funcs) {
    target = {kind, funcs.at(0).btf_fd, 0};
    load(kind == Kind::fentry_multi ? "enter" : "leave", nullptr, 1);
    if (error_ != 0)
        return;
    std::vector<uint32_t> ids;
    std::vector<uint64_t> cookies;
    for (const Func &func : funcs) {
        ids.push_back(func.id);
        cookies.push_back(cookies.size() + 1);
    }
    link_ = to_link(program_, kind, ids, cookies);
    if (link_ < 0)
        error_ = errno;
}

intree_seen Program::seen() {
    if (seen_ == nullptr)
        return {};
    const intree_seen was = *seen_;
    const uint32_t pid = seen_->pid;
    *seen_ = {};
    seen_->pid = pid;
    return was;
}

void Program::detach() {
    if (link_ >= 0)
        close(link_);
    link_ = -1;
}

Program::~Program() {
    detach();
    if (seen_ != nullptr)
        munmap(seen_, sizeof(*seen_));
}

std::array<uint8_t, SEEN_TEXT> text_at(uint64_t address) {
    static bpf_object *object = nullptr;
    static intree_seen *seen = nullptr;
    static int program = -1;
    if (object == nullptr) {
        object = bpf_object__open_file("/intree.bpf.o", nullptr);
        if (object == nullptr)
            die("/intree.bpf.o");
        bpf_program *each = nullptr;
        bpf_object__for_each_program(each, object)
            bpf_program__set_autoload(each, std::string(bpf_program__name(each)) == "peek");
        if (bpf_object__load(object) != 0)
            die("peek");
        program = bpf_program__fd(bpf_object__find_program_by_name(object, "peek"));
        const bpf_map *map = bpf_object__find_map_by_name(object, ".bss");
        seen = static_cast<intree_seen *>(mmap(nullptr, sizeof(intree_seen), PROT_READ | PROT_WRITE,
                                               MAP_SHARED, bpf_map__fd(map), 0));
    }
    LIBBPF_OPTS(bpf_test_run_opts, options);
    seen->text_at = address;
    if (bpf_prog_test_run_opts(program, &options) != 0 || seen->text_error != 0)
        die("peek: " + std::to_string(address));
    std::array<uint8_t, SEEN_TEXT> text;
    std::copy(std::begin(seen->text), std::end(seen->text), text.begin());
    return text;
}

bool is_traced(const std::array<uint8_t, SEEN_TEXT> &before,
               const std::array<uint8_t, SEEN_TEXT> &now) {
    const auto changed = std::mismatch(before.begin(), before.end(), now.begin()).second;
    const auto at = changed - now.begin();
    constexpr uint8_t kCall = 0xe8, kJump = 0xe9;
    return (at == 0 || at == 4) && (*changed == kCall || *changed == kJump);
}
