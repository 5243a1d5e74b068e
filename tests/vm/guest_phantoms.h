// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The test programs share this that attach to phantom functions, which btf-extra expose has made.
#ifndef BTF_EXTRA_GUEST_PHANTOMS_H
#define BTF_EXTRA_GUEST_PHANTOMS_H

#include <map>

#include <unistd.h>

#include "tests/vm/guest_attach.h"

namespace guest {

const char *const kStubs = "/sys/kernel/btf_extra/inlined/";

// Returns the lines of the file of a stub by their first word. It is empty if there is no stub.
inline std::map<std::string, std::string> stub_state(const std::string &stub) {
    std::map<std::string, std::string> state;
    std::ifstream file(kStubs + stub);
    for (std::string key, value; file >> key && std::getline(file >> std::ws, value);)
        state[key] = value;
    return state;
}

// Waits up to 20 s until the stub is in that state: the module sees what is attached a moment
// later.
inline std::map<std::string, std::string> wait_for_state(const std::string &stub,
                                                         const std::string &wanted) {
    auto state = stub_state(stub);
    for (int i = 0; i < 200 && state["state"] != wanted; i++) {
        usleep(100000);
        state = stub_state(stub);
    }
    return state;
}

// Returns the address of a symbol of a module; 0: there is none of that name.
inline uint64_t address_in(const std::string &module, const std::string &symbol) {
    std::ifstream kallsyms("/proc/kallsyms");
    for (std::string line; std::getline(kallsyms, line);)
        if (line.ends_with(" " + symbol + "\t[" + module + "]"))
            return std::stoull(line, nullptr, 16);
    return 0;
}

// Debian's 6.1 has not.
inline bool has_kprobe_multi() {
    std::ifstream kallsyms("/proc/kallsyms");
    for (std::string line; std::getline(kallsyms, line);)
        if (line.ends_with(" register_fprobe"))
            return true;
    return false;
}

inline uint64_t stub_address(const std::string &stub) {
    return address_in("inlined", stub);
}

}  // namespace guest

#endif
