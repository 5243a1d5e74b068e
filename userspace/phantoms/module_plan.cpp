// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/phantoms/module_plan.h"

#include <algorithm>

#include <fmt/format.h>

namespace btf_extra::phantoms {

std::vector<PlannedModule> plan_more(const std::vector<LoadedModule> &loaded,
                                     std::vector<Phantom> more) {
    std::vector<PlannedModule> out;
    auto next = more.begin();
    for (size_t number = 0; next != more.end(); number++) {
        PlannedModule plan = {module_name_of(number), {}, {}};
        const auto there = std::ranges::find(loaded, plan.name, &LoadedModule::name);
        if (there != loaded.end()) {
            if (there->users != 0)
                continue;
            plan.before = there->phantoms;
            plan.after = there->phantoms;
        }
        const size_t room = PHANTOM_STUBS - plan.after.size();
        if (room == 0)
            continue;
        const auto end =
            next + std::min<ptrdiff_t>(static_cast<ptrdiff_t>(room), more.end() - next);
        std::move(next, end, std::back_inserter(plan.after));
        next = end;
        sort_phantoms(plan.after);
        out.push_back(std::move(plan));
    }
    return out;
}

Result<std::vector<PlannedModule>> plan_less(const std::vector<LoadedModule> &loaded,
                                             const std::vector<std::string> &patterns) {
    std::vector<bool> used(patterns.size());
    std::vector<PlannedModule> out;
    for (const LoadedModule &module : loaded) {
        PlannedModule plan = {module.name, module.phantoms, {}};
        for (const Phantom &phantom : module.phantoms) {
            bool goes = patterns.empty();
            for (size_t i = 0; i < patterns.size(); i++)
                if (name_glob_matches(patterns[i].data(), static_cast<uint32_t>(patterns[i].size()),
                                      phantom.stub.name.c_str()))
                    goes = used[i] = true;
            if (!goes)
                plan.after.push_back(phantom);
        }
        if (plan.after.size() != plan.before.size())
            out.push_back(std::move(plan));
    }
    for (size_t i = 0; i < patterns.size(); i++)
        if (!used[i])
            return Error{fmt::format("{}: no such function is exposed", patterns[i])};
    return out;
}

}  // namespace btf_extra::phantoms
