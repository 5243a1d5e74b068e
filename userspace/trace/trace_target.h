// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The functions that `btf-extra trace` is asked for, and the probes at their sites.
#ifndef BTF_EXTRA_TRACE_TARGET_H
#define BTF_EXTRA_TRACE_TARGET_H

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "userspace/format/result.h"
#include "userspace/lib/attach/kloc.h"
#include "userspace/lib/tables/described_func.h"
#include "userspace/lib/tables/site_tables.h"
#include "userspace/lib/tables/symbolizer.h"
#include "userspace/trace/trace_plan.h"
#include "userspace/trace/trace_program.h"
#include "userspace/trace/trace_summary.h"
#include "userspace/trace/trace_text.h"

namespace btf_extra {

struct TargetOptions {
    TablesChoice tables;
    std::vector<std::string> required;
    size_t max_sites = 0;  // any number
    bool inline_only = false, body_only = false, inexact = false, notrace = false;
    bool all_or_none = false, all = false;  // all: closed code, too
    bool best_effort = false;               // has no effect
    bool stacks = false;
    bool verbose = false;  // each site that is left out, not just how many
    TraceQuery query;

    uint32_t flags() const;  // of btf_extra_attach_opts
};

class TraceTarget {
  public:
    ~TraceTarget();

    // funcs: of the tables, which are those that the options choose.
    static Result<std::unique_ptr<TraceTarget>> make(std::unique_ptr<SiteTables> tables,
                                                     std::vector<DescribedFunc> funcs,
                                                     const TargetOptions &options);

    std::vector<trace_plan> plans() const;  // by cookie
    trace_settings settings() const;
    size_t nr_sites() const;
    const TraceText &text() const { return *text_; }

    // Attaches to them. A function may be left out if there are several.
    Result<void> attach(const TraceProgram &program);
    // Prints to stderr how many sites have a probe, and why others have none.
    void print_attached() const;
    void detach();

    // Prints each site with its calls to stderr, and what is known to be missing.
    void print_counts(const TraceProgram &program, uint64_t shown) const;

    // Counts the calls up to now by the query.
    TraceSummary summary(const TraceProgram &program) const;

  private:
    struct Site {
        uint64_t address;
        TracedSite text;
        uint64_t missed;     // UINT64_MAX: not known
        size_t at_once = 1;  // that begin at this address
    };
    struct Func {
        DescribedFunc func;
        trace_plan plan;
        uint64_t required = 0;
        std::unique_ptr<btf_extra_kloc> kloc;
        std::vector<Site> sites;     // in order of address; those with a probe
        std::set<uint64_t> blurred;  // addresses from which stacks are wrong
        uint64_t missed = 0;         // of all of them; UINT64_MAX: not known
        std::string summary;         // "get_task_struct: 85 of 86 sites; 1 in closed code"
        bool whole = true;           // no site is left out whose text is there
    };

    TraceTarget();
    Result<void> require(Func &func);
    Result<void> attach(Func &func, uint32_t cookie, const TraceProgram &program);
    void look_at_code(Func &func, const TraceProgram &program);
    bool takes_others() const { return !options_.all_or_none && !options_.all; }
    bool may_go_without(const Error &error) const;
    std::string advice(const AttachOutcome &outcome) const;
    void note_sites(Func &func, uint32_t cookie);
    void describe(Func &func, const AttachOutcome &outcome) const;
    void print_left_out(const Func &func, const AttachOutcome &outcome) const;
    void print_sites(const TraceProgram::Counts &counts) const;

    TargetOptions options_;
    std::unique_ptr<SiteTables> tables_;
    std::vector<Func> funcs_;  // by cookie
    std::unique_ptr<TraceText> text_;
    std::optional<Symbolizer> symbolizer_;  // for stacks
    std::optional<CallStackText> stacks_;
};

}  // namespace btf_extra

#endif
