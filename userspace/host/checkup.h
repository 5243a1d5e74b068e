// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Finds out which parts of btf-extra work on a machine, which do not, and what to do.
#ifndef BTF_EXTRA_CHECKUP_H
#define BTF_EXTRA_CHECKUP_H

#include <string>
#include <string_view>
#include <vector>

#include "userspace/host/host.h"

namespace btf_extra::host {

enum class State { kOk, kMissing, kUnknown };

std::string_view text(State state);  // "ok", "missing", "unknown"

struct Finding {
    std::string what;
    State state;
    std::string seen;         // what was found
    std::string advice = {};  // what to do, as one clause; "": nothing
    bool required = false;    // no inlined call can be traced without it
};

struct Checkup {
    std::vector<Finding> findings;
    bool by_module = false;  // btf_extra.ko has the tables; else perf kprobes are used

    // Returns the required item that is missing. None: tracing inlined calls works.
    std::vector<std::string> obstacles() const;
};

Checkup check_up(const Host &host);

}  // namespace btf_extra::host

#endif
