// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/generator/dwarf/debug_file.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <gelf.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "userspace/format/core_api.h"
#include "userspace/format/machine_name.h"
#include "userspace/generator/dwarf/alternate_file.h"

namespace btf_extra::generator {

namespace {

struct DwarfEnd {
    void operator()(Dwarf *dwarf) const { dwarf_end(dwarf); }
};

struct DwflEnd {
    void operator()(Dwfl *dwfl) const { dwfl_end(dwfl); }
};

class LibdwFrameTable final : public FrameTable {
  public:
    // Takes .debug_frame of debug_elf. If that has none it takes .eh_frame of elf, since a separate
    // debug file lacks the bytes of all that is loaded.
    LibdwFrameTable(Elf *debug_elf, Elf *elf)
        : dwarf_(dwarf_begin_elf(debug_elf, DWARF_C_READ, nullptr)) {
        if (dwarf_)
            cfi_ = dwarf_getcfi(dwarf_.get());
        if (!cfi_)
            cfi_ = eh_frame_ = dwarf_getcfi_elf(elf);
    }
    ~LibdwFrameTable() override {
        if (eh_frame_)
            dwarf_cfi_end(eh_frame_);
    }
    LibdwFrameTable(const LibdwFrameTable &) = delete;
    LibdwFrameTable &operator=(const LibdwFrameTable &) = delete;

    std::optional<RegisterOffset> cfa(uint64_t address) override {
        if (address != last_address_ || !asked_) {
            last_ = look_up(address);
            last_address_ = address;
            asked_ = true;
        }
        return last_;
    }

  private:
    std::optional<RegisterOffset> look_up(uint64_t address) {
        Dwarf_Frame *frame = nullptr;
        if (!cfi_ || dwarf_cfi_addrframe(cfi_, address, &frame) != 0)
            return std::nullopt;
        const std::unique_ptr<Dwarf_Frame, decltype(&free)> owner(frame, &free);
        Dwarf_Op *ops = nullptr;
        size_t count = 0;
        if (dwarf_frame_cfa(frame, &ops, &count) != 0 || count != 1)
            return std::nullopt;
        if (ops[0].atom == DW_OP_bregx)
            return RegisterOffset{static_cast<uint32_t>(ops[0].number),
                                  static_cast<int64_t>(ops[0].number2)};
        if (ops[0].atom >= DW_OP_breg0 && ops[0].atom <= DW_OP_breg0 + 31)
            return RegisterOffset{static_cast<uint32_t>(ops[0].atom - DW_OP_breg0),
                                  static_cast<int64_t>(ops[0].number)};
        return std::nullopt;
    }

    std::unique_ptr<Dwarf, DwarfEnd> dwarf_;
    Dwarf_CFI *cfi_ = nullptr;       // dwarf_ owns it, or it is eh_frame_
    Dwarf_CFI *eh_frame_ = nullptr;  // owned
    uint64_t last_address_ = 0;
    bool asked_ = false;
    std::optional<RegisterOffset> last_;
};

// Returns where a debug package of Debian may have the debug file of a module. It has it under the
// module's own name: that of ROOT/lib/modules/R/x.ko is ROOT/usr/lib/debug/lib/modules/R/x.ko.
std::vector<std::string> debian_debug_paths(const std::string &path) {
    std::error_code ignored;
    const std::string whole = std::filesystem::weakly_canonical(path, ignored).string();
    const size_t at = whole.rfind("/lib/modules/");
    std::vector<std::string> paths;
    if (at == whole.npos)
        return paths;
    std::string root = whole.substr(0, at);
    std::string file = whole.substr(at);
    if (root.ends_with("/usr"))
        root.resize(root.size() - 4);
    for (const std::string_view suffix : {".xz", ".gz", ".zst"})
        if (file.ends_with(suffix))
            file.resize(file.size() - suffix.size());
    for (const char *under : {"/usr/lib/debug", "/usr/lib/debug/usr"})
        for (const char *suffix : {"", ".debug", ".xz"})
            paths.push_back(root + under + file + suffix);
    return paths;
}

// Returns a descriptor of libdwfl's own for the file of an image: the bytes that zstd had
// compressed are plain in it. Both have one position, and libdwfl decompresses gzip from there.
int own_descriptor(const ElfImage &elf) {
    const int fd = fcntl(elf.fd(), F_DUPFD_CLOEXEC, 0);
    if (fd >= 0)
        lseek(fd, 0, SEEK_SET);
    return fd;
}

int find_debug_file_of(Dwfl_Module *module, void **user_data, const char *name, Dwarf_Addr base,
                       const char *file_name, const char *link, GElf_Word crc, char **found_name) {
    // libdwfl opens the file of dwfl_standard_find_debuginfo() before this returns. It cannot be
    // given another descriptor then, but the next time that it asks.
    auto &plain = *static_cast<std::optional<ElfImage> *>(*user_data);
    if (plain) {
        *found_name = strdup(plain->path().c_str());
        return own_descriptor(*plain);
    }
    const int standard = dwfl_standard_find_debuginfo(module, user_data, name, base, file_name,
                                                      link, crc, found_name);
    if (standard >= 0) {
        if (auto elf = ElfImage::open(*found_name); elf && elf->zstd())
            plain = std::move(*elf);
        return standard;
    }
    const unsigned char *id = nullptr;
    GElf_Addr id_address = 0;
    const int id_size = dwfl_module_build_id(module, &id, &id_address);
    if (!file_name || id_size <= 0)
        return -1;
    for (const std::string &path : debian_debug_paths(file_name)) {
        const auto elf = ElfImage::open(path);
        if (!elf || build_id_text(elf->build_id_note()) !=
                        fmt::format("{:02x}", fmt::join(id, id + id_size, "")))
            continue;
        const int fd = own_descriptor(*elf);
        *found_name = fd < 0 ? nullptr : strdup(path.c_str());
        return fd;
    }
    return -1;
}

// Debug files are looked for beside the file and in the standard folders, and never downloaded.
const Dwfl_Callbacks kOffline = {
    .find_elf = dwfl_build_id_find_elf,
    .find_debuginfo = find_debug_file_of,
    .section_address = dwfl_offline_section_address,
    .debuginfo_path = nullptr,
};

// Returns true if the bytes are those of a file that is mapped: libelf may have read them instead.
bool is_mapped_file(Bytes bytes) {
    std::ifstream maps("/proc/self/maps");
    const auto first = reinterpret_cast<uintptr_t>(bytes.data());
    for (std::string line; std::getline(maps, line);) {
        uint64_t begin = 0, end = 0, inode = 0;
        if (std::sscanf(line.c_str(), "%lx-%lx %*s %*s %*s %lu", &begin, &end, &inode) == 3 &&
            first >= begin && first < end)
            return inode != 0 && bytes.size() <= end - first;
    }
    return false;
}

class ElfDebugFile final : public DebugFile {
  public:
    explicit ElfDebugFile(ElfImage elf) : DebugFile(std::move(elf)) {}

    Result<void> load();
    std::unique_ptr<FrameTable> frame_table() override {
        return std::make_unique<LibdwFrameTable>(debug_elf_, loaded_elf_);
    }
    void release(uint64_t begin, uint64_t end) const override;

  private:
    Result<void> find_debug_file();
    Result<void> open_debug_file(std::optional<ElfImage> &plain);
    Result<void> take_layout(Dwfl_Module *module);
    Result<void> read_sections();
    void take_code();
    std::optional<uint64_t> target_of(const GElf_Rela &relocation) const;

    std::unique_ptr<Dwfl, DwflEnd> dwfl_;
    Elf *debug_elf_ = nullptr;  // dwfl_ owns it
    std::string debug_path_;
    std::optional<ElfImage> alternate_elf_;
    DebugSections alternate_;
    Elf *loaded_elf_ = nullptr;  // dwfl_ owns it if it was relocated, else elf_
    bool info_is_file_ = false;  // memory of .debug_info can be filled from the file again
};

Result<void> ElfDebugFile::find_debug_file() {
    std::optional<ElfImage> plain;
    Result<void> found = open_debug_file(plain);
    return plain ? open_debug_file(plain) : found;
}

// plain: a separate debug file that libdwfl cannot decompress by itself. It is set if one is found.
Result<void> ElfDebugFile::open_debug_file(std::optional<ElfImage> &plain) {
    const auto failed = [&] {
        return Error{elf_.error(".debug_info", dwfl_errmsg(-1)).message, ENODATA};
    };
    dwfl_.reset(dwfl_begin(&kOffline));
    if (!dwfl_)
        return failed();
    dwfl_report_begin(dwfl_.get());
    const char *path = elf_.path().c_str();
    const int fd = own_descriptor(elf_);
    Dwfl_Module *module = dwfl_report_offline(dwfl_.get(), path, path, fd);
    if (!module) {
        close(fd);
        return failed();
    }
    dwfl_report_end(dwfl_.get(), nullptr, nullptr);
    void **user_data = nullptr;
    dwfl_module_info(module, &user_data, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr);
    *user_data = &plain;
    Dwarf_Addr bias = 0;
    Dwarf *dwarf = dwfl_module_getdwarf(module, &bias);
    *user_data = nullptr;
    if (!dwarf)
        return failed();
    debug_elf_ = dwarf_getelf(dwarf);
    const char *debug_path = nullptr;
    dwfl_module_info(module, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, &debug_path);
    debug_path_ = debug_path ? debug_path : elf_.path();
    loaded_elf_ = elf_.handle();
    return elf_.relocatable() ? take_layout(module) : Result<void>();
}

// Every section of a relocatable file begins at 0. libdwfl puts each at an address of its own and
// relocates the debug sections to these addresses.
Result<void> ElfDebugFile::take_layout(Dwfl_Module *module) {
    Dwarf_Addr bias = 0;
    loaded_elf_ = dwfl_module_getelf(module, &bias);
    if (!loaded_elf_)
        return elf_.error("relocations", dwfl_errmsg(-1));
    for (ElfSection &section : sections_) {
        GElf_Shdr header;
        if (!gelf_getshdr(elf_getscn(loaded_elf_, section.index), &header))
            return elf_.error(section.name, elf_errmsg(-1));
        section.address = header.sh_addr + bias;
    }
    return {};
}

Bytes bytes_of(Elf_Scn *section) {
    const Elf_Data *data = elf_rawdata(section, nullptr);
    if (!data || !data->d_buf)
        return {};
    return {static_cast<const uint8_t *>(data->d_buf), data->d_size};
}

// Returns true if a section is still compressed: one that libdw (elfutils 0.188) has decompressed
// keeps its name .zdebug_*.
bool is_gnu_compressed(Elf_Scn *section) {
    constexpr std::string_view kMagic = "ZLIB";
    const Bytes bytes = bytes_of(section);
    return bytes.size() >= kMagic.size() && std::equal(kMagic.begin(), kMagic.end(), bytes.begin());
}

// The sections of one file with debug information, and the link to its alternate file.
struct ReadSections {
    DebugSections dwarf;
    std::optional<AlternateLink> link;
};

// Messages call the file path.
Result<ReadSections> read_debug_sections(Elf *elf, const std::string &path) {
    const struct {
        const char *name;
        Bytes DebugSections::*bytes;
    } wanted[] = {
        {"info", &DebugSections::info},         {"abbrev", &DebugSections::abbrev},
        {"str", &DebugSections::str},           {"line", &DebugSections::line},
        {"line_str", &DebugSections::line_str}, {"str_offsets", &DebugSections::str_offsets},
        {"addr", &DebugSections::addr},         {"loc", &DebugSections::loc},
        {"loclists", &DebugSections::loclists}, {"ranges", &DebugSections::ranges},
        {"rnglists", &DebugSections::rnglists},
    };
    const auto error = [&](std::string_view where, std::string_view reason) {
        return Error{fmt::format("{}: {}: {}", path, where, reason)};
    };
    ReadSections read;
    size_t names = 0;
    if (elf_getshdrstrndx(elf, &names) != 0)
        return error("section headers", elf_errmsg(-1));
    Elf_Scn *section = nullptr;
    while ((section = elf_nextscn(elf, section))) {
        GElf_Shdr header;
        const char *full_name =
            gelf_getshdr(section, &header) ? elf_strptr(elf, names, header.sh_name) : nullptr;
        if (!full_name)
            continue;
        const std::string_view name = full_name;
        const bool old_compression = name.starts_with(".zdebug_");
        if (!name.starts_with(".debug_") && !old_compression && name != ".gnu_debugaltlink")
            continue;
        if (name.ends_with("debug_types"))
            return error(name, "types in units of their own (-fdebug-types-section), which is not "
                               "supported");
        const bool is_link = name == ".gnu_debugaltlink" || name == ".debug_sup";
        const auto *entry =
            std::find_if(std::begin(wanted), std::end(wanted), [&](const auto &known) {
                return !is_link && name.substr(old_compression ? 8 : 7) == known.name;
            });
        if (entry == std::end(wanted) && !is_link)
            continue;
        const bool compressed = (header.sh_flags & SHF_COMPRESSED) != 0;
        if ((compressed && elf_compress(section, 0, 0) < 0) ||
            (old_compression && is_gnu_compressed(section) && elf_compress_gnu(section, 0, 0) < 0))
            return error(name, fmt::format("cannot be decompressed: {}", elf_errmsg(-1)));
        const Bytes bytes = bytes_of(section);
        if (bytes.empty() && header.sh_size != 0 && header.sh_type != SHT_NOBITS)
            return error(name, elf_errmsg(-1));
        if (!is_link)
            read.dwarf.*entry->bytes = bytes;
        else if (!read.link)
            read.link = alternate_link(name, bytes);
    }
    return read;
}

Result<void> ElfDebugFile::read_sections() {
    ReadSections read = TRY(read_debug_sections(debug_elf_, elf_.path()));
    dwarf_ = read.dwarf;
    if (dwarf_.info.empty() || dwarf_.abbrev.empty())
        return Error{
            elf_.error(".debug_info", "absent, as is a separate debug file: no DWARF to read")
                .message,
            ENODATA};
    if (!read.link)
        return {};
    auto alternate = TRY(open_alternate(debug_path_, *read.link));
    alternate_elf_ = std::move(alternate);
    const auto sections =
        TRY(read_debug_sections(alternate_elf_->handle(), alternate_elf_->path()));
    alternate_ = sections.dwarf;
    dwarf_.alternate = &alternate_;
    return {};
}

std::optional<uint64_t> ElfDebugFile::target_of(const GElf_Rela &relocation) const {
    const uint64_t number = GELF_R_SYM(relocation.r_info);
    if (number >= symbols_.size())
        return std::nullopt;
    const GElf_Sym &symbol = symbols_[number].entry;
    const auto section = std::ranges::find(sections_, symbol.st_shndx, &ElfSection::index);
    if (section == sections_.end())
        return std::nullopt;
    return section->address + symbol.st_value + static_cast<uint64_t>(relocation.r_addend);
}

// Takes code from the file itself, because a separate debug file has none.
void ElfDebugFile::take_code() {
    code_.resize(sections_.size());
    for (size_t s = 0; s < sections_.size(); ++s)
        if (sections_[s].executable())
            if (const auto bytes = elf_.bytes(sections_[s]))
                code_[s] = {reinterpret_cast<const uint8_t *>(bytes->data()), bytes->size()};
    if (!elf_.relocatable())
        return;
    for (const ElfSection &table : elf_.sections()) {
        Elf_Scn *section = elf_getscn(elf_.handle(), table.index);
        GElf_Shdr header;
        if (table.type != SHT_RELA || !gelf_getshdr(section, &header))
            continue;
        const auto changed = std::ranges::find(sections_, header.sh_info, &ElfSection::index);
        Elf_Data *data = elf_getdata(section, nullptr);
        GElf_Rela relocation;
        if (data && changed != sections_.end() && changed->executable())
            for (int i = 0; gelf_getrela(data, i, &relocation); ++i)
                relocations_.push_back(
                    {changed->address + relocation.r_offset, target_of(relocation)});
    }
    if (!std::ranges::is_sorted(relocations_, {}, &Relocation::address))
        std::ranges::stable_sort(relocations_, {}, &Relocation::address);
}

Result<void> ElfDebugFile::load() {
    for (const ElfSection &section : elf_.sections())
        if (section.allocated())
            sections_.push_back(section);
    symbols_ = TRY(elf_symbols(elf_));
    if (Result<void> found = find_debug_file(); !found)
        return found;
    std::stable_sort(
        sections_.begin(), sections_.end(),
        [](const ElfSection &a, const ElfSection &b) { return a.address < b.address; });
    take_code();
    TRY(read_sections());
    // libdwfl has changed the bytes of a relocatable file.
    info_is_file_ = !elf_.relocatable() && is_mapped_file(dwarf_.info);
    return {};
}

void ElfDebugFile::release(uint64_t begin, uint64_t end) const {
    const auto page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
    const auto info = reinterpret_cast<uintptr_t>(dwarf_.info.data());
    const uint64_t first = (info + begin + page - 1) / page * page;
    const uint64_t last = (info + end) / page * page;
    if (info_is_file_ && first < last)
        madvise(reinterpret_cast<void *>(first), last - first, MADV_DONTNEED);
}

}  // namespace

Result<std::unique_ptr<DebugFile>> DebugFile::open(const std::string &path) {
    Result<ElfImage> elf = ElfImage::open(path);
    if (!elf)
        return elf.error();
    if (loc_arch_of(elf->machine()) == nullptr)
        return elf->error("ELF header", machine_name(elf->machine()) + " is not supported");
    auto file = std::make_unique<ElfDebugFile>(std::move(*elf));
    if (Result<void> loaded = file->load(); !loaded)
        return loaded.error();
    return std::unique_ptr<DebugFile>(std::move(file));
}

std::optional<uint32_t> DebugFile::executable_section(uint64_t address) const {
    return btf_extra::executable_section(sections_, address);
}

bool DebugFile::has_code() const {
    for (size_t s = 0; s < sections_.size(); ++s)
        if (sections_[s].executable() && code_[s].size() != sections_[s].size)
            return false;
    return true;
}

bool DebugFile::relocates(uint64_t address, uint64_t size) const {
    const auto next = std::ranges::lower_bound(relocations_, address, {}, &Relocation::address);
    return next != relocations_.end() && next->address - address < size;
}

std::optional<uint64_t> DebugFile::relocation(uint64_t address, uint64_t size) const {
    const auto next = std::ranges::lower_bound(relocations_, address, {}, &Relocation::address);
    return next != relocations_.end() && next->address - address < size ? next->target
                                                                        : std::nullopt;
}

AddressConstant DebugFile::address_constant(uint64_t address) const {
    if (elf_.relocatable())
        return {};
    const auto text = std::find_if(sections_.begin(), sections_.end(),
                                   [](const ElfSection &s) { return s.name == ".text"; });
    if (text == sections_.end())
        return {};
    uint64_t moving_end = 0;
    bool is_memory = false;
    for (const ElfSection &section : sections_) {
        const uint64_t end = section.address + section.size;
        if (address >= section.address && address < end)
            is_memory =
                !section.name.starts_with(".data..percpu") && !section.name.starts_with(".init");
        // Per-CPU data that is linked at 0 (x86-64 before 6.15) has offsets for addresses: they are
        // the same wherever the kernel is.
        if (section.name == ".data..percpu" && section.address == 0) {
            if (address <= end)
                return {.kind = AddressConstant::kFixed, .value = address};
            continue;
        }
        moving_end = std::max(moving_end, end);
    }
    if (address >= text->address && address <= moving_end)
        return {.kind = AddressConstant::kMoves,
                .value = address - text->address,
                .is_memory = is_memory};
    return {};
}

}  // namespace btf_extra::generator
