// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The rows compare what `doctor` says of trees of files that are made up with lines that are worked
// out by hand.
#include <algorithm>
#include <filesystem>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/extra_writer.h"
#include "tests/support/fixture_build.h"
#include "tests/support/made_up_host.h"
#include "tests/support/sample_object.h"
#include "tests/support/template_build.h"
#include "userspace/host/checkup.h"

namespace btf_extra::host {
namespace {

using test::MadeUpHost;
using Texts = std::vector<std::string>;

constexpr char kConfig[] = "/boot/config-6.1.0-test";
constexpr char kFirmware[] = "/lib/firmware/btf_extra/6.1.0-test/";
constexpr char kSecureBoot[] =
    "/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c";

// "STATE: seen; advice", with "required " before it; "ROOT" is the root of the tree.
std::string line_of(const MadeUpHost &made, const std::string &what) {
    const Checkup checkup = check_up(made.host());
    const auto found = std::ranges::find(checkup.findings, what, &Finding::what);
    if (found == checkup.findings.end())
        return "no such finding";
    std::string line = (found->required ? "required " : "") + std::string(text(found->state)) +
                       ": " + found->seen + (found->advice.empty() ? "" : "; ") + found->advice;
    for (size_t at; (at = line.find(made.host().root)) != line.npos;)
        line.replace(at, made.host().root.size(), "ROOT");
    return line;
}

void write_tables(const MadeUpHost &made, const std::string &object, std::string_view build_id) {
    test::SampleObject sample;
    const std::string note = test::build_id_note(build_id);
    const auto bytes = std::as_bytes(std::span(note));
    sample.file.build_id_note.assign(bytes.begin(), bytes.end());
    made.write(kFirmware + object + ".btf_extra", "");
    ASSERT_TRUE(write_extra_file(made.path(kFirmware + object + ".btf_extra"), sample.file));
}

TEST(Checkup, Kernel) {
    const struct {
        const char *release, *machine, *line;
    } rows[] = {
        {"6.1.0-50-amd64", "x86_64", "required ok: 6.1.0-50-amd64, x86_64"},
        {"7.3.4", "x86_64", "required ok: 7.3.4, x86_64"},
        {"6.0.9", "x86_64", "required missing: 6.0.9, x86_64; boot a kernel from 6.1 on"},
        {"5.10.0-30-amd64", "x86_64",
         "required missing: 5.10.0-30-amd64, x86_64; boot a kernel from 6.1 on"},
        {"8.0.0", "x86_64", "required unknown: 8.0.0, x86_64; tested with 6.1 to 7.x"},
        {"other", "x86_64", "required unknown: other, x86_64; tested with 6.1 to 7.x"},
        {"6.12.0", "aarch64", "required ok: 6.12.0, aarch64"},
        {"6.1.0", "riscv64",
         "required missing: 6.1.0, riscv64; tracing is for x86-64 and arm64; files of tables "
         "can be read here"},
    };
    const MadeUpHost made;
    for (const auto &row : rows) {
        const Checkup checkup = check_up({made.host().root, row.release, row.machine});
        const Finding &first = checkup.findings.front();
        EXPECT_EQ((first.required ? "required " : "") + std::string(text(first.state)) + ": " +
                      first.seen + (first.advice.empty() ? "" : "; ") + first.advice,
                  row.line);
    }
}

TEST(Checkup, PlainNames) {
    const struct {
        const char *version, *line;
    } rows[] = {
        {"", "unknown: it is not known what this version does with them"},
        {"Linux version 6.5.0 (x) #1", "unknown: it is not known what this version does with them"},
        {"Linux version 6.1.192 (x) #1",
         "ok: if several symbols have it, a kprobe is refused, fentry takes the first; fentry "
         "passes on 6 words of arguments"},
        {"Linux version 7.3.4 (x) #1",
         "ok: if several symbols have it, a kprobe is refused, fentry takes the first; fentry "
         "passes on 12 words of arguments"},
        {"Linux version 6.1.65 (x) #1",
         "ok: if several symbols of vmlinux have it, a kprobe is refused, fentry takes the first; "
         "fentry passes on 6 words of arguments"},
        {"Linux version 6.1.59 (x) #1",
         "ok: if several symbols of vmlinux have it, a kprobe takes the first, fentry takes the "
         "first; fentry passes on 6 words of arguments"},
    };
    const MadeUpHost made;
    for (const auto &row : rows) {
        made.write("/proc/version", row.version);
        EXPECT_EQ(line_of(made, "plain names"),
                  std::string(row.line) + "; btf-extra audit tells what attached programs miss");
    }
}

TEST(Checkup, Options) {
    const MadeUpHost made;
    EXPECT_EQ(line_of(made, "KPROBES"), "required unknown: neither /proc/config.gz nor "
                                        "/boot/config-6.1.0-test can be read");
    made.write(kConfig,
               "# CONFIG_KPROBES is not set\nCONFIG_BPF_EVENTS=y\nCONFIG_DEBUG_INFO_BTF=y\n"
               "CONFIG_MODULES=m\nXCONFIG_FUNCTION_TRACER=y\n"
               "CONFIG_DEBUG_INFO_BTF_MODULES=y");
    EXPECT_EQ(line_of(made, "KPROBES"),
              "required missing: not set; boot a kernel that has it, for any tracing");
    EXPECT_EQ(line_of(made, "BPF_EVENTS"), "required ok: y");
    EXPECT_EQ(line_of(made, "DEBUG_INFO_BTF"), "required ok: y");
    EXPECT_EQ(line_of(made, "DEBUG_INFO_BTF_MODULES"), "ok: y");
    EXPECT_EQ(line_of(made, "MODULES"), "ok: m");
    EXPECT_EQ(line_of(made, "FUNCTION_TRACER"),
              "missing: not set; boot a kernel that has it, for expose");
    EXPECT_EQ(
        line_of(made, "fentry programs"),
        "missing: DYNAMIC_FTRACE_WITH_DIRECT_CALLS is not set; boot a kernel that has it, for "
        "fentry programs and follow");
    made.write(kConfig, "CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS=y");
    EXPECT_EQ(line_of(made, "fentry programs"),
              "ok: y; SECCOMP_FILTER is not set, so follow may miss the first calls of a command");
    made.write(kConfig, "CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS=y\nCONFIG_SECCOMP_FILTER=y");
    EXPECT_EQ(line_of(made, "fentry programs"), "ok: y");
    made.write("/sys/module/btf_extra/parameters/complete", "off\n");
    EXPECT_EQ(line_of(made, "fentry programs"), "ok: y");
    made.write("/sys/module/btf_extra/parameters/complete", "best-effort\n");
    EXPECT_EQ(line_of(made, "fentry programs"),
              "ok: the kernel runs them at inlined calls, too: complete=best-effort");
    // The kernel's own file comes before its configuration.
    made.write(kConfig, "");
    EXPECT_EQ(line_of(made, "DEBUG_INFO_BTF"),
              "required missing: not set; boot a kernel that has it, for any tracing");
    made.write("/sys/kernel/btf/vmlinux", "");
    EXPECT_EQ(line_of(made, "DEBUG_INFO_BTF"), "required ok: /sys/kernel/btf/vmlinux");
    made.write("/proc/config", "CONFIG_KPROBES=y\n");
    test::must_run({"gzip", made.path("/proc/config")});
    EXPECT_EQ(line_of(made, "KPROBES"), "required ok: y");
    // Half of a file says nothing.
    std::filesystem::resize_file(made.path("/proc/config.gz"),
                                 std::filesystem::file_size(made.path("/proc/config.gz")) - 9);
    EXPECT_EQ(line_of(made, "KPROBES"),
              "required missing: not set; boot a kernel that has it, for any tracing");
}

TEST(Checkup, LockdownAndSignatures) {
    const MadeUpHost made;
    EXPECT_EQ(line_of(made, "lockdown"), "unknown: /sys/kernel/security is empty; mount -t "
                                         "securityfs securityfs /sys/kernel/security");
    EXPECT_EQ(line_of(made, "unsigned modules"), "unknown: lockdown may refuse them");
    made.write("/sys/kernel/security/lsm", "capability");
    EXPECT_EQ(line_of(made, "lockdown"), "ok: none");
    EXPECT_EQ(line_of(made, "unsigned modules"), "ok: taken");
    made.write("/sys/kernel/security/lockdown", "[none] integrity confidentiality\n");
    EXPECT_EQ(line_of(made, "lockdown"), "ok: none");
    EXPECT_EQ(line_of(made, "unsigned modules"), "ok: taken");
    made.write("/sys/kernel/security/lockdown", "none [integrity] confidentiality\n");
    EXPECT_EQ(line_of(made, "lockdown"), "ok: integrity");
    const std::string trust = "; let the kernel trust the key that DKMS signs with: mokutil "
                              "--import /var/lib/dkms/mok.pub";
    EXPECT_EQ(line_of(made, "unsigned modules"), "missing: refused: lockdown" + trust);
    made.write("/sys/kernel/security/lockdown", "none integrity [confidentiality]\n");
    EXPECT_EQ(line_of(made, "lockdown"), "required missing: confidentiality: no kprobes; boot "
                                         "without lockdown=confidentiality");
    made.write("/sys/module/btf_extra/version", "1.0\n");
    EXPECT_EQ(line_of(made, "unsigned modules"), "ok: refused: lockdown; expose needs --sign");
    made.remove("/sys/module/btf_extra");
    made.remove("/sys/kernel/security");
    made.write("/sys/module/module/parameters/sig_enforce", "Y\n");
    EXPECT_EQ(line_of(made, "unsigned modules"), "missing: refused: sig_enforce" + trust);
    made.write("/sys/module/module/parameters/sig_enforce", "N\n");
    EXPECT_EQ(line_of(made, "unsigned modules"), "unknown: lockdown may refuse them");
}

TEST(Checkup, SecureBoot) {
    const MadeUpHost made;
    EXPECT_EQ(line_of(made, "Secure Boot"), "ok: off: no EFI");
    made.write("/sys/firmware/efi/fw_platform_size", "64\n");
    EXPECT_EQ(line_of(made, "Secure Boot"), "unknown: the variable of the firmware cannot be read");
    made.write(kSecureBoot, std::string_view("\6\0\0\0\0", 5));
    EXPECT_EQ(line_of(made, "Secure Boot"), "ok: off");
    made.write(kSecureBoot, std::string_view("\6\0\0\0\1", 5));
    EXPECT_EQ(line_of(made, "Secure Boot"), "ok: on");
    made.write(kSecureBoot, std::string_view("\6\0\0\0", 4));
    EXPECT_EQ(line_of(made, "Secure Boot"), "unknown: the variable of the firmware cannot be read");
}

TEST(Checkup, Headers) {
    const MadeUpHost made;
    EXPECT_EQ(line_of(made, "kernel headers"),
              "missing: ROOT/lib/modules/6.1.0-test/build; apt-get install "
              "linux-headers-6.1.0-test, to build btf_extra.ko");
    made.write("/lib/modules/6.1.0-test/build/Makefile", "");
    EXPECT_EQ(line_of(made, "kernel headers"), "ok: ROOT/lib/modules/6.1.0-test/build");
}

TEST(Checkup, DebugInformation) {
    const MadeUpHost made;
    const std::string get = "; btf-extra install names the package";
    EXPECT_EQ(line_of(made, "debug information"),
              "missing: no debug information of 6.1.0-test is installed" + get);
    const std::string file = "/usr/lib/debug/boot/vmlinux-6.1.0-test";
    made.write("/source.c", "int answer;\n");
    made.write(file, "");
    const auto link = [&](const char *debug, const std::string &target) {
        test::must_run({"gcc", debug, "-shared", "-nostdlib", "-Wl,--build-id=0x0a0b0c0d", "-o",
                        made.path(target), made.path("/source.c")});
    };
    link("-g0", file);
    EXPECT_EQ(line_of(made, "debug information"),
              "missing: no debug information of 6.1.0-test is installed" + get);
    link("-g", file);
    // A kernel without build-id cannot be compared.
    EXPECT_EQ(line_of(made, "debug information"), "ok: ROOT" + file);
    made.write_notes("/sys/kernel/notes", "0a0b0c0d");
    EXPECT_EQ(line_of(made, "debug information"), "ok: ROOT" + file);
    made.write_notes("/sys/kernel/notes", "0a0b0c0e");
    EXPECT_EQ(line_of(made, "debug information"),
              "missing: ROOT" + file +
                  ": of another build: build-id 0a0b0c0d, but that of 6.1.0-test is 0a0b0c0e" +
                  get);
    // The right one may be elsewhere.
    made.write_notes("/sys/kernel/notes", "0a0b0c0d");
    made.remove(file);
    made.write("/usr/lib/debug/.build-id/0a/0b0c0d.debug", "");
    link("-g", "/usr/lib/debug/.build-id/0a/0b0c0d.debug");
    EXPECT_EQ(line_of(made, "debug information"),
              "ok: ROOT/usr/lib/debug/.build-id/0a/0b0c0d.debug");
}

TEST(Checkup, Module) {
    const MadeUpHost made;
    EXPECT_EQ(line_of(made, "btf_extra.ko"),
              "missing: not built for this kernel; install btf-extra-dkms, or make dkms; until "
              "then trace uses perf kprobes");
    made.write("/lib/modules/6.1.0-test/updates/dkms/btf_extra_vmlinux.ko", "");
    EXPECT_EQ(line_of(made, "btf_extra.ko"),
              "missing: not built for this kernel; install btf-extra-dkms, or make dkms; until "
              "then trace uses perf kprobes");
    made.write("/lib/modules/6.1.0-test/updates/dkms/btf_extra.ko.xz", "");
    EXPECT_EQ(line_of(made, "btf_extra.ko"), "missing: not loaded; modprobe btf_extra");
    made.write("/sys/module/btf_extra/version", "1.0\n");
    EXPECT_EQ(line_of(made, "btf_extra.ko"), "ok: loaded, 1.0");
}

TEST(Checkup, Tables) {
    const MadeUpHost made;
    const std::string make = "; btf-extra install";
    const std::string more = make + ", with --from if the other tables came from a URL";
    EXPECT_EQ(line_of(made, "tables"), "required missing: none for this kernel" + make);
    EXPECT_EQ(line_of(made, "tables of modules"), "ok: no module is loaded");
    const std::string folder = "ROOT/lib/firmware/btf_extra/6.1.0-test";
    write_tables(made, "vmlinux", "0a0b");
    EXPECT_EQ(line_of(made, "tables"),
              "required unknown: " + folder + ": this kernel has no build-id to compare");
    made.write_notes("/sys/kernel/notes", "0a0c");
    EXPECT_EQ(line_of(made, "tables"),
              "required missing: " + folder + ": of another build of the kernel" + make);
    made.write_notes("/sys/kernel/notes", "0a0b");
    EXPECT_EQ(line_of(made, "tables"),
              "required ok: " + folder + "; without a manifest, btf_extra.ko reads no tables");
    made.write(std::string(kFirmware) + "manifest", "vmlinux 0a0b\n");
    EXPECT_EQ(line_of(made, "tables"), "required ok: " + folder);

    made.write("/proc/modules", "nf_tables 1 0 - Live 0x0\nbtf_extra 1 0 - Live 0x0\n"
                                "xfs 1 0 - Live 0x0\ninlined 1 0 - Live 0x0\n"
                                "a 1 0 - Live 0x0\nb 1 0 - Live 0x0\nc 1 0 - Live 0x0\n"
                                "d 1 0 - Live 0x0\n");
    write_tables(made, "xfs", "11");
    // A file of another build of the module is none.
    write_tables(made, "a", "12");
    made.write_notes("/sys/module/xfs/notes/.note.gnu.build-id", "11");
    made.write_notes("/sys/module/a/notes/.note.gnu.build-id", "13");
    EXPECT_EQ(line_of(made, "tables of modules"),
              "missing: 5 of 6 loaded modules lack theirs: a, b, c, d, nf_tables" + more);
    made.write("/proc/modules", "xfs 1 0 - Live 0x0\n");
    EXPECT_EQ(line_of(made, "tables of modules"), "ok: all 1 loaded modules");

    // The tables that the module holds count, whatever the files are.
    made.write("/sys/kernel/btf_extra/vmlinux", "");
    made.write_notes("/sys/kernel/notes", "0a0c");
    EXPECT_EQ(line_of(made, "tables"), "required ok: loaded");
    EXPECT_EQ(line_of(made, "tables of modules"),
              "missing: 1 of 1 loaded modules lack theirs: xfs" + more);
    made.write("/sys/kernel/btf_extra/xfs", "");
    EXPECT_EQ(line_of(made, "tables of modules"), "ok: all 1 loaded modules");
    made.write("/proc/modules", "a 1 0 - Live 0x0\nb 1 0 - Live 0x0\nc 1 0 - Live 0x0\n"
                                "d 1 0 - Live 0x0\ne 1 0 - Live 0x0\nf 1 0 - Live 0x0\n"
                                "g 1 0 - Live 0x0\n");
    EXPECT_EQ(line_of(made, "tables of modules"),
              "missing: 7 of 7 loaded modules lack theirs: a, b, c, d, e and 2 more" + more);
}

TEST(Checkup, Template) {
    const MadeUpHost made;
    EXPECT_EQ(line_of(made, "template"), "missing: ROOT/lib/modules/6.1.0-test: no inlined.ko; "
                                         "btf-extra-dkms or make dkms builds it, for expose");
    const std::string file = "/lib/modules/6.1.0-test/updates/dkms/inlined.ko";
    made.write(file, "no ELF file");
    EXPECT_EQ(line_of(made, "template"),
              "missing: ROOT" + file +
                  ": ELF header: not an ELF file; btf-extra-dkms or make dkms builds a "
                  "new one, for expose");
    test::make_template(made.path(file));
    EXPECT_EQ(line_of(made, "template"), "ok: ROOT" + file);
}

TEST(Checkup, RightsAndAddresses) {
    const MadeUpHost made;
    EXPECT_EQ(line_of(made, "rights"), "required unknown: /proc/self/status cannot be read");
    EXPECT_EQ(line_of(made, "addresses"), "required unknown: kernel.kptr_restrict cannot be read");
    // Bits: 21 is CAP_SYS_ADMIN, 34 CAP_SYSLOG, 38 CAP_PERFMON, 39 CAP_BPF.
    const struct {
        const char *mask, *kptr, *rights, *addresses;
    } rows[] = {
        {"000001ffffffffff", "0", "ok: CAP_SYS_ADMIN", "ok: kernel.kptr_restrict is 0"},
        {"000001ffffffffff", "1", "ok: CAP_SYS_ADMIN", "ok: kernel.kptr_restrict is 1"},
        {"000001ffffffffff", "2", "ok: CAP_SYS_ADMIN",
         "missing: kernel.kptr_restrict is 2; sysctl kernel.kptr_restrict=1"},
        {"0000000000200000", "0", "ok: CAP_SYS_ADMIN", "missing: no CAP_SYSLOG; become root"},
        {"000000c400000000", "1", "ok: CAP_PERFMON and CAP_BPF", "ok: kernel.kptr_restrict is 1"},
        {"0000004400000000", "1", "missing: no CAP_BPF; become root",
         "ok: kernel.kptr_restrict is 1"},
        {"0000008000000000", "1", "missing: no CAP_PERFMON; become root",
         "missing: no CAP_SYSLOG; become root"},
        {"0000000000000000", "0", "missing: neither CAP_PERFMON nor CAP_BPF; become root",
         "missing: no CAP_SYSLOG; become root"},
    };
    for (const auto &row : rows) {
        made.write("/proc/self/status",
                   std::string("Name:\tx\nCapPrm:\t0000000000000000\nCapEff:\t") + row.mask + "\n");
        made.write("/proc/sys/kernel/kptr_restrict", std::string(row.kptr) + "\n");
        EXPECT_EQ(line_of(made, "rights"), std::string("required ") + row.rights);
        EXPECT_EQ(line_of(made, "addresses"), std::string("required ") + row.addresses);
    }
}

TEST(Checkup, WorksWithoutWhatIsOptional) {
    const MadeUpHost made;
    made.write(kConfig, "CONFIG_KPROBES=y\nCONFIG_BPF_EVENTS=y\nCONFIG_DEBUG_INFO_BTF=y\n");
    made.write("/sys/kernel/security/lsm", "capability");
    made.write("/proc/self/status", "CapEff:\t000001ffffffffff\n");
    made.write("/proc/sys/kernel/kptr_restrict", "2\n");
    EXPECT_EQ(check_up(made.host()).obstacles(), Texts({"tables", "addresses"}));
    made.write("/proc/sys/kernel/kptr_restrict", "0\n");
    made.write_notes("/sys/kernel/notes", "0a0b");
    write_tables(made, "vmlinux", "0a0b");
    EXPECT_EQ(check_up(made.host()).obstacles(), Texts());
    EXPECT_FALSE(check_up(made.host()).by_module);
    made.write("/sys/kernel/btf_extra/vmlinux", "");
    EXPECT_EQ(check_up(made.host()).obstacles(), Texts());
    EXPECT_TRUE(check_up(made.host()).by_module);
    made.remove(kConfig);
    EXPECT_EQ(check_up(made.host()).obstacles(), Texts());
    made.write(kConfig, "CONFIG_BPF_EVENTS=y\nCONFIG_DEBUG_INFO_BTF=y\n");
    EXPECT_EQ(check_up(made.host()).obstacles(), Texts({"KPROBES"}));
}

// Nothing is known of this machine, so the two forms are compared with each other.
TEST(Checkup, Command) {
    const auto as_text = test::run_btf_extra({"doctor"});
    const auto as_json = test::run_btf_extra({"doctor", "--json"});
    EXPECT_EQ(as_text.exit_code, as_json.exit_code);
    EXPECT_EQ(as_text.err, as_json.err);
    const auto object = nlohmann::json::parse(as_json.out, nullptr, false);
    ASSERT_TRUE(object.is_object()) << as_json.out;
    std::vector<std::string> missing;
    std::string expected;
    for (const auto &each : object["findings"]) {
        std::string line = each["what"];
        line.resize(24, ' ');
        line += each["state"];
        line.resize(33, ' ');
        line += each["seen"];
        if (!each["advice"].is_null())
            line += "; " + std::string(each["advice"]);
        expected += line + "\n";
        if (each["required"] && each["state"] == "missing")
            missing.push_back(each["what"]);
    }
    EXPECT_EQ(object["works"], missing.empty());
    if (missing.empty()) {
        expected += object["by"] == "module" ? "tracing inlined calls works, with btf_extra.ko\n"
                                             : "tracing inlined calls works, with perf kprobes\n";
        EXPECT_EQ(as_text.err, "");
        EXPECT_EQ(as_text.exit_code, 0);
    } else {
        std::string list = missing[0];
        for (size_t i = 1; i < missing.size(); i++)
            list += ", " + missing[i];
        EXPECT_EQ(as_text.err,
                  "btf-extra: tracing inlined calls does not work here: " + list + "\n");
        EXPECT_EQ(as_text.exit_code, 1);
    }
    EXPECT_EQ(as_text.out, expected);
}

}  // namespace
}  // namespace btf_extra::host
