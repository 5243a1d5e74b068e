// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Attaches a program to every target of an audit of the running kernel, as libbpf does it for any
// tool, and compares the result with what the audit says: whether it attaches, and the error.
//
//   audit_guest OBJECT AUDIT       AUDIT: the output of btf-extra audit --json
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <string>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "tests/vm/guest_sites.h"

namespace {

using nlohmann::json;

std::string error_name(int error) {
    constexpr int kNotSupp = 524;  // the kernel's own
    return error == kNotSupp ? "ENOTSUPP" : strerrorname_np(error);
}

// Returns 0, or the errno of what fails.
int attach_kprobe(const char *path, const std::string &name) {
    static bpf_object *object = nullptr;
    if (object == nullptr) {
        object = bpf_object__open_file(path, nullptr);
        if (object == nullptr || bpf_object__load(object) != 0)
            guest::die("load of the programs");
    }
    bpf_link *link = bpf_program__attach_kprobe(
        bpf_object__find_program_by_name(object, "by_kprobe"), false, name.c_str());
    if (link == nullptr)
        return errno;
    bpf_link__destroy(link);
    return 0;
}

// libbpf finds the FUNC when it loads the program, and the verifier its address.
int attach_fentry(const char *path, const std::string &name) {
    bpf_object *object = bpf_object__open_file(path, nullptr);
    if (object == nullptr)
        guest::die("open of the programs");
    bpf_program *program = bpf_object__find_program_by_name(object, "by_fentry");
    bpf_program__set_autoload(program, true);
    int error = -bpf_program__set_attach_target(program, 0, name.c_str());
    if (error == 0)
        error = -bpf_object__load(object);
    if (error == 0) {
        bpf_link *link = bpf_program__attach(program);
        error = link == nullptr ? errno : 0;
        bpf_link__destroy(link);
    }
    bpf_object__close(object);
    return error;
}

struct Count {
    int targets = 0, unknown = 0, different = 0;
};

}  // namespace

int main(int, char **arguments) {
    libbpf_set_print([](libbpf_print_level, const char *, va_list) { return 0; });
    std::ifstream in(arguments[2]);
    const json audit = json::parse(in);
    std::map<std::string, Count> counts;
    for (const json &target : audit["targets"]) {
        const std::string kind = target["kind"], text = target["target"];
        const json &finding = target["findings"][0];
        Count &count = counts[kind];
        count.targets++;
        if (finding["attaches"].is_null()) {
            count.unknown++;
            continue;
        }
        const std::string name = text.substr(text.find(':') + 1);
        const int error = kind == "fentry" ? attach_fentry(arguments[1], name)
                                           : attach_kprobe(arguments[1], name);
        const bool same =
            finding["attaches"] == (error == 0) &&
            (error == 0 || finding["error"].is_null() || finding["error"] == error_name(error));
        if (same)
            continue;
        count.different++;
        std::printf("# %s: %s: %s; the audit: %s\n", text.c_str(),
                    std::string(finding["verdict"]).c_str(),
                    error == 0 ? "attaches" : error_name(error).c_str(), finding.dump().c_str());
    }
    for (const auto &[kind, count] : counts) {
        std::printf("# %s: %d targets, %d not known\n", kind.c_str(), count.targets, count.unknown);
        std::printf("%s %s: the kernel attaches where the audit says so\n",
                    count.different == 0 && count.unknown * 10 < count.targets ? "pass" : "fail",
                    kind.c_str());
    }
    return 0;
}
