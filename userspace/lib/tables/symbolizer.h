// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Finds the inlined functions around what a stack trace or a user names: an address, or a symbol
// and an offset.
#ifndef BTF_EXTRA_SYMBOLIZER_H
#define BTF_EXTRA_SYMBOLIZER_H

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "userspace/format/result.h"
#include "userspace/lib/tables/inline_chain.h"
#include "userspace/lib/tables/site_tables.h"
#include "userspace/text/kernel_name.h"
#include "userspace/text/stack_text.h"

namespace btf_extra {

// Opens tables of which some object has frames (ENOENT: none has): of the running kernel those of
// the module if it keeps frames, or else the files that it has read.
Result<std::unique_ptr<SiteTables>> open_tables_with_frames(TablesChoice choice);

class Symbolizer {
  public:
    // It is an error if no object has frames, or if symbols cannot be seen. The file may be a
    // folder that `btf-extra firmware` wrote. Then the tables of a module are opened when a frame
    // names it, and the module of the choice may be a folder with modules. By default that is the
    // folder of vmlinux. Tables that have neither a vmlinux nor the running kernel know no symbols.
    static Result<Symbolizer> open(TablesChoice choice);

    // Sets how far the kernel ran above the addresses that it was linked for. Addresses in text are
    // not looked up before it is known, unless the tables are the running kernel's.
    void set_kaslr(uint64_t offset) { kaslr_ = offset; }

    // Opens the tables of the running kernel again if modules have come or gone. It looks for that
    // ten times a second. Returns true if results may differ from those before. find() of a text or
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
    // A place in a section of the first object. It is an error if there is no such section.
    Result<Named> find(const std::string &section, uint64_t offset);

    // An address of the running kernel. return_address: a call returns there, and lies before it.
    // The answer counts until the next call.
    const Named &find(uint64_t address, bool return_address);

    // The facts that the tables have about a frame in a stack trace.
    struct InText {
        std::vector<ChainFrame> frames;  // its chain; empty: it is not known for certain
        bool is_weighed = false;         // the text says the size or the address of the symbol, too
        size_t places = 0;               // that the frame may be at
        std::string conflict;  // "foo has 0x410 bytes": the frame is of another build; "": it may
                               // be of this one
    };
    // return_address: the frame is where a call returns to, which is after the call.
    InText find(const StackFrame &frame, bool return_address) const;

    // Returns one line about the modules whose frames could not be looked up; "": there were none.
    std::string left_out_modules() const;

    // The kernel of the tables.
    const KernelName &kernel() const { return kernel_; }
    const std::string &name() const { return tables_->name(); }  // of the tables, for messages

  private:
    using Clock = std::chrono::steady_clock;
    // A place that a frame may be at, by its symbol and by its address, and the symbol before it.
    struct Candidate {
        Place begin;
        uint64_t distance;
        Place place() const { return {begin.section, begin.offset + distance}; }
    };

    explicit Symbolizer(std::unique_ptr<SiteTables> tables) : tables_(std::move(tables)) {}
    void name(Named &named, const Place &place, bool return_address) const;
    std::optional<InlineChain> chain_at(const Place &place) const;
    std::optional<Place> place_of(uint64_t address) const;
    bool is_symbol_at(const Place &place, std::string_view name, uint64_t distance) const;
    std::string_view object_at(const Place &place) const;
    std::vector<Candidate> candidates_of(const StackFrame &frame, uint64_t back) const;
    std::string conflict_of(const StackFrame &frame, const Candidate &candidate) const;
    std::string build_id_of(const SiteObject &object) const;
    std::vector<ChainFrame> agree(const StackFrame &frame,
                                  const std::vector<Candidate> &candidates) const;
    KernelName name_kernel() const;
    const Symbolizer *symbolizer_of(const StackFrame &frame) const;
    Result<std::unique_ptr<Symbolizer>> open_module(const std::string &name) const;
    Result<Place> place_named(const std::string &text) const;

    TablesChoice choice_;
    std::string modules_;  // that were loaded when the tables were opened
    Clock::time_point looked_;
    std::unique_ptr<SiteTables> tables_;
    const std::vector<SharedObject> *objects_ = nullptr;
    std::optional<uint64_t> kaslr_;
    KernelName kernel_;
    std::string folder_;          // of the tables; empty: the choice was one file
    std::string modules_folder_;  // the files of the modules
    // By name; NULL: it cannot be opened.
    mutable std::map<std::string, std::unique_ptr<Symbolizer>, std::less<>> by_module_;
    mutable std::optional<Error> first_left_out_;
    std::unordered_map<uint64_t, Named> callers_, others_;  // answers
};

}  // namespace btf_extra

#endif
