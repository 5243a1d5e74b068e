// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The names of stubs. A stub never has the name of a symbol, of a FUNC of vmlinux or a module, or
// of another stub: what was found by that name before would be ambiguous.
#ifndef BTF_EXTRA_STUB_NAMES_H
#define BTF_EXTRA_STUB_NAMES_H

#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace btf_extra::phantoms {

// A function that wants a name.
struct NamedFunc {
    std::string name;  // in the source
    std::string file;  // that declares it, or what else tells it from its namesakes
    bool has_body;     // somewhere
};

class StubNames {
  public:
    // taken: the names of symbols and of FUNCs.
    explicit StubNames(std::unordered_set<std::string> taken) : taken_(std::move(taken)) {}

    // A stub has this name already. No symbol counts for it.
    void add_stub(const std::string &name);

    // Names all functions of one name that are inlined somewhere: foo; foo__inlined, if foo has a
    // body or is taken; of several functions foo__file, foo__folder_file, ..., and that with
    // __inlined. The names of those that are asked for are taken afterwards.
    std::vector<std::string> name(const std::vector<NamedFunc> &namesakes,
                                  const std::vector<bool> &asked);

  private:
    bool free(const std::string &name) const {
        return !taken_.contains(name) && !stubs_.contains(name);
    }

    std::unordered_set<std::string> taken_, stubs_;
};

}  // namespace btf_extra::phantoms

#endif
