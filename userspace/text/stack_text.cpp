// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/text/stack_text.h"

#include <algorithm>
#include <charconv>

namespace btf_extra {
namespace {

constexpr std::string_view kSpace = " \t";
constexpr std::string_view kHexDigits = "0123456789abcdefABCDEF";
constexpr std::string_view kDigits = "0123456789";
constexpr size_t kAddressDigits = 16;

bool is_symbol_char(char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' ||
           c == '.' || c == '$';
}

std::string_view trim_right(std::string_view text) {
    while (!text.empty() && (kSpace.find(text.back()) != kSpace.npos || text.back() == '\r'))
        text.remove_suffix(1);
    return text;
}

std::string_view trim(std::string_view text) {
    text.remove_prefix(std::min(text.find_first_not_of(kSpace), text.size()));
    return trim_right(text);
}

std::optional<uint64_t> number(std::string_view digits, int base) {
    uint64_t value = 0;
    const auto [end, error] = std::from_chars(digits.begin(), digits.end(), value, base);
    if (digits.empty() || error != std::errc{} || end != digits.end())
        return {};
    return value;
}

// Takes "0x" and digits from the front.
std::optional<uint64_t> take_hex(std::string_view &text) {
    if (!text.starts_with("0x"))
        return {};
    const size_t end = std::min(text.find_first_not_of(kHexDigits, 2), text.size());
    const auto value = number(text.substr(2, end - 2), 16);
    text.remove_prefix(end);
    return value;
}

// Addresses of the kernel have their highest bits set.
std::optional<uint64_t> kernel_address(std::string_view text) {
    if (text.starts_with("0x"))
        text.remove_prefix(2);
    if (text.size() != kAddressDigits)
        return {};
    const auto value = number(text, 16);
    if (!value || *value >> 47 != 0x1ffff)
        return {};
    return value;
}

// "[xfs]", and "[xfs 1a2b...]" with a build-id (CONFIG_STACKTRACE_BUILD_ID). Returns what is
// inside.
std::optional<std::string_view> in_brackets(std::string_view text) {
    if (text.size() < 3 || text.front() != '[' || text.find(']') != text.size() - 1)
        return {};
    return text.substr(1, text.size() - 2);
}

// bcc and perf print "kernel" and "kernel.kallsyms" for vmlinux, with "guest." before it for
// guests.
bool is_vmlinux(std::string_view name) {
    return name.starts_with("kernel") || name.starts_with("guest.kernel");
}

// Takes " [module]" or " [module BUILD-ID]" from the end.
void take_module(std::string_view &text, StackFrame &frame) {
    const size_t open = text.rfind(" [");
    const auto inside = open != text.npos ? in_brackets(text.substr(open + 1)) : std::nullopt;
    if (!inside)
        return;
    const size_t space = inside->find(' ');
    frame.module = is_vmlinux(*inside) ? std::string_view() : inside->substr(0, space);
    frame.build_id = space != inside->npos ? inside->substr(space + 1) : std::string_view();
    frame.names_module = true;
    text = trim_right(text.substr(0, open));
}

// Returns true if that may stand before a frame of a trace: nothing but spaces, or a text that ends
// like "[  12.345678]", "kernel:", "<4>", with the "?" of a frame that may be none. is_instruction
// is set for "RIP: 0010:" and "pc : ".
bool is_trace_prefix(std::string_view text, bool &is_instruction) {
    if (text.ends_with(':')) {
        const size_t rip = text.rfind("RIP: ");
        is_instruction =
            rip != text.npos && number(text.substr(rip + 5, text.size() - rip - 6), 16);
        return is_instruction;
    }
    if (!text.empty() && kSpace.find(text.back()) == kSpace.npos)
        return false;
    text = trim_right(text);
    is_instruction = text.ends_with("pc :");
    if (text.ends_with('?'))
        text = trim_right(text.substr(0, text.size() - 1));
    return text.empty() || text.ends_with(']') || text.ends_with(':') || text.ends_with('>');
}

// Since Linux 6.13 (commit bdf8eafbf7f5) arm64 prints the source of a frame after it, "(C)" or
// "(PF)". P stands for the pc of registers: an instruction.
void take_source(std::string_view &text, bool &is_instruction) {
    const size_t open = text.rfind('(');
    if (open == text.npos || !text.ends_with(')'))
        return;
    const std::string_view letters = text.substr(open + 1, text.size() - open - 2);
    if (letters.find_first_not_of("CTPUFK") != letters.npos)
        return;
    is_instruction = is_instruction || letters.starts_with('P');
    text = trim_right(text.substr(0, open));
}

// Takes " (lib/dump_stack.c:123)" from the end: CONFIG_KALLSYMS_LINEINFO (the patches "kallsyms:
// embed source file:line info in kernel stack traces" of March 2026). drgn adds a column.
void take_line(std::string_view &text) {
    const size_t open = text.rfind(" (");
    if (open == text.npos || !text.ends_with(')'))
        return;
    const std::string_view inside = text.substr(open + 2, text.size() - open - 3);
    const size_t colon = inside.find(':');
    if (colon == inside.npos || colon == 0 || colon + 1 == inside.size() ||
        inside.find(' ') != inside.npos ||
        inside.find_first_not_of("0123456789:", colon) != inside.npos)
        return;
    text = trim_right(text.substr(0, open));
}

// "symbol+0x12/0x34", and after it "[module]", the line, or both.
std::optional<StackFrame> find_trace_frame(std::string_view line) {
    const size_t plus = line.find("+0x");
    if (plus == line.npos)
        return {};
    size_t begin = plus;
    while (begin > 0 && is_symbol_char(line[begin - 1]))
        --begin;
    StackFrame frame{.format = StackFormat::kTrace};
    frame.symbol = line.substr(begin, plus - begin);
    frame.name_begin = begin;
    std::string_view rest = line.substr(plus + 1);
    frame.offset = take_hex(rest);
    if (frame.symbol.empty() || !frame.offset || !rest.starts_with('/'))
        return {};
    rest.remove_prefix(1);
    frame.symbol_size = take_hex(rest);
    if (!frame.symbol_size || *frame.offset > *frame.symbol_size ||
        !is_trace_prefix(line.substr(0, begin), frame.is_instruction))
        return {};
    rest = trim_right(rest);
    take_source(rest, frame.is_instruction);
    take_line(rest);
    take_module(rest, frame);
    frame.names_module = true;
    return trim(rest).empty() ? std::optional(frame) : std::nullopt;
}

// "0x12" or "18"
std::optional<uint64_t> number_with_base(std::string_view digits) {
    return digits.starts_with("0x") ? number(digits.substr(2), 16) : number(digits, 10);
}

// Takes "+0x12", "+18" or "+0x12/0x34" from the end of a symbol.
void split_offset(StackFrame &frame) {
    const size_t plus = frame.symbol.rfind('+');
    if (plus == frame.symbol.npos)
        return;
    std::string_view digits = frame.symbol.substr(plus + 1);
    if (const size_t slash = digits.find('/'); slash != digits.npos) {
        frame.symbol_size = number_with_base(digits.substr(slash + 1));
        if (!frame.symbol_size)
            return;
        digits = digits.substr(0, slash);
    }
    frame.offset = number_with_base(digits);
    if (frame.offset)
        frame.symbol = frame.symbol.substr(0, plus);
}

bool is_symbol(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, is_symbol_char) &&
           kDigits.find(text.front()) == kDigits.npos;
}

// Takes " ([xfs])" or " (/lib/modules/6.1.0/kernel/fs/xfs/xfs.ko)" from the end and sets the
// module. Returns false if it has no file.
bool take_file(std::string_view &text, std::string_view &module) {
    const size_t open = text.rfind(" (");
    if (open == text.npos || !text.ends_with(')'))
        return false;
    const std::string_view file = text.substr(open + 2, text.size() - open - 3);
    if (const auto name = in_brackets(file)) {
        if (!is_vmlinux(*name))
            module = *name;
    } else if (file.find(".ko") != file.npos) {
        module = file;
    }
    text = trim_right(text.substr(0, open));
    return true;
}

// "    ffffffff81000000 symbol+0x12 ([kernel.kallsyms])". perf script -F ip,sym prints neither
// offset nor file, and bpftrace's kstack(perf) no file.
std::optional<StackFrame> find_perf_frame(std::string_view line) {
    if (kSpace.find(line.front()) == kSpace.npos)
        return {};
    const std::string_view text = trim(line);
    const size_t space = text.find(' ');
    if (space == text.npos)
        return {};
    StackFrame frame{.format = StackFormat::kPerf};
    frame.address = kernel_address(text.substr(0, space));
    if (!frame.address)
        return {};
    frame.symbol = trim(text.substr(space));
    frame.name_begin = static_cast<size_t>(frame.symbol.data() - line.data());
    const bool has_file = take_file(frame.symbol, frame.module);
    const bool is_unknown = frame.symbol == "[unknown]";
    split_offset(frame);
    if (frame.symbol.empty() || !(has_file || is_unknown || is_symbol(frame.symbol)))
        return {};
    if (is_unknown) {
        frame.symbol = {};
        frame.offset = {};
    }
    return frame;
}

// "    symbol+18": bpftrace. "    symbol+0x12 [kernel]", or the same as b'symbol+0x12 [kernel]',
// because bcc's tools print bytes: BPF.ksym() of bcc 0.12 to 0.31 with show_offset and show_module.
std::optional<StackFrame> find_decimal_frame(std::string_view line) {
    std::string_view text = trim(line);
    StackFrame frame{.format = StackFormat::kDecimal};
    frame.name_begin = static_cast<size_t>(text.data() - line.data());
    if (frame.name_begin == 0)
        return {};
    if (text.size() > 3 && text[0] == 'b' && (text[1] == '\'' || text[1] == '"') &&
        text.back() == text[1])
        text = text.substr(2, text.size() - 3);
    take_module(text, frame);
    frame.symbol = text;
    split_offset(frame);
    if (!frame.offset || frame.symbol_size || !is_symbol(frame.symbol))
        return {};
    return frame;
}

// Takes " <ffffffff81000000>" or " (ffffffff81000000)" from the end.
std::optional<uint64_t> take_address(std::string_view &text) {
    const size_t open = text.find_last_of("<(");
    if (open == text.npos || open == 0 || text.back() != (text[open] == '<' ? '>' : ')'))
        return {};
    const auto address = kernel_address(text.substr(open + 1, text.size() - open - 2));
    if (address)
        text = trim_right(text.substr(0, open));
    return address;
}

// " => symbol+0x12/0x34 [module] <ffffffff81000000>": tracefs, with the options sym-offset and
// sym-addr (seq_print_ip_sym(), Linux 6.1 to 7.3). "=> symbol (ffffffff81000000)" or "=>
// ffffffff81000000": trace-cmd report (trace_stack_handler(), trace-cmd 1.0 to 3.3). Without offset
// and address, the place of a symbol is unknown.
std::optional<StackFrame> find_arrow_frame(std::string_view line) {
    constexpr std::string_view kArrow = "=> ";
    std::string_view text = trim(line);
    if (!text.starts_with(kArrow))
        return {};
    text = trim(text.substr(kArrow.size()));
    StackFrame frame{.format = StackFormat::kArrow};
    frame.name_begin = static_cast<size_t>(text.data() - line.data());
    frame.address = kernel_address(text);
    if (frame.address)
        return frame;
    frame.address = take_address(text);
    take_module(text, frame);
    frame.symbol = text;
    split_offset(frame);
    frame.names_module = frame.symbol_size.has_value();
    if (!(frame.offset || frame.address) || !is_symbol(frame.symbol))
        return {};
    return frame;
}

// " #1 [ffffc90000013dc0] symbol+90 at ffffffff81a1c6ba [module]": bt of crash 8.0, where -s prints
// the offset, in decimal or after 0x. "    [exception RIP: symbol+22]" is the instruction that was
// interrupted.
std::optional<StackFrame> find_crash_frame(std::string_view line) {
    constexpr std::string_view kException = "[exception RIP: ", kAt = " at ";
    std::string_view text = trim(line);
    StackFrame frame{.format = StackFormat::kTrace};
    if (text.starts_with(kException) && text.ends_with(']')) {
        frame.symbol = text.substr(kException.size(), text.size() - kException.size() - 1);
        frame.is_instruction = true;
    } else {
        const size_t open = text.find(" ["), close = text.find("] ");
        if (!text.starts_with('#') || open == text.npos || close == text.npos || open > close ||
            !number(text.substr(1, open - 1), 10) ||
            !number(text.substr(open + 2, close - open - 2), 16))
            return {};
        text = text.substr(close + 2);
        const size_t at = text.find(kAt);
        if (at == text.npos)
            return {};
        frame.symbol = text.substr(0, at);
        text = text.substr(at + kAt.size());
        take_module(text, frame);
        frame.names_module = true;
        frame.address = kernel_address(text);
        if (!frame.address)
            return {};
    }
    frame.name_begin = static_cast<size_t>(frame.symbol.data() - line.data());
    split_offset(frame);
    if (!(frame.offset || frame.address) || !is_symbol(frame.symbol))
        return {};
    return frame;
}

// "#5  symbol+0x12/0x34" and "#5 at 0xffffffff81000000 (symbol+0x12/0x34)": a frame that drgn has
// no debug information for (drgn_format_stack_trace() and drgn_format_stack_frame(), drgn 0.0.20 to
// 0.0.33). drgn knows the inlined functions of all others, and prints them.
std::optional<StackFrame> find_drgn_frame(std::string_view line) {
    constexpr std::string_view kAt = "at 0x";
    std::string_view text = trim(line);
    const size_t space = text.find(' ');
    if (!text.starts_with('#') || space == text.npos || !number(text.substr(1, space - 1), 10))
        return {};
    text = trim(text.substr(space));
    StackFrame frame{.format = StackFormat::kTrace};
    if (text.starts_with(kAt)) {
        const size_t open = text.find(" (");
        frame.address = kernel_address(text.substr(3, open - 3));
        if (!frame.address || open == text.npos || !text.ends_with(')'))
            return {};
        text = text.substr(open + 2, text.size() - open - 3);
    } else {
        take_line(text);
    }
    frame.symbol = text;
    frame.name_begin = static_cast<size_t>(text.data() - line.data());
    split_offset(frame);
    if (!frame.offset || !frame.symbol_size || !is_symbol(frame.symbol))
        return {};
    return frame;
}

// "ffffffff81000000" or "[<ffffffff81000000>]"
std::optional<StackFrame> find_address_frame(std::string_view line) {
    std::string_view text = trim(line);
    if (text.starts_with("[<") && text.ends_with(">]"))
        text = text.substr(2, text.size() - 4);
    StackFrame frame{.format = StackFormat::kAddress};
    frame.address = kernel_address(text);
    if (!frame.address)
        return {};
    frame.name_begin = static_cast<size_t>(text.data() - line.data());
    return frame;
}

}  // namespace

std::optional<StackFrame> find_stack_frame(std::string_view line) {
    if (line.empty() || is_inlined_function(line))
        return {};
    for (const auto find : {find_arrow_frame, find_trace_frame, find_crash_frame, find_drgn_frame,
                            find_perf_frame, find_decimal_frame})
        if (auto frame = find(line))
            return frame;
    return find_address_frame(line);
}

bool is_inlined_function(std::string_view line) {
    constexpr std::string_view kMark = "(inlined)";
    // Each line is asked, and few have a parenthesis: rfind() would compare at each place.
    size_t end = 0;
    for (size_t at = line.find(kMark); at != line.npos; at = line.find(kMark, at + 1))
        if (at != 0 && line[at - 1] == ' ')
            end = at + kMark.size();
    if (end == 0)
        return false;
    const std::string_view call = trim(line.substr(end));
    return call.find(' ') == call.npos && (call.empty() || call.find(':') != call.npos);
}

std::optional<StackFrame> parse_folded_frame(std::string_view text) {
    for (const std::string_view annotation : {"_[k]", "_[j]"})
        if (text.ends_with(annotation))
            text.remove_suffix(annotation.size());
    StackFrame frame{.format = StackFormat::kDecimal};
    frame.address = kernel_address(text);
    if (frame.address) {
        frame.format = StackFormat::kAddress;
        return frame;
    }
    take_module(text, frame);
    frame.symbol = text;
    split_offset(frame);
    if (!frame.offset || !is_symbol(frame.symbol))
        return {};
    return frame;
}

std::optional<size_t> folded_count(std::string_view line) {
    const std::string_view text = trim_right(line);
    const size_t space = text.rfind(' ');
    if (space == text.npos || text.find(';') > space || kSpace.find(text.front()) != kSpace.npos ||
        !number(text.substr(space + 1), 10))
        return {};
    return space;
}

std::optional<uint64_t> kernel_offset(std::string_view line) {
    constexpr std::string_view kLabel = "Kernel Offset: ";
    const size_t at = line.find(kLabel);
    if (at == line.npos)
        return {};
    std::string_view rest = line.substr(at + kLabel.size());
    if (rest.starts_with("disabled"))
        return 0;
    return take_hex(rest);
}

// The entry code of x86-64 names its symbols asm_..., that of aarch64 el1h_64_irq and the like;
// what ends in _handler there is a function that is called.
bool is_interrupt_entry(std::string_view symbol) {
    return symbol.starts_with("asm_exc_") || symbol.starts_with("asm_sysvec_") ||
           symbol.starts_with("asm_common_interrupt") || symbol.starts_with("asm_spurious") ||
           (symbol.starts_with("el1h_64_") && !symbol.ends_with("_handler"));
}

}  // namespace btf_extra
