// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The parts of intree_guest, and what they share.
#ifndef BTF_EXTRA_INTREE_TESTS_H
#define BTF_EXTRA_INTREE_TESTS_H

#include <string>

#include "tests/vm/guest_sites.h"
#include "tests/vm/intree/intree_calls.h"
#include "tests/vm/intree/program.h"

// What intree_test.ko returns.
uint64_t call(intree_which which, uint64_t a, uint64_t b = 0, uint64_t c = 0);

// As in a log: ffffffff81000000.
std::string hex(uint64_t address);

// Where a fentry program for that id is attached, of the symbols of its name: seen by the text that
// changes. 0: none of them, or refused, then with the error. The program's log goes to log.
struct Place {
    uint64_t address = 0;
    int error = 0;
    std::string log;
};
Place place_of(const Func &func, const std::string &module = "");

// The ids of vmlinux and of the module that have several symbols, and where each goes, as a file of
// lines. With btf_extra.ko and without it that is the same.
void write_own_places(const char *file);
void same_own_places(const char *file, const std::string &when);

void pairs();    // of intree_test.ko
void several();  // bodies under one id, or none
void changed();  // by the compiler
void partial();  // inlined here, called there
void of_vmlinux();
void strict();
void untouched();
void sample();
void lifetime();

#endif
