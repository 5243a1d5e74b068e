// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The parts of follow_guest and what they share.
#ifndef BTF_EXTRA_FOLLOW_TESTS_H
#define BTF_EXTRA_FOLLOW_TESTS_H

#include <bpf/btf.h>
#include <linux/types.h>

#include "tests/vm/completing.h"
#include "tests/vm/follow/seen.h"
#include "tests/vm/guest_attach.h"

// An ordinary tool: it attaches programs of /follow.bpf.o by plain names, and knows nothing of us.
class Tool {
  public:
    // Loads these. function: what a program without one in its section is for. Check loaded().
    explicit Tool(const std::vector<const char *> &names, const char *function = nullptr);
    Tool(const Tool &) = delete;
    Tool &operator=(const Tool &) = delete;
    ~Tool();

    bool loaded() const { return state_ != nullptr; }
    int program(const char *name) const;
    const bpf_program *find(const char *name) const;
    // Returns the descriptor of the BPF link; -1 and errno: it cannot be attached.
    int attach(const char *name, uint64_t cookie = 0);
    // Ends the BPF links.
    void detach();

    // The calls of this process that the programs have seen since clear().
    const follow_state &state() const { return *state_; }
    void clear();
    // From now on the calls of all processes count.
    void count_all() { state_->only_pid = 0; }
    // How often the kernel says that a program ran, and was to run and did not.
    struct Stats {
        uint64_t runs, misses;
    };
    Stats stats(const char *name) const;

  private:
    bpf_object *object_ = nullptr;
    follow_state *state_ = nullptr;
    std::vector<bpf_link *> links_;
};

// Returns a request for the inlined sites of a function and a BPF link.
btf_extra_attach to_follow(const char *object, const char *function, int link_fd);
// The same for a program that is not attached yet.
btf_extra_attach to_follow_program(const char *object, const char *function, int prog_fd);

// The function is the right one, but all of its inlined sites are left out, or are parts.
inline bool has_no_site(const guest::Link &link) {
    return link.error == EOPNOTSUPP || link.error == ENOENT;
}

// Calls a function through its inlined site: the file is not open. The arguments depend on i.
constexpr uint64_t kOffset = 5000000000, kLength = 6000000000;
void call_fallocate(uint32_t i);

// Calls it often and compares each call: its arguments, the cookie, the address of the function,
// and the stack, which goes on at one of these sites.
void call_and_compare(guest::Row &row, Tool &tool, uint64_t cookie,
                      const std::vector<uint64_t> &sites);

// Returns the number of inlined sites of a function of vmlinux, as debugfs lists them.
size_t nr_inlined(const std::string &function);

// shape_both() of shapes.ko: how often it was called, and the sum of its first argument.
struct ShapeCalls {
    uint64_t calls, values;
};
ShapeCalls call_both();
// Returns an errno, or 0.
int unload(const char *module);
// The module's ids of types are not those of our tables then: see kernel/DESIGN.md.
bool on_distilled_base(const char *module);

// Returns a request for all sites of a function at which the first nr_params are available.
btf_extra_attach with_all(uint32_t func_id, uint32_t object, int prog_fd, size_t nr_params);
// Up to five parameters of up to 8 bytes: a kloc program has them in registers.
size_t nr_in_registers(const btf *kernel, uint32_t func_id);

// Returns what dmesg prints.
std::string kernel_log();

// A bit of everything that a process does.
void do_work();

void values();
void library();
void audited();
void command();
// Are parts of it.
void partly_followed();
void pinned();
void later_module();
void complete();
// Is a part of it.
void partly_completed();
void module_of_completed_goes();
// Is a tool that follow runs. lasts: it does not end on its own.
[[noreturn]] void as_tool(bool lasts);
void refusals();
void names();
void crowd();
void recursion();
void module_goes();
void storm();

#endif
