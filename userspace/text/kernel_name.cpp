// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/text/kernel_name.h"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>

namespace btf_extra {
namespace {

constexpr std::string_view kSpace = " \t\r";
constexpr std::string_view kDigits = "0123456789";

// Takes the first word.
std::string_view take_word(std::string_view &text) {
    text.remove_prefix(std::min(text.find_first_not_of(kSpace), text.size()));
    const std::string_view word = text.substr(0, text.find_first_of(kSpace));
    text.remove_prefix(word.size());
    return word;
}

bool is_release(std::string_view word) {
    const size_t dot = word.find_first_not_of(kDigits);
    return dot != word.npos && dot != 0 && word[dot] == '.' && dot + 1 < word.size() &&
           kDigits.find(word[dot + 1]) != kDigits.npos;
}

bool is_version(std::string_view word) {
    return word.size() > 1 && word[0] == '#' && kDigits.find(word[1]) != kDigits.npos;
}

bool is_build_id(std::string_view word) {
    return word.size() == 40 && word.find_first_not_of("0123456789abcdef") == word.npos;
}

// Reads what follows the version: Debian's package, a build-id.
void read_rest(KernelName &name, std::string_view rest) {
    for (std::string_view word = take_word(rest); !word.empty(); word = take_word(rest)) {
        if (word == "Debian")
            name.package = take_word(rest);
        else if (is_build_id(word))
            name.build_id = word;
    }
}

// "Linux version RELEASE (BUILDER) (COMPILER) #1 SMP ...": linux_banner of init/version.c.
std::optional<KernelName> read_banner(std::string_view text) {
    KernelName name{.release = std::string(take_word(text))};
    if (!is_release(name.release))
        return {};
    for (std::string_view word = take_word(text); !word.empty(); word = take_word(text))
        if (is_version(word)) {
            name.version = word;
            read_rest(name, text);
            break;
        }
    return name;
}

// "... Not tainted RELEASE #1 ..." or "... Tainted: G  W  RELEASE #1 ...": dump_stack_print_info()
// of lib/dump_stack.c and check_hung_task(), Linux 6.1 to 7.3. With CONFIG_STACKTRACE_BUILD_ID a
// build-id follows. "RELEASE #1 Not tainted": print_kernel_ident() of lockdep.
std::optional<KernelName> read_tainted(std::string_view line) {
    std::string_view rest = line, before;
    for (std::string_view word = take_word(rest); !word.empty(); word = take_word(rest)) {
        if (is_version(word) && is_release(before)) {
            KernelName name{.release = std::string(before), .version = std::string(word)};
            read_rest(name, rest);
            return name;
        }
        before = word;
    }
    return {};
}

// "# os release : RELEASE": perf script --header, perf 6.1 to 7.3.
// "     RELEASE: RELEASE": crash 8.0 and its command sys.
std::optional<KernelName> read_release(std::string_view text) {
    KernelName name{.release = std::string(take_word(text))};
    if (!is_release(name.release) || !take_word(text).empty())
        return {};
    return name;
}

// "... PERF_RECORD_MMAP2 -1/0: [0xffffffff81000000(0x...) @ ... <BUILD-ID>]: --xp
// [kernel.kallsyms]_text": perf script --show-mmap-events after perf record --buildid-mmap.
std::optional<KernelName> read_mapping(std::string_view line) {
    const size_t begin = line.find('<'), end = line.find(">]: ");
    if (begin == line.npos || end == line.npos || begin > end ||
        line.find("[kernel.kallsyms]", end) == line.npos)
        return {};
    KernelName name{.build_id = std::string(line.substr(begin + 1, end - begin - 1))};
    return is_build_id(name.build_id) ? std::optional(name) : std::nullopt;
}

}  // namespace

std::string KernelName::difference(const KernelName &other) const {
    if (!build_id.empty() && !other.build_id.empty())
        return build_id == other.build_id ? "" : "build-id " + build_id;
    const auto differ = [](const std::string &a, const std::string &b) {
        return !a.empty() && !b.empty() && a != b;
    };
    if (differ(release, other.release))
        return "release " + release;
    if (differ(package, other.package))
        return "Debian " + package;
    return differ(version, other.version) ? "version " + version : "";
}

std::optional<KernelName> find_kernel_name(std::string_view line) {
    using Read = std::optional<KernelName> (*)(std::string_view);
    struct Form {
        std::string_view label;
        bool reads_line;  // all of it, and not only what follows the label
        Read read;
    };
    static constexpr std::array kForms = {
        Form{"Linux version ", false, read_banner},     Form{"ainted", true, read_tainted},
        Form{"# os release : ", false, read_release},   Form{" RELEASE: ", false, read_release},
        Form{"PERF_RECORD_MMAP2 ", true, read_mapping},
    };
    for (const Form &form : kForms) {
        const size_t at = line.find(form.label);
        if (at == line.npos)
            continue;
        if (auto name = form.read(form.reads_line ? line : line.substr(at + form.label.size())))
            return name;
    }
    return {};
}

}  // namespace btf_extra
