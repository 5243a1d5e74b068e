// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// These go on in a storm. Each function returns when the time is over.
#ifndef BTF_EXTRA_STORM_ACTORS_H
#define BTF_EXTRA_STORM_ACTORS_H

#include <ctime>
#include <string>
#include <vector>

struct Storm {
    std::vector<std::string> stubs;  // that it attaches to
    time_t until;

    bool is_over() const { return time(nullptr) >= until; }
};

// Four processes attach to stubs and detach, by turns.
void attach_from_four(const Storm &storm);
// The same. Every 1.5 s one of them is killed, and another one takes its place. Under KASAN it
// takes seconds to attach.
void attach_and_kill(const Storm &storm);
// bpftrace attaches to stubs, and is killed with SIGKILL at any moment.
void kill_bpftrace(const Storm &storm);
// Tracers of every function, the stubs among them.
void switch_tracers(const Storm &storm);
// The function tracer at vfs_write(), with a stack trace at each call.
void trace_stacks(const Storm &storm);
// Modules with exposed sites go and come.
void load_and_unload(const Storm &storm);
// All modules of btf-extra go and come, in every order, while a program is attached. A wrong state
// is a row that fails.
void unload_in_every_order(const Storm &storm);
void arm_by_hand(const Storm &storm);
// Processor 0 takes NMIs in whose handler is a site.
void send_nmis(const Storm &storm);

// Calls the functions of shapes.ko, if it is loaded.
void call_shapes(const Storm &storm);
// Changes a hash map, and writes to a file.
void change_maps(const Storm &storm);

#endif
