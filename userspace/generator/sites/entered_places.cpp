// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/generator/sites/entered_places.h"

#include <algorithm>
#include <cstring>

#include <elf.h>

#include "userspace/generator/sites/instructions.h"

namespace btf_extra::generator {
namespace {

constexpr uint64_t kGrain = 16;

// Says quickly of most addresses that they are in no function.
class Map {
  public:
    explicit Map(std::span<const CodeRange> functions) {
        low_ = functions.front().begin / kGrain;
        bits_.resize(functions.back().end / kGrain - low_ + 1);
        for (const CodeRange &function : functions)
            for (uint64_t grain = function.begin / kGrain; grain <= (function.end - 1) / kGrain;
                 ++grain)
                bits_[grain - low_] = true;
    }
    bool may_hold(uint64_t address) const {
        const uint64_t grain = address / kGrain - low_;
        return grain < bits_.size() && bits_[grain];
    }

  private:
    uint64_t low_ = 0;
    std::vector<bool> bits_;
};

template <class T> T number_at(const uint8_t *bytes) {
    T number;
    std::memcpy(&number, bytes, sizeof(number));
    return number;
}

}  // namespace

EnteredPlaces::EnteredPlaces(const DebugFile &file, std::vector<CodeRange> functions)
    : functions_(std::move(functions)) {
    if (functions_.empty())
        return;
    const Map map(functions_);
    const auto note = [&](uint64_t to, uint64_t from) {
        if (!map.may_hold(to))
            return;
        const CodeRange function = function_of(to);
        if (function.begin != function.end && (from < function.begin || from >= function.end))
            entries_.push_back({to, from});
    };
    const auto instructions = Instructions::of_file(file);
    for (const ElfSection &section : file.elf().sections()) {
        if (!section.allocated() || section.type == SHT_NOBITS)
            continue;
        const auto bytes = file.elf().bytes(section);
        if (!bytes)
            continue;
        const auto *data = reinterpret_cast<const uint8_t *>(bytes->data());
        const size_t size = bytes->size();
        for (size_t at = 0; section.executable() && at + 4 <= size; ++at) {
            const auto word = static_cast<uint64_t>(int64_t{number_at<int32_t>(data + at)});
            const uint64_t from = section.address + at, to = from + 4 + word;
            note(word, from);
            if (map.may_hold(to) && instructions->may_be_displacement({data, at}))
                note(to, from);
        }
        for (size_t at = 0; at + 8 <= size; ++at)
            note(number_at<uint64_t>(data + at), section.executable() ? section.address + at : 0);
    }
    std::ranges::sort(entries_);
}

CodeRange EnteredPlaces::function_of(uint64_t address) const {
    const auto after = std::ranges::upper_bound(functions_, address, {}, &CodeRange::begin);
    if (after == functions_.begin() || address >= std::prev(after)->end)
        return {};
    return *std::prev(after);
}

bool EnteredPlaces::entered(uint64_t address, std::span<const CodeRange> ranges) const {
    const auto found = std::ranges::equal_range(entries_, address, {}, &Entry::to);
    return std::ranges::any_of(found,
                               [&](const Entry &entry) { return !hold(ranges, entry.from); });
}

}  // namespace btf_extra::generator
