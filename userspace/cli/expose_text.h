// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The texts that `btf-extra expose` prints of stubs.
#ifndef BTF_EXTRA_EXPOSE_TEXT_H
#define BTF_EXTRA_EXPOSE_TEXT_H

#include <string>
#include <vector>

#include "userspace/phantoms/phantom.h"
#include "userspace/phantoms/stub_state.h"

namespace btf_extra {

struct ExposedStub {
    phantoms::Phantom phantom;
    phantoms::StubState state;
    std::string module;
};

// A line for each on stdout, and on stderr which of its sites are left out. figures: also what has
// happened at the sites.
void print_stubs_text(const std::vector<ExposedStub> &stubs, bool figures);

// One object: {"functions": [...]}.
void print_stubs_json(const std::vector<ExposedStub> &stubs);

}  // namespace btf_extra

#endif
