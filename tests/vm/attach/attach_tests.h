// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The parts of attach_guest, and what they share.
#ifndef BTF_EXTRA_ATTACH_TESTS_H
#define BTF_EXTRA_ATTACH_TESTS_H

#include <set>
#include <string>

#include "tests/vm/guest_attach.h"

// A program that does nothing, of the type and with the flags; ends this one where it does not
// load.
int load_program(uint32_t type, uint32_t flags = 0, uint32_t expected_attach_type = 0,
                 uint32_t attach_btf_id = 0);

// Address and symbol of each probe that the kernel has.
std::multiset<std::string> probe_list();

// The request for shape_many() of shapes.ko, with a program that may be attached.
btf_extra_attach good_request();
constexpr uint32_t kMany = 128;  // sites of it

// Comes by at shape_many(), how often; on whatever processor this is.
uint32_t call_many();

void errors();
void left_out();
void lifetime();
void crowd();
// With foreign.ko and /foreign.bpf.o.
void foreign();
// With the programs of /attach.bpf.o.
void recursion();
void lockdown();

#endif
