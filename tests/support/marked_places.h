// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The places, "name@address", at which everything is a part, or nothing has an entry. An entry is
// an entry, whatever else begins there.
#ifndef BTF_EXTRA_TESTS_MARKED_PLACES_H
#define BTF_EXTRA_TESTS_MARKED_PLACES_H

#include <map>
#include <string>
#include <vector>

namespace btf_extra::test {

class MarkedPlaces {
  public:
    void add(const std::string &place, bool part, bool no_entry) {
        Begins &here = places_[place];
        here.all++;
        here.parts += part;
        here.without_entry += no_entry;
    }
    std::vector<std::string> parts() const {
        return those([](const Begins &here) { return here.parts == here.all; });
    }
    std::vector<std::string> without_entry() const {
        return those([](const Begins &here) { return here.without_entry == here.all; });
    }

  private:
    struct Begins {
        size_t all = 0, parts = 0, without_entry = 0;
    };

    template <class Wanted> std::vector<std::string> those(Wanted wanted) const {
        std::vector<std::string> out;
        for (const auto &[place, here] : places_)
            if (wanted(here))
                out.push_back(place);
        return out;
    }

    std::map<std::string, Begins> places_;
};

}  // namespace btf_extra::test

#endif
