// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/generator/dwarf/source_path.h"

#include <algorithm>
#include <optional>
#include <set>

#include "userspace/generator/dwarf/line_program.h"

namespace btf_extra::generator {

namespace {

struct EntryFormat {
    uint64_t content = 0;  // DW_LNCT_*
    uint64_t form = 0;     // DW_FORM_*
};

std::string joined(std::string_view folder, std::string_view name) {
    if (folder.empty() || name.starts_with('/'))
        return std::string(name);
    std::string path(folder);
    path += '/';
    path += name;
    return path;
}

class FileTable {
  public:
    FileTable(const DebugSections &sections, const LineHeader &header)
        : sections_(sections), header_(header),
          reader_(sections.line.first(header.end), header.tables) {}

    std::vector<std::string> files() { return header_.version >= 5 ? version5() : version2(); }

  private:
    std::vector<std::string> version2() {
        std::vector<std::string_view> folders{""};
        for (std::string_view folder = reader_.string(); !folder.empty(); folder = reader_.string())
            folders.push_back(folder);
        std::vector<std::string> files{""};  // numbers begin at 1
        for (std::string_view name = reader_.string(); !name.empty(); name = reader_.string()) {
            const uint64_t folder = reader_.uleb();
            reader_.uleb();  // time
            reader_.uleb();  // size
            files.push_back(joined(folder < folders.size() ? folders[folder] : "", name));
        }
        return files;
    }

    std::vector<std::string> version5() {
        std::vector<std::string_view> folders;
        for (const auto &[name, folder] : table())
            folders.push_back(name);
        std::vector<std::string> files;
        for (const auto &[name, folder] : table())
            // Folder 0 is DW_AT_comp_dir, which is left out.
            files.push_back(
                joined(folder != 0 && folder < folders.size() ? folders[folder] : "", name));
        return files;
    }

    // Reads entries of directories or files: their names and folder numbers.
    std::vector<std::pair<std::string_view, uint64_t>> table() {
        std::vector<EntryFormat> formats(reader_.u8());
        for (EntryFormat &format : formats) {
            format.content = reader_.uleb();
            format.form = reader_.uleb();
        }
        std::vector<std::pair<std::string_view, uint64_t>> entries;
        const uint64_t count = reader_.uleb();
        for (uint64_t i = 0; i < count && !reader_.failed(); ++i) {
            std::pair<std::string_view, uint64_t> entry;
            for (const EntryFormat &format : formats)
                read_field(format, entry);
            if (!reader_.failed())
                entries.push_back(entry);
            if (formats.empty())
                break;
        }
        return entries;
    }

    void read_field(const EntryFormat &format, std::pair<std::string_view, uint64_t> &entry) {
        std::string_view string;
        uint64_t number = 0;
        switch (format.form) {
        case DW_FORM_string:
            string = reader_.string();
            break;
        case DW_FORM_line_strp:
            string = ByteReader(sections_.line_str, reader_.section_offset(header_.offset_size))
                         .string();
            break;
        case DW_FORM_strp:
            string =
                ByteReader(sections_.str, reader_.section_offset(header_.offset_size)).string();
            break;
        case DW_FORM_udata:
            number = reader_.uleb();
            break;
        case DW_FORM_data1:
            number = reader_.u8();
            break;
        case DW_FORM_data2:
            number = reader_.u16();
            break;
        case DW_FORM_data4:
            number = reader_.u32();
            break;
        case DW_FORM_data8:
            number = reader_.u64();
            break;
        case DW_FORM_data16:
            reader_.skip(16);
            break;
        case DW_FORM_block:
            reader_.skip(reader_.uleb());
            break;
        default:
            reader_.skip(UINT64_MAX);
            break;
        }
        if (format.content == DW_LNCT_path)
            entry.first = string;
        else if (format.content == DW_LNCT_directory_index)
            entry.second = number;
    }

    const DebugSections &sections_;
    const LineHeader &header_;
    ByteReader reader_;
};

}  // namespace

std::vector<std::string> file_table(const DebugSections &sections, const Unit &unit) {
    const std::optional<LineHeader> header = read_line_header(sections, unit);
    return header ? FileTable(sections, *header).files() : std::vector<std::string>{};
}

std::string normalized_path(std::string_view path) {
    const bool absolute = path.starts_with('/');
    std::vector<std::string_view> parts;
    for (size_t at = 0; at < path.size();) {
        const size_t slash = std::min(path.find('/', at), path.size());
        const std::string_view part = path.substr(at, slash - at);
        at = slash + 1;
        if (part.empty() || part == ".")
            continue;
        if (part == ".." && !parts.empty() && parts.back() != "..")
            parts.pop_back();
        else if (part != ".." || !absolute)
            parts.push_back(part);
    }
    std::string result = absolute ? "/" : "";
    for (size_t i = 0; i < parts.size(); ++i) {
        if (i != 0)
            result += '/';
        result += parts[i];
    }
    return result;
}

namespace {

// Returns the length of the "../" that a normalised path begins with.
size_t parents_length(std::string_view path) {
    size_t length = 0;
    while (path.substr(length).starts_with("../"))
        length += 3;
    return length;
}

bool is_outside(std::string_view normalized) {
    return normalized.starts_with('/') || normalized.starts_with("../");
}

std::string parent_of(const std::string &normalized) {
    const size_t slash = normalized.rfind('/');
    return slash == std::string::npos ? "" : normalized.substr(0, slash);
}

// Returns what follows a folder in a path inside of it. Both are normalised; the folder "" has all
// relative paths that do not leave it.
std::optional<std::string> rest_below(std::string_view folder, std::string_view path) {
    const std::string_view slash = folder.empty() || folder == "/" ? "" : "/";
    if (path.size() <= folder.size() + slash.size() || !path.starts_with(folder) ||
        !path.substr(folder.size()).starts_with(slash))
        return {};
    path.remove_prefix(folder.size() + slash.size());
    return is_outside(path) ? std::nullopt : std::optional(std::string(path));
}

// Returns the folder that has a file, of which the end of the path is given.
std::optional<std::string> folder_before(std::string_view path, std::string_view end) {
    if (!path.ends_with(end))
        return {};
    path.remove_suffix(end.size());
    if (path.empty() || path == "/")
        return std::string(path);
    return path.ends_with('/') ? std::optional(std::string(path.substr(0, path.size() - 1)))
                               : std::nullopt;
}

// Returns the path to a folder from another. Both are absolute and normalised.
std::string path_from(std::string_view from, std::string_view to) {
    const std::string from_slash = std::string(from) + "/";
    const std::string to_slash = std::string(to) + "/";
    const auto length = std::ranges::mismatch(from_slash, to_slash).in1 - from_slash.begin();
    const size_t common = from_slash.rfind('/', static_cast<size_t>(length) - 1) + 1;
    std::string result;
    for (size_t at = common; (at = from_slash.find('/', at)) != std::string::npos; ++at)
        result += "../";
    result += to_slash.substr(std::min(common, to_slash.size()));
    return normalized_path(result);
}

// Shortens a folder to the part, of whole names, that it has in common with another.
void add_common(std::optional<std::string> &common, const std::string &folder) {
    if (!common) {
        common = folder;
        return;
    }
    const auto length =
        static_cast<size_t>(std::ranges::mismatch(*common, folder).in1 - common->begin());
    const bool whole = (length == common->size() || (*common)[length] == '/') &&
                       (length == folder.size() || folder[length] == '/');
    if (whole)
        common->resize(length);
    else
        common->resize(std::min(common->rfind('/', length ? length - 1 : 0), common->size()));
}

}  // namespace

std::vector<std::string> kernel_trees(const std::vector<std::string> &files) {
    constexpr std::string_view kName = "/int-ll64.h";
    constexpr std::string_view kHeader = "include/uapi/asm-generic/int-ll64.h";
    std::vector<std::string> trees;
    for (const std::string &file : files) {
        if (!file.ends_with(kName))
            continue;
        const std::string path = normalized_path(file);
        if (const auto tree = folder_before(path, kHeader))
            trees.push_back(*tree);
    }
    return trees;
}

SourceTree::SourceTree(std::span<const UnitPaths> units) {
    find_trees(units);
    is_known_ = !folders_.empty();
    if (!is_known_) {
        std::optional<std::string> common;
        for (const UnitPaths &unit : units) {
            if (unit.name.starts_with('/'))
                add_common(common, parent_of(normalized_path(unit.name)));
            if (unit.comp_dir.starts_with('/'))
                add_common(common, normalized_path(unit.comp_dir));
        }
        if (common && common->size() > 1)
            folders_.push_back(*common);
        return;
    }
    find_other_spellings(units);
    find_assembly(units);
    find_module(units);
    find_build_folders(units);
    // The longest first: a folder of the build may be in the tree, or the other way round.
    std::ranges::sort(folders_, [](const std::string &a, const std::string &b) {
        return a.size() != b.size() ? a.size() > b.size() : a < b;
    });
}

void SourceTree::find_trees(std::span<const UnitPaths> units) {
    std::set<std::string> trees;
    for (const UnitPaths &unit : units)
        trees.insert(unit.trees.begin(), unit.trees.end());
    if (trees.empty())
        for (const UnitPaths &unit : units)
            if (const auto tree = folder_before(normalized_path(unit.name), "init/main.c"))
                trees.insert(*tree);
    // A folder in a tree is not a tree, whatever files it has.
    for (const std::string &tree : trees)
        if (std::ranges::none_of(
                trees, [&](const std::string &other) { return bool{rest_below(other, tree)}; }))
            folders_.push_back(tree);
}

// A unit that names the tree in one way says with DW_AT_comp_dir how others may name it.
void SourceTree::find_other_spellings(std::span<const UnitPaths> units) {
    std::set<std::string> comp_dirs;
    for (const UnitPaths &unit : units)
        if (!unit.assembly && unit.comp_dir.starts_with('/'))
            comp_dirs.insert(normalized_path(unit.comp_dir));
    std::set<std::string> trees(folders_.begin(), folders_.end());
    for (const std::string &comp_dir : comp_dirs)
        for (const std::string &tree : folders_)
            trees.insert(tree.starts_with('/') ? path_from(comp_dir, tree)
                                               : normalized_path(joined(comp_dir, tree)));
    folders_.assign(trees.begin(), trees.end());
}

// Units in assembly have absolute names where a prefix is taken from all others, as in
// Debian's 6.1.
void SourceTree::find_assembly(std::span<const UnitPaths> units) {
    std::set<std::string> inside;  // folders of other units
    std::optional<std::string> common;
    std::vector<std::string> outside;  // folders of units in assembly
    for (const UnitPaths &unit : units) {
        const std::string path = normalized_path(unit.name);
        const std::string *folder = folder_of(path);
        if (folder && !unit.assembly)
            inside.insert(parent_of(*rest_below(*folder, path)));
        if (folder || !unit.assembly || !path.starts_with('/'))
            continue;
        outside.push_back(parent_of(path));
        add_common(common, outside.back());
        if (unit.comp_dir.starts_with('/'))
            add_common(common, normalized_path(unit.comp_dir));
    }
    std::set<std::string> trees;
    for (const std::string &folder : outside) {
        for (const std::string &tree : folders_)
            if (const auto tail = "/" + tree + "/";
                !tree.empty() && !tree.starts_with('/') && !tree.starts_with(".."))
                if (const size_t at = (folder + "/").find(tail); at != std::string::npos)
                    trees.insert(folder.substr(0, at + tail.size() - 1));
        // The longest part of the path that is a folder of the tree.
        for (size_t slash = folder.find('/', 1); slash != std::string::npos;
             slash = folder.find('/', slash + 1))
            if (const std::string part = folder.substr(slash + 1);
                part.find('/') != std::string::npos && inside.contains(part)) {
                trees.insert(folder.substr(0, slash));
                break;
            }
    }
    if (trees.empty() && common && common->size() > 1 &&
        std::ranges::find(folders_, "") != folders_.end())
        trees.insert(*common);
    folders_.insert(folders_.end(), trees.begin(), trees.end());
}

void SourceTree::find_module(std::span<const UnitPaths> units) {
    std::optional<std::string> common;
    for (const UnitPaths &unit : units) {
        const std::string path = normalized_path(unit.name);
        if (unit.assembly || path.empty())
            continue;
        if (folder_of(path) || !is_outside(path))
            return;
        add_common(common, parent_of(path));
    }
    if (common && common->size() > 1)
        folders_.push_back(*common);
}

void SourceTree::find_build_folders(std::span<const UnitPaths> units) {
    std::set<std::string> absolute;
    std::set<std::string> mapped;  // by -fdebug-prefix-map
    bool names_begin_here = true;
    for (const UnitPaths &unit : units) {
        const std::string path = normalized_path(unit.comp_dir);
        if (path.size() > 1)
            (path.starts_with('/') ? absolute : mapped).insert(path);
        names_begin_here &= unit.assembly || !is_outside(normalized_path(unit.name));
    }
    const std::string *tree = absolute.size() == 1 ? folder_of(*absolute.begin()) : nullptr;
    if (tree && names_begin_here && std::ranges::find(folders_, "") == folders_.end()) {
        working_folder_ = *rest_below(*tree, *absolute.begin()) + "/";
        return;
    }
    for (const auto &set : {absolute, mapped})
        if (set.size() == 1)
            folders_.push_back(*set.begin());
}

const std::string *SourceTree::folder_of(std::string_view normalized) const {
    const auto found = std::ranges::find_if(
        folders_, [&](const std::string &folder) { return bool{rest_below(folder, normalized)}; });
    return found != folders_.end() ? &*found : nullptr;
}

std::string SourceTree::relative(std::string_view path) const {
    std::string result = normalized_path(path);
    if (!is_known_)
        result.erase(0, parents_length(result));
    if (const std::string *folder = folder_of(result))
        return *rest_below(*folder, result);
    return is_outside(result) || result.empty() ? result : working_folder_ + result;
}

}  // namespace btf_extra::generator
