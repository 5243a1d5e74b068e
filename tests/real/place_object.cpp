// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Writes a module as tests/support/placed_object.h does, for tools that do not relocate one.
//
//   place_object FROM TO
#include <cstdio>
#include <stdexcept>

#include "tests/support/placed_object.h"

int main(int argc, char **argv) {
    if (argc != 3) {
        std::fprintf(stderr, "usage: place_object FROM TO\n");
        return 2;
    }
    try {
        btf_extra::test::place_object(argv[1], argv[2]);
    } catch (const std::runtime_error &error) {
        std::fprintf(stderr, "place_object: %s: %s\n", argv[1], error.what());
        return 1;
    }
}
