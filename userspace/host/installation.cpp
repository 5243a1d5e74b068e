// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/host/installation.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <optional>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "userspace/format/btf_image.h"
#include "userspace/format/extra_file.h"
#include "userspace/format/module_name.h"
#include "userspace/format/temporary_file.h"
#include "userspace/generator/firmware_tree.h"
#include "userspace/host/debug_info.h"
#include "userspace/host/debuginfod.h"
#include "userspace/host/download.h"
#include "userspace/host/installed_tables.h"
#include "userspace/host/served_tables.h"
#include "userspace/host/staged_folder.h"
#include "userspace/lib/tables/site_tables.h"

namespace btf_extra::host {
namespace {

namespace fs = std::filesystem;

constexpr char kVmlinux[] = "vmlinux";

std::string file_of(const std::string &folder, const std::string &object) {
    return folder + "/" + object + ".btf_extra";
}

void note(const InstallTools &tools, const std::string &line) {
    if (tools.note)
        tools.note(line);
}

void show(const InstallTools &tools, const Progress &progress) {
    if (tools.progress)
        tools.progress(progress);
}

// Tables are written to the folder that all look at last.
std::string folder_above(const Host &host) {
    return host.path(*std::rbegin(kFirmwareFolders));
}

Result<void> check_release(const std::string &release) {
    if (release.empty() || release.starts_with('.') || release.find('/') != release.npos)
        return Error{fmt::format("'{}' is not a kernel release as uname -r prints it", release)};
    return {};
}

// Returns true if they are of this build of the kernel, with all files that the manifest names.
bool complete(const InstalledTables &installed, const std::string &build_id) {
    if (!installed.manifest || !installed.manifest->contains(kVmlinux) ||
        (!build_id.empty() && !installed.has(kVmlinux, build_id)))
        return false;
    return std::ranges::all_of(*installed.manifest, [&](const auto &each) {
        return installed.has(each.first, each.second);
    });
}

Installed described(const InstalledTables &installed, bool fresh) {
    Installed out{.folder = installed.folder,
                  .fresh = fresh,
                  .objects = installed.build_ids.size(),
                  .bytes = 0};
    for (const auto &[name, id] : installed.build_ids) {
        std::error_code ignored;
        const auto size = fs::file_size(file_of(installed.folder, name), ignored);
        out.bytes += ignored ? 0 : size;
    }
    return out;
}

// Tables elsewhere would be taken before new ones.
Result<void> check_place(const Host &host, const std::string &release,
                         const InstalledTables &there) {
    if (there.folder == folder_above(host) + "/" + release)
        return {};
    return Error{fmt::format("{}: hides the new tables; remove it", there.folder)};
}

Result<InstalledTables> tables_in_place(const Host &host, const std::string &release) {
    const auto installed = installed_tables(host, release);
    if (!installed)
        return Error{fmt::format("{}/{}: gone again", folder_above(host), release)};
    return *installed;
}

// Returns the objects of that kernel that run: it and the modules that are loaded. If it does not
// run, it is the only one.
BuildIds running_objects(const Host &host, const std::string &release,
                         const std::string &build_id) {
    BuildIds out = {{kVmlinux, build_id}};
    if (release == host.release)
        for (const std::string &name : other_modules(host))
            out[name] = loaded_build_id(host, name);
    return out;
}

// Debug information for all that runs. Links to the files of modules are put into a folder, under
// the names that modules have.
Result<DebugInfo> ask_for_debug_info(Debuginfod &server, const BuildIds &objects,
                                     const std::string &folder, const InstallTools &tools) {
    DebugInfo out{.vmlinux = TRY(server.debug_info("debuginfod: vmlinux", objects.at(kVmlinux))),
                  .module_folders = {}};
    std::vector<std::string> unknown;
    for (const auto &[name, build_id] : objects) {
        if (name == kVmlinux)
            continue;
        const auto file = server.debug_info("debuginfod: " + name, build_id);
        std::error_code failed;
        if (file) {
            fs::create_directory(folder, failed);
            fs::create_symlink(*file, folder + "/" + name + ".ko.debug", failed);
            out.module_folders = {folder};
        }
        if (!file || failed)
            unknown.push_back(name);
    }
    if (!unknown.empty())
        note(tools, fmt::format("debuginfod has no tables of these modules: {}",
                                fmt::join(unknown, ", ")));
    return out;
}

// Takes tables that servers have. Returns the files that it took; nothing, if the kernel's tables
// are missing.
Result<BuildIds> ask_for_tables(Debuginfod &server, const BuildIds &objects,
                                const std::string &folder) {
    BuildIds taken;
    const auto take = [&](const std::string &name, const std::string &build_id) -> Result<void> {
        const auto file =
            server.section("debuginfod: tables of " + name, build_id, kCarriedSection);
        if (!file)
            return {};
        const auto bytes = TRY(read_whole_file(*file));
        TRY(put_tables(*file, bytes, build_id, file_of(folder, name)));
        taken[name] = build_id;
        return {};
    };
    const auto kernel = objects.find(kVmlinux);
    if (kernel != objects.end()) {
        TRY(take(kernel->first, kernel->second));
        if (taken.empty())
            return taken;
    }
    for (const auto &[name, build_id] : objects)
        if (name != kVmlinux)
            TRY(take(name, build_id));
    return taken;
}

// Returns the package with the debug information of a kernel, by the name that Debian or Ubuntu
// gives it; empty: the package manager knows none of these.
std::string debug_package(const std::string &release, const InstallTools &tools) {
    for (const std::string_view name :
         {"linux-image-{}-dbg", "linux-image-unsigned-{}-dbgsym", "linux-image-{}-dbgsym"}) {
        std::string package = fmt::format(fmt::runtime(name), release);
        if (tools.run({"apt-cache", "show", package}, true))
            return package;
    }
    return "";
}

// Takes what is installed, else what servers have, else packages.
Result<DebugInfo> get_debug_info(const Host &host, const std::string &release,
                                 const Result<std::unique_ptr<Debuginfod>> &server,
                                 const std::string &folder, const InstallOptions &options,
                                 const InstallTools &tools) {
    auto found = find_debug_info(host, release);
    if (found)
        return found;
    std::string reason = found.error().message;
    const std::string build_id = kernel_build_id(host, release);
    if (!server && server.error().code != ENOENT) {
        reason += "; " + server.error().message;
    } else if (server && build_id.empty()) {
        reason += fmt::format("; debuginfod: the build-id of {} is not known", release);
    } else if (server) {
        const auto served =
            ask_for_debug_info(**server, running_objects(host, release, build_id), folder, tools);
        if (served)
            return *served;
        reason += "; " + served.error().message;
    }
    const std::string package = debug_package(release, tools);
    if (package.empty())
        return Error{fmt::format("{}: apt knows no package with it; install the kernel's vmlinux "
                                 "with DWARF{}, or take tables by --from",
                                 reason, server ? "" : ", set DEBUGINFOD_URLS")};
    if (!options.run_apt)
        return Error{fmt::format("{}: apt-get install {}, or use --yes", reason, package)};
    note(tools, "apt-get install " + package);
    TRY(tools.run({"apt-get", "install", "-y", package}, false));
    return find_debug_info(host, release);
}

Result<void> generate_tables(const DebugInfo &debug, const std::string &release,
                             const std::string &output, const InstallOptions &options,
                             const InstallTools &tools) {
    generator::FirmwareOptions tree;
    tree.folders = debug.module_folders;
    tree.vmlinux = debug.vmlinux;
    tree.output = output;
    tree.jobs = options.jobs;
    tree.lines = true;
    tree.kernel_progress = [&](size_t done, size_t total) {
        show(tools, {"vmlinux: units", done, total});
    };
    tree.progress = [&](size_t done, size_t total) { show(tools, {"objects", done, total}); };
    const auto written = TRY(generator::write_firmware_tree(tree));
    if (!written.release.empty() && written.release != release)
        return Error{fmt::format("{}: of {}, not of {}", debug.vmlinux, written.release, release)};
    if (const Error *failure = written.failure())
        return *failure;
    for (const generator::LeftOut &each : written.left_out)
        note(tools, "left out: " + each.error.message);
    for (const std::string &line : written.notes)
        note(tools, line);
    return {};
}

// modprobe has words for ENOKEY, EKEYREJECTED and, under lockdown, EPERM.
bool is_refused_signature(const std::string &message) {
    return message.ends_with("Required key not available") ||
           message.ends_with("Key was rejected by service") ||
           message.ends_with("Operation not permitted");
}

// The objects of which a server has tables that fit what runs: the kernel, and its modules that are
// loaded; of a kernel that does not run, all.
Result<std::vector<ServedObject>> fitting_objects(const Host &host, const std::string &release,
                                                  const std::string &build_id,
                                                  const std::string &folder, Download &server) {
    constexpr uint64_t kMaxList = 16 << 20;
    const std::string list = folder + "/" + kServedList;
    const auto text = server.text(list, kMaxList);
    if (!text && text.error().code == ENOENT)
        return Error{
            fmt::format("{}: no tables of {} with build-id {} there", list, release, build_id),
            ENOENT};
    if (!text)
        return text.error();
    auto objects = TRY(parse_served_list(list, *text));
    const auto is_kernel = [&](const ServedObject &each) {
        return each.name == kVmlinux && each.build_id == build_id;
    };
    if (!std::ranges::any_of(objects, is_kernel))
        return Error{fmt::format("{}: no vmlinux with build-id {} in it", list, build_id)};
    if (release != host.release)
        return objects;
    const BuildIds running = running_objects(host, release, build_id);
    std::erase_if(objects, [&](const ServedObject &each) {
        const auto found = running.find(each.name);
        return found == running.end() || found->second != each.build_id;
    });
    return objects;
}

// Completes a folder with new tables: takes what is there of other objects of the same kernel, by
// another name of the file or as a copy, and writes the manifest.
Result<void> complete_folder(const std::string &folder, BuildIds objects,
                             const std::optional<InstalledTables> &there) {
    if (there) {
        for (const auto &[name, build_id] : there->build_ids) {
            if (!objects.emplace(name, build_id).second)
                continue;
            const std::string from = file_of(there->folder, name), to = file_of(folder, name);
            std::error_code failed;
            fs::create_hard_link(from, to, failed);
            if (failed)
                fs::copy_file(from, to, failed);
            if (failed)
                return Error{fmt::format("{}: output: {}", to, failed.message()), failed.value()};
        }
    }
    std::string manifest;
    for (const auto &[name, build_id] : objects)
        manifest += fmt::format("{} {}\n", name, build_id);
    return write_whole_file(folder + "/manifest", std::as_bytes(std::span(manifest)));
}

// whole: what is there of this build of the kernel, which stays.
Result<Installed> install_served(const Host &host, const std::string &release,
                                 const std::string &from,
                                 const std::optional<InstalledTables> &whole,
                                 const InstallTools &tools) {
    const std::string build_id = kernel_build_id(host, release);
    if (build_id.empty())
        return Error{fmt::format("the build-id of {} is not known", release)};
    const std::string url = from.substr(0, from.find_last_not_of('/') + 1) + "/" + build_id;
    const auto server = TRY(Download::open());
    const auto fitting = TRY(fitting_objects(host, release, build_id, url, *server));
    std::vector<ServedObject> lacking;
    uint64_t total = 0, before = 0;
    for (const ServedObject &each : fitting) {
        if (whole && whole->has(each.name, each.build_id))
            continue;
        lacking.push_back(each);
        total += each.size;
    }
    if (lacking.empty())
        return described(*whole, false);

    if (whole)
        TRY(check_place(host, release, *whole));
    const auto staged = TRY(StagedFolder::begin(folder_above(host)));
    const std::string path = staged->path() + "/download";
    BuildIds taken;
    for (const ServedObject &each : lacking) {
        const std::string file = url + "/" + each.file();
        TRY(server->file(file, path, each.size, [&](uint64_t done) {
            show(tools, {"download", before + done, total, true});
        }));
        const auto bytes = TRY(read_whole_file(path));
        TRY(put_served(file, bytes, each, file_of(staged->path(), each.name)));
        before += each.size;
        taken[each.name] = each.build_id;
    }
    std::error_code ignored;
    fs::remove(path, ignored);
    TRY(complete_folder(staged->path(), std::move(taken), whole));
    TRY(staged->keep(release));
    const auto installed = TRY(tables_in_place(host, release));
    return described(installed, true);
}

bool is_there(const std::string &path) {
    std::error_code failed;
    return fs::exists(path, failed);
}

}  // namespace

Result<Installed> install_tables(const Host &host, const InstallOptions &options,
                                 const InstallTools &tools) {
    const std::string release = options.release.empty() ? host.release : options.release;
    TRY(check_release(release));
    const auto installed_debug = find_debug_info(host, release);
    std::string build_id = kernel_build_id(host, release);
    // A kernel that was updated under its old name, and does not run yet, is recognized only by
    // this.
    if (build_id.empty() && installed_debug)
        build_id = installed_debug->build_id;
    auto whole = installed_tables(host, release);
    if (whole && !complete(*whole, build_id)) {
        TRY(check_place(host, release, *whole));
        whole.reset();
    }
    if (!options.from.empty())
        return install_served(host, release, options.from, whole, tools);
    const auto server = installed_debug ? Error{"not needed"} : Debuginfod::open(tools.progress);
    BuildIds lacking = running_objects(host, release, build_id);
    std::erase_if(lacking,
                  [&](const auto &each) { return whole && whole->has(each.first, each.second); });
    if (whole && (!server || lacking.empty() || !check_place(host, release, *whole)))
        return described(*whole, false);

    // It is made first, so that it fails before the long work if it may not be written.
    const auto staged = TRY(StagedFolder::begin(folder_above(host)));
    BuildIds taken;
    if (server)
        taken = TRY(ask_for_tables(**server, lacking, staged->path()));
    if (!taken.empty()) {
        TRY(complete_folder(staged->path(), std::move(taken), whole));
    } else if (whole) {
        return described(*whole, false);
    } else {
        const std::string links = staged->path() + "/debug";
        const auto debug = TRY(get_debug_info(host, release, server, links, options, tools));
        TRY(generate_tables(debug, release, staged->path(), options, tools));
        std::error_code ignored;
        fs::remove_all(links, ignored);
    }
    TRY(staged->keep(release));
    const auto installed = TRY(tables_in_place(host, release));
    return described(installed, true);
}

Result<void> load_module(const Host &host, bool fresh, const InstallTools &tools) {
    const std::string modules = host.path("/lib/modules/" + host.release);
    const std::string loaded = host.path("/sys/module/btf_extra");
    if (is_there(loaded)) {
        if (!fresh && is_there(host.path("/sys/kernel/btf_extra/vmlinux")))
            return {};
        for (const char *name : {"btf_extra_vmlinux", "btf_extra"})
            if (is_there(host.path(std::string("/sys/module/") + name)))
                if (const auto gone = tools.run({"rmmod", name}, true); !gone) {
                    note(tools, gone.error().message +
                                    "; it reads the tables when it is loaded the next time");
                    return {};
                }
    }
    if (find_module_file(modules, "btf_extra").empty()) {
        note(tools, fmt::format("{}: no btf_extra.ko: trace uses perf kprobes", modules));
        return {};
    }
    const auto done = tools.run({"modprobe", "btf_extra"}, true);
    if (done || !is_refused_signature(done.error().message))
        return done;
    return Error{done.error().message + "; let the kernel trust the key that DKMS signs with: "
                                        "mokutil --import /var/lib/dkms/mok.pub"};
}

Result<std::string> uninstall_tables(const Host &host, const std::string &wanted,
                                     const InstallTools &tools) {
    const std::string release = wanted.empty() ? host.release : wanted;
    TRY(check_release(release));
    const std::string folder = folder_above(host) + "/" + release;
    if (!is_there(folder))
        return std::string();
    if (release == host.release && is_there(host.path("/sys/module/btf_extra")))
        if (const auto gone = tools.run({"rmmod", "btf_extra"}, true); !gone)
            note(tools, gone.error().message + "; it keeps its tables until it is unloaded");
    TRY(remove_folder(folder));
    return folder;
}

}  // namespace btf_extra::host
