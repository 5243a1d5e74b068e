// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The tables of the running kernel, as /dev/btf_extra gives them: objects and
// look-ups in full, however many pages they come in.
#ifndef BTF_EXTRA_RUNNING_KERNEL_H
#define BTF_EXTRA_RUNNING_KERNEL_H

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "include/uapi/linux/btf_extra.h"
#include "userspace/format/result.h"

namespace btf_extra {

// The two ioctls. Each returns 0 or a positive errno.
class QueryDevice {
  public:
    virtual ~QueryDevice() = default;
    virtual int info(btf_extra_info &request) = 0;
    virtual int lookup(btf_extra_lookup &request) = 0;
};

Result<std::unique_ptr<QueryDevice>> open_query_device(const std::string &path = BTF_EXTRA_DEVICE);

struct RunningObjects {
    std::vector<btf_extra_object> objects;  // in order of id
    uint64_t generation;
    bool hidden;  // addresses are 0

    const btf_extra_object *find(std::string_view name) const;  // NULL: none
};

struct RunningSites {
    std::vector<btf_extra_site> sites;  // none: not found
    uint64_t generation;                // of no meaning without sites
    bool hidden;
};

struct RunningQuery {
    btf_extra_by by;
    std::string object;  // empty: all, but not by id
    std::string name;
    std::string file;  // empty: any
    uint64_t address = 0;
    uint32_t func_id = 0;
    uint32_t flags = 0;  // BTF_EXTRA_INLINE_ONLY, BTF_EXTRA_BODY_ONLY
};

std::string object_name(const btf_extra_object &object);
std::string object_build_id(const btf_extra_object &object);  // hex

class RunningKernel {
  public:
    static constexpr uint32_t kPage = 4096;
    // The number of attempts if the tables change meanwhile, and the error after them.
    static constexpr int kAttempts = 16;
    static Error restless();

    // page: entries per request.
    explicit RunningKernel(std::unique_ptr<QueryDevice> device, uint32_t page = kPage)
        : device_(std::move(device)), page_(page) {}

    Result<RunningObjects> objects();

    // All that match, of one state of the tables. A name that no table can have (empty or too long)
    // is not found.
    Result<RunningSites> lookup(const RunningQuery &query);

    // Lets work(objects) -> Result<void> read one state of the tables. It runs again while they
    // change meanwhile. An error of the work is returned only if they have not changed.
    template <class Work> Result<RunningObjects> in_one_state(const Work &work);

  private:
    std::unique_ptr<QueryDevice> device_;
    uint32_t page_;
};

template <class Work> Result<RunningObjects> RunningKernel::in_one_state(const Work &work) {
    for (int i = 0; i < kAttempts; i++) {
        auto before = TRY(objects());
        const Result<void> worked = work(before);
        const auto after = TRY(objects());
        if (after.generation != before.generation)
            continue;
        if (!worked)
            return worked.error();
        return before;
    }
    return restless();
}

}  // namespace btf_extra

#endif
