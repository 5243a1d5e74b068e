// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Wakes a poll() when a BPF link comes or goes, without any timer: perf kprobes at all sites of the
// kernel functions that do this, inlined ones too.
#ifndef BTF_EXTRA_LINK_ALARM_H
#define BTF_EXTRA_LINK_ALARM_H

#include <memory>
#include <vector>

#include <poll.h>

#include "userspace/format/result.h"
#include "userspace/lib/tables/site_tables.h"

namespace btf_extra {

class LinkAlarm {
  public:
    // It is an error if links can come or go unnoticed: a site takes no probe.
    static Result<LinkAlarm> open(SiteTables &tables);
    LinkAlarm(LinkAlarm &&) noexcept;
    ~LinkAlarm();

    // Appends what poll() waits for.
    void add_to(std::vector<pollfd> &polled) const;
    // Takes all notes. Each later one wakes again.
    void clear();

  private:
    struct Ring;

    LinkAlarm();
    Result<void> add(uint32_t type, uint64_t address);

    std::vector<std::unique_ptr<Ring>> rings_;  // one for each processor
};

}  // namespace btf_extra

#endif
