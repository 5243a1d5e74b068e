// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Lines as the kernel, perf script and bpftrace print them, and lines that only look like frames.
#include "userspace/text/stack_text.h"

#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace btf_extra {
namespace {

std::string text(const std::optional<StackFrame> &frame) {
    if (!frame)
        return "none";
    static constexpr const char *kFormats[] = {"trace", "perf", "decimal", "arrow", "address"};
    std::string out = kFormats[static_cast<int>(frame->format)];
    if (!frame->symbol.empty())
        out += fmt::format(" {}", frame->symbol);
    if (frame->offset)
        out += fmt::format("+{:x}", *frame->offset);
    if (frame->symbol_size)
        out += fmt::format("/{:x}", *frame->symbol_size);
    if (!frame->module.empty())
        out += fmt::format(" [{}{}{}]", frame->module, frame->build_id.empty() ? "" : " ",
                           frame->build_id);
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
        {" xfs_read+0x1a/0x90 [xfs 0123abcd]", "trace xfs_read+1a/90 [xfs 0123abcd]", 1},
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
        {" xfs_read+0x1a/0x90 [xfs 0123abcd] (FK)", "trace xfs_read+1a/90 [xfs 0123abcd]", 1},
        // CONFIG_KALLSYMS_LINEINFO
        {" dump_stack_lvl+0x5d/0x80 (lib/dump_stack.c:123)", "trace dump_stack_lvl+5d/80", 1},
        {"[    1.0]  xfs_read+0x1a/0x90 [xfs] (fs/xfs/xfs_file.c:7)", "trace xfs_read+1a/90 [xfs]",
         11},
        {" foo+0x5d/0x80 (a.c:12) (P)", "trace foo+5d/80 instruction", 1},
        {" foo+0x5d/0x80 (a.c)", "none", 0},
        {" foo+0x5d/0x80 (:12)", "none", 0},
        {" foo+0x5d/0x80 (a.c:1x)", "none", 0},
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
        {"        ffffffffc0012345 xfs_read+0x5 (/lib/modules/6.1.0/kernel/fs/xfs/xfs.ko)",
         "perf xfs_read+5 [/lib/modules/6.1.0/kernel/fs/xfs/xfs.ko] at ffffffffc0012345", 25},
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
        // bcc: BPF.ksym() with show_module and show_offset, as Python prints str and bytes
        {"    default_idle+0x4e [kernel]", "decimal default_idle+4e", 4},
        {"    xfs_read+0x4e [xfs]", "decimal xfs_read+4e [xfs]", 4},
        {"    b'foo+0x4e'", "decimal foo+4e", 4},
        {"\tb'foo.isra.0+0x4e [kernel]'", "decimal foo.isra.0+4e", 1},
        {"    b\"foo+0x4e\"", "decimal foo+4e", 4},
        {"    b'foo'", "none", 0},
        {"    b'[unknown]'", "none", 0},
        {"    b'foo+0x4e", "none", 0},
        {"    -                tar (1234)", "none", 0},
        // tracefs and trace-cmd
        {" => vfs_read", "none", 0},
        {" => vfs_read <ffffffff81012345>", "arrow vfs_read at ffffffff81012345", 4},
        {" => vfs_read+0x12/0x340", "arrow vfs_read+12/340", 4},
        {" => vfs_read+0x12/0x340 <ffffffff81012345>", "arrow vfs_read+12/340 at ffffffff81012345",
         4},
        {" => xfs_read+0x12/0x340 [xfs] <ffffffffc0012345>",
         "arrow xfs_read+12/340 [xfs] at ffffffffc0012345", 4},
        {"=> vfs_read (ffffffff81012345)", "arrow vfs_read at ffffffff81012345", 3},
        {"=> ffffffff81012345", "arrow at ffffffff81012345", 3},
        {" =>  <00007f0012345678>", "none", 0},
        {" => main <00007f0012345678>", "none", 0},
        {" => vfs_read and more", "none", 0},
        {"#                /_----=> need-resched", "none", 0},
        // crash: bt, bt -s, and an exception frame
        {" #0 [ffffc90000013d40] __schedule at ffffffff81a1c3f9",
         "trace __schedule at "
         "ffffffff81a1c3f9",
         23},
        {"#12 [ffffc90000013dc0] schedule+90 at ffffffff81a1c6ba",
         "trace schedule+5a at ffffffff81a1c6ba", 23},
        {" #3 [ffffc90000013dc0] xfs_read+0x5a at ffffffffc0012345 [xfs]",
         "trace xfs_read+5a [xfs] at ffffffffc0012345", 23},
        {"    [exception RIP: io_serial_in+20]", "trace io_serial_in+14 instruction", 20},
        {"    [exception RIP: foo+0x3b]", "trace foo+3b instruction", 20},
        {"    [exception RIP: unknown or invalid address]", "none", 0},
        {"    RIP: ffffffff89792594  RSP: ffffa655314979e8  RFLAGS: 00000002", "none", 0},
        {" #4 [ffffc90000013dc0] schedule at 00007f0012345678", "none", 0},
        // drgn: a frame that it has no debug information for, in a trace and alone
        {"#5  entry_SYSCALL_64+0x7c/0x156", "trace entry_SYSCALL_64+7c/156", 4},
        {"#12 entry_SYSCALL_64+0x7c/0x156 (arch/x86/entry/entry_64.S:130:0)",
         "trace entry_SYSCALL_64+7c/156", 4},
        {"#5 at 0xffffffff81a1c6ba (foo+0x7c/0x156)", "trace foo+7c/156 at ffffffff81a1c6ba", 26},
        {"#1 at 0xffffffff81a1c6ba (foo+0x7c/0x156) in bar at kernel/sched/core.c:1:2", "none", 0},
        {"#0  context_switch (./kernel/sched/core.c:4683:2)", "none", 0},
        {"#6  0x7f0fe0c37b4b", "none", 0},
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
    EXPECT_EQ(text(parse_folded_frame("foo+0x1a [kernel]")), "decimal foo+1a");
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
