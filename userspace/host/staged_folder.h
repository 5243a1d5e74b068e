// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// A folder that is being filled, beside its final place: nobody sees half of it.
#ifndef BTF_EXTRA_STAGED_FOLDER_H
#define BTF_EXTRA_STAGED_FOLDER_H

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "userspace/format/file_descriptor.h"
#include "userspace/format/result.h"

namespace btf_extra::host {

// While one lives, SIGINT, SIGTERM and SIGHUP remove its folder before they end the process. It
// must be made before the process has other threads. One lives at a time.
class StagedFolder {
  public:
    // Makes an empty folder in the folder above, and that one if need be. Incomplete folders of
    // earlier processes are removed. EBUSY: another process is at work there.
    static Result<std::unique_ptr<StagedFolder>> begin(const std::string &above);
    ~StagedFolder();
    StagedFolder(const StagedFolder &) = delete;
    StagedFolder &operator=(const StagedFolder &) = delete;

    const std::string &path() const { return path_; }

    // Gives the folder its name, in one step. A folder that had this name before is removed with
    // this object.
    Result<void> keep(const std::string &name);

  private:
    class Guard;
    StagedFolder();
    void remove();

    std::string above_, path_;                 // path_: the folder, or "" where nothing is to go
    std::vector<std::filesystem::path> made_;  // by begin(), the innermost first
    FileDescriptor lock_;
    std::unique_ptr<Guard> guard_;
};

// Removes a folder with everything in it: its name goes in one step. Then the folder above goes, if
// that is empty.
Result<void> remove_folder(const std::string &target);

}  // namespace btf_extra::host

#endif
