// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/text/nearest_names.h"

#include <algorithm>

#include <fmt/format.h>

namespace btf_extra {
namespace {

constexpr size_t kNamed = 3;

char lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

std::string lower(std::string_view name) {
    std::string out(name);
    std::ranges::transform(out, out.begin(), [](char c) { return lower(c); });
    return out;
}

size_t length_difference(std::string_view a, std::string_view b) {
    return std::max(a.size(), b.size()) - std::min(a.size(), b.size());
}

}  // namespace

size_t name_distance(std::string_view a, std::string_view b, size_t most) {
    if (length_difference(a, b) > most)
        return most + 1;
    // Rows of the table of distances between the beginnings of both: this one and the two before.
    // Only beginnings whose lengths differ by at most `most` can be near.
    std::vector<size_t> rows(3 * (b.size() + 1), most + 1);
    size_t *row = rows.data(), *before = row + b.size() + 1, *earlier = before + b.size() + 1;
    for (size_t j = 0; j <= std::min(b.size(), most); j++)
        before[j] = j;
    for (size_t i = 1; i <= a.size(); i++) {
        const size_t first = i > most ? i - most : 1, last = std::min(b.size(), i + most);
        row[first - 1] = i > most ? most + 1 : i;
        size_t least = row[first - 1];
        for (size_t j = first; j <= last; j++) {
            row[j] = std::min(
                {before[j] + 1, row[j - 1] + 1, before[j - 1] + (a[i - 1] != b[j - 1] ? 1 : 0)});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = std::min(row[j], earlier[j - 2] + 1);
            least = std::min(least, row[j]);
        }
        if (least > most)
            return most + 1;
        if (last < b.size())
            row[last + 1] = most + 1;
        std::swap(row, earlier);
        std::swap(earlier, before);  // they have moved on by one
    }
    return std::min(before[b.size()], most + 1);
}

NearestNames::NearestNames(std::string_view wanted)
    : wanted_(wanted), lower_(lower(wanted)), most_(std::max<size_t>(2, wanted.size() / 3)) {
    most_ = std::min(most_, wanted.size() / 2);  // two of three letters are no similarity
    counts_ = letter_counts(wanted_);
}

NearestNames::LetterCounts NearestNames::letter_counts(std::string_view name) {
    LetterCounts counts = {};
    for (const char c : name)
        counts[static_cast<uint8_t>(c) % counts.size()]++;
    return counts;
}

// A change puts in and takes out one letter at most.
bool NearestNames::may_be_near(std::string_view name, size_t most) const {
    if (length_difference(name, wanted_) > most)
        return false;
    const LetterCounts counts = letter_counts(name);
    uint16_t put_in = 0;
    for (size_t i = 0; i < counts.size(); i++)
        put_in += counts[i] > counts_[i] ? counts[i] - counts_[i] : 0;
    return put_in <= most && wanted_.size() - (name.size() - put_in) <= most;
}

void NearestNames::add(std::string_view name, std::string_view prefix) {
    const size_t most = found_.size() == kNamed ? found_.rbegin()->first : most_;
    // A suffix that a compiler appends to a symbol is not part of a name.
    const bool is_symbol = name == std::string_view(wanted_).substr(0, wanted_.find('.'));
    if (!is_symbol && !may_be_near(name, most))
        return;
    const size_t distance = is_symbol ? 0 : name_distance(lower_, lower(name), most);
    if (distance > most)
        return;
    found_.emplace(distance, std::string(prefix).append(name));
    if (found_.size() > kNamed)
        found_.erase(std::prev(found_.end()));
}

std::vector<std::string> NearestNames::texts() const {
    std::vector<std::string> out;
    for (const auto &[distance, text] : found_)
        out.push_back(text);
    return out;
}

std::string nearest_text(const NearestNames &nearest) {
    const auto texts = nearest.texts();
    return texts.empty() ? "" : fmt::format("; nearest: {}", fmt::join(texts, ", "));
}

}  // namespace btf_extra
