// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The BTF below a .btf_extra file, level by level: that of vmlinux, and above it
// a module's own.
#ifndef BTF_EXTRA_BASE_STACK_H
#define BTF_EXTRA_BASE_STACK_H

#include <memory>
#include <string>
#include <vector>

#include "userspace/format/btf_image.h"
#include "userspace/format/extra_file.h"
#include "userspace/format/result.h"

namespace btf_extra {

// Whether a module's .BTF is a level that types can stand on. One on a distilled base (.BTF.base,
// built out of tree) is not: its ids are not those that the kernel gives it when it moves it onto
// its own BTF.
bool module_btf_is_level(const ElfImage &module);

class BaseStack {
  public:
    // Levels may be shared with other stacks.
    explicit BaseStack(std::shared_ptr<const BtfImage> lowest) {
        levels_.push_back(std::move(lowest));
    }

    // A module's .BTF, which stands on that of vmlinux; a module without one adds no level.
    Result<void> add_module(const ElfImage &module);
    // The same from a file: raw BTF, or an ELF file with .BTF.
    Result<void> add_file(const std::string &path);

    void add_level(std::shared_ptr<const BtfImage> level) { levels_.push_back(std::move(level)); }

    // The last level; it lives as long as the stack, wherever that is moved to.
    const BtfImage &top() const { return *levels_.back(); }
    bool has_module() const { return levels_.size() > 1; }

    // Of all levels; none where only counts are known.
    std::vector<BaseIdentity> identity() const;

    // An error under the place "FILE: SECTION" of what was made on top of other levels than these.
    // Levels without bytes, and a list from a file that has none, pass.
    Result<void> check(const std::vector<BaseIdentity> &made_on, const std::string &above) const;

  private:
    std::vector<std::shared_ptr<const BtfImage>> levels_;
};

}  // namespace btf_extra

#endif
