// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Runs in a guest with intree_test.ko. A program names a function by its id in the kernel's BTF or
// by its name, and the test checks to which code it is attached.
//
//   intree_guest before FILE           without btf_extra.ko: writes to FILE where programs attach
//   intree_guest after FILE            checks that they still attach there
//   intree_guest with FILE [PART...]   with btf_extra.ko and btf_extra_vmlinux.ko
#include <chrono>
#include <thread>

#include "tests/vm/intree/intree_tests.h"

using namespace guest;

uint64_t call(intree_which which, uint64_t a, uint64_t b, uint64_t c) {
    static const int device = open_device(INTREE_DEVICE);
    intree_call request = {};
    request.which = which;
    request.args[0] = a;
    request.args[1] = b;
    request.args[2] = c;
    if (ioctl(device, INTREE_IOC_CALL, &request) != 0)
        die("INTREE_IOC_CALL");
    return request.returned;
}

bool shell(const std::string &command) {
    return std::system((command + " 2>/dev/null").c_str()) == 0;
}

bool goes(const std::string &module) {
    for (int i = 0; i < 50; i++) {
        if (shell("rmmod " + module))
            return true;
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
    }
    return false;
}

std::string hex(uint64_t address) {
    char digits[17];
    std::snprintf(digits, sizeof(digits), "%016lx", address);
    return digits;
}

int main(int argc, char **argv) {
    // Without arguments all parts run in this order. The last one removes the modules.
    const std::pair<const char *, void (*)()> parts[] = {
        {"pairs", pairs},       {"several", several},    {"changed", changed},
        {"partial", partial},   {"vmlinux", of_vmlinux}, {"untouched", untouched},
        {"strict", strict},     {"sample", sample},      {"stubs", stubs},
        {"lifetime", lifetime},
    };
    libbpf_set_print([](libbpf_print_level, const char *, va_list) { return 0; });
    if (argc < 3)
        die("usage: intree_guest before|after|with FILE [PART...]");
    const std::string mode = argv[1];
    if (mode == "before") {
        write_own_places(argv[2]);
    } else if (mode == "after") {
        same_own_places(argv[2], "without the modules again");
        untouched();
    } else {
        if (argc == 3)
            same_own_places(argv[2], "with the modules");
        for (const auto &[name, part] : parts)
            if (argc == 3 || std::any_of(argv + 3, argv + argc, [&](const char *asked) {
                    return std::string(asked) == name;
                }))
                part();
    }
    return Row::failed != 0;
}
