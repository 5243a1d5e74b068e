// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// A program of this machine (x86-64) under ptrace: stopped at addresses, read
// like a probe reads it.
#ifndef BTF_EXTRA_TESTS_TRACED_PROCESS_H
#define BTF_EXTRA_TESTS_TRACED_PROCESS_H

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>
#include <sys/user.h>

#include "userspace/format/core_api.h"

namespace btf_extra::test {

class TracedProcess {
  public:
    // Stopped before its first instruction. NULL: this process may not trace.
    static std::unique_ptr<TracedProcess> start(const std::string &path);
    ~TracedProcess();
    TracedProcess(const TracedProcess &) = delete;
    TracedProcess &operator=(const TracedProcess &) = delete;

    void stop_at(uint64_t address);
    // On to the next of those addresses, where nothing of the instruction has run yet.
    // nullopt: it has ended, or died.
    std::optional<uint64_t> run();
    std::string ending() const { return ending_; }  // "exit code 0", "signal 11"

    uint64_t dwarf_register(uint32_t number) const;
    uint64_t word(uint64_t address) const;  // 8 bytes of memory
    std::string string(uint64_t address) const;

    // The bytes of a parameter of `size` bytes, as format.md has it; object_base: what
    // addresses are relative to. nullopt: no accepted record, or wider than the parameter.
    std::optional<std::vector<uint8_t>> value(const btf_type *loc, uint32_t size,
                                              uint64_t object_base) const;

  private:
    explicit TracedProcess(pid_t pid) : pid_(pid) {}
    void set_byte(uint64_t address, uint8_t byte);
    bool wait();  // true: stopped by a trap

    pid_t pid_;
    user_regs_struct registers_ = {};
    std::map<uint64_t, uint8_t> original_;  // bytes under the breakpoints
    std::optional<uint64_t> stopped_;
    std::string ending_;
};

}  // namespace btf_extra::test

#endif
