// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// bpf_loc_arg() reads locations in this form from a map of its program, if there is no module.
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

namespace btf_extra {

// text is the run-time base of .text, or 0 if that is not known. Returns nothing if no program can
// have that value.
std::optional<btf_loc_spec> loc_spec(const btf_type *param, btf_value type, uint16_t machine,
                                     uint64_t text);

// The same of an expression, whose spec is not enough: it takes the steps, too.
struct ComputedSpec {
    btf_loc_spec spec;
    btf_loc_steps steps;
};
std::optional<ComputedSpec> computed_spec(const loc_expression &expression, btf_value type,
                                          uint64_t text);

// The entries in a program's maps. They are removed with their owner. Several owners, also in
// different processes, may share a map.
class LocSpecs {
  public:
    // Opens the maps of a program. It is an error if the program has no map of specs, or one of
    // another version. A program without a map of steps has no arguments that take arithmetic.
    static Result<LocSpecs> of_program(int prog_fd);

    LocSpecs(LocSpecs &&) = default;
    LocSpecs &operator=(LocSpecs &&) = delete;
    ~LocSpecs();

    // Adds a site and returns the cookie of its perf kprobe. All sites belong to one object.
    Result<uint64_t> add_site(const ObjectView &view, uint64_t text, uint32_t site_number,
                              uint64_t address, uint64_t cookie);

    // Leaves the entries in the maps: they stay as long as these do.
    void leave();

  private:
    struct Map {
        FileDescriptor map;
        std::vector<btf_loc_key> keys = {};
        // Returns an errno, or 0.
        int put(const btf_loc_key &key, const void *value, uint64_t flags);
    };
    LocSpecs(FileDescriptor specs, FileDescriptor steps)
        : specs_{std::move(specs)}, steps_{std::move(steps)} {}
    int put_param(const btf_loc_key &key, const Parameter &param, btf_value type, uint16_t machine,
                  uint64_t text);

    Map specs_;
    Map steps_;
    std::map<uint32_t, uint32_t> protos_;  // the handle of each LOC_PROTO that was added
};

}  // namespace btf_extra

#endif
