// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>

#include <elf.h>
#include <fmt/format.h>

#include "userspace/lib/tables/installed_file.h"
#include "userspace/lib/tables/kallsyms.h"
#include "userspace/lib/tables/site_query.h"
#include "userspace/lib/tables/site_tables.h"

namespace btf_extra {
namespace {

namespace fs = std::filesystem;

constexpr char kSuffix[] = ".btf_extra";
constexpr uint32_t kVmlinuxId = 1;

// The build-id in a file of notes, as sysfs has them; empty: there is none.
std::string notes_build_id(const std::string &path) {
    auto notes = read_whole_file(path);
    if (!notes)
        return "";
    std::span<const std::byte> rest(*notes);
    while (rest.size() >= sizeof(Elf64_Nhdr)) {
        Elf64_Nhdr header;
        std::memcpy(&header, rest.data(), sizeof(header));
        auto padded = [](uint64_t size) { return (size + 3) & ~uint64_t{3}; };
        const uint64_t size = sizeof(header) + padded(header.n_namesz) + padded(header.n_descsz);
        if (size > rest.size())
            break;
        if (header.n_type == NT_GNU_BUILD_ID)
            if (auto id = build_id_text(rest.first(size)); !id.empty())
                return id;
        rest = rest.subspan(size);
    }
    return "";
}

struct Place {
    uint64_t address = 0;  // at run time; 0: not known
    bool freed = false;
};

struct Object {
    std::shared_ptr<const TableObject> table;
    std::vector<Place> places;  // by index.elf_sections
};

// The one body of a global symbol's function, in .text.
std::optional<uint32_t> only_body_offset(const loc_index &index, const char *name) {
    loc_range funcs = loc_index_by_name(&index, name);
    if (funcs.end - funcs.first != 1)
        return {};
    std::optional<uint32_t> out;
    for (uint32_t i = 0; i < index.nr_sections; i++) {
        const loc_section &section = index.sections[i];
        if (section.loc_class != LOC_CLASS_BODY)
            continue;
        loc_range sites = loc_index_by_func(&index, i, index.funcs[funcs.first]);
        if (sites.first == sites.end)
            continue;
        if (out || sites.end - sites.first != 1 ||
            std::string_view(index.elf_sections[section.elf].name) != ".text")
            return {};
        out = section.sites[sites.first].offset;
    }
    return out;
}

// Where most of the global symbols say that .text begins.
std::optional<uint64_t> find_text(const loc_index &index, const Kallsyms &symbols) {
    std::map<uint64_t, uint32_t> votes;
    uint32_t total = 0;
    for (const KernelSymbol &symbol : symbols.all()) {
        if (symbol.type != 'T')
            continue;
        if (auto offset = only_body_offset(index, std::string(symbol.name).c_str())) {
            votes[symbol.address - *offset]++;
            total++;
        }
    }
    for (const auto &[base, count] : votes)
        if (count >= 2 && count > total / 2)
            return base;
    return {};
}

class FileTables : public SiteTables {
  public:
    explicit FileTables(FileTablesPaths paths) : paths_(std::move(paths)) {}

    Result<void> open(bool same_kernel);
    Result<std::vector<FoundFunc>> find(const FuncText &text) override;
    bool uses_module() const override { return false; }
    bool foreign() const override { return foreign_; }

  private:
    Result<void> place_vmlinux();
    Result<void> open_modules();
    // Nothing: it is not loaded, or another one is.
    Result<std::optional<Object>> open_module(const std::string &name, uint32_t id);
    void find_in(const Object &object, const FuncText &text, std::vector<FoundFunc> &out) const;
    std::vector<btf_extra_site> sites_of(const Object &object, uint32_t func_id) const;
    std::string module_file(const std::string &name) const {
        return fs::path(paths_.file).parent_path() / (name + kSuffix);
    }

    FileTablesPaths paths_;
    std::optional<Kallsyms> symbols_;
    bool foreign_ = false;
    Object vmlinux_;
    bool modules_opened_ = false;
    std::map<std::string, Object> modules_;  // that are loaded
};

Result<void> FileTables::open(bool same_kernel) {
    auto view = ObjectView::open_with_base(paths_.file, paths_.base_btf);
    if (!view)
        return view.error();
    const std::string notes = paths_.sys_kernel + "/notes";
    const std::string running = notes_build_id(notes);
    const std::string mine = (*view)->build_id();
    foreign_ = mine.empty() || mine != running;
    if (foreign_ && same_kernel)
        return Error{fmt::format("{}: {}: made for another kernel: build-id {}, but {} has {}",
                                 paths_.file, kBuildIdSection, mine.empty() ? "none" : mine, notes,
                                 running.empty() ? "none" : running),
                     ESTALE};
    TableObject table = {"vmlinux", kVmlinuxId, 0, std::move(*view)};
    vmlinux_.places.resize(table.view->index().nr_elf_sections);
    vmlinux_.table = std::make_shared<TableObject>(table);
    return foreign_ ? Result<void>() : place_vmlinux();
}

Result<void> FileTables::place_vmlinux() {
    auto symbols = Kallsyms::load(paths_.kallsyms);
    if (!symbols)
        return symbols.error();
    symbols_ = std::move(*symbols);
    if (symbols_->hidden())
        return {};
    const ObjectView &view = *vmlinux_.table->view;
    const loc_index &index = view.index();
    auto find_section = [&](std::string_view name) {
        return std::ranges::find(view.file().sections, name, &ObjectSection::name);
    };
    auto linked_text = find_section(".text");
    if (linked_text == view.file().sections.end())
        return Error{
            fmt::format("{}: ELF header: no section .text: made by an older version", paths_.file),
            EINVAL};
    auto text = find_text(index, *symbols_);
    if (!text)
        return Error{fmt::format("{}: the symbols in {} do not agree on where .text is",
                                 paths_.file, paths_.kallsyms),
                     EINVAL};
    TableObject table = *vmlinux_.table;
    table.text = *text;
    vmlinux_.table = std::make_shared<TableObject>(table);
    const uint64_t slide = *text - linked_text->address;
    for (uint32_t i = 0; i < index.nr_elf_sections; i++) {
        auto section = find_section(index.elf_sections[i].name);
        if (section != view.file().sections.end())
            vmlinux_.places[i] = {section->address + slide, freed_after_boot(true, section->name)};
    }
    return {};
}

Result<std::optional<Object>> FileTables::open_module(const std::string &name, uint32_t id) {
    const std::string folder = paths_.sys_module + "/" + name;
    const std::string loaded = notes_build_id(folder + "/notes/.note.gnu.build-id");
    if (loaded.empty())
        return std::optional<Object>();
    auto file = read_extra_file(module_file(name));
    if (!file)
        return file.error();
    if (build_id_text(file->build_id_note) != loaded)
        return std::optional<Object>();
    auto lowest = open_base_btf(paths_.base_btf);
    if (!lowest)
        return lowest.error();
    BaseStack base(std::move(*lowest));
    // One that was built out of tree stands on vmlinux's BTF alone.
    const std::string own = paths_.sys_kernel + "/btf/" + name;
    if (file->base.size() > 1)
        if (auto added = base.add_file(own); !added)
            return added.error();
    auto view = ObjectView::open_content(module_file(name), std::move(*file), std::move(base));
    if (!view)
        return view.error();

    Object out;
    TableObject table = {name, id, 0, std::move(*view)};
    const loc_index &index = table.view->index();
    for (uint32_t i = 0; i < index.nr_elf_sections; i++) {
        const std::string section = index.elf_sections[i].name;
        Place place = {0, section.starts_with(".init.")};
        std::ifstream in(folder + "/sections/" + section);
        if (!place.freed && in)
            in >> std::hex >> place.address;
        if (section == ".text")
            table.text = place.address;
        out.places.push_back(place);
    }
    out.table = std::make_shared<TableObject>(table);
    return std::optional(std::move(out));
}

Result<void> FileTables::open_modules() {
    if (modules_opened_ || foreign_)
        return {};
    std::vector<std::string> names;
    std::error_code error;
    for (const auto &entry : fs::directory_iterator(fs::path(module_file("")).parent_path(), error))
        if (entry.path().extension() == kSuffix && entry.path().stem() != "vmlinux")
            names.push_back(entry.path().stem());
    std::ranges::sort(names);
    uint32_t id = kVmlinuxId;
    std::map<std::string, Object> modules;
    for (const std::string &name : names) {
        auto module = open_module(name, ++id);
        if (!module)
            return module.error();
        if (*module)
            modules[name] = std::move(**module);
    }
    modules_ = std::move(modules);
    modules_opened_ = true;
    return {};
}

std::vector<btf_extra_site> FileTables::sites_of(const Object &object, uint32_t func_id) const {
    const loc_index &index = object.table->view->index();
    std::vector<btf_extra_site> out;
    for (uint32_t i = 0; i < index.nr_sections; i++) {
        const loc_section &section = index.sections[i];
        const Place &place = object.places[section.elf];
        loc_range range = loc_index_by_func(&index, i, func_id);
        for (uint32_t j = range.first; j < range.end; j++) {
            const loc_site &record = section.sites[j];
            btf_extra_site site = {};
            site.address = place.address != 0 ? place.address + record.offset : 0;
            site.object = object.table->id;
            site.func_id = func_id;
            site.loc_proto = record.loc_proto;
            site.number = section.first_site + j;
            site.site_class = section.loc_class;
            site.flags = object.table->view->site_marks(site.number) |
                         (place.freed ? BTF_EXTRA_SITE_FREED : 0);
            out.push_back(site);
        }
    }
    std::ranges::sort(out, {}, &btf_extra_site::number);
    return out;
}

void FileTables::find_in(const Object &object, const FuncText &text,
                         std::vector<FoundFunc> &out) const {
    const ObjectView &view = *object.table->view;
    auto add = [&](uint32_t func_id, const std::string *symbol) {
        std::vector<btf_extra_site> sites = sites_of(object, func_id);
        if (symbol != nullptr)
            std::erase_if(sites, [&](const btf_extra_site &site) {
                // A body with a function of that very name has been found.
                const auto named = view.true_signatures(site.number);
                return std::ranges::any_of(
                           named, [&](uint32_t func) { return view.func_name(func) == *symbol; }) ||
                       site.site_class != BTF_EXTRA_CLASS_BODY || site.address == 0 || !symbols_ ||
                       std::ranges::none_of(symbols_->at(site.address),
                                            [&](auto &at) { return at.name == *symbol; });
            });
        if (!sites.empty())
            out.push_back({object.table, func_id, std::move(sites), symbol == nullptr});
    };
    auto add_named = [&](const std::string &name, const std::string *symbol) {
        loc_range range = loc_index_by_name(&view.index(), name.c_str());
        for (uint32_t i = range.first; i < range.end; i++) {
            const uint32_t id = view.index().funcs[i];
            auto file = view.func_file(id);
            if (text.file.empty() || (file && file_matches(*file, text.file)))
                add(id, symbol);
        }
    };
    if (text.id) {
        add(*text.id, nullptr);
        return;
    }
    add_named(text.name, nullptr);
    const size_t source_length = func_suffix_strip(text.name.c_str());
    if (source_length < text.name.size())
        add_named(text.name.substr(0, source_length), &text.name);
}

Result<std::vector<FoundFunc>> FileTables::find(const FuncText &text) {
    std::vector<FoundFunc> out;
    if (text.object.empty() || text.object == "vmlinux")
        find_in(vmlinux_, text, out);
    if (text.object == "vmlinux" || (text.object.empty() && text.id))
        return out;
    if (auto opened = open_modules(); !opened)
        return opened.error();
    if (!text.object.empty() && !modules_.contains(text.object))
        return Error{fmt::format("{}: {}", module_file(text.object),
                                 fs::exists(module_file(text.object))
                                     ? "made for another module than the one that is loaded, or "
                                       "none is"
                                     : "no such file"),
                     ENOENT};
    for (const auto &[name, module] : modules_)
        if (text.object.empty() || text.object == name)
            find_in(module, text, out);
    return out;
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
