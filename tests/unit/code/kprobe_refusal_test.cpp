// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The words are those of GNU as for aarch64. The kernel's rules are in arch/arm64/kernel/probes.
#include <span>

#include <gtest/gtest.h>

#include "userspace/code/kprobe_refusal.h"
#include "userspace/format/core_api.h"

namespace btf_extra {
namespace {

constexpr const char kStepped[] = "kprobes cannot single-step the instruction";
constexpr const char kExclusive[] = "kprobes consider it part of an exclusive sequence";

constexpr uint32_t kAdd = 0x91000400, kLdxr = 0xc85f7c20, kLdaxr = 0xc85ffc20, kStxr = 0xc8027c20,
                   kCas = 0xc8a07c41, kCasa = 0xc8e07c41, kLdar = 0xc8dffc20, kStlr = 0xc89ffc20;

std::string refusal(std::vector<uint32_t> words, const std::string &release = "6.12.1",
                    uint16_t machine = LOC_MACHINE_AARCH64, bool faults = false) {
    const auto *bytes = reinterpret_cast<const uint8_t *>(words.data());
    const size_t before = 4 * (words.size() - 1);
    const char *found =
        kprobe_refusal(machine, {{bytes, before}, {bytes + before, 4}, faults, release});
    return found != nullptr ? found : "";
}

TEST(KprobeRefusal, Instructions) {
    struct Row {
        const char *text;
        uint32_t word;
        std::string wanted;
    };
    const Row rows[] = {
        {"svc #0", 0xd4000001, kStepped},
        {"brk #0x800", 0xd4210000, kStepped},
        {"msr daifset, #3", 0xd50343df, kStepped},
        {"msr tpidr_el1, x0", 0xd518d080, kStepped},
        {"mrs x0, daif", 0xd53b4220, kStepped},
        {"mrs x0, sp_el0", 0xd5384100, ""},
        {"eret", 0xd69f03e0, kStepped},
        {"retaa", 0xd65f0bff, kStepped},
        {"braa x1, x2", 0xd71f0822, kStepped},
        {"blraa x1, x2", 0xd73f0822, kStepped},
        {"ret", 0xd65f03c0, ""},
        {"b .", 0x14000000, ""},
        {"cbz x0, .", 0xb4000000, ""},
        {"nop", 0xd503201f, ""},
        {"paciasp", 0xd503233f, ""},
        {"autiasp", 0xd50323bf, kStepped},
        {"bti c", 0xd503245f, ""},
        {"yield", 0xd503203f, kStepped},
        {"esb", 0xd503221f, kStepped},
        {"prfm pldl1keep, .", 0xd8000000, kStepped},
        {"ldr x0, .", 0x58000000, ""},
        {"adrp x0, .", 0x90000000, ""},
        {"ldxr x0, [x1]", kLdxr, kStepped},
        {"stxr w2, x0, [x1]", kStxr, kStepped},
        {"cas x0, x1, [x2]", kCas, ""},
        {"ldar x0, [x1]", kLdar, ""},
        {"ldadd x0, x1, [x2]", 0xf8200041, ""},
        {"dmb ish", 0xd5033bbf, ""},
        {"isb", 0xd5033fdf, ""},
        {"tlbi vmalle1", 0xd508871f, ""},
        {"add x0, x0, #1", kAdd, ""},
    };
    for (const Row &row : rows)
        EXPECT_EQ(refusal({row.word}), row.wanted) << row.text;
}

// The kernel looks at what is before the instruction, back to the nearest exclusive store.
TEST(KprobeRefusal, ExclusiveSequences) {
    EXPECT_EQ(refusal({kLdxr, kAdd, kAdd}), kExclusive);
    EXPECT_EQ(refusal({kLdaxr, kAdd}), kExclusive);
    EXPECT_EQ(refusal({kLdxr, kAdd, kStxr, kAdd}), "");
    EXPECT_EQ(refusal({kStxr, kLdxr, kAdd}), kExclusive);
    EXPECT_EQ(refusal({kAdd, kAdd}), "");
    // Before 6.15 these were taken for such loads and stores.
    EXPECT_EQ(refusal({kCasa, kAdd}), kExclusive);
    EXPECT_EQ(refusal({kLdar, kAdd}), kExclusive);
    EXPECT_EQ(refusal({kLdxr, kCas, kAdd}), "");
    EXPECT_EQ(refusal({kLdxr, kStlr, kAdd}), "");
    for (const char *release : {"6.15.0-rc1", "7.3.4-cloud-arm64"}) {
        EXPECT_EQ(refusal({kCasa, kAdd}, release), "");
        EXPECT_EQ(refusal({kLdar, kAdd}, release), "");
        EXPECT_EQ(refusal({kLdxr, kCas, kAdd}, release), kExclusive);
        EXPECT_EQ(refusal({kLdxr, kAdd}, release), kExclusive);
    }
    // A release that is not known may be an old one.
    EXPECT_EQ(refusal({kCasa, kAdd}, ""), kExclusive);
    EXPECT_EQ(refusal({kCasa, kAdd}, "6.1.0-48-cloud-arm64"), kExclusive);
}

TEST(KprobeRefusal, FaultsAndMachines) {
    EXPECT_EQ(refusal({kAdd}, "6.12.1", LOC_MACHINE_AARCH64, true), "the instruction may fault");
    EXPECT_EQ(refusal({0xd4000001}, "6.12.1", LOC_MACHINE_X86_64, true), "");
}

}  // namespace
}  // namespace btf_extra
