// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include <fmt/format.h>

#include "tests/vm/function_hook.h"
#include "tests/vm/running_compare.h"

using namespace btf_extra;

namespace {

// Returns true for the symbol of a function. The padding before a function also has a symbol, and
// on arm64 "$x" is where code begins.
bool is_function(std::string_view symbol) {
    return !symbol.starts_with("__pfx_") && !symbol.starts_with("__cfi_") && symbol[0] != '$';
}

// The symbols of /proc/kallsyms in the text of vmlinux and of the other objects, by object and
// address: one function for each address, and padding, where a mark of the linker may be.
struct TextSymbols {
    std::map<uint64_t, std::string> functions;
    std::set<uint64_t> padding;
};
std::map<std::string, TextSymbols> text_of_kallsyms() {
    std::map<std::string, TextSymbols> text;
    std::ifstream file("/proc/kallsyms");
    bool in_text = false;
    for (std::string line; std::getline(file, line);) {
        std::istringstream words(line);
        std::string address, type, name, module = "[vmlinux]";
        words >> address >> type >> name >> module;
        // The kernel's symbols come in order of address, and those of modules follow.
        // arm64 has nothing between the hypervisor's text and _etext.
        if (name == "_stext" || name == "_etext" || name.ends_with("__hyp_text_end"))
            in_text = name == "_stext";
        if ((!in_text && module == "[vmlinux]") ||
            std::string_view("tTwW").find(type[0]) == std::string_view::npos)
            continue;
        const uint64_t where = std::stoull(address, nullptr, 16);
        TextSymbols &symbols = text[module.substr(1, module.size() - 2)];
        if (is_function(name))
            symbols.functions[where] = name;
        else
            symbols.padding.insert(where);
    }
    return text;
}

// The file also has a line for each function of kallsyms that has no body here.
void compare_others(const std::string &object, const TextSymbols &text,
                    const std::set<uint64_t> &bodies, const std::vector<std::string> &lines) {
    std::set<uint64_t> listed;
    for (const std::string &line : lines) {
        const uint64_t address = std::stoull(line, nullptr, 16);
        const size_t tab = line.find('\t');
        const std::string name = line.substr(19, tab - 19);
        const bool part = name.find(".cold") != name.npos || name.find(".part.") != name.npos;
        if (!listed.insert(address).second || bodies.contains(address) ||
            (kFunctionHook != 0 && bodies.contains(address + kFunctionHook) &&
             !text.functions.contains(address + kFunctionHook)) ||
            line.substr(tab) !=
                fmt::format("\t[{}] 0 -\t{}\t{}", object, name, part ? "-part" : "-no-site"))
            bad("sites: " + line);
    }
    for (const auto &[address, name] : text.functions)
        if (!text.padding.contains(address) && !bodies.contains(address) &&
            !bodies.contains(address + kFunctionHook) && !listed.contains(address))
            bad(fmt::format("sites: {}: no line for {} at {:#x}", object, name, address));
    // An address that is no function in kallsyms is an error, too.
    for (const uint64_t address : listed)
        if (!text.functions.contains(address))
            bad(fmt::format("sites: {}: {:#x} is none of kallsyms", object, address));
    fmt::print("# {}: {} symbols in sites that are none\n", object, listed.size());
    end_row(object + ": sites has every function symbol", text.functions.size());
}

}  // namespace

// Compares every line of the debugfs file in its order: objects by id, sites by section and place.
void compare_listing(const std::vector<Object> &objects) {
    std::map<std::string, std::vector<std::string>> wanted, got, others;
    std::map<std::string, std::set<uint64_t>> bodies;
    for (const Object &object : objects)
        for (const Site &site : object.sites) {
            if (std::get<5>(site) == BTF_EXTRA_CLASS_BODY)
                bodies[object.name].insert(std::get<0>(site));
            wanted[object.name].push_back(fmt::format(
                "{:016x} {} {}\t[{}] {}", std::get<0>(site),
                std::get<5>(site) == BTF_EXTRA_CLASS_INLINE ? 'i' : 't',
                object.view->func_name(std::get<2>(site)), object.name, std::get<2>(site)));
        }
    std::ifstream file("/sys/kernel/debug/btf_extra/sites");
    for (std::string line; std::getline(file, line);) {
        const size_t open = line.find('['), close = line.find(']');
        if (open == line.npos || close == line.npos)
            bad("sites: " + line);
        else if (line.compare(16, 3, " s ") == 0)
            others[line.substr(open + 1, close - open - 1)].push_back(line);
        else
            got[line.substr(open + 1, close - open - 1)].push_back(line.substr(0, line.rfind(' ')));
    }
    uint64_t lines = 0;
    for (auto &[name, list] : wanted) {
        lines += list.size();
        std::ranges::sort(list);
        std::ranges::sort(got[name]);
        if (list != got[name])
            bad(fmt::format("sites: {}: {} lines, not the same as {} sites", name, got[name].size(),
                            list.size()));
    }
    if (got.size() != wanted.size())
        bad("sites: other objects");
    end_row("/sys/kernel/debug/btf_extra/sites", lines);
    const auto text = text_of_kallsyms();
    for (const Object &object : objects)
        compare_others(object.name, text.at(object.name), bodies[object.name], others[object.name]);
}
