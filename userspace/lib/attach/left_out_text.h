// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Names the sites that an attach leaves out, and says why.
#ifndef BTF_EXTRA_LEFT_OUT_TEXT_H
#define BTF_EXTRA_LEFT_OUT_TEXT_H

#include <span>
#include <string>

#include "userspace/lib/attach/kloc.h"

namespace btf_extra {

// Returns "skb", or "arg0" for a parameter without a name.
std::string param_name(const DescribedFunc &func, size_t param);

// Returns "kthread_stop+0x1c"; the address if no symbol is known; "one" if no address is.
std::string site_place(const SiteTables &tables, const btf_extra_site &site);

// Returns "1 in closed code (trace_event_raw_event_sched_switch); 2 at loop heads". Sites in freed
// text do not count; "": all of them are such.
std::string left_out_counts(const SiteTables &tables, const DescribedFunc &func,
                            std::span<const btf_extra_left_out> left_out);

// Returns the number of sites whose text has not been freed, of all that the attach was asked for.
size_t sites_with_text(const AttachOutcome &outcome);

// The error for an outcome without a kloc. flags: those of the attach.
Error left_out_error(const SiteTables &tables, const DescribedFunc &func,
                     const AttachOutcome &outcome, uint32_t flags);

}  // namespace btf_extra

#endif
