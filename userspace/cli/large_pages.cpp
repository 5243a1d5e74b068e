// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/cli/large_pages.h"

#include <algorithm>
#include <cstdlib>
#include <span>
#include <string_view>

#include <sys/auxv.h>
#include <unistd.h>

namespace btf_extra {
namespace {

// The tables of 6.1 take 53,000 page faults on small pages, a third of the time on a virtual
// machine, and 6,000 on large ones. glibc has them for its heap since 2.35, and reads that once,
// when a process starts. By default it also grows the heap of a thread by 132 KB at a time, and
// each of these steps waits for the page faults of all threads.
constexpr const char *kTunables = "GLIBC_TUNABLES";
constexpr const char *kLargePages =
    "glibc.malloc.hugetlb=1:glibc.malloc.top_pad=67108864:"
    "glibc.malloc.mmap_threshold=33554432:glibc.malloc.trim_threshold=2147483647";

// A kernel build embeds tables in thousands of modules, one after the other. Each of them is small,
// and to start twice would take longer than it saves.
bool makes_large_tables(std::span<char *> arguments) {
    if (arguments.size() < 2)
        return false;
    const std::string_view subcommand = arguments[1];
    return (subcommand == "generate" &&
            std::ranges::find(arguments, std::string_view("--embed")) == arguments.end()) ||
           subcommand == "firmware" || subcommand == "install";
}

#ifdef __SANITIZE_ADDRESS__  // which has a heap of its own
constexpr bool kHeapOfGlibc = false;
#else
constexpr bool kHeapOfGlibc = true;
#endif

// If `ld.so btf-extra` was called, /proc/self/exe is the loader; no interpreter was loaded for
// that. If the file grants privileges (setuid, capabilities), glibc 2.39 removes the variable at
// each start, and the starts would not end.
bool starts_again_as_itself() {
    return getauxval(AT_BASE) != 0 && getauxval(AT_SECURE) == 0;
}

}  // namespace

void take_large_pages(int argc, char **argv) {
    if (!kHeapOfGlibc)
        return;
    const char *tunables = std::getenv(kTunables);
    if (tunables == nullptr && makes_large_tables({argv, static_cast<size_t>(argc)}) &&
        starts_again_as_itself() && setenv(kTunables, kLargePages, 1) == 0)
        execv("/proc/self/exe", argv);
    // This is the second start, or there was none. The programs that it runs have heaps of their
    // own.
    if (tunables == nullptr || std::string_view(tunables) == kLargePages)
        unsetenv(kTunables);
}

}  // namespace btf_extra
