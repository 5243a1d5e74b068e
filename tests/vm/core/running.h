// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The doors by which the rows of tests/core come into the running kernel: the firmware of a module,
// over vmlinux's BTF, and what the kernel says of it.
#ifndef BTF_EXTRA_VM_CORE_RUNNING_H
#define BTF_EXTRA_VM_CORE_RUNNING_H

#include <memory>
#include <string>
#include <vector>

#include "tests/vm/guest_sites.h"
#include "userspace/format/btf_image.h"

extern "C" {
#include "tests/core/container_rows.h"
#include "tests/core/query_rows.h"
}

namespace rows {

inline constexpr char kModule[] = "btf_extra_rows";
// Each kernel has this function. It has no parameters, and its name is between "drop" and "tcp".
inline constexpr char kBaseFunc[] = "schedule";

// Ends the program without a value.
template <class T> T need(btf_extra::Result<T> result) {
    if (!result)
        guest::die(result.error().message);
    return std::move(*result);
}

using File = std::vector<u64>;  // of CONTAINER_MAX_SIZE bytes

class Running {
  public:
    // module: the path of btf_extra_rows.ko.
    explicit Running(std::string module);

    // Makes the rows' blobs continue vmlinux's BTF.
    void shift(core_row_images &images) const;
    // Puts the sum of vmlinux's BTF where `sum` is, and the module's build-id where the rows' is.
    // NULL and false leave them as they are.
    void adapt(u8 *file, u32 size, const extra_base *sum, bool build_id = true) const;

    // Loads the module with this file as its firmware. Returns what btf_extra has said.
    std::vector<std::string> load(const u8 *file, u32 size);
    void unload();

    // The blob that the kernel shows of the module's object; none: there is no object.
    std::vector<std::byte> shown() const;

    const btf_extra::BtfImage &base() const { return *base_; }
    u32 base_func() const { return base_func_; }

  private:
    std::vector<std::string> said();

    std::string module_, firmware_;
    int log_;
    std::unique_ptr<btf_extra::BtfImage> base_;
    std::vector<std::byte> build_id_;
    extra_base sum_ = {};
    u32 base_func_ = 0;
};

// ---- the parts ----

void container(Running &running);
void queries(Running &running);

}  // namespace rows

#endif
