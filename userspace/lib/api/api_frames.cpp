// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include <algorithm>
#include <cerrno>
#include <span>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "userspace/lib/api/api_error.h"
#include "userspace/lib/api/api_tables.h"
#include "userspace/lib/tables/inline_chain.h"
#include "userspace/lib/tables/symbolizer.h"
#include "userspace/text/stack_text.h"

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

// Returns what the tables have about a place in a stack trace.
Result<Symbolizer::InText> look_up(btf_extra_tables &tables, const std::string &place,
                                   bool return_address) {
    const auto frame = parse_folded_frame(place);
    if (!frame)
        return Error{fmt::format("'{}': neither symbol+offset nor an address", place), EINVAL};
    if (!tables.symbolizer) {
        auto opened = TRY(Symbolizer::open(tables.choice));
        opened.set_kaslr(0);
        tables.symbolizer.emplace(std::move(opened));
    }
    Symbolizer &symbolizer = *tables.symbolizer;
    symbolizer.refresh();
    auto found = symbolizer.find(*frame, return_address);
    const auto fail = [&](const std::string &why, int code) {
        return Error{fmt::format("{}: '{}': {}", symbolizer.name(), place, why), code};
    };
    if (!found.conflict.empty())
        return fail(found.conflict, ESTALE);
    if (found.places == 0 && !frame->symbol.empty())
        return fail(tables.tables->symbols() != nullptr ? "no such symbol" : "no symbols are known",
                    ENOENT);
    if (found.places > 1 && found.frames.empty())
        return fail(fmt::format("{} functions have that name", found.places), ENOTUNIQ);
    return found;
}

void fill(std::span<const ChainFrame> chain, btf_extra_frame *frames, size_t capacity,
          size_t *nr_frames) {
    for (size_t i = 0; i < std::min(chain.size(), capacity); i++) {
        const ChainFrame &frame = chain[i];
        frames[i] = {.func = frame.name.data(),
                     .call_file = frame.call_file.empty() ? nullptr : frame.call_file.data(),
                     .call_line = frame.call_line,
                     .func_id = frame.func_id};
    }
    *nr_frames = chain.size();
}

}  // namespace

int btf_extra_frames(btf_extra_tables *tables, uint64_t address, btf_extra_frame *frames,
                     size_t capacity, size_t *nr_frames) {
    return api_guard([&]() -> Result<void> {
        const auto chain = TRY(look_up(*tables->tables, address));
        fill(chain.frames, frames, capacity, nr_frames);
        return {};
    });
}

int btf_extra_symbolize(btf_extra_tables *tables, const char *place, bool return_address,
                        btf_extra_frame *frames, size_t capacity, size_t *nr_frames) {
    return api_guard([&]() -> Result<void> {
        const auto found = TRY(look_up(*tables, place, return_address));
        fill(found.frames, frames, capacity, nr_frames);
        return {};
    });
}
