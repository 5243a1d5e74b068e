// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Capstone's handle for one architecture.
#ifndef BTF_EXTRA_INSTRUCTIONS_CAPSTONE_H
#define BTF_EXTRA_INSTRUCTIONS_CAPSTONE_H

#include <capstone/capstone.h>

#include <cstddef>
#include <cstdint>

#include "userspace/generator/sites/instructions.h"

namespace btf_extra::generator {

// It is opened when there is something to look at. With detail, operands are read, too, which takes
// longer.
class Disassembler {
  public:
    Disassembler(cs_arch arch, cs_mode mode, bool detail)
        : arch_(arch), mode_(mode), detail_(detail) {}
    ~Disassembler() {
        if (instruction_)
            cs_free(instruction_, 1);
        if (handle_)
            cs_close(&handle_);
    }
    Disassembler(const Disassembler &) = delete;
    Disassembler &operator=(const Disassembler &) = delete;

    bool open() {
        if (handle_)
            return true;
        if (cs_open(arch_, mode_, &handle_) != CS_ERR_OK)
            return false;
        if (detail_)
            cs_option(handle_, CS_OPT_DETAIL, CS_OPT_ON);
        instruction_ = cs_malloc(handle_);
        return true;
    }

    // Returns the first instruction of code, which stays until the next call. NULL: it cannot be
    // disassembled.
    const cs_insn *first(const Code &code) {
        const uint8_t *bytes = code.bytes.data();
        size_t left = code.bytes.size();
        uint64_t address = code.first;
        return open() ? next(bytes, left, address) : nullptr;
    }

    // Moves bytes, left and address past the instruction, which stays until the next call.
    const cs_insn *next(const uint8_t *&bytes, size_t &left, uint64_t &address) {
        return cs_disasm_iter(handle_, &bytes, &left, &address, instruction_) ? instruction_
                                                                              : nullptr;
    }

    csh handle() const { return handle_; }

  private:
    const cs_arch arch_;
    const cs_mode mode_;
    const bool detail_;
    csh handle_ = 0;
    cs_insn *instruction_ = nullptr;
};

}  // namespace btf_extra::generator

#endif
