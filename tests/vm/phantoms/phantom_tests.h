// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The parts of phantoms_guest.
#ifndef BTF_EXTRA_PHANTOM_TESTS_H
#define BTF_EXTRA_PHANTOM_TESTS_H

#include <memory>

#include <bpf/libbpf.h>

#include "tests/vm/guest_phantoms.h"
#include "tests/vm/shapes/shapes.h"

// The programs of phantoms.bpf.o. One of them is attached to a stub until this ends.
class AtStub {
  public:
    // Ends this process if it cannot be loaded. error: errno of attaching it.
    AtStub(const std::string &program, const std::string &stub, bool updates = false);
    AtStub(const AtStub &) = delete;
    ~AtStub();

    struct Seen {
        uint64_t hits, last_arg, frames[16];
        int32_t nr_bytes;
        uint32_t next_key;
    };
    // What the program has seen so far.
    const volatile Seen &seen() const { return *seen_; }

    int error = 0;

  private:
    bpf_object *object_ = nullptr;
    bpf_link *link_ = nullptr;
    const volatile Seen *seen_ = nullptr;
};

// Calls one of the functions of shapes.ko so many times, and returns how often it was called.
size_t call_shape(uint32_t shape, uint32_t calls);

// What the kernel says when a program of this type asks for the stub: 0 or an errno.
int load_at_stub(const std::string &stub, uint32_t type, uint32_t expected_attach_type,
                 uint32_t flags = 0);

// Attaches, detaches, kills, loads and unloads for so many seconds, all at once.
void storm(unsigned seconds);

// A module of stubs that was changed is refused.
void edited_modules();

#endif
