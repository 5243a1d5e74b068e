// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "tests/support/traced_process.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <stdexcept>

#include <fmt/format.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

namespace btf_extra::test {
namespace {

constexpr uint8_t kBreakpoint = 0xcc;
constexpr int kNotAllowed = 125;  // exit code of a child that may not be traced

uint64_t extended(uint64_t value, uint32_t bytes, bool is_signed) {
    if (bytes >= 8)
        return value;
    const uint64_t sign = uint64_t{1} << (8 * bytes - 1);
    value &= 2 * sign - 1;
    return is_signed ? (value ^ sign) - sign : value;
}

}  // namespace

std::unique_ptr<TracedProcess> TracedProcess::start(const std::string &path) {
    const pid_t pid = fork();
    if (pid < 0)
        throw std::runtime_error("fork");
    if (pid == 0) {
        if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0)
            _exit(kNotAllowed);
        alarm(60);  // the alarm survives execve: it ends a program that hangs
        execl(path.c_str(), path.c_str(), static_cast<char *>(nullptr));
        _exit(126);
    }
    std::unique_ptr<TracedProcess> process(new TracedProcess(pid));
    if (!process->wait()) {
        if (process->ending_ == fmt::format("exit code {}", kNotAllowed))
            return nullptr;
        throw std::runtime_error(path + ": " + process->ending_);
    }
    return process;
}

TracedProcess::~TracedProcess() {
    if (!ending_.empty())
        return;
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
}

bool TracedProcess::wait() {
    int status = 0;
    while (waitpid(pid_, &status, 0) < 0)
        if (errno != EINTR)
            throw std::runtime_error("waitpid");
    if (WIFSTOPPED(status) && WSTOPSIG(status) == SIGTRAP)
        return true;
    if (WIFEXITED(status))
        ending_ = fmt::format("exit code {}", WEXITSTATUS(status));
    else if (WIFSIGNALED(status))
        ending_ = fmt::format("signal {}", WTERMSIG(status));
    else {
        kill(pid_, SIGKILL);
        waitpid(pid_, nullptr, 0);
        ending_ = fmt::format("signal {}", WSTOPSIG(status));
    }
    return false;
}

void TracedProcess::set_byte(uint64_t address, uint8_t byte) {
    const uint64_t old = word(address);
    const uint64_t changed = (old & ~uint64_t{0xff}) | byte;
    if (ptrace(PTRACE_POKEDATA, pid_, address, changed) != 0)
        throw std::runtime_error(fmt::format("cannot write to {:#x}", address));
}

void TracedProcess::stop_at(uint64_t address) {
    if (original_.try_emplace(address, static_cast<uint8_t>(word(address))).second)
        set_byte(address, kBreakpoint);
}

std::optional<uint64_t> TracedProcess::run() {
    if (stopped_) {
        set_byte(*stopped_, original_.at(*stopped_));
        ptrace(PTRACE_SINGLESTEP, pid_, nullptr, nullptr);
        if (!wait())
            return std::nullopt;
        set_byte(*stopped_, kBreakpoint);
        stopped_.reset();
        ptrace(PTRACE_GETREGS, pid_, nullptr, &registers_);
        // The step has ended at a breakpoint, which has not run yet.
    }
    ptrace(PTRACE_CONT, pid_, nullptr, nullptr);
    if (!wait())
        return std::nullopt;
    ptrace(PTRACE_GETREGS, pid_, nullptr, &registers_);
    registers_.rip -= 1;
    if (!original_.contains(registers_.rip))
        throw std::runtime_error(fmt::format("stopped at {:#x}", registers_.rip));
    ptrace(PTRACE_SETREGS, pid_, nullptr, &registers_);
    stopped_ = registers_.rip;
    return stopped_;
}

uint64_t TracedProcess::dwarf_register(uint32_t number) const {
    const user_regs_struct &r = registers_;
    // This is the order of figure 3.36 of the System V ABI for x86-64.
    const unsigned long long all[] = {r.rax, r.rdx, r.rcx, r.rbx, r.rsi, r.rdi, r.rbp, r.rsp, r.r8,
                                      r.r9,  r.r10, r.r11, r.r12, r.r13, r.r14, r.r15, r.rip};
    if (number >= std::size(all))
        throw std::runtime_error(fmt::format("there is no register {}", number));
    return all[number];
}

uint64_t TracedProcess::word(uint64_t address) const {
    errno = 0;
    const long value = ptrace(PTRACE_PEEKDATA, pid_, address, nullptr);
    if (errno != 0)
        throw std::runtime_error(fmt::format("no memory at {:#x}", address));
    return static_cast<uint64_t>(value);
}

std::string TracedProcess::string(uint64_t address) const {
    std::string out;
    for (char c; (c = static_cast<char>(word(address))) != '\0'; address++)
        out += c;
    return out;
}

std::optional<std::vector<uint8_t>> TracedProcess::value(const btf_type *loc, uint32_t size,
                                                         uint64_t object_base) const {
    const uint32_t vlen = loc_vlen(loc);
    const uint32_t flags = loc_param_flags(loc);
    const uint32_t *values = loc_param_values(loc);
    const bool is_signed = (flags & LOC_SIGNED) != 0;
    const auto pair_of_words = [&](uint32_t at) {
        return values[at] | uint64_t{values[at + 1]} << 32;
    };
    // The number follows the register, or it is the constant. It has one word or two.
    const auto number_at = [&](uint32_t at) {
        return vlen - at == 2 ? pair_of_words(at) : extended(values[at], 4, is_signed);
    };
    if (loc->size < 1 || loc->size > 16 || loc->size > size || vlen < 1 || vlen > 3)
        return std::nullopt;
    uint64_t words[2] = {0, 0};
    switch (flags & ~uint32_t{LOC_SIGNED}) {
    case LOC_CONST:
        words[0] = number_at(0);
        break;
    case LOC_CONST | LOC_ADDR:
        words[0] = number_at(0) + object_base;
        break;
    case LOC_REG:
        words[0] = dwarf_register(values[0]);
        if (vlen == 2)
            words[1] = dwarf_register(values[1]);
        break;
    case LOC_REG | LOC_OFFSET:
        words[0] = dwarf_register(values[0]) + number_at(1);
        break;
    case LOC_REG | LOC_DEREF:
    case LOC_REG | LOC_DEREF | LOC_OFFSET: {
        const uint64_t address = dwarf_register(values[0]) + (vlen > 1 ? number_at(1) : 0);
        words[0] = word(address);
        if (loc->size > 8)
            words[1] = word(address + 8);
        break;
    }
    default:
        return std::nullopt;
    }
    if (loc->size <= 8) {
        words[0] = extended(words[0], loc->size, is_signed && loc->size < size);
        if (is_signed && loc->size < size && (words[0] >> 63) != 0)
            words[1] = ~uint64_t{0};
    }
    std::vector<uint8_t> out;
    for (uint32_t i = 0; i < size; i++)
        out.push_back(i < 16 ? static_cast<uint8_t>(words[i / 8] >> (8 * (i % 8))) : 0);
    return out;
}

}  // namespace btf_extra::test
