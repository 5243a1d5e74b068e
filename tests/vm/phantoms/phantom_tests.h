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
        uint64_t hits, last_arg, sum, idle, frames[16];
        int32_t nr_bytes;
        uint32_t next_key;
        uint64_t place;
        int32_t func, inlined, sites;
    };
    // Returns what the program has seen so far.
    const volatile Seen &seen() const { return *seen_; }
    // From now on "ask" asks about this address.
    void ask_about(uint64_t address) { seen_->place = address; }

    int error = 0;

  private:
    bpf_object *object_ = nullptr;
    bpf_link *link_ = nullptr;
    volatile Seen *seen_ = nullptr;
};

// Calls one of the functions of shapes.ko that many times, and returns its arguments, or how often
// it was called.
std::vector<shape_record> records_of_calls(uint32_t shape, uint32_t calls);
size_t call_shape(uint32_t shape, uint32_t calls);

// Returns what the kernel says when a program of this type asks for the stub: 0 or an errno.
int load_at_stub(const std::string &stub, uint32_t type, uint32_t expected_attach_type,
                 uint32_t flags = 0);

// Sites in the idle task, in an NMI handler, and in what a callback of ftrace calls.
void idle(const std::string &stub);
void nmis();
void ask_in_nmi();
void callbacks(const std::string &stub);

// A module whose stubs are armed goes, and takes its time to come.
void gone();
void coming();

// Live patches of a stub, and of a function around a site.
void patches();

// Links to many functions: kprobe.multi, and fentry.multi where the kernel has it.
void multi();

// Returns a descriptor of the BTF of a module.
int btf_of(const std::string &module);

// Returns the id of the FUNC of a stub in the BTF of the module inlined, or of another function.
uint32_t id_of(const std::string &func, const std::string &module = "inlined");

// Loads or removes a module. Returns 0 or an errno.
int load(const std::string &module, const std::string &parameters = "");
int unload(const std::string &module);

// Attaches, detaches, kills, loads and unloads for that many seconds: all at once, or the kind with
// that name in storm.cpp.
void storm(unsigned seconds, const std::string &name = "all");

// A module of stubs that was changed is refused.
void edited_modules();

#endif
