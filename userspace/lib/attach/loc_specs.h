// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Locations as bpf_loc_arg() reads them where there is no module, and the map of a
// program in which it looks for them.
#ifndef BTF_EXTRA_LOC_SPECS_H
#define BTF_EXTRA_LOC_SPECS_H

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "userspace/bpf/btf_loc.bpf.h"
#include "userspace/format/core_api.h"
#include "userspace/format/file_descriptor.h"
#include "userspace/format/result.h"
#include "userspace/lib/tables/object_view.h"
#include "userspace/text/c_type.h"

namespace btf_extra {

// text: run-time base of .text, 0: not known. Nothing: no program can have that value.
std::optional<btf_loc_spec> loc_spec(const btf_type *param, ValueType type, uint16_t machine,
                                     uint64_t text);

// Entries of a program's map, taken out with their owner. Several may share a map, also in
// different processes.
class LocSpecs {
  public:
    // The map of a program; an error: it has none, or of another version.
    static Result<LocSpecs> of_program(int prog_fd);

    LocSpecs(LocSpecs &&) = default;
    LocSpecs &operator=(LocSpecs &&) = delete;
    ~LocSpecs();

    // The cookie of the perf kprobe at a site. All sites are of one object.
    Result<uint64_t> add_site(const ObjectView &view, uint64_t text, uint32_t site_number,
                              uint64_t address, uint64_t cookie);

    // From here on the entries stay for as long as the map.
    void leave() { keys_.clear(); }

  private:
    explicit LocSpecs(FileDescriptor map) : map_(std::move(map)) {}
    // errno, or 0
    int put(const btf_loc_key &key, const btf_loc_spec &spec, uint64_t flags);

    FileDescriptor map_;
    std::vector<btf_loc_key> keys_;
    std::map<uint32_t, uint32_t> protos_;  // the handle of each LOC_PROTO that is there
};

}  // namespace btf_extra

#endif
