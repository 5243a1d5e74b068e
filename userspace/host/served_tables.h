// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
// Tables that a web server or a debuginfod gives to many machines: for each kernel a folder that is
// named after its build-id. For each object it has an ELF file that carries the .btf_extra file,
// and there is a list of them with their sums.
#ifndef BTF_EXTRA_SERVED_TABLES_H
#define BTF_EXTRA_SERVED_TABLES_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "userspace/format/result.h"
#include "userspace/generator/firmware_tree.h"

namespace btf_extra::host {

// The name of the list. A line of it is "OBJECT BUILD-ID SIZE SHA-256".
inline constexpr char kServedList[] = "checksums";

struct ServedObject {
    std::string name, build_id;
    uint32_t size;  // of the ELF file
    std::string sha256;

    std::string file() const { return name + ".btf_extra.elf"; }
    bool operator==(const ServedObject &) const = default;
};

// Any text is safe: a name leads to no other folder. Messages call it `where`.
Result<std::vector<ServedObject>> parse_served_list(const std::string &where,
                                                    std::string_view text);

// Makes tables, and gives them a folder in `above`, which it returns as the output. Older tables of
// this kernel are replaced in one step. The options' output is not used.
Result<generator::FirmwareTree> write_served_tables(generator::FirmwareOptions options,
                                                    const std::string &above);

// Writes a .btf_extra file to path if the bytes are one for that build-id. Messages say `where`
// they came from.
Result<void> put_tables(const std::string &where, const std::vector<std::byte> &bytes,
                        const std::string &build_id, const std::string &path);

// Likewise with the one in an ELF file of a server, if that is what the list says.
Result<void> put_served(const std::string &where, const std::vector<std::byte> &bytes,
                        const ServedObject &object, const std::string &path);

}  // namespace btf_extra::host

#endif
