// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Finds the names that a user may have meant by one that does not exist.
#ifndef BTF_EXTRA_NEAREST_NAMES_H
#define BTF_EXTRA_NEAREST_NAMES_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace btf_extra {

// Keeps the three nearest of many names. A name is near if at most a third of it, but at least two
// characters, have to be changed: put in, taken out, replaced, or exchanged with the next.
class NearestNames {
  public:
    explicit NearestNames(std::string_view wanted);

    // prefix: to print in front of it.
    void add(std::string_view name, std::string_view prefix = {});

    // Returns the texts, the nearest first, those that are equally near in order of name.
    std::vector<std::string> texts() const;

  private:
    // The counts are those of the characters with the same last five bits, which both cases of a
    // letter have. They are made for each name, so they are few.
    using LetterCounts = std::array<uint16_t, 32>;
    static LetterCounts letter_counts(std::string_view name);
    bool may_be_near(std::string_view name, size_t most) const;

    std::string wanted_, lower_;
    LetterCounts counts_;
    size_t most_;
    std::set<std::pair<size_t, std::string>> found_;
};

// Returns the number of changes between two names, or most + 1 if there are more than `most`.
size_t name_distance(std::string_view a, std::string_view b, size_t most);

// Returns "; nearest: a, b", or nothing without any.
std::string nearest_text(const NearestNames &nearest);

}  // namespace btf_extra

#endif
