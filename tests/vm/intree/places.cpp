// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// A program names an id of vmlinux or of a module, and the id's name has several symbols. It must
// attach where it did without the modules.
#include "tests/vm/intree/intree_tests.h"

using namespace guest;

namespace {

constexpr size_t kNames = 30;

// A line is "OBJECT NAME NUMBER at ADDRESS" or "... refused ERRNO". NUMBER counts the ids of that
// name.
std::vector<std::string> own_places() {
    std::vector<std::string> lines;
    for (const std::string object : {"vmlinux", "intree_test"}) {
        const Types types(object);
        const std::string module = object == "vmlinux" ? "" : object;
        size_t names = 0;
        for (const std::string &name : shared_symbols(module)) {
            size_t number = 0;
            for (const Func &func : types.named(name)) {
                // An added id, which has a file, does not exist without btf_extra.ko.
                if (!func.file.empty())
                    continue;
                const Place place = place_of(func, module);
                std::string line = object + " " + name;
                line += " " + std::to_string(number++);
                line += place.error != 0 ? " refused " + std::to_string(place.error)
                                         : " at " + hex(place.address);
                lines.push_back(line);
            }
            if (number > 0 && ++names == kNames)
                break;
        }
    }
    return lines;
}

}  // namespace

Place place_of(const Func &func, const std::string &module) {
    const std::vector<uint64_t> places = symbols(func.name, module);
    std::vector<std::array<uint8_t, SEEN_TEXT>> before;
    for (uint64_t place : places)
        before.push_back(text_at(place));
    const Program program(Kind::fentry, func);
    Place found = {0, program.error(), program.log()};
    for (size_t i = 0; program.runs() && i < places.size(); i++) {
        if (text_at(places[i]) == before[i])
            continue;
        if (found.address != 0)
            die(func.name + ": attached twice");
        found.address = places[i];
    }
    return found;
}

void write_own_places(const char *file) {
    std::ofstream out(file);
    for (const std::string &line : own_places())
        out << line << '\n';
}

void same_own_places(const char *file, const std::string &when) {
    Row row("ids of vmlinux and of a module go where they went, " + when);
    std::ifstream in(file);
    std::vector<std::string> before;
    for (std::string line; std::getline(in, line);)
        before.push_back(line);
    const std::vector<std::string> now = own_places();
    row.expect(before.size() > 20, "few of them: " + std::to_string(before.size()));
    row.equal(static_cast<int64_t>(now.size()), static_cast<int64_t>(before.size()), "ids");
    size_t attached = 0;
    for (size_t i = 0; i < std::min(before.size(), now.size()); i++) {
        row.expect(before[i] == now[i], now[i] + ", not " + before[i]);
        attached += before[i].find(" at ffffffff") != std::string::npos ? 1 : 0;
    }
    row.expect(attached > before.size() / 2, "attached: " + std::to_string(attached));
}
