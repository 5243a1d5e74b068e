// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Each row is an answer read from the sources of the kernel: number_of_same_symbols() in
// kernel/trace/trace_kprobe.c, kallsyms_lookup_name() and bpf_check_attach_target().
#include <gtest/gtest.h>

#include "userspace/lib/tables/attach_rules.h"

namespace btf_extra {
namespace {

using Kind = NameVerdict::Kind;

std::optional<KernelVersion> version(const std::string &release) {
    return KernelVersion::parse("Linux version " + release + " (gcc) #1 SMP");
}

TEST(AttachRules, Version) {
    const struct {
        const char *banner;
        uint32_t major, minor;
        int patch;  // -1: not known
    } rows[] = {
        {"Linux version 6.1.0-56-cloud-amd64 (debian-kernel@lists.debian.org) (gcc-12 (Debian "
         "12.2.0-14+deb12u1) 12.2.0, GNU ld (GNU Binutils for Debian) 2.40) #1 SMP "
         "PREEMPT_DYNAMIC Debian 6.1.192-2 (2026-11-16)",
         6, 1, 192},
        {"Linux version 6.12.117+deb13-amd64 (x) #1 SMP Debian 6.12.117-1 (2026)", 6, 12, 117},
        {"Linux version 7.3.4 (x) #1 SMP", 7, 3, 4},
        {"Linux version 6.8.0-45-generic (buildd@x) #45-Ubuntu SMP", 6, 8, -1},
        {"Linux version 6.1.0 (x) #1", 6, 1, 0},
        {"Linux version 7.1-rc3 (x) #1", 7, 1, -1},
        {"Linux version 5.14.0-427.el9.x86_64 (x) #1", 5, 14, -1},
        {"FreeBSD", 0, 0, 0},
        {"", 0, 0, 0},
        {"Linux version x", 0, 0, 0},
    };
    for (const auto &row : rows) {
        const auto found = KernelVersion::parse(row.banner);
        ASSERT_EQ(found.has_value(), row.major != 0) << row.banner;
        if (!found)
            continue;
        EXPECT_EQ(found->major, row.major);
        EXPECT_EQ(found->minor, row.minor);
        EXPECT_EQ(found->patch ? static_cast<int>(*found->patch) : -1, row.patch) << row.banner;
    }
}

TEST(AttachRules, Since) {
    const std::optional<bool> yes = true, no = false, unknown;
    const struct {
        AttachRule rule;
        const char *release;
        std::optional<bool> has;
    } rows[] = {
        {AttachRule::kOneSymbol, "6.1.59", no},
        {AttachRule::kOneSymbol, "6.1.60", yes},
        {AttachRule::kOneSymbol, "6.1.0-20-amd64", unknown},
        {AttachRule::kOneSymbol, "6.5.3", unknown},
        {AttachRule::kOneSymbol, "6.6.1", yes},
        {AttachRule::kOneSymbol, "6.8.0-45-generic", yes},
        {AttachRule::kCountModules, "6.1.70", no},
        {AttachRule::kCountModules, "6.1.71", yes},
        {AttachRule::kVmlinuxFirst, "6.1.192", no},
        {AttachRule::kVmlinuxFirst, "6.1.193", unknown},
        {AttachRule::kVmlinuxFirst, "6.12.117", no},
        {AttachRule::kVmlinuxFirst, "7.0.9", no},
        {AttachRule::kVmlinuxFirst, "7.0.10", yes},
        {AttachRule::kVmlinuxFirst, "7.1.0", yes},
        {AttachRule::kVmlinuxFirst, "7.3.4", yes},
        {AttachRule::kOwnModule, "6.1.192", no},
        {AttachRule::kOwnModule, "6.4.0", yes},
        {AttachRule::kOwnModule, "6.3.9", unknown},
        {AttachRule::kDirectCallsArm64, "6.1.192", no},
        {AttachRule::kDirectCallsArm64, "6.2.1", unknown},
        {AttachRule::kDirectCallsArm64, "6.4.0", yes},
        {AttachRule::kStackArgumentsX86, "6.1.192", no},
        {AttachRule::kStackArgumentsX86, "6.5.3", unknown},
        {AttachRule::kStackArgumentsX86, "6.6.1", yes},
        {AttachRule::kStackArgumentsArm64, "6.12.117", no},
        {AttachRule::kStackArgumentsArm64, "6.15.2", unknown},
        {AttachRule::kStackArgumentsArm64, "6.16.0", yes},
    };
    for (const auto &row : rows)
        EXPECT_EQ(has_rule(row.rule, version(row.release)), row.has) << row.release;
    EXPECT_EQ(has_rule(AttachRule::kOneSymbol, {}), unknown);
    for (const KernelRule &rule : kernel_rules())
        EXPECT_EQ(&rule - kernel_rules().data(), static_cast<ptrdiff_t>(rule.rule));
}

// vmlinux's symbols are at 0x100, 0x200, ..., those of the module xfs at 0x1000, 0x1100, ...
NameFacts facts(const char *release, uint32_t in_vmlinux, uint32_t in_xfs,
                const char *object = "vmlinux") {
    NameFacts out = {};
    out.version = version(release);
    out.object = object;
    for (uint32_t i = 0; i < in_vmlinux; i++)
        out.vmlinux.push_back({"vmlinux", {}, 0x100 + 0x100 * i});
    for (uint32_t i = 0; i < in_xfs; i++)
        out.modules.push_back({"xfs", {}, 0x1000 + 0x100 * i});
    return out;
}

void expect_verdict(const NameVerdict &verdict, Kind kind, uint64_t address,
                    const std::string &what) {
    EXPECT_EQ(verdict.kind, kind) << what;
    EXPECT_EQ(verdict.symbol ? verdict.symbol->address : 0, address) << what;
}

TEST(AttachRules, Kprobe) {
    const struct {
        const char *release;
        uint32_t in_vmlinux, in_xfs;
        Kind kind;
        uint64_t address;
    } rows[] = {
        {"6.1.192", 0, 0, Kind::kNoSymbol, 0},
        {"6.1.192", 1, 0, Kind::kAttaches, 0x100},
        {"6.1.192", 16, 0, Kind::kSeveralSymbols, 0},
        {"6.1.59", 16, 0, Kind::kAttaches, 0x100},
        {"6.1.0-20-amd64", 16, 0, Kind::kNotKnown, 0},
        {"6.1.0-20-amd64", 1, 0, Kind::kAttaches, 0x100},
        {"6.1.192", 0, 1, Kind::kAttaches, 0x1000},
        {"6.1.65", 0, 1, Kind::kNoSymbol, 0},
        {"6.1.59", 0, 1, Kind::kAttaches, 0x1000},
        {"6.1.59", 0, 2, Kind::kNotKnown, 0},
        {"6.1.192", 0, 2, Kind::kSeveralSymbols, 0},
        {"6.1.192", 1, 1, Kind::kSeveralSymbols, 0},
        {"6.12.117", 1, 1, Kind::kSeveralSymbols, 0},
        {"7.3.4", 1, 1, Kind::kAttaches, 0x100},
        {"7.3.4", 2, 1, Kind::kSeveralSymbols, 0},
        {"7.3.4", 0, 1, Kind::kAttaches, 0x1000},
        {"6.18.3", 1, 1, Kind::kNotKnown, 0},
        {"6.1.65", 1, 1, Kind::kAttaches, 0x100},
    };
    for (const auto &row : rows)
        expect_verdict(kprobe_by_name(facts(row.release, row.in_vmlinux, row.in_xfs)), row.kind,
                       row.address, row.release);
}

TEST(AttachRules, ClangLto) {
    NameFacts known = facts("6.1.192", 0, 0);
    known.func = true;
    known.has_llvm = true;
    expect_verdict(kprobe_by_name(known), Kind::kNotKnown, 0, "kprobe");
    expect_verdict(fentry_by_name(known), Kind::kNotKnown, 0, "fentry");
}

TEST(AttachRules, Fentry) {
    const std::optional<bool> yes = true, no = false, unknown;
    const struct {
        const char *release, *object;
        std::optional<bool> func, module_func;
        uint32_t in_vmlinux, in_xfs;
        Kind kind;
        uint64_t address;
    } rows[] = {
        {"6.1.192", "vmlinux", yes, no, 16, 0, Kind::kAttaches, 0x100},
        {"6.1.192", "vmlinux", yes, no, 0, 0, Kind::kNoSymbol, 0},
        {"6.1.192", "vmlinux", no, no, 1, 0, Kind::kNoFunc, 0},
        {"6.1.192", "vmlinux", unknown, no, 1, 0, Kind::kNotKnown, 0},
        {"6.1.192", "vmlinux", no, unknown, 1, 1, Kind::kNotKnown, 0},
        {"6.1.192", "xfs", no, yes, 1, 1, Kind::kAttaches, 0x100},
        {"6.12.117", "xfs", no, yes, 1, 1, Kind::kAttaches, 0x1000},
        {"6.12.117", "xfs", yes, yes, 1, 1, Kind::kAttaches, 0x100},
        {"6.12.117", "xfs", no, yes, 1, 0, Kind::kNoSymbol, 0},
        {"6.12.117", "xfs", no, yes, 0, 2, Kind::kNotKnown, 0},
        {"6.12.117", "xfs", no, no, 1, 1, Kind::kNoFunc, 0},
    };
    for (const auto &row : rows) {
        NameFacts known = facts(row.release, row.in_vmlinux, row.in_xfs, row.object);
        known.func = row.func;
        known.module_func = row.module_func;
        expect_verdict(fentry_by_name(known), row.kind, row.address,
                       std::string(row.release) + " " + row.object);
    }
}

// btf_distill_func_proto() in kernel/bpf/btf.c and arch_prepare_bpf_trampoline().
TEST(AttachRules, Trampoline) {
    const struct {
        const char *release;
        uint32_t machine;
        bool fits;
        uint32_t words;
        Kind kind;
    } rows[] = {
        {"6.1.192", LOC_MACHINE_X86_64, true, 6, Kind::kAttaches},
        {"6.1.192", LOC_MACHINE_X86_64, true, 7, Kind::kTrampoline},
        {"6.5.3", LOC_MACHINE_X86_64, true, 7, Kind::kNotKnown},
        {"6.6.1", LOC_MACHINE_X86_64, true, 12, Kind::kAttaches},
        {"7.3.4", LOC_MACHINE_X86_64, true, 13, Kind::kTrampoline},
        {"7.3.4", LOC_MACHINE_X86_64, false, 1, Kind::kPrototype},
        {"6.1.192", LOC_MACHINE_AARCH64, true, 0, Kind::kTrampoline},
        {"6.1.192", LOC_MACHINE_AARCH64, false, 0, Kind::kPrototype},
        {"6.2.1", LOC_MACHINE_AARCH64, true, 0, Kind::kNotKnown},
        {"6.4.0", LOC_MACHINE_AARCH64, true, 8, Kind::kAttaches},
        {"6.12.117", LOC_MACHINE_AARCH64, true, 9, Kind::kTrampoline},
        {"7.3.4", LOC_MACHINE_AARCH64, true, 14, Kind::kAttaches},
        {"7.3.4", 243, true, 1, Kind::kNotKnown},  // RISC-V
    };
    for (const auto &row : rows) {
        NameFacts known = facts(row.release, 1, 0);
        known.func = true;
        known.shape = FuncShape{loc_arch_of(row.machine), row.fits, row.words};
        expect_verdict(fentry_by_name(known), row.kind, row.kind == Kind::kAttaches ? 0x100 : 0,
                       std::string(row.release) + " " + std::to_string(row.words));
        EXPECT_EQ(kprobe_by_name(known).kind, Kind::kAttaches) << row.release;
    }
    EXPECT_EQ(error_name(error_of(Kind::kTrampoline)), "ENOTSUPP");
    EXPECT_EQ(error_name(error_of(Kind::kSeveralSymbols)), "EADDRNOTAVAIL");
}

}  // namespace
}  // namespace btf_extra
