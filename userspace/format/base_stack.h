// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The BTF below a .btf_extra file, level by level: first vmlinux's, then perhaps a module's own.
#ifndef BTF_EXTRA_BASE_STACK_H
#define BTF_EXTRA_BASE_STACK_H

#include <memory>
#include <string>
#include <vector>

#include "userspace/format/btf_image.h"
#include "userspace/format/extra_file.h"
#include "userspace/format/result.h"

namespace btf_extra {

// Returns true if a module's .BTF can be the base of types. It cannot if it has a distilled base
// (.BTF.base, which Linux commit 46fb0b62ea29 builds for out-of-tree modules): the kernel gives the
// types other ids when it moves them onto its own BTF.
bool module_btf_is_level(const ElfImage &module);

class BaseStack {
  public:
    // Several stacks may share a level.
    explicit BaseStack(std::shared_ptr<const BtfImage> lowest) {
        levels_.push_back(std::move(lowest));
    }

    // Adds a module's .BTF, whose base is vmlinux BTF. A module without one adds no level.
    Result<void> add_module(const ElfImage &module);
    // Does the same from a file: raw BTF, or an ELF file with .BTF.
    Result<void> add_file(const std::string &path);

    void add_level(std::shared_ptr<const BtfImage> level) { levels_.push_back(std::move(level)); }

    // Returns the last level. It lives as long as the stack, also if the stack is moved.
    const BtfImage &top() const { return *levels_.back(); }
    bool has_module() const { return levels_.size() > 1; }
    // Returns vmlinux's level, and then perhaps a module's own.
    const std::vector<std::shared_ptr<const BtfImage>> &levels() const { return levels_; }

    // Returns the identity of all levels; empty: only counts are known.
    std::vector<BaseIdentity> identity() const;

    // Returns an error under the place `above`, "FILE: SECTION", if that was made on other levels
    // than these. A level without bytes always fits, and so does a list from a file that has none.
    Result<void> check(const std::vector<BaseIdentity> &made_on, const std::string &above) const;

  private:
    std::vector<std::shared_ptr<const BtfImage>> levels_;
};

}  // namespace btf_extra

#endif
