// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// An event that perf probe or a user of tracefs has made, and to which probes at other sites of its
// function are added.
#ifndef BTF_EXTRA_APPENDED_EVENT_H
#define BTF_EXTRA_APPENDED_EVENT_H

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "userspace/format/result.h"
#include "userspace/lib/tables/described_func.h"
#include "userspace/lib/tables/site_tables.h"
#include "userspace/text/kprobe_line.h"

namespace btf_extra {

struct AppendedEvent {
    std::string name;                       // "probe/foo"
    std::vector<KprobeLine::Field> fields;  // of each of its probes
    std::set<uint64_t> addresses;           // of its probes

    // Returns true if a probe of the event is where the probe of a site of the object would be. The
    // probe of a body may be after an instruction that only marks a target of branches, or at the
    // symbol before the hook for tracers. symbols: of the running kernel.
    bool has(const SiteObject &object, const Symbols &symbols, const btf_extra_site &site,
             uint64_t distance_to_probe) const;
};

// text: "probe:foo" or "probe/foo". kprobe_events: the file of tracefs; "": the mounted one. The
// tables must know addresses.
Result<AppendedEvent> find_event(const SiteTables &tables, const std::string &text,
                                 const std::string &kprobe_events = "");

// Returns the texts of the functions whose body has a probe of the event. It is an error if no
// function has.
Result<std::vector<std::string>> functions_of(SiteTables &tables, const AppendedEvent &event);

// It is an error if a probe at an inlined site of the function cannot have the fields of the event.
Result<void> check_fields(const AppendedEvent &event, const DescribedFunc &func);

}  // namespace btf_extra

#endif
