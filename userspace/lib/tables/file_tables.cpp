// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>

#include <elf.h>
#include <fmt/format.h>

#include "userspace/lib/tables/kallsyms.h"
#include "userspace/lib/tables/site_tables.h"

namespace btf_extra {
namespace {

namespace fs = std::filesystem;

constexpr char kSuffix[] = ".btf_extra";
constexpr uint32_t kVmlinuxId = 1;

// The build-id in a file of notes, as sysfs has them; empty: there is none.
std::string notes_build_id(const std::string &path) {
    auto notes = read_whole_file(path);
    return notes ? build_id_text(*notes) : "";
}

// Where most of the global symbols say that .text begins.
std::optional<uint64_t> find_text(const loc_index &index, const Kallsyms &symbols) {
    std::map<uint64_t, uint32_t> votes;
    uint32_t total = 0;
    for (const KernelSymbol &symbol : symbols.all()) {
        if (symbol.type != 'T')
            continue;
        uint32_t elf, offset;
        if (!section_place_anchor(&index, std::string(symbol.name).c_str(), &elf, &offset) ||
            std::string_view(index.elf_sections[elf].name) != ".text")
            continue;
        votes[symbol.address - offset]++;
        total++;
    }
    for (const auto &[base, count] : votes)
        if (count >= 2 && count > total / 2)
            return base;
    return {};
}

class FileTables : public SiteTables {
  public:
    explicit FileTables(FileTablesPaths paths)
        : SiteTables(Source::kFiles, paths.file), paths_(std::move(paths)) {}

    Result<void> open(bool same_kernel);

  private:
    Result<void> place_vmlinux(SiteObject &object, const Kallsyms &symbols);
    Result<void> open_modules();
    // Nothing: it is not loaded, or another one is.
    Result<std::shared_ptr<SiteObject>> open_module(const std::string &name);
    void place_module(SiteObject &object) const;
    std::string module_file(const std::string &name) const {
        return fs::path(paths_.file).parent_path() / (name + kSuffix);
    }

    FileTablesPaths paths_;
};

Result<void> FileTables::open(bool same_kernel) {
    auto view = ObjectView::open_with_base(paths_.file, paths_.base_btf);
    if (!view)
        return view.error();
    const std::string notes = paths_.sys_kernel + "/notes";
    const std::string running = notes_build_id(notes);
    const std::string mine = (*view)->build_id();
    const bool foreign = mine.empty() || mine != running;
    if (foreign && same_kernel)
        return Error{fmt::format("{}: {}: made for another kernel: build-id {}, but {} has {}",
                                 paths_.file, kBuildIdSection, mine.empty() ? "none" : mine, notes,
                                 running.empty() ? "none" : running),
                     ESTALE};
    auto vmlinux =
        std::make_shared<SiteObject>(SiteObject{"vmlinux", kVmlinuxId, 0, std::move(*view), {}});
    const loc_index &index = vmlinux->view->index();
    for (uint32_t i = 0; i < index.nr_elf_sections; i++)
        vmlinux->sections.push_back(
            {{0, 0, section_place_freed(index.elf_sections[i].name, true)}, {}});
    objects_.push_back(vmlinux);
    if (foreign) {
        source_ = Source::kForeign;
        return {};
    }
    auto symbols = Kallsyms::load(paths_.kallsyms);
    if (!symbols)
        return symbols.error();
    if (!symbols->hidden()) {
        if (auto placed = place_vmlinux(*vmlinux, *symbols); !placed)
            return placed.error();
        symbols_ = std::make_unique<Kallsyms>(std::move(*symbols));
    }
    return open_modules();
}

Result<void> FileTables::place_vmlinux(SiteObject &object, const Kallsyms &symbols) {
    const loc_index &index = object.view->index();
    const std::vector<ObjectSection> &sections = object.view->file().sections;
    const auto linked_text = std::ranges::find(sections, ".text", &ObjectSection::name);
    if (linked_text == sections.end())
        return Error{
            fmt::format("{}: ELF header: no section .text: made by an older version", paths_.file),
            EINVAL};
    const auto text = find_text(index, symbols);
    if (!text)
        return Error{fmt::format("{}: the symbols in {} do not agree on where .text is",
                                 paths_.file, paths_.kallsyms),
                     EINVAL};
    object.text = *text;
    for (uint32_t i = 0; i < index.nr_elf_sections; i++) {
        const auto section =
            std::ranges::find(sections, index.elf_sections[i].name, &ObjectSection::name);
        if (section == sections.end())
            continue;
        auto &[place, begin] = object.sections[i];
        place.address = begin.offset = section->address - linked_text->address + *text;
        place.size = section->size;
    }
    return {};
}

Result<std::shared_ptr<SiteObject>> FileTables::open_module(const std::string &name) {
    const std::string loaded =
        notes_build_id(paths_.sys_module + "/" + name + "/notes/.note.gnu.build-id");
    if (loaded.empty())
        return std::shared_ptr<SiteObject>();
    auto file = read_extra_file(module_file(name));
    if (!file)
        return file.error();
    if (build_id_text(file->build_id_note) != loaded)
        return std::shared_ptr<SiteObject>();
    auto lowest = open_base_btf(paths_.base_btf);
    if (!lowest)
        return lowest.error();
    BaseStack base(std::move(*lowest));
    // One that was built out of tree stands on vmlinux's BTF alone.
    if (file->base.size() > 1)
        if (auto added = base.add_file(paths_.sys_kernel + "/btf/" + name); !added)
            return added.error();
    auto view = ObjectView::open_content(module_file(name), std::move(*file), std::move(base));
    if (!view)
        return view.error();
    auto out = std::make_shared<SiteObject>(SiteObject{
        name, kVmlinuxId + static_cast<uint32_t>(objects_.size()), 0, std::move(*view), {}});
    place_module(*out);
    return out;
}

void FileTables::place_module(SiteObject &object) const {
    const loc_index &index = object.view->index();
    const std::vector<ObjectSection> &sections = object.view->file().sections;
    for (uint32_t i = 0; i < index.nr_elf_sections; i++) {
        const char *name = index.elf_sections[i].name;
        PlacedSection placed = {{0, 0, section_place_freed(name, false)}, {}};
        const auto section = std::ranges::find(sections, name, &ObjectSection::name);
        if (section != sections.end())
            placed.place.size = section->size;
        std::ifstream in(paths_.sys_module + "/" + object.name + "/sections/" + name);
        if (!placed.place.freed && in)
            in >> std::hex >> placed.place.address;
        placed.begin.offset = placed.place.address;
        if (std::string_view(name) == ".text")
            object.text = placed.place.address;
        object.sections.push_back(placed);
    }
}

Result<void> FileTables::open_modules() {
    std::vector<std::string> names;
    std::error_code error;
    for (const auto &entry : fs::directory_iterator(fs::path(module_file("")).parent_path(), error))
        if (entry.path().extension() == kSuffix && entry.path().stem() != "vmlinux")
            names.push_back(entry.path().stem());
    std::ranges::sort(names);
    for (const std::string &name : names) {
        auto module = open_module(name);
        if (!module)
            return module.error();
        if (*module)
            objects_.push_back(*module);
    }
    return {};
}

}  // namespace

Result<std::unique_ptr<SiteTables>> open_file_tables(const FileTablesPaths &paths,
                                                     bool same_kernel) {
    auto tables = std::make_unique<FileTables>(paths);
    if (auto opened = tables->open(same_kernel); !opened)
        return opened.error();
    return std::unique_ptr<SiteTables>(std::move(tables));
}

}  // namespace btf_extra
