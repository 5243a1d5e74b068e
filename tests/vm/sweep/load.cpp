// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include <algorithm>
#include <string>

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/vm/sweep/load.h"

namespace {

void use_files(const std::string &name) {
    char bytes[4096] = {};
    const int fd = open(name.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0)
        return;
    for (int i = 0; i < 4; i++)
        (void)!write(fd, bytes, sizeof(bytes));
    lseek(fd, 0, SEEK_SET);
    (void)!read(fd, bytes, sizeof(bytes));
    fsync(fd);
    ftruncate(fd, 100) == 0 ? fchmod(fd, 0644) : 0;
    close(fd);
    rename(name.c_str(), (name + ".new").c_str());
    unlink((name + ".new").c_str());
}

void read_file(const char *name) {
    char bytes[4096];
    const int fd = open(name, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    while (read(fd, bytes, sizeof(bytes)) > 0)
        continue;
    close(fd);
}

void use_proc() {
    for (const char *name : {"/proc/self/maps", "/proc/self/status", "/proc/meminfo", "/proc/stat",
                             "/proc/interrupts", "/proc/slabinfo", "/proc/mounts"})
        read_file(name);
    if (DIR *folder = opendir("/sys/kernel")) {
        while (readdir(folder) != nullptr)
            continue;
        closedir(folder);
    }
}

void use_memory() {
    constexpr size_t kSize = 1 << 18;
    auto *memory = static_cast<char *>(
        mmap(nullptr, kSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    if (memory == MAP_FAILED)
        return;
    for (size_t at = 0; at < kSize; at += 4096)
        memory[at] = 1;
    mprotect(memory, kSize / 2, PROT_READ);
    madvise(memory, kSize / 2, MADV_DONTNEED);
    munmap(memory, kSize);
}

void use_process() {
    const pid_t child = vfork();
    if (child == 0) {
        execl("/bin/true", "true", nullptr);
        _exit(0);
    }
    if (child > 0)
        waitpid(child, nullptr, 0);
}

void talk(int family, int type) {
    int ends[2];
    char bytes[1024] = {};
    if (socketpair(family, type, 0, ends) != 0)
        return;
    for (int i = 0; i < 4; i++) {
        (void)!write(ends[0], bytes, sizeof(bytes));
        pollfd ready = {ends[1], POLLIN, 0};
        if (poll(&ready, 1, 100) == 1)
            (void)!read(ends[1], bytes, sizeof(bytes));
    }
    close(ends[0]);
    close(ends[1]);
}

}  // namespace

Load::Load() : rounds_(std::thread::hardware_concurrency()) {
    for (size_t thread = 0; thread < rounds_.size(); thread++)
        threads_.emplace_back([this, thread] { work(thread); });
}

Load::~Load() {
    done_ = true;
    for (std::thread &thread : threads_)
        thread.join();
}

void Load::work(size_t thread) {
    const std::string name = "/tmp/load-" + std::to_string(thread);
    while (!done_) {
        use_files(name);
        use_proc();
        use_memory();
        use_process();
        talk(AF_UNIX, SOCK_STREAM);
        talk(AF_UNIX, SOCK_DGRAM);
        sched_yield();
        usleep(rest_);
        rounds_[thread]++;
    }
}

void Load::wait_for(unsigned rounds) const {
    for (const std::atomic<unsigned> &done : rounds_)
        for (const unsigned wanted = done + rounds; done < wanted;)
            usleep(1000);
}
