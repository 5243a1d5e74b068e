// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The code that runs, from /proc/kcore.
#ifndef BTF_EXTRA_RUNNING_CODE_H
#define BTF_EXTRA_RUNNING_CODE_H

#include <cstdint>
#include <string>
#include <vector>

#include "userspace/format/file_descriptor.h"

namespace btf_extra {

class RunningCode {
  public:
    // path: a core file of ELF64. If it cannot be read, nothing of the code is known.
    explicit RunningCode(const std::string &path = "/proc/kcore");

    // Returns the readable bytes, at most size.
    std::vector<uint8_t> read(uint64_t address, size_t size) const;

    // Returns whether a kprobe at the address would crash the kernel: see enum loc_call. false: it
    // would not, or it is unknown.
    bool is_prefixed_call(uint64_t address) const;

  private:
    struct Segment {
        uint64_t address, size, offset;
    };
    FileDescriptor fd_;
    std::vector<Segment> segments_;
};

}  // namespace btf_extra

#endif
