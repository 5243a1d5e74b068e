// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Runs the fentry programs of other tools at the inlined calls of their functions, too, for as long
// as these tools have them attached.
#ifndef BTF_EXTRA_FOLLOWER_H
#define BTF_EXTRA_FOLLOWER_H

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "userspace/follow/attach_gate.h"
#include "userspace/follow/follow_event.h"
#include "userspace/format/result.h"
#include "userspace/lib/attach/attached_link.h"
#include "userspace/lib/attach/kloc.h"
#include "userspace/lib/tables/site_tables.h"
#include "userspace/text/func_text.h"

namespace btf_extra {

class Follower {
  public:
    // funcs: the functions whose programs are followed, also in modules that are loaded later;
    // none: all functions. Both references outlive it.
    Follower(SiteTables &tables, std::vector<FuncText> funcs, bool best_effort,
             std::function<void(const FollowEvent &)> report)
        : tables_(tables), funcs_(std::move(funcs)), best_effort_(best_effort),
          report_(std::move(report)) {}

    // Follows a program before it is attached. The link that comes by it takes it over. It is no
    // error if the program cannot be followed: its link is looked at like any other.
    void follow_coming(const ComingAttach &coming);
    // Returns true if there are such programs without a link.
    bool expects_links() const { return !coming_.empty(); }
    // Drops these. Either they were not attached, or their link came and went between two scans:
    // then they are reported, if they ran.
    void forget_coming();

    // Follows the links that are new, and drops and reports those that have ended.
    Result<void> scan();
    // Reports the new links. The owner of one may need a moment until it receives it. All processes
    // are searched for it, so this is not for each link of many that come at once.
    void report_new();
    // Drops all links.
    void end();

  private:
    // A link that was seen; it is not looked at again.
    struct Seen {
        std::unique_ptr<btf_extra_kloc> kloc;  // NULL: not followed
        FollowEvent event;
        bool reported;
    };

    Result<void> look_at(uint32_t id);
    // fd, flags and cookie are as in an attach; the program is as in the event.
    Result<Seen> follow(FollowEvent event, const LinkTarget &target, int fd, uint32_t flags,
                        uint64_t cookie);
    // Updates chosen_ if a module has been loaded or unloaded.
    Result<void> choose();
    Result<std::vector<DescribedFunc>> functions_of(const std::string &text);
    void report_end(Seen &seen);

    SiteTables &tables_;
    const std::vector<FuncText> funcs_;
    std::set<std::pair<uint32_t, uint32_t>> chosen_;  // by funcs_: object and function
    std::vector<SharedObject> objects_;               // of chosen_
    const bool best_effort_;
    const std::function<void(const FollowEvent &)> report_;
    std::map<uint32_t, Seen> seen_;    // by id of the link
    std::map<uint32_t, Seen> coming_;  // by id of the program
};

}  // namespace btf_extra

#endif
