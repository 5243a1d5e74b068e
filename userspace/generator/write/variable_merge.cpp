// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/generator/write/variable_merge.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <unordered_map>

namespace btf_extra::generator {

namespace {

auto order_of(const Variable &variable) {
    return std::tuple(variable.name, variable.file, variable.address, variable.reason);
}

// Numbers the files of all variables in their order.
class FileNumbers {
  public:
    explicit FileNumbers(const MergedVariables &variables) {
        for (const auto *each : {&variables.written, &variables.left_out})
            for (const Variable &variable : *each)
                if (!variable.file.empty())
                    numbers_.try_emplace(variable.file, 0);
        uint32_t number = 0;
        for (auto &[file, its_number] : numbers_)
            its_number = number++;
    }
    uint32_t of(const Variable &variable) const {
        return variable.file.empty() ? VariableList::kNone : numbers_.at(variable.file);
    }
    std::vector<std::string> names() const {
        std::vector<std::string> names;
        for (const auto &[file, number] : numbers_)
            names.emplace_back(file);
        return names;
    }

  private:
    std::map<std::string_view, uint32_t> numbers_;
};

}  // namespace

MergedVariables merge_variables(const std::vector<UnitSites> &units) {
    MergedVariables merged;
    for (const UnitSites &unit : units)
        for (const Variable &variable : unit.variables)
            (variable.reason == VariableReason{} ? merged.written : merged.left_out)
                .push_back(variable);
    // The name of a variable that is written leads to one place, so its entries describe the same
    // variable. The first unit's one stays.
    std::ranges::stable_sort(merged.written, {}, &Variable::name);
    const auto same_name = std::ranges::unique(merged.written, {}, &Variable::name);
    merged.written.erase(same_name.begin(), same_name.end());
    std::ranges::sort(merged.left_out, {}, order_of);
    const auto same = std::ranges::unique(merged.left_out, {}, order_of);
    merged.left_out.erase(same.begin(), same.end());
    return merged;
}

VariableList list_variables(const MergedVariables &variables,
                            std::span<const ElfSection> sections) {
    const FileNumbers files(variables);
    VariableList list;
    list.files = files.names();
    for (const Variable &variable : variables.written)
        list.var_files.push_back(files.of(variable));
    std::unordered_map<const ElfSection *, uint32_t> numbers;
    for (const Variable &variable : variables.left_out) {
        VariableList::LeftOut left_out{.name = std::string(variable.name),
                                       .reason = variable.reason,
                                       .file = files.of(variable)};
        const ElfSection *section = nullptr;
        for (const ElfSection &each : sections)
            if (variable.address && *variable.address - each.address < each.size)
                section = &each;
        if (section) {
            const auto [entry, fresh] =
                numbers.try_emplace(section, static_cast<uint32_t>(list.sections.size()));
            if (fresh)
                list.sections.push_back({section->name, section->address});
            left_out.section = entry->second;
            left_out.offset = *variable.address - section->address;
        }
        list.left_out.push_back(std::move(left_out));
    }
    return list;
}

}  // namespace btf_extra::generator
