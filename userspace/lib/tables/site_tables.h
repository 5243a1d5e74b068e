// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// The functions of the running kernel and their sites with run-time addresses, by
// the text that a user writes: through the module, or out of files.
#ifndef BTF_EXTRA_SITE_TABLES_H
#define BTF_EXTRA_SITE_TABLES_H

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "include/uapi/linux/btf_extra.h"
#include "userspace/format/result.h"
#include "userspace/lib/tables/object_view.h"
#include "userspace/lib/tables/running_kernel.h"
#include "userspace/text/func_text.h"

namespace btf_extra {

struct TableObject {
    std::string name;
    uint32_t id;    // as in btf_extra_site
    uint64_t text;  // run-time base of .text; 0: not known
    std::shared_ptr<const ObjectView> view;
};

struct FoundFunc {
    std::shared_ptr<const TableObject> object;
    uint32_t id;
    std::vector<btf_extra_site> sites;  // by number; never none
    bool all_sites;                     // false: those of one symbol alone
};

class SiteTables {
  public:
    virtual ~SiteTables() = default;

    // In order of object, name and id; none: not found. An object that is not there is an error.
    virtual Result<std::vector<FoundFunc>> find(const FuncText &text) = 0;

    virtual bool uses_module() const = 0;

    // Of a kernel that does not run here: there are no addresses.
    virtual bool foreign() const { return false; }
};

Result<std::unique_ptr<SiteTables>> open_running_tables(RunningKernel kernel,
                                                        const std::string &sys_kernel);

// Where things of the running kernel are.
struct FileTablesPaths {
    std::string file;      // of vmlinux; files of modules are beside it
    std::string base_btf;  // of vmlinux
    std::string sys_kernel = "/sys/kernel";
    std::string sys_module = "/sys/module";
    std::string kallsyms = "/proc/kallsyms";
};
// same_kernel: the file must be that of the running kernel.
Result<std::unique_ptr<SiteTables>> open_file_tables(const FileTablesPaths &paths,
                                                     bool same_kernel);

// Bit n: parameter n, of those that are named, has a location.
uint64_t located_params(const ObjectView &view, const btf_extra_site &site);

}  // namespace btf_extra

#endif
