// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Makes phantoms of what a user asks for: chooses the functions and their names, and tells which of
// them cannot have a stub.
#ifndef BTF_EXTRA_PHANTOM_CHOICE_H
#define BTF_EXTRA_PHANTOM_CHOICE_H

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "userspace/lib/tables/site_tables.h"
#include "userspace/phantoms/phantom.h"
#include "userspace/phantoms/stub_names.h"
#include "userspace/phantoms/stub_state.h"

namespace btf_extra::phantoms {

struct PhantomChoice {
    std::vector<std::string> funcs;    // as the user writes them
    std::vector<std::string> without;  // names of parameters
    // Names that no stub may have, besides those of symbols and of vmlinux's FUNCs.
    std::vector<std::string> taken;
    // Returns why no probe can be at a site, a BTF_EXTRA_REASON_*; 0: it can. If this is empty, the
    // module decides.
    std::function<uint32_t(const SiteObject &object, const btf_extra_site &site)> refusal;
};

struct ChosenPhantom {
    Phantom phantom;
    StubState state;  // by the tables alone
    // Its stub is in exposed, the stubs that there are.
    bool there = false;
};

struct RefusedFunc {
    std::string func, reason;
};

struct ChosenPhantoms {
    std::vector<ChosenPhantom> phantoms;
    std::vector<RefusedFunc> refused;
};

// A pattern matches the functions that are inlined somewhere, a name all functions that have it.
// Functions of several objects that are one function of the source have one stub. It is an error if
// a text matches nothing, or if no function has a parameter that is to be left out.
Result<ChosenPhantoms> choose_phantoms(SiteTables &tables, const PhantomChoice &choice,
                                       const std::vector<Stub> &exposed);

}  // namespace btf_extra::phantoms

#endif
