// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/cli/stack_text.h"

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

// "[xfs]", and "[xfs 1a2b...]" with a build-id. Returns the name.
std::optional<std::string_view> module_name(std::string_view text) {
    if (text.size() < 3 || text.front() != '[' || text.find(']') != text.size() - 1)
        return {};
    text = text.substr(1, text.size() - 2);
    return text.substr(0, text.find(' '));
}

// Says whether that may stand before a frame of a trace: nothing but spaces, or a text that ends
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

// Since Linux 6.13 arm64 says behind a frame where it has it from, "(C)" or "(PF)". P stands for
// the pc of registers: an instruction.
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

// "symbol+0x12/0x34", and "[module]" behind it.
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
    rest = trim(rest);
    take_source(rest, frame.is_instruction);
    if (rest.empty())
        return frame;
    const auto module = module_name(rest);
    if (!module)
        return {};
    frame.module = *module;
    return frame;
}

// Takes "+0x12" or "+18" from the end of a symbol.
void split_offset(StackFrame &frame) {
    const size_t plus = frame.symbol.rfind('+');
    if (plus == frame.symbol.npos)
        return;
    const std::string_view digits = frame.symbol.substr(plus + 1);
    frame.offset = digits.starts_with("0x") ? number(digits.substr(2), 16) : number(digits, 10);
    if (frame.offset)
        frame.symbol = frame.symbol.substr(0, plus);
}

bool is_symbol(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, is_symbol_char) &&
           kDigits.find(text.front()) == kDigits.npos;
}

// Takes " ([xfs])" from the end and sets the module. Returns false if no file is there.
bool take_file(std::string_view &text, std::string_view &module) {
    const size_t open = text.rfind(" (");
    if (open == text.npos || !text.ends_with(')'))
        return false;
    const auto name = module_name(text.substr(open + 2, text.size() - open - 3));
    if (name && !name->starts_with("kernel") && !name->starts_with("guest.kernel"))
        module = *name;
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

// "    symbol+18"
std::optional<StackFrame> find_decimal_frame(std::string_view line) {
    StackFrame frame{.format = StackFormat::kDecimal, .symbol = trim(line)};
    frame.name_begin = static_cast<size_t>(frame.symbol.data() - line.data());
    if (frame.name_begin == 0)
        return {};
    split_offset(frame);
    if (!frame.offset || !is_symbol(frame.symbol))
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
    if (auto frame = find_trace_frame(line))
        return frame;
    if (auto frame = find_perf_frame(line))
        return frame;
    if (auto frame = find_decimal_frame(line))
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
