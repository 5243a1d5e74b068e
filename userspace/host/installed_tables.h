// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The tables of a release in the folders for firmware.
#ifndef BTF_EXTRA_INSTALLED_TABLES_H
#define BTF_EXTRA_INSTALLED_TABLES_H

#include <map>
#include <optional>
#include <string>

#include "userspace/host/host.h"

namespace btf_extra::host {

// Build-ids of objects, in lower-case hex.
using BuildIds = std::map<std::string, std::string>;

struct InstalledTables {
    std::string folder;
    BuildIds build_ids;                // of the files that are there
    std::optional<BuildIds> manifest;  // none: btf_extra.ko reads none of the files

    bool has(const std::string &object, const std::string &build_id) const;
};

// Looks for the tables of vmlinux where all commands do. Nothing: there are none.
std::optional<InstalledTables> installed_tables(const Host &host, const std::string &release);

}  // namespace btf_extra::host

#endif
