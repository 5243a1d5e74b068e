// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The parts of attach_guest and what they share.
#ifndef BTF_EXTRA_ATTACH_TESTS_H
#define BTF_EXTRA_ATTACH_TESTS_H

#include "tests/vm/guest_attach.h"

// Returns a request for shape_many() of shapes.ko that can succeed, with a program that may be
// attached.
btf_extra_attach good_request();
constexpr uint32_t kMany = 128;  // the number of its sites

// Calls shape_many() on this processor and returns how often.
uint32_t call_many();

void errors();
void left_out();
void lifetime();
void crowd();
// It uses foreign.ko and /foreign.bpf.o.
void foreign();
// These use the programs of /attach.bpf.o.
void recursion();
void lockdown();

#endif
