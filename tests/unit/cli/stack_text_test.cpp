// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Lines as the kernel, perf script and bpftrace print them, and lines that only look like frames.
#include "userspace/cli/stack_text.h"

#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace btf_extra {
namespace {

std::string text(const std::optional<StackFrame> &frame) {
    if (!frame)
        return "none";
    static constexpr const char *kFormats[] = {"trace", "perf", "decimal", "address"};
    std::string out = kFormats[static_cast<int>(frame->format)];
    if (!frame->symbol.empty())
        out += fmt::format(" {}", frame->symbol);
    if (frame->offset)
        out += fmt::format("+{:x}", *frame->offset);
    if (frame->symbol_size)
        out += fmt::format("/{:x}", *frame->symbol_size);
    if (!frame->module.empty())
        out += fmt::format(" [{}]", frame->module);
    if (frame->address)
        out += fmt::format(" at {:x}", *frame->address);
    return out + (frame->is_instruction ? " instruction" : "");
}

TEST(StackText, Lines) {
    const struct {
        const char *line;
        const char *frame;
        size_t name_begin;
    } rows[] = {
        // dmesg
        {"[   12.345678]  ip_rcv_core+0x82/0x3a0", "trace ip_rcv_core+82/3a0", 16},
        {"[   12.345678][  T123]  ip_rcv+0x1/0x2", "trace ip_rcv+1/2", 24},
        {" ip_rcv_core+0x82/0x3a0", "trace ip_rcv_core+82/3a0", 1},
        {"ip_rcv_core+0x82/0x3a0", "trace ip_rcv_core+82/3a0", 0},
        {" ? ip_rcv_core+0x82/0x3a0", "trace ip_rcv_core+82/3a0", 3},
        {" xfs_read+0x1a/0x90 [xfs]", "trace xfs_read+1a/90 [xfs]", 1},
        {" xfs_read+0x1a/0x90 [xfs 0123abcd]", "trace xfs_read+1a/90 [xfs]", 1},
        {"Nov 22 12:00:00 host kernel:  foo.isra.0+0x1a/0x90", "trace foo.isra.0+1a/90", 30},
        {"<4> foo+0x1a/0x90", "trace foo+1a/90", 4},
        {"RIP: 0010:foo+0x1a/0x90", "trace foo+1a/90 instruction", 10},
        {"[    1.0] RIP: 0010:foo+0x1a/0x90 [xfs]", "trace foo+1a/90 [xfs] instruction", 20},
        {"pc : foo+0x1a/0x90", "trace foo+1a/90 instruction", 5},
        {"lr : foo+0x1a/0x90", "trace foo+1a/90", 5},
        {"[<0>] do_wait+0x5d/0xd0", "trace do_wait+5d/d0", 6},
        {"[<ffffffff81012345>] do_wait+0x5d/0xd0", "trace do_wait+5d/d0", 21},
        {"[   12.345678]  el1h_64_irq+0x6c/0x70 (P)", "trace el1h_64_irq+6c/70 instruction", 16},
        {" show_stack+0x18/0x24 (C)", "trace show_stack+18/24", 1},
        {" xfs_read+0x1a/0x90 [xfs] (PF)", "trace xfs_read+1a/90 [xfs] instruction", 1},
        {" xfs_read+0x1a/0x90 [xfs 0123abcd] (FK)", "trace xfs_read+1a/90 [xfs]", 1},
        {" foo+0x0/0x10", "trace foo+0/10", 1},
        {" foo+0x10/0x10", "trace foo+10/10", 1},
        // no frames
        {"WARNING: CPU: 0 PID: 1 at kernel/fork.c:12 foo+0x1a/0x90", "none", 0},
        {"Workqueue: events foo+0x1a/0x90", "none", 0},
        {" foo+0x11/0x10", "none", 0},
        {" foo+0x1a/0x90 and more", "none", 0},
        {" foo+0x1a/0x90 (and more)", "none", 0},
        {" foo+0x1a/", "none", 0},
        {" foo+0x/0x10", "none", 0},
        {" +0x1a/0x90", "none", 0},
        {"0xzz+0x1a", "none", 0},
        {"", "none", 0},
        {"RAX: ffffffff81012345 RBX: 0000000000000000", "none", 0},
        {"Code: 0010:foo+0x1a/0x90", "none", 0},
        // perf script
        {"\tffffffff81012345 foo+0x25 ([kernel.kallsyms])", "perf foo+25 at ffffffff81012345", 18},
        {"        ffffffffc0012345 xfs_read+0x5 ([xfs])",
         "perf xfs_read+5 [xfs] at ffffffffc0012345", 25},
        {"        ffffffff81012345 foo ([kernel.kallsyms])", "perf foo at ffffffff81012345", 25},
        {"        ffffffff81012345 [unknown] ([kernel.kallsyms])", "perf at ffffffff81012345", 25},
        {"            7f0012345678 main+0x5 (/usr/bin/true)", "none", 0},
        {"true  1234 [000]  1.0: cycles: ffffffff81012345 foo+0x5 ([kernel.kallsyms])", "none", 0},
        // perf script -F ip,sym and -F ip,sym,symoff
        {"\tffffffff81012345 foo", "perf foo at ffffffff81012345", 18},
        {"\tffffffff81012345 foo.isra.0+0x25", "perf foo.isra.0+25 at ffffffff81012345", 18},
        {"        ffffffff81012345 [unknown]", "perf at ffffffff81012345", 25},
        {"\t    7f0012345678 main+0x5", "none", 0},
        {"\tffffffff81012345 foo and more", "none", 0},
        {"\tffffffff81012345 +0x25", "none", 0},
        {"\tffffffff81012345 ([kernel.kallsyms])", "none", 0},
        {"ffffffff81012345 foo", "none", 0},
        {"ffffffff81012345 T foo", "none", 0},
        // inlined functions that a tool has put in
        {"\tffffffff81012345 foo (inlined)", "none", 0},
        {"\tffffffff81012345 foo+0x25 (inlined)", "none", 0},
        // bpftrace
        {"    ip_rcv_core+130", "decimal ip_rcv_core+82", 4},
        {"\tffffffff81012345 ip_rcv_core+130", "perf ip_rcv_core+82 at ffffffff81012345", 18},
        {"ip_rcv_core+130", "none", 0},
        {"    0x12+1", "none", 0},
        {"    a b+130", "none", 0},
        {"    c+", "none", 0},
        // addresses alone
        {"ffffffff81012345", "address at ffffffff81012345", 0},
        {"  0xffffffff81012345 ", "address at ffffffff81012345", 2},
        {"[<ffffffff81012345>]", "address at ffffffff81012345", 2},
        {"00007fff81012345", "none", 0},
        {"ffffffff8101234", "none", 0},
    };
    for (const auto &row : rows) {
        const auto frame = find_stack_frame(row.line);
        EXPECT_EQ(text(frame), row.frame) << row.line;
        if (frame) {
            EXPECT_EQ(frame->name_begin, row.name_begin) << row.line;
        }
    }
}

TEST(StackText, InlinedFunctions) {
    EXPECT_TRUE(is_inlined_function("\tffffffff81012345 foo (inlined)"));
    EXPECT_TRUE(is_inlined_function("[    1.0]  ? foo (inlined) a/b.c:7"));
    EXPECT_FALSE(is_inlined_function("\tffffffff81012345 foo ([kernel.kallsyms])"));
    EXPECT_FALSE(is_inlined_function("foo (inlined) by hand: bar"));
    EXPECT_FALSE(is_inlined_function("foo (inlined) here"));
    EXPECT_FALSE(is_inlined_function(""));
}

TEST(StackText, FoldedStacks) {
    EXPECT_EQ(folded_count("a;b;c 12"), 5u);
    EXPECT_EQ(folded_count("a;b c;d 12"), 7u);
    EXPECT_FALSE(folded_count("a;b;c"));
    EXPECT_FALSE(folded_count("a b 12"));
    EXPECT_FALSE(folded_count("  a;b 12"));
    EXPECT_FALSE(folded_count("a;b 1x"));
    EXPECT_FALSE(folded_count(""));
    EXPECT_EQ(text(parse_folded_frame("foo+0x1a")), "decimal foo+1a");
    EXPECT_EQ(text(parse_folded_frame("foo+0x1a_[k]")), "decimal foo+1a");
    EXPECT_EQ(text(parse_folded_frame("ffffffff81012345")), "address at ffffffff81012345");
    EXPECT_EQ(text(parse_folded_frame("foo")), "none");
    EXPECT_EQ(text(parse_folded_frame("a b+0x1a")), "none");
}

TEST(StackText, KernelOffset) {
    EXPECT_EQ(kernel_offset("[  1.0] Kernel Offset: 0x1e000000 from 0xffffffff81000000 (relocation "
                            "range: 0xffffffff80000000-0xffffffffbfffffff)"),
              0x1e000000u);
    EXPECT_EQ(kernel_offset("Kernel Offset: disabled"), 0u);
    EXPECT_FALSE(kernel_offset("Kernel Offset: none"));
    EXPECT_FALSE(kernel_offset("a line"));
}

TEST(StackText, InterruptEntries) {
    EXPECT_TRUE(is_interrupt_entry("asm_sysvec_apic_timer_interrupt"));
    EXPECT_TRUE(is_interrupt_entry("asm_exc_page_fault"));
    EXPECT_FALSE(is_interrupt_entry("entry_SYSCALL_64_after_hwframe"));
    EXPECT_FALSE(is_interrupt_entry("asm_"));
    EXPECT_TRUE(is_interrupt_entry("el1h_64_irq"));
    EXPECT_TRUE(is_interrupt_entry("el1h_64_sync"));
    EXPECT_FALSE(is_interrupt_entry("el1h_64_irq_handler"));
    EXPECT_FALSE(is_interrupt_entry("el0t_64_sync"));
}

}  // namespace
}  // namespace btf_extra
