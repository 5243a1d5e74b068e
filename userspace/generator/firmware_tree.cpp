// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/generator/firmware_tree.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "userspace/format/elf_image.h"
#include "userspace/format/extra_file.h"
#include "userspace/format/kernel_files.h"
#include "userspace/format/kernel_release.h"
#include "userspace/format/module_name.h"
#include "userspace/format/temporary_file.h"
#include "userspace/generator/generate.h"
#include "userspace/generator/model/thread_pool.h"

namespace btf_extra::generator {

namespace {

namespace fs = std::filesystem;

constexpr char kVmlinux[] = "vmlinux";

struct Found {
    std::vector<std::string> modules;
    std::set<std::string> kernels;
};

struct Object {
    std::string name;
    std::string path;
    uint64_t size = 0;
    std::string error = {};     // empty: the object was written
    int error_code = 0;         // its errno, if it has one
    std::string build_id = {};  // known if it was written
    uint64_t bytes = 0;         // of its file, if it was written
    std::string note = {};      // GenerateOptions::no_functions
};

void take(const fs::path &path, Found &found) {
    std::error_code failed;
    if (!fs::is_regular_file(path, failed))
        return;
    const std::string name = path.filename().string();
    if (!module_name(name).empty())
        found.modules.push_back(path.string());
    else if (name == kVmlinux || name.starts_with("vmlinux-"))
        found.kernels.insert(fs::canonical(path, failed).string());
}

Result<Found> walk(const std::vector<std::string> &folders) {
    Found found;
    for (const std::string &folder : folders) {
        const size_t before = found.modules.size();
        std::error_code failed;
        take(folder, found);
        if (fs::is_directory(folder, failed)) {
            fs::recursive_directory_iterator at(folder, failed), end;
            for (; !failed && at != end; at.increment(failed))
                take(at->path(), found);
        } else if (!failed && !fs::exists(folder, failed) && !failed) {
            failed = std::make_error_code(std::errc::no_such_file_or_directory);
        }
        if (failed)
            return Error{fmt::format("{}: open: {}", folder, failed.message())};
        if (found.modules.size() == before)
            return Error{fmt::format("{}: no kernel modules in it", folder)};
    }
    std::sort(found.modules.begin(), found.modules.end());
    found.modules.erase(std::unique(found.modules.begin(), found.modules.end()),
                        found.modules.end());
    return found;
}

bool has_contents(const ElfImage &elf, std::string_view name) {
    const ElfSection *section = elf.find(name);
    return section != nullptr && section->type != SHT_NOBITS;
}

// Chooses one file for each module: of several with one build-id, the one with the most debug
// information.
class ModuleChoice {
  public:
    Result<void> add(const std::string &path) {
        const std::string name = module_name(path);
        const auto elf = ElfImage::open(path);
        if (!elf) {
            errors_.try_emplace(name, elf.error().message);
            return {};
        }
        const std::string release = module_release(*elf);
        if (!release.empty()) {
            if (release_.empty()) {
                release_ = release;
                first_ = path;
            } else if (release != release_) {
                return elf->error(".modinfo", fmt::format("a module of {}, but {} is of {}",
                                                          release, first_, release_));
            }
        } else if (has_contents(*elf, ".modinfo")) {
            errors_.try_emplace(name, elf->error(".modinfo", "no vermagic").message);
            return {};
        }
        const Candidate candidate = {.path = path,
                                     .build_id = build_id_text(elf->build_id_note()),
                                     .rank = (has_contents(*elf, ".debug_info") ? 2 : 0) +
                                             (release.empty() ? 0 : 1)};
        const auto [known, fresh] = chosen_.try_emplace(name, candidate);
        if (fresh)
            return {};
        if (known->second.build_id != candidate.build_id)
            errors_.try_emplace(
                name, elf->error(kBuildIdSection, fmt::format("{} is another module of that name",
                                                              known->second.path))
                          .message);
        else if (candidate.rank > known->second.rank)
            known->second = candidate;
        return {};
    }

    const std::string &release() const { return release_; }
    const std::string &first() const { return first_; }

    // Returns the objects in order of their names. One for which no file can be chosen has an
    // error.
    std::vector<Object> objects() const {
        std::map<std::string, Object> all;
        for (const auto &[name, candidate] : chosen_) {
            std::error_code ignored;
            all[name] = {.name = name, .path = candidate.path};
            all[name].size = fs::file_size(candidate.path, ignored);
        }
        for (const auto &[name, error] : errors_) {
            all[name].name = name;
            all[name].error = error;
        }
        std::vector<Object> objects;
        for (auto &[name, object] : all)
            objects.push_back(std::move(object));
        return objects;
    }

  private:
    struct Candidate {
        std::string path;
        std::string build_id;
        int rank;
    };
    std::string release_, first_;
    std::map<std::string, Candidate> chosen_;
    std::map<std::string, std::string> errors_;
};

class TreeWriter {
  public:
    TreeWriter(const FirmwareOptions &options, std::string folder,
               std::shared_ptr<const BtfImage> base)
        : options_(options), folder_(std::move(folder)), base_(std::move(base)),
          base_types_(index_types(*base_)) {}

    void write(Object &object, bool is_module, uint32_t jobs) const {
        if (!object.error.empty())
            return;
        if (const Result<void> written = try_write(object, is_module, jobs); !written) {
            object.error = written.error().message;
            object.error_code = written.error().code;
        }
    }

    Result<void> write_manifest(const std::vector<Object> &objects) const {
        std::string text;
        for (const Object &object : objects)
            if (object.error.empty())
                text += fmt::format("{} {}\n", object.name, object.build_id);
        return write_whole_file(folder_ + "/manifest", std::as_bytes(std::span(text)));
    }

  private:
    Result<void> try_write(Object &object, bool is_module, uint32_t jobs) const {
        GenerateOptions options;
        options.input = object.path;
        options.output = folder_ + "/" + object.name + ".btf_extra";
        if (is_module) {
            options.vmlinux = base_;
            options.vmlinux_types = base_types_;
        }
        options.jobs = jobs;
        options.provenance = options_.provenance;
        options.frames = options_.frames;
        options.variables = options_.variables;
        options.lines = options_.lines;
        if (!is_module)
            options.progress = options_.kernel_progress;
        options.no_functions = [&](const std::string &line) { object.note = line; };
        const auto file = TRY(generate(options));
        TRY(write_whole_file(options.output, file.container));
        object.bytes = file.container.size();
        object.build_id = build_id_text(file.build_id_note);
        return {};
    }

    const FirmwareOptions &options_;
    std::string folder_;
    std::shared_ptr<const BtfImage> base_;
    std::shared_ptr<const BaseTypes> base_types_;
};

// Puts the largest first, so that none of them is left to one thread at the end.
std::vector<Object *> by_size(std::vector<Object> &objects) {
    std::vector<Object *> order;
    for (Object &object : objects)
        order.push_back(&object);
    std::stable_sort(order.begin(), order.end(),
                     [](const Object *a, const Object *b) { return a->size > b->size; });
    return order;
}

// A full disk is no fault of the object that was to be written then.
bool is_fault_of_folder(int code) {
    return code == ENOSPC || code == EDQUOT || code == EFBIG || code == EROFS || code == EIO;
}

}  // namespace

const Error *FirmwareTree::failure() const {
    const auto found = std::ranges::find_if(left_out, [](const LeftOut &each) {
        return each.object == kVmlinux || is_fault_of_folder(each.error.code);
    });
    return found != left_out.end() ? &found->error : nullptr;
}

Result<FirmwareTree> write_firmware_tree(const FirmwareOptions &options) {
    const auto found = TRY(walk(options.folders));
    std::string vmlinux = options.vmlinux;
    if (vmlinux.empty()) {
        if (found.kernels.empty())
            return Error{fmt::format("{}: no vmlinux in it: --vmlinux must name it",
                                     options.folders.front())};
        if (found.kernels.size() > 1)
            return Error{fmt::format("{}: not the only vmlinux, {} is another: --vmlinux must "
                                     "name one",
                                     *found.kernels.begin(), *found.kernels.rbegin())};
        vmlinux = *found.kernels.begin();
    }
    const auto kernel = TRY(ElfImage::open(vmlinux));
    auto base = TRY(open_elf_btf(kernel));
    ModuleChoice choice;
    for (const std::string &module : found.modules)
        TRY(choice.add(module));
    FirmwareTree tree;
    tree.release = kernel_release(kernel);
    if (tree.release.empty())
        tree.release = choice.release();
    else if (!choice.release().empty() && choice.release() != tree.release)
        return Error{fmt::format("{}: .modinfo: a module of {}, but {} is of {}", choice.first(),
                                 choice.release(), vmlinux, tree.release)};
    tree.output = options.output;
    if (tree.output.empty()) {
        if (tree.release.empty())
            return kernel.error(".rodata", "no release of a kernel in it: -o must name a folder");
        tree.output = "btf_extra/" + tree.release;
    }
    std::error_code failed;
    fs::create_directories(tree.output, failed);
    if (failed)
        return Error{fmt::format("{}: output: {}", tree.output, failed.message())};

    std::vector<Object> objects = choice.objects();
    if (options.kernel_files) {
        TRY(write_kernel_files(kernel, tree.output));
        std::vector<ModuleFile> modules;
        for (const Object &object : objects)
            if (object.error.empty())
                modules.push_back({object.name, object.path});
        if (!modules.empty())
            TRY(write_module_files(modules, tree.output));
    }
    Object kernel_object = {.name = kVmlinux, .path = vmlinux};
    const TreeWriter writer(options, tree.output, std::move(base));
    std::mutex progress_mutex;
    size_t done = 0;
    const auto report = [&] {
        const std::lock_guard lock(progress_mutex);
        done++;
        if (options.progress)
            options.progress(done, objects.size() + 1);
    };
    writer.write(kernel_object, false, options.jobs);
    report();
    const std::vector<Object *> order = by_size(objects);
    run_in_threads(options.jobs, order.size(), [&](size_t number, size_t) {
        writer.write(*order[number], true, 1);
        report();
    });

    objects.push_back(std::move(kernel_object));
    std::sort(objects.begin(), objects.end(),
              [](const Object &a, const Object &b) { return a.name < b.name; });
    for (const Object &object : objects) {
        if (!object.error.empty()) {
            tree.left_out.push_back({object.name, Error{object.error, object.error_code}});
            continue;
        }
        if (!object.note.empty())
            tree.notes.push_back(object.note);
        tree.build_ids[object.name] = object.build_id;
        tree.bytes += object.bytes;
    }
    TRY(writer.write_manifest(objects));
    return tree;
}

}  // namespace btf_extra::generator
