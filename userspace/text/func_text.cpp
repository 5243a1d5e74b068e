// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/text/func_text.h"

#include <cerrno>
#include <filesystem>

#include <fmt/format.h>

namespace btf_extra {
namespace {

// bpftrace, bcc ("p::" and "r::") and libbpf put these before a function.
constexpr std::string_view kEntryProbes[] = {"kprobe:", "k:", "fentry:", "kfunc:", "kprobe/",
                                             "fentry/", "f:", "p::",     "p:"};
constexpr std::string_view kReturnProbes[] = {
    "kretprobe:", "kr:", "fexit:", "kretfunc:", "fr:", "kretprobe/", "fexit/", "r::", "r:"};

bool all_hex(std::string_view text) {
    return !text.empty() &&
           text.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
}

// A kernel address has 16 digits where no 0x is before it.
bool is_address(std::string_view text) {
    if (text.starts_with("0x") || text.starts_with("0X"))
        return all_hex(text.substr(2));
    return text.size() == 16 && all_hex(text);
}

// Returns why a text is not a function, with the text to type instead; empty: it may be one.
std::string other_than_function(std::string_view text) {
    if (is_address(text))
        return fmt::format("an address is not a function: symbolize {0} prints its functions, "
                           "lookup --addr {0} its sites",
                           text);
    if (const size_t plus = text.find('+'); plus != text.npos && plus != 0) {
        const std::string_view place = text.substr(0, text.find('/', plus));
        return fmt::format("a place is not a function: symbolize {0} prints its functions, "
                           "lookup --addr {0} its sites; the function is {1}",
                           place, text.substr(0, plus));
    }
    for (const std::string_view probe : kReturnProbes)
        if (text.starts_with(probe))
            return fmt::format("returns of functions cannot be named; its calls are {}",
                               text.substr(probe.size()));
    if (const size_t percent = text.find("%return"); percent != text.npos)
        return fmt::format("returns of functions cannot be named; its calls are {}",
                           text.substr(0, percent));
    // As /proc/kallsyms and stack traces have it.
    if (const size_t bracket = text.find('[');
        text.ends_with(']') && bracket != text.npos && bracket > 0 && text[bracket - 1] <= ' ') {
        const std::string_view name = text.substr(0, text.find_first_of(" \t"));
        return fmt::format("a function of a module is {}:{}",
                           text.substr(bracket + 1, text.size() - bracket - 2), name);
    }
    if (const size_t paren = text.find('('); paren != text.npos) {
        const std::string_view before = text.substr(0, paren);
        return fmt::format("a name is needed, not a prototype: {}",
                           before.substr(before.find_last_of(" *") + 1));
    }
    return "";
}

// Returns the text without what other tools write around the name of a function.
std::string_view bare(std::string_view text) {
    for (const std::string_view probe : kEntryProbes)
        if (text.starts_with(probe) && text.size() > probe.size()) {
            text.remove_prefix(probe.size());
            break;
        }
    if (text.size() > 2 && text.ends_with("()"))
        text.remove_suffix(2);
    return text;
}

}  // namespace

bool FuncText::is_glob() const {
    const func_text text = core();
    return !name.empty() && func_text_literal(&text) != text.name_size;
}

func_text FuncText::core() const {
    func_text out = {};
    out.object = object.empty() ? nullptr : object.c_str();
    out.object_size = static_cast<uint32_t>(object.size());
    out.name = id ? nullptr : name.c_str();
    out.name_size = static_cast<uint32_t>(name.size());
    out.file = file.empty() ? nullptr : file.c_str();
    out.id = id.value_or(0);
    out.glob = true;
    return out;
}

Result<FuncText> parse_func_text(const std::string &written) {
    const std::string text(bare(written));
    if (const std::string reason = other_than_function(text); !reason.empty())
        return Error{fmt::format("'{}': {}", written, reason), EINVAL};
    func_text parsed;
    if (const char *reason = func_text_parse(text.c_str(), &parsed))
        return Error{fmt::format("'{}': {}", written, reason), EINVAL};
    FuncText out;
    if (parsed.object != nullptr)
        out.object.assign(parsed.object, parsed.object_size);
    if (parsed.file != nullptr)
        out.file = std::filesystem::path(parsed.file).lexically_normal().string();
    if (parsed.name != nullptr)
        out.name.assign(parsed.name, parsed.name_size);
    else
        out.id = parsed.id;
    return out;
}

}  // namespace btf_extra
