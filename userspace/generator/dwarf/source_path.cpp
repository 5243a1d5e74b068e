// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/generator/dwarf/source_path.h"

#include <algorithm>

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

// Returns the length of the "../" that a normalised path begins with. A kernel that is built in a
// folder of its sources, as with O=build, names them so.
size_t parents_length(std::string_view path) {
    size_t length = 0;
    while (path.substr(length).starts_with("../"))
        length += 3;
    return length;
}

}  // namespace

void SourceTree::add_common(const std::string &folder) {
    if (!seen_) {
        common_ = folder;
        seen_ = true;
        return;
    }
    // The common part ends at a whole component of the path.
    const auto length = static_cast<size_t>(
        std::mismatch(common_.begin(), common_.end(), folder.begin(), folder.end()).first -
        common_.begin());
    const bool whole = (length == common_.size() || common_[length] == '/') &&
                       (length == folder.size() || folder[length] == '/');
    if (whole)
        common_.resize(length);
    else
        common_.resize(std::min(common_.rfind('/', length ? length - 1 : 0), common_.size()));
}

void SourceTree::add_unit(std::string_view name, std::string_view comp_dir) {
    constexpr std::string_view kMain = "/init/main.c";
    if (name.starts_with('/')) {
        const std::string path = normalized_path(name);
        if (path.ends_with(kMain))
            kernel_ = path.substr(0, path.size() - kMain.size());
        add_common(path.substr(0, path.rfind('/')));
    }
    if (comp_dir.starts_with('/')) {
        const std::string path = normalized_path(name);
        const size_t parents = parents_length(path);
        if (std::string_view(path).substr(parents) == kMain.substr(1))
            kernel_ = normalized_path(joined(comp_dir, path.substr(0, parents)));
        add_common(normalized_path(comp_dir));
    }
}

std::string SourceTree::relative(std::string_view path) const {
    std::string result = normalized_path(path);
    result.erase(0, parents_length(result));
    const std::string &root = kernel_.empty() ? common_ : kernel_;
    if (root.size() > 1 && result.size() > root.size() && result.starts_with(root) &&
        result[root.size()] == '/')
        result.erase(0, root.size() + 1);
    return result;
}

}  // namespace btf_extra::generator
