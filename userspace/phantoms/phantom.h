// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// A phantom: the stub that stands for functions that are inlined, and what is known of it. A module
// "inlined" has the stubs, with BTF and with the table of kernel/core/phantom_table.h.
#ifndef BTF_EXTRA_PHANTOM_H
#define BTF_EXTRA_PHANTOM_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "userspace/format/core_api.h"
#include "userspace/format/result.h"

namespace btf_extra::phantoms {

// A function that is called where the stub is: a row of the table.
struct PhantomFunc {
    std::string object;
    uint32_t func_info_size, func_info_crc32;
    uint32_t func_id;
    uint32_t without;  // bit n: the stub does not have parameter n

    bool operator==(const PhantomFunc &) const = default;
};

struct Stub {
    std::string name;
    std::vector<PhantomFunc> funcs;  // at least one
};

// The prototype of a stub. It is in the tables, or in the BTF of a module that has the stub.
struct Prototype {
    std::shared_ptr<const void> owner;  // of the types
    const btf_blob *types = nullptr;    // on vmlinux's BTF
    uint32_t func_id = 0;
    uint32_t without = 0;
};

struct Phantom {
    Stub stub;
    Prototype prototype;
};

// Puts them into the order of the table.
void sort_phantoms(std::vector<Phantom> &phantoms);

// The table of stubs in that order, 1 to PHANTOM_STUBS of them.
std::vector<std::byte> phantom_table_bytes(std::span<const Phantom> phantoms);
// Reads one. place is for messages.
Result<std::vector<Stub>> read_phantom_table(const std::string &place,
                                             std::span<const std::byte> bytes);

// The BTF of such a module, on vmlinux's: a FUNC for each stub, with the parameters that are left
// and without a result, and the types that they need and vmlinux does not have.
std::vector<std::byte> stub_btf(std::span<const Phantom> phantoms);

// "void skb_headlen(const struct sk_buff *skb)"
std::string stub_prototype(const Phantom &phantom);
// The names of the parameters of its functions, also of those that the stub does not have: these
// are empty if they are not known.
std::vector<std::string> param_names(const Phantom &phantom);

}  // namespace btf_extra::phantoms

#endif
