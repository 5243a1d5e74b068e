// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Modules of stubs that are not as btf-extra expose has written them.
#include <sys/syscall.h>

#include "tests/vm/phantoms/phantom_tests.h"

using namespace guest;

namespace {

// Returns the bytes of a module with a stub for a function that is not exposed yet.
std::vector<char> a_module() {
    if (std::system("btf-extra expose --template /inlined.ko --output /tmp/edited.ko "
                    "shapes:shape_offset >/dev/null") != 0)
        die("btf-extra expose");
    std::ifstream file("/tmp/edited.ko", std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

// The parts of the table are in kernel/core/phantom_table.h.
const char kMagic[] = "phan";

size_t table_in(const std::vector<char> &module) {
    const auto at = std::search(module.begin(), module.end(), kMagic, kMagic + 4);
    if (at == module.end())
        die("no table");
    return static_cast<size_t>(at - module.begin());
}

std::string last_line() {
    std::string last;
    if (FILE *log = popen("dmesg | grep -i -e btf_extra -e inlined -e BPF | tail -n 1", "r")) {
        char line[512];
        while (std::fgets(line, sizeof(line), log) != nullptr)
            last = line;
        pclose(log);
    }
    return last;
}

}  // namespace

void edited_modules() {
    const std::vector<char> good = a_module();
    const size_t table = table_in(good);
    const struct {
        const char *name;
        size_t at;
        int8_t value;
        const char *says;
    } rows[] = {
        {"another magic", table, 'q', "it is not a table of stubs"},
        {"another version", table + 4, 7, "it is of another version"},
        {"no size", table + 8, 0, "it is the template"},
        {"a size of 1 GiB", table + 11, 0x40, "invalid table size"},
        {"a size beyond its end", table + 10, 0x30, "its table"},
        {"another count", table + 16, 2, "its table was changed"},
        {"another function", table + 32 + 12 + 8 + 4, 1, "its table was changed"},
    };
    for (const auto &one : rows) {
        Row row(std::string("edited: ") + one.name + " is refused, and a line says so");
        std::vector<char> bad = good;
        bad[one.at] = one.value;
        const long result = syscall(SYS_init_module, bad.data(), bad.size(), "");
        row.expect(result != 0, "it is taken");
        const std::string line = last_line();
        row.expect(line.find(one.says) != std::string::npos, line);
    }
    Row row("edited: BTF that is cut is not taken");
    // The header of split BTF: magic, version 1, flags 0, size of the header, offset of the types.
    const char header[] = {'\x9f', '\xeb', 1, 0, 24, 0, 0, 0};
    std::vector<char> bad = good;
    const auto btf = std::search(bad.begin(), bad.end(), header, header + sizeof(header));
    row.expect(btf != bad.end(), "no BTF");
    if (btf == bad.end())
        return;
    btf[12] = '\x77';
    // A kernel with CONFIG_MODULE_ALLOW_BTF_MISMATCH takes the module without its BTF.
    const long result = syscall(SYS_init_module, bad.data(), bad.size(), "");
    row.expect(result != 0 || access("/sys/kernel/btf/inlined", F_OK) != 0, "it is taken");
    if (result == 0)
        row.expect(syscall(SYS_delete_module, "inlined", 0) == 0, "it stays");
}
