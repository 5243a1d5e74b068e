// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/host/installed_tables.h"

#include <filesystem>
#include <sstream>

#include <fmt/format.h>

#include "userspace/format/elf_image.h"
#include "userspace/lib/tables/site_tables.h"

namespace btf_extra::host {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSuffix = ".btf_extra";

InstalledTables tables_in(const std::string &folder) {
    InstalledTables out{.folder = folder, .build_ids = {}, .manifest = {}};
    std::error_code failed;
    for (fs::directory_iterator at(folder, failed), end; !failed && at != end;
         at.increment(failed)) {
        std::string name = at->path().filename();
        if (!name.ends_with(kSuffix))
            continue;
        const auto file = ElfImage::open(at->path());
        name.resize(name.size() - kSuffix.size());
        if (file)
            out.build_ids[name] = build_id_text(file->build_id_note());
    }
    if (const auto text = read_text(folder + "/manifest")) {
        out.manifest.emplace();
        std::istringstream in(*text);
        for (std::string name, id; in >> name >> id;)
            out.manifest->emplace(name, id);
    }
    return out;
}

}  // namespace

bool InstalledTables::has(const std::string &object, const std::string &build_id) const {
    const auto found = build_ids.find(object);
    return found != build_ids.end() && found->second == build_id;
}

std::optional<InstalledTables> installed_tables(const Host &host, const std::string &release) {
    for (const char *above : kFirmwareFolders) {
        auto out = tables_in(host.path(fmt::format("{}/{}", above, release)));
        if (out.build_ids.contains("vmlinux"))
            return out;
    }
    return {};
}

}  // namespace btf_extra::host
