// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The parts of intree_guest and what they share.
#ifndef BTF_EXTRA_INTREE_TESTS_H
#define BTF_EXTRA_INTREE_TESTS_H

#include <string>

#include "tests/vm/completing.h"
#include "tests/vm/guest_sites.h"
#include "tests/vm/intree/intree_calls.h"
#include "tests/vm/intree/program.h"

// Calls the function in intree_test.ko and returns its result.
uint64_t call(intree_which which, uint64_t a, uint64_t b = 0, uint64_t c = 0);

// Runs a command, which writes no errors. Returns true if it ends with 0.
bool shell(const std::string &command);

// Unloads a module. A program that was just closed may hold it for a moment.
bool goes(const std::string &module);

// Returns an address as a log has it: ffffffff81000000.
std::string hex(uint64_t address);

// Finds out to which of the symbols of its name an fentry program for that id is attached, by the
// kernel's text that changes. The address is 0 if it is none of them, or if attaching fails with an
// error. log gets the program's log.
struct Place {
    uint64_t address = 0;
    int error = 0;
    std::string log;
};
Place place_of(const Func &func, const std::string &module = "");

// These are the ids of vmlinux and of the module whose name has several symbols. The first function
// writes to a file where each of them attaches, one line for each. With and without btf_extra.ko
// that must be the same.
void write_own_places(const char *file);
void same_own_places(const char *file, const std::string &when);

// Functions that the verifier refuses, for its programs call them. Before Linux 7 it gives no
// reason.
inline constexpr const char *kUntraceable[] = {"migrate_disable",   "migrate_enable",
                                               "preempt_count_add", "preempt_count_sub",
                                               "__rcu_read_lock",   "__rcu_read_unlock"};

void pairs();    // two functions of intree_test.ko
void several();  // an id with several bodies, or with none
void changed();  // bodies that the compiler changed
void partial();  // inlined in one file and called in another
void of_vmlinux();
void strict();
void untouched();
void sample();
void stubs();  // phantom functions
void lifetime();

#endif
