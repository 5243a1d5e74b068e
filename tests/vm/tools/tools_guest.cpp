// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// In a guest: makes calls whose number and arguments tools must report, once a stub is armed.
//
//   tools_guest STUB COUNT
//
// Call I is fallocate(77, 3, 5000000000 + I, 1000 + I), which makes a hole, for an even I, and
// fallocate(77, 1, -I, 1000 + I), which fails, for an odd one. Each is followed by a chdir().
#include <cstdlib>
#include <fstream>
#include <string>

#include <fcntl.h>
#include <unistd.h>

namespace {

// A tool's first calls may be missed: the probes come after it has attached.
bool await_armed(const std::string &stub) {
    for (int i = 0; i < 200; i++) {
        std::ifstream file("/sys/kernel/btf_extra/inlined/" + stub);
        std::string line;
        if (std::getline(file, line) && (line == "state armed" || line == "state held"))
            return true;
        usleep(50'000);
    }
    return false;
}

}  // namespace

int main(int argc, char **argv) {
    const long count = argc == 3 ? std::atol(argv[2]) : 0;
    const int opened = open("/tmp/holes", O_RDWR | O_CREAT, 0600);
    if (count <= 0 || ftruncate(opened, 1 << 20) != 0 || dup2(opened, 77) != 77)
        return 2;
    if (!await_armed(argv[1]))
        return 1;
    for (long i = 0; i < count; i++) {
        const bool even = i % 2 == 0;
        const int status = even ? fallocate(77, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                                            5'000'000'000 + i, 1000 + i)
                                : fallocate(77, FALLOC_FL_KEEP_SIZE, -i, 1000 + i);
        if ((status == 0) != even || chdir("/tmp") != 0)
            return 2;
    }
}
