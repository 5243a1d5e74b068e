// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>

#include <elf.h>
#include <fmt/format.h>

#include "userspace/format/kernel_files.h"
#include "userspace/lib/tables/kallsyms.h"
#include "userspace/lib/tables/site_tables.h"

namespace btf_extra {
namespace {

namespace fs = std::filesystem;

constexpr char kSuffix[] = ".btf_extra";
constexpr uint32_t kVmlinuxId = 1;

// Returns the address that most of the global symbols imply for .text, which is linked there.
std::optional<uint64_t> find_text(const ObjectView &view, const Kallsyms &symbols,
                                  const ObjectSection &linked) {
    const loc_index &index = view.index();
    const loc_arch *arch = loc_arch_of(view.file().machine);
    const bool behind_hooks = (linked.flags & EXTRA_SHF_BEHIND_HOOKS) != 0;
    const uint32_t hook_size = behind_hooks && arch != nullptr ? arch->hook_size : 0;
    // A kernel moves by whole pages, so what is less than one is the hook.
    constexpr uint64_t kPage = 4096;
    std::map<uint64_t, uint32_t> votes;
    uint32_t total = 0;
    for (const KernelSymbol &symbol : symbols.all()) {
        if (symbol.type != 'T')
            continue;
        uint32_t elf, offset;
        if (!section_place_anchor(&index, std::string(symbol.name).c_str(), &elf, &offset) ||
            std::string_view(index.elf_sections[elf].name) != ".text")
            continue;
        uint64_t base = symbol.address - offset;
        if ((linked.address - base) % kPage <= hook_size)
            base += (linked.address - base) % kPage;
        votes[base]++;
        total++;
    }
    for (const auto &[base, count] : votes)
        if (count >= 2 && count > total / 2)
            return base;
    return {};
}

// Returns a section of the object as it was linked; NULL: it has none of that name.
const ObjectSection *find_section(const SiteObject &object, std::string_view name) {
    const std::vector<ObjectSection> &sections = object.view->file().sections;
    const auto found = std::ranges::find(sections, name, &ObjectSection::name);
    return found != sections.end() ? &*found : nullptr;
}

// address_of(section): where it is now, or 0.
template <class AddressOf>
void place_sections(SiteObject &object, bool vmlinux, const AddressOf &address_of) {
    const loc_index &index = object.view->index();
    for (uint32_t i = 0; i < index.nr_elf_sections; i++) {
        const char *name = index.elf_sections[i].name;
        PlacedSection placed = {{0, 0, section_place_freed(name, vmlinux)}, 0};
        if (const ObjectSection *section = find_section(object, name)) {
            placed.place.size = section->size;
            if (vmlinux || !placed.place.freed)
                placed.place.address = address_of(*section);
        }
        object.sections.push_back(placed);
    }
}

class FileTables : public SiteTables {
  public:
    explicit FileTables(FileTablesPaths paths)
        : SiteTables(Source::kFiles, paths.file), paths_(std::move(paths)) {}

    Result<void> open(bool same_kernel);

  private:
    Result<void> refresh(const func_text &wanted) override;
    Result<void> check_build_id(const std::string &mine, bool same_kernel);
    Result<void> read_kernel_files();
    Result<void> read_kernel_symbols(const std::filesystem::path &folder);
    std::set<std::string> wanted_modules(const func_text &wanted) const;
    Result<uint64_t> linked_distance(const SiteObject &vmlinux, const Kallsyms &symbols) const;
    void note_modules();
    // Returns nothing if another module of that name is loaded.
    Result<SharedObject> open_module(const std::string &name, uint32_t id) const;
    std::string module_file(const std::string &name) const {
        return fs::path(paths_.file).parent_path() / (name + kSuffix);
    }
    std::string module_btf(const std::string &name) const {
        return source_ == Source::kForeign
                   ? (fs::path(paths_.file).parent_path() / (name + kModuleBtfSuffix)).string()
                   : paths_.sys_kernel + "/btf/" + name;
    }
    void place_module(SiteObject &module) const;
    std::string loaded_build_id(const std::string &module) const {
        return notes_build_id(paths_.sys_module + "/" + module + "/notes/.note.gnu.build-id");
    }

    FileTablesPaths paths_;
    const Kallsyms *foreign_symbols_ = nullptr;  // of another kernel, if those of modules are known
    std::shared_ptr<const BtfImage> base_;
    // Ids of modules whose files nobody needed yet: of the running kernel those that are loaded, of
    // another one all that have symbols.
    std::map<std::string, uint32_t> closed_;
};

Result<void> FileTables::open(bool same_kernel) {
    auto file = TRY(read_extra_file(paths_.file, paths_.parts));
    TRY(check_build_id(build_id_text(file.build_id_note), same_kernel));
    if (source_ == Source::kForeign)
        TRY(read_kernel_files());
    base_ = TRY(open_base_btf(paths_.base_btf));
    SiteObject vmlinux = {.name = "vmlinux", .id = kVmlinuxId};
    vmlinux.view = TRY(ObjectView::open_content(paths_.file, std::move(file), BaseStack(base_)));
    uint64_t distance = 0;
    if (source_ == Source::kFiles) {
        auto loaded = TRY(Kallsyms::load(paths_.kallsyms));
        auto symbols = std::make_unique<Kallsyms>(std::move(loaded));
        if (!symbols->hidden()) {
            distance = TRY(linked_distance(vmlinux, *symbols));
            vmlinux.text = find_section(vmlinux, ".text")->address + distance;
            symbols_ = std::move(symbols);
        }
    }
    note_modules();
    place_sections(vmlinux, true, [&](const ObjectSection &section) {
        return symbols_ ? section.address + distance : 0;
    });
    objects_.push_back(std::make_shared<SiteObject>(std::move(vmlinux)));
    return {};
}

// Reads the files of write_kernel_files() beside the tables. Each of them may be missing.
Result<void> FileTables::read_kernel_files() {
    const fs::path folder = fs::path(paths_.file).parent_path();
    std::error_code ignored;
    if (paths_.base_btf == FileTablesPaths().base_btf && fs::exists(folder / kKernelBtf, ignored))
        paths_.base_btf = (folder / kKernelBtf).string();
    std::ifstream banner(folder / kKernelBanner);
    std::getline(banner, banner_);
    return fs::exists(folder / kKernelSymbols, ignored) ? read_kernel_symbols(folder)
                                                        : Result<void>();
}

Result<void> FileTables::read_kernel_symbols(const fs::path &folder) {
    auto loaded = TRY(Kallsyms::load((folder / kKernelSymbols).string()));
    auto symbols = std::make_unique<Kallsyms>(std::move(loaded));
    std::error_code ignored;
    if (symbols->hidden())
        return {};
    if (fs::exists(folder / kModuleSymbols, ignored)) {
        TRY(symbols->add_modules((folder / kModuleSymbols).string()));
        foreign_symbols_ = symbols.get();
    }
    symbols_ = std::move(symbols);
    return {};
}

Result<void> FileTables::check_build_id(const std::string &mine, bool same_kernel) {
    const std::string notes = paths_.sys_kernel + "/notes";
    const std::string running = notes_build_id(notes);
    if (!mine.empty() && mine == running)
        return {};
    source_ = Source::kForeign;
    if (!same_kernel)
        return {};
    return Error{fmt::format("{}: {}: made for another kernel: build-id {}, but {} has {}",
                             paths_.file, kBuildIdSection, mine.empty() ? "none" : mine, notes,
                             running.empty() ? "none" : running),
                 ESTALE};
}

// Returns what is to be added to an address as linked.
Result<uint64_t> FileTables::linked_distance(const SiteObject &vmlinux,
                                             const Kallsyms &symbols) const {
    const ObjectSection *linked = find_section(vmlinux, ".text");
    if (linked == nullptr)
        return Error{
            fmt::format("{}: ELF header: no section .text: made by an older version", paths_.file),
            EINVAL};
    const auto text = find_text(*vmlinux.view, symbols, *linked);
    if (!text || (*text - linked->address) % 4096 != 0)
        return Error{fmt::format("{}: the symbols in {} contradict each other about .text",
                                 paths_.file, paths_.kallsyms),
                     EINVAL};
    return *text - linked->address;
}

void FileTables::note_modules() {
    if (source_ == Source::kForeign && foreign_symbols_ == nullptr)
        return;
    std::error_code error;
    for (const auto &entry :
         fs::directory_iterator(fs::path(module_file("")).parent_path(), error)) {
        const std::string name = entry.path().stem();
        if (entry.path().extension() == kSuffix && name != "vmlinux" &&
            (source_ == Source::kForeign || !loaded_build_id(name).empty()))
            closed_.emplace(name, 0);
    }
    uint32_t id = kVmlinuxId;
    for (auto &module : closed_)
        module.second = ++id;
}

// A module that is not loaded has no addresses.
void FileTables::place_module(SiteObject &module) const {
    if (source_ == Source::kForeign) {
        place_sections(module, false, [](const ObjectSection &) { return 0; });
        for (size_t i = 0; i < module.sections.size(); i++)
            module.sections[i].elf_section = foreign_symbols_->section_number(
                module.name, module.view->index().elf_sections[i].name);
        return;
    }
    place_sections(module, false, [&](const ObjectSection &section) {
        uint64_t address = 0;
        std::ifstream(paths_.sys_module + "/" + module.name + "/sections/" + section.name) >>
            std::hex >> address;
        if (section.name == ".text")
            module.text = address;
        return address;
    });
}

Result<SharedObject> FileTables::open_module(const std::string &name, uint32_t id) const {
    auto file = TRY(read_extra_file(module_file(name), paths_.parts));
    if (source_ != Source::kForeign && build_id_text(file.build_id_note) != loaded_build_id(name))
        return SharedObject();
    BaseStack base(base_);
    // The base of a module that was built out of tree is only vmlinux BTF.
    if (file.base.size() > 1)
        TRY(base.add_file(module_btf(name)));
    SiteObject module = {.name = name, .id = id};
    module.view =
        TRY(ObjectView::open_content(module_file(name), std::move(file), std::move(base)));
    place_module(module);
    return std::make_shared<const SiteObject>(std::move(module));
}

// Returns those of closed_ that the text may mean. Another kernel has thousands, so a text without
// a module means none if vmlinux has a function of that name, else those that have such a symbol,
// and only without one all: the function may be inlined everywhere.
std::set<std::string> FileTables::wanted_modules(const func_text &wanted) const {
    std::set<std::string> out;
    if (source_ == Source::kForeign && wanted.object == nullptr) {
        const auto has_name = [&](std::string_view name) {
            return func_text_has_name(&wanted, std::string(name.substr(0, name.find('.'))).c_str());
        };
        if (closed_.empty() || wanted.name == nullptr ||
            std::ranges::any_of(objects_.front()->view->func_names(), has_name))
            return out;
        for (const KernelSymbol &symbol : foreign_symbols_->all())
            if (!symbol.module.empty() && has_name(symbol.name))
                out.emplace(symbol.module);
        if (!out.empty())
            return out;
    }
    for (const auto &[name, id] : closed_)
        if (func_text_has_object(&wanted, name.c_str()))
            out.insert(name);
    return out;
}

// Opens the files of the requested modules. A broken file affects no other module.
Result<void> FileTables::refresh(const func_text &wanted) {
    if (wanted.id != 0 && wanted.object == nullptr)
        return {};  // it is an id of vmlinux
    for (const std::string &name : wanted_modules(wanted)) {
        const auto at = closed_.find(name);
        if (at == closed_.end())
            continue;
        const uint32_t id = at->second;
        SharedObject module = TRY(open_module(name, id));
        closed_.erase(at);
        if (module)
            objects_.insert(std::ranges::upper_bound(objects_, id, {},
                                                     [](const auto &each) { return each->id; }),
                            std::move(module));
    }
    return {};
}

}  // namespace

Result<std::unique_ptr<SiteTables>> open_file_tables(const FileTablesPaths &paths,
                                                     bool same_kernel) {
    auto tables = std::make_unique<FileTables>(paths);
    TRY(tables->open(same_kernel));
    return std::unique_ptr<SiteTables>(std::move(tables));
}

}  // namespace btf_extra
