// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Runs a program of this machine (x86-64) under ptrace. It stops at addresses, and there it is read
// as a probe reads it.
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
    // Stops before the first instruction. Returns NULL if this process may not trace.
    static std::unique_ptr<TracedProcess> start(const std::string &path);
    ~TracedProcess();
    TracedProcess(const TracedProcess &) = delete;
    TracedProcess &operator=(const TracedProcess &) = delete;

    void stop_at(uint64_t address);
    // Continues to the next of those addresses. The instruction there has not run yet. Returns
    // nullopt if the program has ended or died.
    std::optional<uint64_t> run();
    std::string ending() const { return ending_; }  // "exit code 0", "signal 11"

    uint64_t dwarf_register(uint32_t number) const;
    uint64_t word(uint64_t address) const;  // the 8 bytes of memory at address
    std::string string(uint64_t address) const;

    // Returns the bytes of a parameter of `size` bytes, by the rules of the wire format. Addresses
    // are relative to object_base. Returns nullopt if the record is not accepted or is wider than
    // the parameter.
    std::optional<std::vector<uint8_t>> value(const btf_type *loc, uint32_t size,
                                              uint64_t object_base) const;

  private:
    explicit TracedProcess(pid_t pid) : pid_(pid) {}
    void set_byte(uint64_t address, uint8_t byte);
    bool wait();  // true: a trap stopped it

    pid_t pid_;
    user_regs_struct registers_ = {};
    std::map<uint64_t, uint8_t> original_;  // the bytes that breakpoints replace
    std::optional<uint64_t> stopped_;
    std::string ending_;
};

}  // namespace btf_extra::test

#endif
