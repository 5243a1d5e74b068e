// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include <algorithm>
#include <cerrno>
#include <utility>

#include <fmt/format.h>

#include "userspace/lib/api/api_error.h"
#include "userspace/lib/api/api_tables.h"
#include "userspace/lib/tables/inline_chain.h"

using namespace btf_extra;

namespace {

// Returns an empty chain if none is known.
Result<InlineChain> look_up(SiteTables &tables, uint64_t address) {
    const std::vector<SharedObject> &objects = *TRY(tables.objects());
    if (std::ranges::none_of(objects,
                             [](const SharedObject &object) { return has_frames(*object); }))
        return Error{fmt::format("{}: no frames", tables.name()), ENOENT};
    for (const SharedObject &object : objects)
        if (auto chain =
                tables.running() ? chain_at(object, address) : chain_at_linked(object, address))
            return std::move(*chain);
    return InlineChain{};
}

}  // namespace

int btf_extra_frames(btf_extra_tables *tables, uint64_t address, btf_extra_frame *frames,
                     size_t capacity, size_t *nr_frames) {
    return api_guard([&]() -> Result<void> {
        const auto chain = TRY(look_up(*tables->tables, address));
        const size_t nr = chain.frames.size();
        for (size_t i = 0; i < std::min(nr, capacity); i++) {
            const ChainFrame &frame = chain.frames[i];
            frames[i] = {.func = frame.name.data(),
                         .call_file = frame.call_file.empty() ? nullptr : frame.call_file.data(),
                         .call_line = frame.call_line,
                         .func_id = frame.func_id};
        }
        *nr_frames = nr;
        return {};
    });
}
