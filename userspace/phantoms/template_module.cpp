// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/phantoms/template_module.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>

#include <elf.h>
#include <fmt/format.h>
#include <gelf.h>

#include "userspace/format/btf_image.h"
#include "userspace/format/extra_file.h"
#include "userspace/format/module_name.h"
#include "userspace/generator/write/section_writer.h"
#include "userspace/phantoms/module_signature.h"

namespace btf_extra::phantoms {
namespace {

// The list of ftrace's functions: GCC has two ways to make it. The first one that exists counts: on
// x86-64 the other one is of the padding before each function (CONFIG_CALL_PADDING, Linux 6.2).
constexpr const char *kCallLists[] = {"__mcount_loc", "__patchable_function_entries"};
constexpr char kInfo[] = ".modinfo";
constexpr char kThisModule[] = ".gnu.linkonce.this_module";
constexpr std::string_view kName("inlined\0", 8);
// A kernel build may add these to the template, as to each module. They do not describe the stubs.
constexpr const char *kHidden[] = {".BTF.base", kFuncInfoSection, ".btf_extra"};

template <class Item> std::vector<Item> items(std::span<const std::byte> bytes) {
    std::vector<Item> out(bytes.size() / sizeof(Item));
    std::memcpy(out.data(), bytes.data(), out.size() * sizeof(Item));
    return out;
}

template <class Item> std::vector<std::byte> bytes_of(const std::vector<Item> &items) {
    const auto span = std::as_bytes(std::span(items));
    return {span.begin(), span.end()};
}

std::string_view text_of(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
}

// The strings of .modinfo, "key=value".
std::vector<std::string> info_of(std::span<const std::byte> bytes) {
    std::vector<std::string> out;
    std::string_view rest = text_of(bytes);
    while (!rest.empty()) {
        const std::string_view each = rest.substr(0, rest.find('\0'));
        if (!each.empty())
            out.emplace_back(each);
        rest.remove_prefix(std::min(rest.size(), each.size() + 1));
    }
    return out;
}

std::string info_value(const std::vector<std::string> &info, std::string_view key) {
    for (const std::string &each : info)
        if (each.starts_with(key))
            return each.substr(key.size());
    return "";
}

// The number of inlined_stub_N.
std::optional<size_t> stub_number(std::string_view name) {
    constexpr std::string_view kPrefix(PHANTOM_STUB_PREFIX);
    size_t number = 0;
    if (!name.starts_with(kPrefix))
        return std::nullopt;
    const auto [end, error] =
        std::from_chars(name.data() + kPrefix.size(), name.data() + name.size(), number);
    if (error != std::errc{} || end != name.data() + name.size())
        return std::nullopt;
    return number;
}

}  // namespace

Error TemplateModule::error(std::string_view where, std::string_view reason) const {
    return Error{fmt::format("{}: {}: {}", path_, where, reason)};
}

Result<std::string> TemplateModule::find(const std::string &folder) {
    std::string found = find_module_file(folder, "inlined");
    if (found.empty())
        return Error{
            fmt::format("{}: no inlined.ko: it is built with btf_extra.ko; --template KO names "
                        "one elsewhere",
                        folder)};
    return found;
}

Result<TemplateModule> TemplateModule::open(const std::string &path, const std::string &release) {
    const auto file = TRY(ElfImage::open(path));
    size_t size = 0;
    const auto *raw = reinterpret_cast<const std::byte *>(elf_rawfile(file.handle(), &size));
    TemplateModule out;
    out.path_ = path;
    if (raw == nullptr)
        return out.error("open", elf_errmsg(-1));
    const std::span<const std::byte> bare = without_signature({raw, size});
    out.bytes_.assign(bare.begin(), bare.end());
    const auto image = TRY(ElfImage::from_bytes(path, out.bytes_));
    TRY(out.check(image, release));
    return out;
}

Result<void> TemplateModule::check(const ElfImage &image, const std::string &release) {
    if (!image.relocatable())
        return error("ELF header", "not a relocatable file, as kernel modules are");
    // The calling convention that functions are chosen by is that of this machine.
    if (const loc_arch *arch = loc_arch_running();
        arch == nullptr || arch->machine != image.machine())
        return error("ELF header", "of another architecture");
    const auto read = [&](const char *name, std::vector<std::byte> &into) -> Result<void> {
        const ElfSection *section = image.find(name);
        if (section == nullptr)
            return error(name, "missing: it is not a template of btf_extra");
        const auto bytes = TRY(image.bytes(*section));
        into.assign(bytes.begin(), bytes.end());
        return {};
    };
    TRY(read(kInfo, info_));
    TRY(read(kThisModule, module_));
    const auto *list = std::ranges::find_if(
        kCallLists, [&](const char *name) { return image.find(name) != nullptr; });
    call_list_name_ = list == std::end(kCallLists) ? kCallLists[0] : *list;
    relocations_name_ = ".rela" + call_list_name_;
    TRY(read(call_list_name_.c_str(), call_list_));
    TRY(read(relocations_name_.c_str(), relocations_));
    std::vector<std::byte> table;
    TRY(read(PHANTOM_SECTION, table));

    const auto info = info_of(info_);
    const std::string made_for = info_value(info, "vermagic=");
    if (!release.empty() && made_for.substr(0, made_for.find(' ')) != release)
        return error(kInfo,
                     fmt::format("built for another kernel: '{}', not {}", made_for, release));
    if (info_value(info, "name=") != "inlined")
        return error(kInfo, "the name of the module is not 'inlined'");
    name_at_ = text_of(module_).find(kName);
    if (name_at_ == std::string_view::npos ||
        text_of(module_).find(kName, name_at_ + 1) != std::string_view::npos)
        return error(kThisModule, "does not contain the name 'inlined' exactly once");
    const auto header = items<phantom_table>(table);
    if (table.size() != sizeof(phantom_table) || header[0].magic != PHANTOM_MAGIC ||
        header[0].version != PHANTOM_VERSION || header[0].size != 0)
        return error(PHANTOM_SECTION, "no empty table of this version");
    TRY(check_stubs(image));
    return check_call_list(image);
}

Result<void> TemplateModule::check_stubs(const ElfImage &image) {
    const ElfSection *table = nullptr;
    for (const ElfSection &section : image.sections())
        if (section.type == SHT_SYMTAB)
            table = &section;
    if (table == nullptr)
        return error(".symtab", "not there");
    GElf_Shdr header;
    if (gelf_getshdr(elf_getscn(image.handle(), table->index), &header) == nullptr ||
        header.sh_link == 0 || header.sh_link > image.sections().size())
        return error(table->name, "has no strings");
    const ElfSection &strings = image.sections()[header.sh_link - 1];
    const auto symbol_bytes = TRY(image.bytes(*table));
    const auto string_bytes = TRY(image.bytes(strings));
    if (string_bytes.empty() || string_bytes.back() != std::byte{0} ||
        symbol_bytes.size() % sizeof(Elf64_Sym) != 0)
        return error(table->name, "is cut");
    symbols_.assign(symbol_bytes.begin(), symbol_bytes.end());
    strings_.assign(string_bytes.begin(), string_bytes.end());
    symbols_name_ = table->name;
    strings_name_ = strings.name;

    const auto symbols = items<Elf64_Sym>(symbols_);
    const auto wrong = [&] {
        return error(symbols_name_, fmt::format("its stubs are not {} local functions, {} bytes "
                                                "apart in one section",
                                                PHANTOM_STUBS, PHANTOM_STUB_SIZE));
    };
    stubs_.assign(PHANTOM_STUBS, 0);
    for (size_t i = 0; i < symbols.size(); i++) {
        if (symbols[i].st_name >= strings_.size())
            return error(symbols_name_, "a name is outside the strings");
        const auto number = stub_number(text_of(strings_).data() + symbols[i].st_name);
        if (!number)
            continue;
        if (*number >= PHANTOM_STUBS || stubs_[*number] != 0 ||
            ELF64_ST_TYPE(symbols[i].st_info) != STT_FUNC ||
            ELF64_ST_BIND(symbols[i].st_info) != STB_LOCAL)
            return wrong();
        stubs_[*number] = i;
    }
    const Elf64_Sym &first = symbols[stubs_[0]];
    text_ = first.st_shndx;
    for (size_t i = 0; i < PHANTOM_STUBS; i++)
        if (stubs_[i] == 0 || symbols[stubs_[i]].st_shndx != text_ ||
            symbols[stubs_[i]].st_value != first.st_value + i * PHANTOM_STUB_SIZE)
            return wrong();
    if (text_ == 0 || text_ > image.sections().size() || !image.sections()[text_ - 1].executable())
        return wrong();
    return {};
}

Result<void> TemplateModule::check_call_list(const ElfImage &image) {
    const auto wrong = [&](std::string_view reason) { return error(relocations_name_, reason); };
    const auto symbols = items<Elf64_Sym>(symbols_);
    const auto relocations = items<Elf64_Rela>(relocations_);
    const ElfSection *section = image.find(relocations_name_);
    if (call_list_.size() != PHANTOM_STUBS * sizeof(uint64_t) || section->type != SHT_RELA ||
        relocations_.size() != PHANTOM_STUBS * sizeof(Elf64_Rela))
        return wrong(fmt::format("does not have one entry for each of {} stubs", PHANTOM_STUBS));
    int64_t distance = 0;  // from a stub to its call, which may be before it
    for (size_t i = 0; i < PHANTOM_STUBS; i++) {
        const Elf64_Rela &each = relocations[i];
        const size_t symbol = ELF64_R_SYM(each.r_info);
        if (each.r_offset != i * sizeof(uint64_t) || symbol >= symbols.size() ||
            symbols[symbol].st_shndx != text_ ||
            ELF64_R_TYPE(each.r_info) != ELF64_R_TYPE(relocations[0].r_info))
            return wrong(fmt::format("entry {} is not that of stub {}", i, i));
        const auto from_stub =
            static_cast<int64_t>(symbols[symbol].st_value + static_cast<uint64_t>(each.r_addend) -
                                 symbols[stubs_[i]].st_value);
        if (i == 0)
            distance = from_stub;
        if (from_stub != distance || std::abs(distance) >= PHANTOM_STUB_SIZE)
            return wrong(fmt::format("entry {} is not that of stub {}", i, i));
    }
    return {};
}

Result<std::vector<std::byte>> TemplateModule::with_stubs(const std::string &name,
                                                          std::span<const Phantom> phantoms) const {
    auto symbols = items<Elf64_Sym>(symbols_);
    std::vector<std::byte> strings = strings_;
    const auto string = [&](const std::string &text) {
        const auto at = static_cast<uint32_t>(strings.size());
        const auto *bytes = reinterpret_cast<const std::byte *>(text.c_str());
        strings.insert(strings.end(), bytes, bytes + text.size() + 1);
        return at;
    };
    for (size_t i = 0; i < stubs_.size(); i++)
        symbols[stubs_[i]].st_name = i < phantoms.size() ? string(phantoms[i].stub.name) : 0;

    std::string info;
    for (const std::string &each : info_of(info_))
        info += (each.starts_with("name=") ? "name=" + name : each) + '\0';
    std::vector<std::byte> module = module_;
    const size_t room = text_of(module).find_first_not_of('\0', name_at_ + kName.size() - 1);
    if (std::min(room, module.size()) - name_at_ <= name.size())
        return error(kThisModule, fmt::format("has no room for the name '{}'", name));
    std::memcpy(module.data() + name_at_, name.data(), name.size());

    const auto symbol_bytes = bytes_of(symbols);
    const auto table = phantom_table_bytes(phantoms), btf = stub_btf(phantoms);
    const size_t n = phantoms.size();
    const generator::SectionContents sections[] = {
        {symbols_name_.c_str(), symbol_bytes},
        {strings_name_.c_str(), strings},
        {call_list_name_.c_str(), std::span(call_list_).first(n * sizeof(uint64_t))},
        {relocations_name_.c_str(), std::span(relocations_).first(n * sizeof(Elf64_Rela))},
        {PHANTOM_SECTION, table},
        {kTypesSection, btf},
        {kInfo, std::as_bytes(std::span(info))},
        {kThisModule, module}};
    auto out = generator::with_sections(bytes_, sections, kHidden);
    if (!out)
        return error("sections", out.error().message);
    return out;
}

}  // namespace btf_extra::phantoms
