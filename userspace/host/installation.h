// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The tables of a kernel are made, put in their place, and taken away.
#ifndef BTF_EXTRA_INSTALLATION_H
#define BTF_EXTRA_INSTALLATION_H

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "userspace/format/result.h"
#include "userspace/host/host.h"
#include "userspace/host/progress.h"

namespace btf_extra::host {

struct InstallOptions {
    std::string release = {};  // "": that of the kernel that runs
    std::string from = {};     // the URL of served tables; "": they are made here
    bool run_apt = false;
    uint32_t jobs = 1;
};

// Its ways to change the machine beside its files, and to tell of it. All but run may be empty.
struct InstallTools {
    // Runs a program of the system, as run_program() does.
    std::function<Result<void>(const std::vector<std::string> &arguments, bool quiet)> run;
    ShowProgress progress;
    std::function<void(const std::string &line)> note;
};

struct Installed {
    std::string folder;
    bool fresh;  // false: all was there already
    size_t objects;
    uint64_t bytes;
};

// An error leaves everything as it was before. The same tables are not made twice.
Result<Installed> install_tables(const Host &host, const InstallOptions &options,
                                 const InstallTools &tools);

// Loads btf_extra.ko into the running kernel, so that it reads the tables. A loaded module is
// loaded again if the tables are new, or if it has none. It is not an error if this kernel has no
// such module, or if it is in use.
Result<void> load_module(const Host &host, bool fresh, const InstallTools &tools);

// Unloads btf_extra.ko, if it has tables of the release, and removes these. Returns the folder; "":
// there was none.
Result<std::string> uninstall_tables(const Host &host, const std::string &release,
                                     const InstallTools &tools);

}  // namespace btf_extra::host

#endif
