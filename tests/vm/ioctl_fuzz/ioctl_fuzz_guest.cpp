// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Runs in a guest with btf_extra.ko and btf_extra_vmlinux.ko loaded, and vmlinux's frames in a
// firmware file. Calls the ioctls of the device
// and of links with values at their limits, half right or wrong, from several threads. The kernel
// must answer each call, and nothing may be left afterwards.
//
//   ioctl_fuzz_guest CALLS [SEED]      CALLS: of all threads; 0: without end
#include <array>
#include <atomic>
#include <thread>

#include <sys/mman.h>
#include <unistd.h>

#include "tests/vm/guest_attach.h"

using namespace guest;

namespace {

constexpr size_t kThreads = 4;
constexpr size_t kPage = 4096;
constexpr size_t kLinks = 8;      // open at a time, for each thread
constexpr size_t kFewSites = 24;  // of a function that is attached to
constexpr uint64_t kKernel = 0xffff888000000000;

std::atomic<uint64_t> calls, succeeded;

class Dice {
  public:
    explicit Dice(uint64_t seed) : state_(seed * 2654435761U + 1) {}

    uint64_t any() {
        state_ ^= state_ << 13;
        state_ ^= state_ >> 7;
        state_ ^= state_ << 17;
        return state_;
    }
    size_t below(size_t end) { return any() % end; }
    bool one_in(size_t n) { return below(n) == 0; }

    // A number at some limit.
    uint64_t limit() {
        constexpr std::array<uint64_t, 14> kLimits = {
            0,          1,          2,           3,          31,           63,   64,
            0x7fffffff, 0x80000000, 0xffffffffU, 0xfffffffe, ~uint64_t{0}, 4096, 1U << 20};
        return one_in(4) ? any() : kLimits.at(below(kLimits.size()));
    }

  private:
    uint64_t state_;
};

// Memory of a thread: two pages, and after them a page that is not mapped. The kernel writes where
// a request says, so the memory is far from all else: a few wrong bytes do not lead from there to a
// heap or a stack.
class Memory {
  public:
    Memory() {
        static std::atomic<uint64_t> next = uint64_t{1} << 44;
        constexpr uint64_t kApart = uint64_t{1} << 40;
        bytes_ =
            static_cast<char *>(map(next.fetch_add(kApart), 3 * kPage, PROT_READ | PROT_WRITE));
        readonly_ = map(next.fetch_add(kApart), kPage, PROT_READ);
        if (mprotect(bytes_ + 2 * kPage, kPage, PROT_NONE) != 0)
            die("mprotect");
    }

    // Draws a place for an array or a struct of that size.
    uint64_t place(Dice &dice, size_t size) const {
        switch (dice.below(12)) {
        case 0:
            return 0;
        case 1:
            return pointer(bytes_ + 2 * kPage - dice.below(size + 1));  // runs over the end
        case 2:
            return pointer(readonly_);
        case 3:
            return kKernel + dice.below(1U << 20);
        case 4:
            return dice.any();
        default:
            return pointer(bytes_ + dice.below(64));
        }
    }

    // Writes a name at the end of the memory, or somewhere in it.
    uint64_t name(Dice &dice, const std::string &text) const {
        const size_t size = std::min(text.size() + 1, 2 * kPage);
        char *at = dice.one_in(2) ? bytes_ + 2 * kPage - size : bytes_ + kPage;
        if (at + size > bytes_ + 2 * kPage)
            at = bytes_;
        std::memcpy(at, text.c_str(), size);
        if (dice.one_in(8))
            at[size - 1] = 'x';  // no end
        return dice.one_in(10) ? place(dice, size) : pointer(at);
    }

  private:
    static void *map(uint64_t at, size_t size, int protection) {
        void *memory = mmap(reinterpret_cast<void *>(at), size, protection,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
        if (memory == MAP_FAILED)
            die("mmap");
        return memory;
    }

    char *bytes_;
    void *readonly_;
};

// All threads know this: the functions, their object, and descriptors of programs and of none.
struct World {
    List list = list_sites();
    uint32_t object = by_ioctl(device(), of_id("vmlinux", list.funcs.at(0).id)).sites.at(0).object;
    std::array<int, 4> programs = {load_program(BPF_PROG_TYPE_KPROBE),
                                   load_program(BPF_PROG_TYPE_KPROBE),
                                   load_program(BPF_PROG_TYPE_SOCKET_FILTER), device()};
};

class Fuzzer {
  public:
    Fuzzer(const World &world, uint64_t seed) : world_(world), dice_(seed) {}
    ~Fuzzer() {
        for (const int link : links_)
            if (link >= 0)
                close(link);
    }
    Fuzzer(const Fuzzer &) = delete;
    Fuzzer &operator=(const Fuzzer &) = delete;

    void call() {
        if (dice_.one_in(100))
            return read_file();
        switch (dice_.below(8)) {
        case 0:
            return info();
        case 1:
        case 2:
            return attach();
        case 3:
            return use_link();
        case 4:
            return raw();
        case 5:
            return chain();
        default:
            return look_up();
        }
    }

  private:
    const ListedFunc &func() { return world_.list.funcs[dice_.below(world_.list.funcs.size())]; }

    std::string text() {
        std::string text = func().name;
        switch (dice_.below(8)) {
        case 0:
            return std::string(dice_.one_in(2) ? BTF_EXTRA_NAME_MAX - dice_.below(3)
                                               : BTF_EXTRA_PATH_MAX - dice_.below(3),
                               'a');
        case 1:
            text[dice_.below(text.size())] = static_cast<char>(dice_.any());
            return text;
        case 2:
            return text + ".isra.0";
        case 3:
            return text.substr(0, dice_.below(text.size() + 1));
        default:
            return text;
        }
    }

    // Turns some bits of some fields over.
    template <typename T> void damage(T &request) {
        if (!dice_.one_in(3))
            return;
        auto *bytes = reinterpret_cast<unsigned char *>(&request);
        for (size_t i = 0; i <= dice_.below(3); i++)
            bytes[dice_.below(sizeof(request))] ^= static_cast<unsigned char>(dice_.any());
    }

    template <typename T> int ask(int fd, unsigned long command, T request) {
        damage(request);
        calls++;
        const int result = dice_.one_in(24)
                               ? ioctl(fd, command, memory_.place(dice_, sizeof(request)))
                               : ioctl(fd, command, &request);
        succeeded += result >= 0;
        return result;
    }

    // Mostly few, so that the answer fits.
    uint32_t capacity() {
        return static_cast<uint32_t>(dice_.one_in(4) ? dice_.limit() : dice_.below(40));
    }

    void info() {
        btf_extra_info request = {};
        request.objects = memory_.place(dice_, sizeof(btf_extra_object));
        request.capacity = capacity();
        request.first = static_cast<uint32_t>(dice_.one_in(2) ? 0 : dice_.limit());
        ask(device(), BTF_EXTRA_IOC_INFO, request);
    }

    void look_up() {
        static const std::string kObject = "vmlinux";
        btf_extra_lookup request = {};
        request.by = static_cast<uint32_t>(dice_.one_in(8) ? dice_.limit() : 1 + dice_.below(3));
        request.flags = static_cast<uint32_t>(dice_.one_in(6) ? dice_.limit() : dice_.below(4));
        if (request.by == BTF_EXTRA_BY_ID || dice_.one_in(3))
            request.object = dice_.one_in(4) ? memory_.place(dice_, 8) : pointer(kObject.c_str());
        if (request.by == BTF_EXTRA_BY_NAME || dice_.one_in(8))
            request.name = memory_.name(dice_, text());
        if (dice_.one_in(6))
            request.file = memory_.place(dice_, 64);
        const ListedSite &site = world_.list.sites[dice_.below(world_.list.sites.size())];
        if (request.by == BTF_EXTRA_BY_ADDRESS || dice_.one_in(8))
            request.address = dice_.one_in(4) ? dice_.limit() : site.address;
        if (request.by == BTF_EXTRA_BY_ID || dice_.one_in(8))
            request.func_id = dice_.one_in(4) ? static_cast<uint32_t>(dice_.limit()) : func().id;
        request.first = static_cast<uint32_t>(dice_.one_in(3) ? dice_.limit() : 0);
        request.sites = memory_.place(dice_, sizeof(btf_extra_site));
        request.capacity = capacity();
        ask(device(), BTF_EXTRA_IOC_LOOKUP, request);
    }

    void chain() {
        btf_extra_chain request = {};
        const ListedSite &site = world_.list.sites[dice_.below(world_.list.sites.size())];
        request.address = dice_.one_in(4) ? dice_.limit() : site.address + dice_.below(100);
        request.frames = memory_.place(dice_, sizeof(btf_extra_chain_frame));
        request.capacity = capacity();
        request.files = memory_.place(dice_, 64);
        request.files_size = static_cast<uint32_t>(dice_.one_in(3) ? dice_.limit() : 4096);
        ask(device(), BTF_EXTRA_IOC_FRAMES, request);
    }

    void attach() {
        btf_extra_attach request = {};
        request.prog_fd = static_cast<uint32_t>(
            dice_.one_in(8) ? dice_.limit()
                            : world_.programs.at(dice_.below(dice_.one_in(4) ? 4 : 2)));
        request.flags = BTF_EXTRA_BEST_EFFORT;
        if (dice_.one_in(3))
            request.flags = static_cast<uint32_t>(dice_.any()) & 0x1703;
        else if (dice_.one_in(6))
            request.flags = static_cast<uint32_t>(dice_.limit());
        request.object = dice_.one_in(10) ? static_cast<uint32_t>(dice_.limit()) : world_.object;
        const ListedFunc *function = &func();
        while (function->sites > kFewSites)
            function = &func();
        request.func_id = dice_.one_in(12) ? static_cast<uint32_t>(dice_.limit()) : function->id;
        request.required = dice_.one_in(4) ? dice_.limit() : 0;
        request.cookie = dice_.any();
        request.left_out = memory_.place(dice_, sizeof(btf_extra_left_out));
        request.capacity = capacity();
        const int fd = ask(device(), BTF_EXTRA_IOC_ATTACH, request);
        if (fd < 0)
            return;
        int &slot = links_.at(dice_.below(kLinks));
        if (slot >= 0)
            close(slot);
        slot = fd;
    }

    void use_link() {
        const int link = links_.at(dice_.below(kLinks));
        if (dice_.one_in(8)) {
            const std::string name = "/proc/self/fdinfo/" + std::to_string(link);
            std::ifstream file(name);
            for (std::string line; std::getline(file, line);)
                continue;
            return;
        }
        btf_extra_link request = {};
        request.probes = memory_.place(dice_, sizeof(btf_extra_probe));
        request.capacity = capacity();
        request.first = static_cast<uint32_t>(dice_.one_in(3) ? dice_.limit() : 0);
        ask(link, BTF_EXTRA_IOC_LINK, request);
    }

    // Other numbers, directions and sizes, and the right ones on the wrong file.
    void raw() {
        std::array<uint64_t, 64> bytes;
        for (uint64_t &word : bytes)
            word = dice_.one_in(2) ? 0 : dice_.limit();
        const unsigned long command = dice_.one_in(3)
                                          ? dice_.any()
                                          : _IOC(dice_.below(4), BTF_EXTRA_IOC_MAGIC,
                                                 0x0e + dice_.below(8), dice_.below(512));
        const int fd = dice_.one_in(2) ? device() : links_.at(dice_.below(kLinks));
        const int result = ask(fd, command, bytes);
        if (command == BTF_EXTRA_IOC_ATTACH && result >= 0)
            close(result);
    }

    // Reads from somewhere in a file of an object.
    void read_file() {
        constexpr std::array<const char *, 5> kFiles = {
            "/sys/kernel/debug/btf_extra/sites", "/sys/kernel/btf_extra/vmlinux",
            "/sys/kernel/btf_extra/vmlinux.types", "/sys/kernel/btf_extra/vmlinux.marks",
            "/sys/kernel/btf_extra/vmlinux.frames"};
        const int fd = open(kFiles.at(dice_.below(kFiles.size())), O_RDONLY | O_CLOEXEC);
        if (fd < 0)
            die("a file of the object");
        const auto at = static_cast<off_t>(dice_.one_in(3) ? dice_.limit() : dice_.below(1U << 22));
        calls++;
        succeeded += pread(fd, reinterpret_cast<void *>(memory_.place(dice_, kPage)),
                           dice_.below(kPage), at) >= 0;
        close(fd);
    }

    const World &world_;
    Dice dice_;
    Memory memory_;
    std::array<int, kLinks> links_ = [] {
        std::array<int, kLinks> none;
        none.fill(-1);
        return none;
    }();
};

}  // namespace

int main(int argc, char **argv) {
    if (argc < 2)
        die("usage: ioctl_fuzz_guest CALLS [SEED]");
    const uint64_t wanted = std::strtoull(argv[1], nullptr, 10);
    const uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
    const World world;
    // The first ask reads the frames.
    btf_extra_chain first = {};
    first.address = world.list.sites.back().address;
    if (ioctl(device(), BTF_EXTRA_IOC_FRAMES, &first) != 0)
        die("frames");
    const std::multiset<std::string> before = probe_list();
    std::vector<std::thread> threads;
    for (size_t i = 0; i < kThreads; i++)
        threads.emplace_back([&, i] {
            Fuzzer fuzzer(world, seed * kThreads + i);
            while (wanted == 0 || calls < wanted)
                fuzzer.call();
        });
    for (std::thread &thread : threads)
        thread.join();
    std::printf("# seed %lu: %lu calls, %lu succeeded\n", seed, calls.load(), succeeded.load());
    Row row("random ioctls are answered, and leave nothing");
    row.expect(calls >= wanted, "calls");
    row.expect(succeeded > calls / 20, "too few calls succeed to be worth it");
    row.expect(succeeded < calls, "no call fails");
    expect_probes(row, before);
    return Row::failed != 0;
}
