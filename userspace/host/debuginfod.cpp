// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/host/debuginfod.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <elfutils/debuginfod.h>
#include <fmt/format.h>
#include <unistd.h>

#include "userspace/format/elf_image.h"
#include "userspace/host/loaded_library.h"

namespace btf_extra::host {
namespace {

struct Functions {
    decltype(debuginfod_begin) *begin;
    decltype(debuginfod_end) *end;
    decltype(debuginfod_find_debuginfo) *find_debuginfo;
    decltype(debuginfod_find_section) *find_section;
    decltype(debuginfod_set_progressfn) *set_progressfn;
    decltype(debuginfod_set_user_data) *set_user_data;
    decltype(debuginfod_get_user_data) *get_user_data;
};
// The library's callback has no other way to them.
Functions functions;

class Client final : public Debuginfod {
  public:
    explicit Client(ShowProgress show) : show_(std::move(show)) {
        client_ = functions.begin();
        if (client_ == nullptr)
            return;
        functions.set_user_data(client_, this);
        functions.set_progressfn(client_, report);
    }
    ~Client() override {
        if (client_ != nullptr)
            functions.end(client_);
    }

    Result<std::string> debug_info(const std::string &what, const std::string &build_id) override {
        const auto path = TRY(find(what, build_id, [&](const unsigned char *id, char **found) {
            return functions.find_debuginfo(client_, id, 0, found);
        }));
        const auto elf = TRY(ElfImage::open(path));
        if (const std::string found = build_id_text(elf.build_id_note()); found != build_id)
            return Error{fmt::format("{} of build-id {}: {} has build-id {}", what, build_id, path,
                                     found.empty() ? "none" : found)};
        return path;
    }

    Result<std::string> section(const std::string &what, const std::string &build_id,
                                const std::string &name) override {
        return find(what, build_id, [&](const unsigned char *id, char **found) {
            return functions.find_section(client_, id, 0, name.c_str(), found);
        });
    }

  private:
    static int report(debuginfod_client *client, long done, long total) {
        const auto *self = static_cast<const Client *>(functions.get_user_data(client));
        if (self->show_)
            self->show_({self->what_, static_cast<uint64_t>(std::max(done, 0L)),
                         static_cast<uint64_t>(std::max(total, 0L)), true});
        return 0;
    }

    template <class Query>
    Result<std::string> find(const std::string &what, const std::string &build_id, Query query) {
        what_ = what;
        char *path = nullptr;
        int fd = -ENOENT;
        if (client_ == nullptr)
            fd = -ENOMEM;
        else if (!build_id.empty())
            fd = query(reinterpret_cast<const unsigned char *>(build_id.c_str()), &path);
        if (fd < 0)
            return Error{fmt::format("{} of build-id {}: {}", what, build_id, std::strerror(-fd))};
        close(fd);
        const std::string out = path;
        std::free(path);
        return out;
    }

    ShowProgress show_;
    std::string what_;
    debuginfod_client *client_ = nullptr;
};

}  // namespace

Result<std::unique_ptr<Debuginfod>> Debuginfod::open(ShowProgress show) {
    const char *urls = std::getenv(DEBUGINFOD_URLS_ENV_VAR);
    if (urls == nullptr || urls[std::strspn(urls, " \t")] == '\0')
        return Error{"DEBUGINFOD_URLS is not set", ENOENT};
    auto library = TRY(LoadedLibrary::open(DEBUGINFOD_SONAME, "libdebuginfod1"));
    library.find("debuginfod_begin", functions.begin);
    library.find("debuginfod_end", functions.end);
    library.find("debuginfod_find_debuginfo", functions.find_debuginfo);
    library.find("debuginfod_find_section", functions.find_section);
    library.find("debuginfod_set_progressfn", functions.set_progressfn);
    library.find("debuginfod_set_user_data", functions.set_user_data);
    library.find("debuginfod_get_user_data", functions.get_user_data);
    TRY(library.complete());
    return std::unique_ptr<Debuginfod>(std::make_unique<Client>(std::move(show)));
}

}  // namespace btf_extra::host
