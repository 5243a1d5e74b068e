// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Finds the inlined functions around what a stack trace or a user names: an address, or a symbol
// and an offset.
#ifndef BTF_EXTRA_SYMBOLIZER_H
#define BTF_EXTRA_SYMBOLIZER_H

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "userspace/cli/stack_text.h"
#include "userspace/format/result.h"
#include "userspace/lib/tables/inline_chain.h"
#include "userspace/lib/tables/site_tables.h"

namespace btf_extra {

// Opens tables of which some object has frames (ENOENT: none has): of the running kernel those of
// the module if it keeps frames, or else the files that it has read.
Result<std::unique_ptr<SiteTables>> open_tables_with_frames(TablesChoice choice);

class Symbolizer {
  public:
    // It is an error if no object has frames, or if symbols cannot be seen.
    static Result<Symbolizer> open(TablesChoice choice);

    // Sets how far the kernel ran above the addresses that it was linked for. Addresses in text are
    // not looked up before it is known, unless the tables are the running kernel's.
    void set_kaslr(uint64_t offset) { kaslr_ = offset; }

    // Opens the tables of the running kernel anew if modules have come or gone. It looks for that
    // ten times a second. Returns true if answers may differ from those before. find() of a text or
    // of an address does it, too.
    bool refresh();

    // A place that a user named: an address as linked (of the running kernel: as it runs),
    // "symbol+0x10" or "section+0x10".
    struct Named {
        std::optional<uint64_t> address;
        std::string symbol;  // "foo+0x10"; empty: none is there
        std::optional<InlineChain> chain;
        std::optional<SourceLine> line;  // of the instruction there

        // Returns "foo".
        std::string function() const { return symbol.substr(0, symbol.rfind('+')); }
    };
    Result<Named> find(const std::string &text);

    // An address of the running kernel. return_address: a call returns there, and lies before it.
    // The answer counts until the next call.
    const Named &find(uint64_t address, bool return_address);

    // Returns the chain of a frame in a stack trace, or an empty one if it is not known for
    // certain. return_address: the frame is where a call returns to, which is behind the call.
    std::vector<ChainFrame> find(const StackFrame &frame, bool return_address) const;

  private:
    using Clock = std::chrono::steady_clock;

    explicit Symbolizer(std::unique_ptr<SiteTables> tables) : tables_(std::move(tables)) {}
    void name(Named &named, const Place &place, bool return_address) const;
    std::optional<InlineChain> chain_at(const Place &place) const;
    std::optional<Place> place_of(uint64_t address) const;
    bool is_symbol_at(const Place &place, std::string_view name, uint64_t distance) const;
    Result<Place> place_named(const std::string &text) const;

    TablesChoice choice_;
    std::string modules_;  // that were loaded when the tables were opened
    Clock::time_point looked_;
    std::unique_ptr<SiteTables> tables_;
    const std::vector<SharedObject> *objects_ = nullptr;
    std::optional<uint64_t> kaslr_;
    std::unordered_map<uint64_t, Named> callers_, others_;  // answers
};

}  // namespace btf_extra

#endif
