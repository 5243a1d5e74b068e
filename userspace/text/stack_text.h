// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Recognizes the frames of stack traces in text: of dmesg and oopses, of /proc/PID/stack, perf
// script, bpftrace, bcc, trace-cmd, tracefs, crash and drgn, and in folded stacks.
#ifndef BTF_EXTRA_STACK_TEXT_H
#define BTF_EXTRA_STACK_TEXT_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace btf_extra {

enum class StackFormat {
    kTrace,    // symbol+0x12/0x34 [module]: dmesg, /proc/PID/stack, crash, drgn
    kPerf,     // ffffffff81000000 symbol+0x12 ([kernel.kallsyms]): perf script, kstack(perf)
    kDecimal,  // symbol+18: bpftrace; symbol+0x12 [kernel]: bcc
    kArrow,    // => symbol <ffffffff81000000>: tracefs, trace-cmd
    kAddress,  // ffffffff81000000
};

// A frame in a line. Texts point into the line.
struct StackFrame {
    StackFormat format = StackFormat::kTrace;
    std::string_view symbol{};         // empty: only the address is there
    std::optional<uint64_t> offset{};  // from the symbol; absent: the address tells the place
    std::optional<uint64_t> symbol_size{};
    std::string_view module{};    // name or file; empty: vmlinux, or the text does not name modules
    std::string_view build_id{};  // of the module, in hex digits; empty: not known
    bool names_module = false;    // the text names the module, if the symbol is in one
    std::optional<uint64_t> address{};
    size_t name_begin = 0;  // where the name of another function would stand in the line
    // The address is that of the instruction, and not a return address after it.
    bool is_instruction = false;
};

// Returns nothing if the line is no frame of the kernel. It is one if nothing but the time, the
// origin of the line or the like is around.
std::optional<StackFrame> find_stack_frame(std::string_view line);

// Returns true if a tool has put this line in: "symbol (inlined)", and maybe "file:line" after it.
// The frame that follows has all its inlined functions then.
bool is_inlined_function(std::string_view line);

// Reads "symbol+0x12", "symbol+18", with " [module]" or not, or only an address: a frame of a
// folded stack.
std::optional<StackFrame> parse_folded_frame(std::string_view text);

// Returns where the count begins if the line is a folded stack ("a;b;c 12"), or nothing.
std::optional<size_t> folded_count(std::string_view line);

// Returns the KASLR offset of a line "Kernel Offset: 0x1e000000 from ...".
std::optional<uint64_t> kernel_offset(std::string_view line);

// Returns true if the function that this symbol enters was not called: the frame after it was
// interrupted, and has the address of an instruction.
bool is_interrupt_entry(std::string_view symbol);

}  // namespace btf_extra

#endif
