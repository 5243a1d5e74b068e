// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Makes templates of the module "inlined" while a test runs: right ones and wrong ones.
#ifndef BTF_EXTRA_TESTS_TEMPLATE_BUILD_H
#define BTF_EXTRA_TESTS_TEMPLATE_BUILD_H

#include <cstdint>
#include <string>

#include "kernel/core/phantom_table.h"

namespace btf_extra::test {

struct TemplateShape {
    std::string vermagic = "6.1.0-test SMP mod_unload ";
    std::string info_name = "inlined", name = "inlined";
    uint32_t stubs = PHANTOM_STUBS;
    uint32_t distance = PHANTOM_STUB_SIZE;
    std::string calls_in = "__mcount_loc";
    uint32_t calls = PHANTOM_STUBS;  // entries there
    int32_t call_at = 4;             // bytes from a stub to its call
    uint32_t swapped_call = 0;       // this entry is that of the next stub; 0: none
    uint32_t magic = PHANTOM_MAGIC;
    uint32_t table_size = 0;
    std::string more = "";  // assembler
};

// Throws what gcc complains about.
void make_template(const std::string &path, const TemplateShape &shape = {});

}  // namespace btf_extra::test

#endif
