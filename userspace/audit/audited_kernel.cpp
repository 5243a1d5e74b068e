// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/audit/audited_kernel.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include <fmt/format.h>
#include <sys/utsname.h>

namespace btf_extra::audit {
namespace {

namespace fs = std::filesystem;

// As `firmware` writes it to a folder, and as it does with --by-build-id.
constexpr const char *kTables[] = {"vmlinux.btf_extra", "vmlinux.btf_extra.elf"};

// Returns the third word of "Linux version 6.1.0-28-amd64 (...)".
std::string release_of(const std::string &banner) {
    constexpr std::string_view kBefore = "Linux version ";
    if (!banner.starts_with(kBefore))
        return "";
    return banner.substr(kBefore.size(), banner.find(' ', kBefore.size()) - kBefore.size());
}

std::string running_release() {
    utsname system = {};
    uname(&system);
    return system.release;
}

// Returns the tables of a kernel in a folder; empty: it has none.
std::string tables_in(const fs::path &folder) {
    std::error_code ignored;
    for (const char *name : kTables)
        if (fs::exists(folder / name, ignored))
            return (folder / name).string();
    return "";
}

// Returns the file of tables that a text means.
Result<std::string> tables_of(const std::string &text) {
    std::error_code ignored;
    if (const std::string file = tables_in(text); !file.empty())
        return file;
    if (fs::is_regular_file(text, ignored))
        return text;
    if (text.find('/') == text.npos)
        for (const char *folder : kFirmwareFolders)
            if (const std::string file = tables_in(fs::path(folder) / text); !file.empty())
                return file;
    return Error{fmt::format("{}: no file or folder of tables, and no release with tables in {}",
                             text, *std::rbegin(kFirmwareFolders)),
                 ENOENT};
}

}  // namespace

const loc_arch *AuditedKernel::arch() const {
    const auto objects = tables_->objects();
    return objects && !(*objects)->empty() ? loc_arch_of((*objects)->front()->view->file().machine)
                                           : nullptr;
}

Result<std::unique_ptr<AuditedKernel>> AuditedKernel::open(const std::string &text) {
    std::unique_ptr<AuditedKernel> out(new AuditedKernel());
    TablesChoice choice;
    choice.parts = FileParts::kSites;
    if (!text.empty() && text != running_release())
        choice.file = TRY(tables_of(text));
    out->tables_ = TRY(open_tables(choice));
    TRY(out->tables_->objects());
    auto names = TRY(AttachNames::open(*out->tables_, choice.elf));
    out->names_.emplace(std::move(names));
    if (auto placer = SitePlacer::open(*out->tables_))
        out->placer_.emplace(std::move(*placer));
    out->name_ = out->tables_->running() ? running_release() : release_of(out->tables_->banner());
    if (out->name_.empty())
        out->name_ = text;
    return out;
}

std::vector<std::string> AuditedKernel::kernels_of(const std::string &text) {
    std::vector<std::string> found;
    std::error_code ignored;
    if (fs::is_directory(text, ignored) && tables_in(text).empty())
        for (const auto &entry : fs::directory_iterator(text, ignored))
            if (!tables_in(entry.path()).empty())
                found.push_back(entry.path().string());
    if (found.empty())
        found.push_back(text);
    std::ranges::sort(found);
    return found;
}

}  // namespace btf_extra::audit
