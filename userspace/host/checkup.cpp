// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/host/checkup.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <sstream>

#include <fmt/format.h>
#include <linux/capability.h>

#include "userspace/format/hex_number.h"
#include "userspace/format/module_name.h"
#include "userspace/host/debug_info.h"
#include "userspace/host/installed_tables.h"
#include "userspace/host/kernel_config.h"
#include "userspace/lib/tables/attach_rules.h"
#include "userspace/phantoms/template_module.h"

namespace btf_extra::host {
namespace {

constexpr char kInstall[] = "btf-extra install";

bool exists(const std::string &path) {
    std::error_code failed;
    return std::filesystem::exists(path, failed);
}

bool loaded(const Host &host, const std::string &object) {
    return exists(host.path("/sys/kernel/btf_extra/" + object));
}

Finding kernel(const Host &host) {
    Finding out{.what = "kernel",
                .state = State::kOk,
                .seen = host.release + ", " + host.machine,
                .required = true};
    int major = 0, minor = 0;
    if (host.machine != "x86_64" && host.machine != "aarch64") {
        out.state = State::kMissing;
        out.advice = "tracing is for x86-64 and arm64; files of tables can be read here";
    } else if (std::sscanf(host.release.c_str(), "%d.%d", &major, &minor) != 2 || major > 7) {
        out.state = State::kUnknown;
        out.advice = "tested with 6.1 to 7.x";
    } else if (major < 6 || (major == 6 && minor < 1)) {
        out.state = State::kMissing;
        out.advice = "boot a kernel from 6.1 on";
    }
    return out;
}

Finding option(const Host &host, const std::optional<KernelConfig> &config, const char *name,
               const char *needed_by) {
    Finding out{.what = name, .state = State::kUnknown, .seen = {}};
    if (!config) {
        out.seen =
            fmt::format("neither /proc/config.gz nor /boot/config-{} can be read", host.release);
        return out;
    }
    out.seen = config->value(name);
    out.state = State::kOk;
    if (out.seen.empty()) {
        out.state = State::kMissing;
        out.seen = "not set";
        out.advice = fmt::format("boot a kernel that has it, for {}", needed_by);
    }
    return out;
}

// BPF programs of fentry need direct calls of ftrace. Without seccomp, the first calls of a
// followed command are missed.
Finding followed_programs(const Host &host, const std::optional<KernelConfig> &config) {
    Finding out =
        option(host, config, "DYNAMIC_FTRACE_WITH_DIRECT_CALLS", "fentry programs and follow");
    out.what = "fentry programs";
    if (out.state == State::kMissing)
        out.seen = "DYNAMIC_FTRACE_WITH_DIRECT_CALLS is not set";
    else if (out.state == State::kOk && config->value("SECCOMP_FILTER").empty())
        out.advice = "SECCOMP_FILTER is not set, so follow may miss the first calls of a command";
    // A patched kernel has it.
    const auto complete = read_text(host.path("/sys/module/btf_extra/parameters/complete"));
    if (complete && *complete != "off") {
        out.seen =
            fmt::format("the kernel runs them at inlined calls, too: complete={}", *complete);
        out.advice.clear();
    }
    return out;
}

// Says what the kernel does with plain names. `list` and `audit` tell it for each name.
Finding plain_names(const Host &host) {
    const auto version = KernelVersion::parse(read_text(host.path("/proc/version")).value_or(""));
    const auto refused = has_rule(AttachRule::kOneSymbol, version);
    const auto counted = has_rule(AttachRule::kCountModules, version);
    const auto words = trampoline_words(loc_arch_running(), version);
    Finding out{.what = "plain names", .state = State::kOk, .seen = {}};
    if (!refused || !counted || !words) {
        out.state = State::kUnknown;
        out.seen = "it is not known what this version does with them";
    } else {
        out.seen = fmt::format(
            "if several symbols{} have it, a kprobe {}, fentry takes the first; fentry passes on "
            "{} words of arguments",
            *counted ? "" : " of vmlinux", *refused ? "is refused" : "takes the first", *words);
    }
    out.advice = "btf-extra audit tells what attached programs miss";
    return out;
}

void add_options(const Host &host, std::vector<Finding> &findings) {
    const auto config = KernelConfig::read(host);
    const auto add = [&](const char *name, const char *needed_by, bool required) {
        findings.push_back(option(host, config, name, needed_by));
        findings.back().required = required;
    };
    add("KPROBES", "any tracing", true);
    add("BPF_EVENTS", "any tracing", true);
    add("DEBUG_INFO_BTF", "any tracing", true);
    // The BTF itself proves more than a file of the kernel's options.
    if (exists(host.path("/sys/kernel/btf/vmlinux"))) {
        findings.back().state = State::kOk;
        findings.back().seen = "/sys/kernel/btf/vmlinux";
        findings.back().advice.clear();
    }
    add("DEBUG_INFO_BTF_MODULES", "types of modules in other tools", false);
    add("MODULES", "btf_extra.ko", false);
    add("FUNCTION_TRACER", "expose", false);
    findings.push_back(followed_programs(host, config));
    findings.push_back(plain_names(host));
}

// The word in brackets: "none [integrity] confidentiality".
std::string chosen_word(const std::string &text) {
    const size_t begin = text.find('[') + 1;
    const size_t end = text.find(']');
    return begin != 0 && end != text.npos && begin < end ? text.substr(begin, end - begin) : "";
}

// Nothing: it cannot be seen.
std::optional<std::string> lockdown_mode(const Host &host) {
    const std::string folder = host.path("/sys/kernel/security");
    if (const auto text = read_text(folder + "/lockdown"))
        return chosen_word(*text);
    if (exists(folder + "/lsm"))
        return "none";
    return {};
}

Finding lockdown(const std::optional<std::string> &mode) {
    if (!mode)
        return {.what = "lockdown",
                .state = State::kUnknown,
                .seen = "/sys/kernel/security is empty",
                .advice = "mount -t securityfs securityfs /sys/kernel/security"};
    if (*mode == "confidentiality")
        return {.what = "lockdown",
                .state = State::kMissing,
                .seen = *mode + ": no kprobes",
                .advice = "boot without lockdown=confidentiality",
                .required = true};
    return {.what = "lockdown", .state = State::kOk, .seen = *mode};
}

Finding secure_boot(const Host &host) {
    const std::string efi = host.path("/sys/firmware/efi");
    Finding out{.what = "Secure Boot", .state = State::kOk, .seen = "off"};
    if (!exists(efi)) {
        out.seen = "off: no EFI";
        return out;
    }
    const auto value = read_text(efi + "/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c");
    // Four bytes of attributes stand before the value.
    if (!value || value->size() != 5) {
        out.state = State::kUnknown;
        out.seen = "the variable of the firmware cannot be read";
    } else if (value->back() != 0) {
        out.seen = "on";
    }
    return out;
}

Finding unsigned_modules(const Host &host, const std::optional<std::string> &mode) {
    const bool enforced =
        read_text(host.path("/sys/module/module/parameters/sig_enforce")) == std::string("Y");
    Finding out{.what = "unsigned modules", .state = State::kOk, .seen = "taken"};
    if (!enforced && !mode) {
        out.state = State::kUnknown;
        out.seen = "lockdown may refuse them";
    } else if (enforced || *mode != "none") {
        const bool there = exists(host.path("/sys/module/btf_extra"));
        out.seen = enforced ? "refused: sig_enforce" : "refused: lockdown";
        out.state = there ? State::kOk : State::kMissing;
        out.advice = there ? "expose needs --sign"
                           : "let the kernel trust the key that DKMS signs with: "
                             "mokutil --import /var/lib/dkms/mok.pub";
    }
    return out;
}

Finding headers(const Host &host) {
    const std::string path = host.path("/lib/modules/" + host.release + "/build");
    if (exists(path + "/Makefile"))
        return {.what = "kernel headers", .state = State::kOk, .seen = path};
    return {.what = "kernel headers",
            .state = State::kMissing,
            .seen = path,
            .advice = fmt::format("apt-get install linux-headers-{}, to build btf_extra.ko",
                                  host.release)};
}

Finding debug_information(const Host &host) {
    const auto found = find_debug_info(host, host.release);
    if (found)
        return {.what = "debug information", .state = State::kOk, .seen = found->vmlinux};
    return {.what = "debug information",
            .state = State::kMissing,
            .seen = found.error().message,
            .advice = "btf-extra install names the package"};
}

Finding module(const Host &host) {
    Finding out{.what = "btf_extra.ko", .state = State::kOk, .seen = "loaded"};
    const std::string folder = host.path("/sys/module/btf_extra");
    if (exists(folder)) {
        if (const auto version = read_text(folder + "/version"))
            out.seen += ", " + *version;
        return out;
    }
    out.state = State::kMissing;
    const bool built =
        !find_module_file(host.path("/lib/modules/" + host.release), "btf_extra").empty();
    out.seen = built ? "not loaded" : "not built for this kernel";
    out.advice = built ? "modprobe btf_extra"
                       : "install btf-extra-dkms, or make dkms; until then "
                         "trace uses perf kprobes";
    return out;
}

Finding tables(const Host &host, const std::optional<InstalledTables> &installed) {
    Finding out{.what = "tables", .state = State::kOk, .seen = {}, .required = true};
    const std::string running = running_build_id(host);
    if (loaded(host, "vmlinux")) {
        out.seen = "loaded";
    } else if (!installed) {
        out.state = State::kMissing;
        out.seen = "none for this kernel";
        out.advice = kInstall;
    } else if (running.empty()) {
        out.state = State::kUnknown;
        out.seen = installed->folder + ": this kernel has no build-id to compare";
    } else if (!installed->has("vmlinux", running)) {
        out.state = State::kMissing;
        out.seen = installed->folder + ": of another build of the kernel";
        out.advice = kInstall;
    } else {
        out.seen = installed->folder;
        if (!installed->manifest)
            out.advice = "without a manifest, btf_extra.ko reads no tables";
    }
    return out;
}

// "a, b, c and 5 more"
std::string some_of(const std::vector<std::string> &names) {
    constexpr size_t kShown = 5;
    const auto last = names.begin() + static_cast<ptrdiff_t>(std::min(names.size(), kShown));
    const std::string shown = fmt::format("{}", fmt::join(names.begin(), last, ", "));
    return names.size() <= kShown ? shown
                                  : fmt::format("{} and {} more", shown, names.size() - kShown);
}

Finding tables_of_modules(const Host &host, const std::optional<InstalledTables> &installed) {
    const bool by_module = loaded(host, "vmlinux");
    const std::vector<std::string> modules = other_modules(host);
    std::vector<std::string> lacking;
    for (const std::string &name : modules)
        if (by_module ? !loaded(host, name)
                      : !installed || !installed->has(name, loaded_build_id(host, name)))
            lacking.push_back(name);
    Finding out{.what = "tables of modules", .state = State::kOk, .seen = {}};
    if (lacking.empty()) {
        out.seen = modules.empty() ? "no module is loaded"
                                   : fmt::format("all {} loaded modules", modules.size());
        return out;
    }
    out.state = State::kMissing;
    out.seen = fmt::format("{} of {} loaded modules lack theirs: {}", lacking.size(),
                           modules.size(), some_of(lacking));
    out.advice = "btf-extra install, with --from if the other tables came from a URL";
    return out;
}

Finding expose_template(const Host &host) {
    const std::string folder = host.path("/lib/modules/" + host.release);
    Finding out{.what = "template", .state = State::kMissing, .seen = {}};
    const auto path = phantoms::TemplateModule::find(folder);
    if (!path) {
        out.seen = folder + ": no inlined.ko";
        out.advice = "btf-extra-dkms or make dkms builds it, for expose";
        return out;
    }
    if (const auto opened = phantoms::TemplateModule::open(*path, host.release); !opened) {
        out.seen = opened.error().message;
        out.advice = "btf-extra-dkms or make dkms builds a new one, for expose";
        return out;
    }
    out.state = State::kOk;
    out.seen = *path;
    return out;
}

// The capabilities in force, as a mask.
std::optional<uint64_t> capabilities(const Host &host) {
    std::istringstream in(read_text(host.path("/proc/self/status")).value_or(""));
    constexpr std::string_view kKey = "CapEff:\t";
    for (std::string line; std::getline(in, line);)
        if (line.starts_with(kKey))
            return parse_hex(line.substr(kKey.size()));
    return {};
}

bool has(uint64_t mask, int capability) {
    return (mask >> capability & 1) != 0;
}

Finding rights(const std::optional<uint64_t> &mask) {
    Finding out{.what = "rights", .state = State::kOk, .seen = {}, .required = true};
    if (!mask) {
        out.state = State::kUnknown;
        out.seen = "/proc/self/status cannot be read";
    } else if (has(*mask, CAP_SYS_ADMIN)) {
        out.seen = "CAP_SYS_ADMIN";
    } else if (has(*mask, CAP_PERFMON) && has(*mask, CAP_BPF)) {
        out.seen = "CAP_PERFMON and CAP_BPF";
    } else {
        out.state = State::kMissing;
        out.seen = has(*mask, CAP_PERFMON) ? "no CAP_BPF"
                   : has(*mask, CAP_BPF)   ? "no CAP_PERFMON"
                                           : "neither CAP_PERFMON nor CAP_BPF";
        out.advice = "become root";
    }
    return out;
}

Finding addresses(const Host &host, const std::optional<uint64_t> &mask) {
    Finding out{.what = "addresses", .state = State::kOk, .seen = {}, .required = true};
    const auto text = read_text(host.path("/proc/sys/kernel/kptr_restrict"));
    if (!text || !mask) {
        out.state = State::kUnknown;
        out.seen = "kernel.kptr_restrict cannot be read";
        return out;
    }
    out.seen = "kernel.kptr_restrict is " + *text;
    if (*text != "0" && *text != "1") {
        out.state = State::kMissing;
        out.advice = "sysctl kernel.kptr_restrict=1";
    } else if (!has(*mask, CAP_SYSLOG)) {
        out.state = State::kMissing;
        out.seen = "no CAP_SYSLOG";
        out.advice = "become root";
    }
    return out;
}

}  // namespace

std::string_view text(State state) {
    switch (state) {
    case State::kOk:
        return "ok";
    case State::kMissing:
        return "missing";
    case State::kUnknown:
        return "unknown";
    }
    return "";
}

std::vector<std::string> Checkup::obstacles() const {
    std::vector<std::string> out;
    for (const Finding &each : findings)
        if (each.required && each.state == State::kMissing)
            out.push_back(each.what);
    return out;
}

Checkup check_up(const Host &host) {
    Checkup out;
    out.by_module = loaded(host, "vmlinux");
    const auto installed = installed_tables(host, host.release);
    const auto mode = lockdown_mode(host);
    const auto mask = capabilities(host);
    std::vector<Finding> &all = out.findings;
    all.push_back(kernel(host));
    add_options(host, all);
    all.push_back(lockdown(mode));
    all.push_back(secure_boot(host));
    all.push_back(unsigned_modules(host, mode));
    all.push_back(headers(host));
    all.push_back(debug_information(host));
    all.push_back(module(host));
    all.push_back(tables(host, installed));
    all.push_back(tables_of_modules(host, installed));
    all.push_back(expose_template(host));
    all.push_back(rights(mask));
    all.push_back(addresses(host, mask));
    return out;
}

}  // namespace btf_extra::host
