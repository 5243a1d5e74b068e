// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Runs in a guest with btf_extra.ko and btf_extra_vmlinux.ko loaded. Asks which functions an
// address is in: the device, the exported function (api_test.ko) and the kfunc.
//
//   frames_guest none                        nothing has frames
//   frames_guest vmlinux FILE OBJECT tracing|no-tracing
//                                            vmlinux has those of its firmware file, once they are
//                                            asked for. FILE is that file, and OBJECT frames.bpf.o;
//                                            no-tracing: this kernel refuses kprobe programs.
//   frames_guest module NAME CHAINS          so has a module. CHAINS has for each byte of its .text
//                                            what addr2line says: "OFFSET [FUNCTION FILE:LINE]...
//                                            FUNCTION", the calls without the folders of the files
//   frames_guest gone NAME CHAINS            the module has gone from where it was
#include <array>
#include <map>
#include <memory>
#include <sstream>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/vm/api/api_test.h"
#include "tests/vm/frames/frames_state.h"
#include "tests/vm/guest_sites.h"
#include "userspace/lib/btf_extra.h"

using namespace guest;

namespace {

constexpr int kAsked = 2000;

int device;
Random any;

// ---- the device ----

// A function of a chain: it has an id, and a place that it is called from.
struct Frame {
    uint32_t func_id = 0;
    std::string file;
    uint32_t line = 0;
    bool operator==(const Frame &) const = default;
};

struct Chain {
    int error = 0;  // errno
    uint32_t result = 0;
    std::vector<btf_extra_chain_frame> raw;
    std::vector<Frame> frames;
};

Chain chain_at(uint64_t address, int fd = device, unsigned long command = BTF_EXTRA_IOC_FRAMES,
               uint32_t how = 0) {
    static std::array<btf_extra_chain_frame, BTF_EXTRA_CHAIN_MAX> frames;
    static std::array<char, 1 << 16> files;
    btf_extra_chain request = {};
    request.address = address;
    request.frames = pointer(frames.data());
    request.capacity = frames.size();
    request.files = pointer(files.data());
    request.files_size = files.size();
    request.reserved[1] = how;
    Chain chain;
    if (ioctl(fd, command, &request) != 0) {
        chain.error = errno;
        return chain;
    }
    if (request.count != request.total || request.files_total > files.size())
        die("a chain with more than there can be");
    chain.result = request.result;
    chain.raw.assign(frames.begin(), frames.begin() + request.count);
    if (command != BTF_EXTRA_IOC_FRAMES)
        return chain;  // it has no files
    const char *file = files.data();
    for (const btf_extra_chain_frame &frame : chain.raw) {
        chain.frames.push_back({frame.func_id, file, frame.call_line});
        if ((frame.call_file != 0) != (*file != '\0'))
            die("a file without a name");
        file += std::strlen(file) + 1;
    }
    return chain;
}

bool same(const std::vector<btf_extra_chain_frame> &chain, const btf_extra_chain_frame *frames) {
    return std::memcmp(chain.data(), frames, chain.size() * sizeof(*frames)) == 0;
}

std::string text(const std::vector<Frame> &frames) {
    std::string text;
    for (const Frame &frame : frames)
        text += " " + std::to_string(frame.func_id) + " " + frame.file + ":" +
                std::to_string(frame.line);
    return text;
}

std::string hex(uint64_t address) {
    char text[20];
    std::snprintf(text, sizeof(text), "0x%lx", address);
    return text;
}

// ---- kfunc ----

struct Closer {
    void operator()(bpf_object *object) const { bpf_object__close(object); }
    void operator()(bpf_link *link) const { bpf_link__destroy(link); }
};

// Only one program of the object is loaded.
class Program {
  public:
    Program(const char *file, const char *name) : object_(bpf_object__open_file(file, nullptr)) {
        if (!object_)
            die(file);
        for (const char *one : {"on_demand", "at_kprobe"})
            bpf_program__set_autoload(bpf_object__find_program_by_name(object_.get(), one),
                                      std::string(one) == name);
        if (bpf_object__load(object_.get()) != 0)
            die(std::string("load of ") + name);
        program_ = bpf_object__find_program_by_name(object_.get(), name);
        if (std::string(name) == "at_kprobe") {
            link_.reset(bpf_program__attach(program_));
            if (!link_)
                die("attach");
        }
        void *memory = mmap(nullptr, sizeof(frames_state), PROT_READ | PROT_WRITE, MAP_SHARED,
                            bpf_map__fd(bpf_object__find_map_by_name(object_.get(), ".bss")), 0);
        if (memory == MAP_FAILED)
            die(".bss");
        state_ = static_cast<frames_state *>(memory);
    }

    const frames_state &ask(uint64_t address) {
        // It calls what the kprobe is at, too.
        state_->pid = static_cast<uint32_t>(getpid());
        const uint32_t runs = state_->runs;
        state_->address = address;
        LIBBPF_OPTS(bpf_test_run_opts, options);
        if (link_)
            syscall(SYS_getppid);
        else if (bpf_prog_test_run_opts(bpf_program__fd(program_), &options) != 0)
            die("run");
        if (state_->runs != runs + 1)
            die("the program ran " + std::to_string(state_->runs - runs) + " times");
        return *state_;
    }

    // Both must say the same.
    void compare(Row &row, uint64_t address) {
        const Chain chain = chain_at(address);
        const frames_state &state = ask(address);
        const int total = chain.error != 0 ? -chain.error : static_cast<int>(chain.raw.size());
        row.equal(state.total, total, hex(address));
        row.equal(state.of_none, total, hex(address) + ", without room");
        if (total > 0 && total <= FRAMES_STATE_ROOM)
            row.expect(same(chain.raw, state.frames), hex(address) + ": other functions");
    }

  private:
    std::unique_ptr<bpf_object, Closer> object_;
    std::unique_ptr<bpf_link, Closer> link_;
    bpf_program *program_ = nullptr;
    frames_state *state_ = nullptr;
};

// ---- vmlinux ----

// Draws places at sites, and some bytes after them.
std::vector<uint64_t> draw_places(const List &list) {
    std::vector<uint64_t> places = {0, 1, pointer(&list), ~uint64_t{0}};
    for (int i = 0; i < kAsked; i++) {
        const uint64_t address = list.draw_site(any).address;
        places.push_back(address);
        places.push_back(address + any.below(200));
    }
    return places;
}

void before_the_first_ask(Program &program, uint64_t address) {
    {
        Row row("frames: the kfunc does not read them");
        row.equal(program.ask(address).total, -ENODATA, "kfunc");
        row.expect(access("/sys/kernel/btf_extra/vmlinux.frames", F_OK) != 0, "they are in sysfs");
    }
    Row row("frames: the device reads them for the first who asks");
    row.equal(chain_at(address).error, 0, "device");
    row.expect(program.ask(address).total > 0, "kfunc afterwards");
    row.expect(access("/sys/kernel/btf_extra/vmlinux.frames", F_OK) == 0, "not in sysfs");
}

// The library reads the file by itself.
void against_library(const char *file, const std::vector<uint64_t> &places) {
    Row row("frames: what the library says of the file");
    btf_extra_open_opts opts = {};
    opts.sz = sizeof(opts);
    opts.file = file;
    opts.no_module = true;
    btf_extra_tables *tables;
    if (btf_extra_open(&tables, &opts) != 0)
        die(btf_extra_last_error());
    size_t inlined = 0;
    for (const uint64_t address : places) {
        std::array<btf_extra_frame, BTF_EXTRA_CHAIN_MAX> found;
        size_t nr = 0;
        if (btf_extra_frames(tables, address, found.data(), found.size(), &nr) != 0)
            die(btf_extra_last_error());
        std::vector<Frame> wanted;
        for (size_t i = 0; i < nr; i++)
            wanted.push_back({found[i].func_id, found[i].call_file ? found[i].call_file : "",
                              found[i].call_line});
        const Chain chain = chain_at(address);
        row.equal(chain.error, nr == 0 ? ENOENT : 0, hex(address));
        row.expect(chain.frames == wanted,
                   hex(address) + ":" + text(chain.frames) + ", not" + text(wanted));
        inlined += nr > 1;
    }
    row.expect(inlined > places.size() / 10, "few of them are in inlined functions");
    btf_extra_close(tables);
}

// The sites are from other parts of the file, and say where a body begins.
void against_sites(const List &list) {
    Row row("frames: the function of a body is the last one");
    for (int i = 0; i < kAsked; i++) {
        const ListedSite &site = list.draw_site(any);
        const Answer answer = by_ioctl(device, at_address(site.address, BTF_EXTRA_BODY_ONLY));
        std::vector<uint32_t> funcs;
        for (const btf_extra_site &one : answer.sites)
            if ((one.flags & (BTF_EXTRA_SITE_TRUE_SIGNATURE | BTF_EXTRA_SITE_PART)) == 0)
                funcs.push_back(one.func_id);
        if (funcs.size() != 1)
            continue;
        const Chain chain = chain_at(site.address);
        row.expect(chain.error == 0 && chain.raw.back().func_id == funcs[0] &&
                       chain.raw.back().object == answer.sites[0].object,
                   hex(site.address));
    }
}

void against_api(const std::vector<uint64_t> &places) {
    Row row("frames: what the exported function says");
    const int api = open_device(API_TEST_DEVICE);
    for (const uint64_t address : places) {
        const Chain chain = chain_at(address);
        for (const uint32_t how : {0U, API_TEST_IRQS_OFF}) {
            const Chain got = chain_at(address, api, API_TEST_FRAMES, how);
            row.equal(got.error, chain.error, hex(address));
            row.expect(got.raw.size() == chain.raw.size() && same(got.raw, chain.raw.data()),
                       hex(address) + ": other functions");
        }
    }
    close(api);
}

void freed_text() {
    Row row("frames: text of vmlinux that is freed");
    const Chain chain = chain_at(body_address(device, "start_kernel"));
    row.equal(chain.error, 0, "error");
    row.equal(chain.result, BTF_EXTRA_RESULT_FREED, "result");
    row.equal(chain_at(body_address(device, FRAMES_STATE_TARGET)).result, 0,
              "result of other text");
}

void hidden(uint64_t address) {
    Row row("frames: whoever may not see addresses learns none");
    const std::string rule = "/proc/sys/kernel/kptr_restrict";
    std::string before;
    std::ifstream(rule) >> before;
    std::ofstream(rule) << 2 << std::flush;
    const int late = open_device(BTF_EXTRA_DEVICE);
    row.equal(chain_at(address, late).error, EPERM, "error");
    row.equal(chain_at(1, late).error, EPERM, "error where nothing is");
    close(late);
    std::ofstream(rule) << before << std::flush;
}

void vmlinux(const char *file, const char *object, bool tracing) {
    const List list = list_sites();
    const std::vector<uint64_t> places = draw_places(list);
    const uint64_t known = body_address(device, FRAMES_STATE_TARGET);
    Program on_demand(object, "on_demand");
    before_the_first_ask(on_demand, known);
    against_library(file, places);
    against_sites(list);
    against_api(places);
    {
        Row row("frames: kfunc of a syscall program");
        for (const uint64_t address : places)
            on_demand.compare(row, address);
    }
    if (tracing) {
        Row row("frames: kfunc of a kprobe program");
        Program at_kprobe(object, "at_kprobe");
        for (const uint64_t address : places)
            at_kprobe.compare(row, address);
    }
    freed_text();
    hidden(known);
}

// ---- a module ----

std::string func_name(int api, const btf_extra_chain_frame &frame) {
    std::string name(BTF_EXTRA_NAME_MAX, '\0');
    api_test_func_name request = {.object = frame.object,
                                  .func_id = frame.func_id,
                                  .name = pointer(name.data()),
                                  .size = name.size()};
    if (ioctl(api, API_TEST_FUNC_NAME, &request) < 0)
        return "?";
    return name.c_str();
}

uint64_t section_address(const std::string &module, const std::string &section) {
    std::string address;
    std::ifstream("/sys/module/" + module + "/sections/" + section) >> address;
    return address.empty() ? 0 : std::stoull(address, nullptr, 16);
}

// The chains by offset in .text, as texts.
std::map<uint64_t, std::string> read_chains(const char *file) {
    std::map<uint64_t, std::string> chains;
    std::ifstream lines(file);
    for (std::string line; std::getline(lines, line);) {
        char *end;
        const uint64_t offset = std::strtoull(line.c_str(), &end, 16);
        chains[offset] = end;
    }
    if (chains.empty())
        die(file);
    return chains;
}

void module(const std::string &name, const char *file) {
    const int api = open_device(API_TEST_DEVICE);
    const uint64_t text = section_address(name, ".text");
    Row row("frames of a module: each byte of .text as addr2line has it");
    size_t longest = 0;
    for (const auto &[offset, wanted] : read_chains(file)) {
        const Chain chain = chain_at(text + offset);
        std::string got;
        for (size_t i = 0; i < chain.frames.size(); i++) {
            const Frame &frame = chain.frames[i];
            got += " " + func_name(api, chain.raw[i]);
            if (frame.line != 0)
                got += " " + frame.file.substr(frame.file.rfind('/') + 1) + ":" +
                       std::to_string(frame.line);
        }
        row.expect(got == wanted, hex(offset) + ":" + got + ", not" + wanted);
        row.equal(chain.error, wanted.empty() ? ENOENT : 0, hex(offset));
        longest = std::max(longest, chain.frames.size());
    }
    row.expect(longest > 1, "nothing is inlined");
    Row freed("frames of a module: none where its init was");
    const uint64_t init = section_address(name, ".init.text");
    freed.expect(init != 0, "no init");
    freed.equal(chain_at(init).error, ENOENT, "error");
    std::ofstream("/tmp/text_of_" + name) << text;
    close(api);
}

void gone(const std::string &name, const char *file) {
    Row row("frames of a module: none when it has gone");
    uint64_t text = 0;
    std::ifstream("/tmp/text_of_" + name) >> text;
    row.expect(text != 0, "it was nowhere");
    for (const auto &[offset, wanted] : read_chains(file))
        row.equal(chain_at(text + offset).error, ENOENT, hex(offset));
}

void none() {
    Row row("frames: an object that has none says so");
    const uint64_t address = body_address(device, FRAMES_STATE_TARGET);
    for (int i = 0; i < 2; i++)
        row.equal(chain_at(address).error, ENODATA, "error");
    row.equal(chain_at(1).error, ENOENT, "error where nothing is");
}

}  // namespace

int main(int argc, char **argv) {
    const std::vector<std::string> words(argv + 1, argv + argc);
    device = open_device(BTF_EXTRA_DEVICE);
    if (words.size() == 1 && words[0] == "none")
        none();
    else if (words.size() == 4 && words[0] == "vmlinux")
        vmlinux(argv[2], argv[3], words[3] == "tracing");
    else if (words.size() == 3 && words[0] == "module")
        module(words[1], argv[3]);
    else if (words.size() == 3 && words[0] == "gone")
        gone(words[1], argv[3]);
    else
        die("usage: frames_guest none | vmlinux FILE OBJECT tracing|no-tracing | module NAME CHAINS"
            " | gone NAME CHAINS");
    return Row::failed != 0;
}
