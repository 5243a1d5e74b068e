// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/lib/tables/attach_names.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <string>

#include "userspace/format/kernel_release.h"
#include "userspace/lib/tables/symbol_table.h"

namespace btf_extra {
namespace {

constexpr std::string_view kVmlinux = "vmlinux";

std::string running_banner() {
    std::string line;
    std::ifstream in("/proc/version");
    std::getline(in, line);
    return line;
}

const ElfSection *section_at(const ElfImage &elf, uint32_t index) {
    const auto found = std::ranges::find(elf.sections(), index, &ElfSection::index);
    return found != elf.sections().end() ? &*found : nullptr;
}

// The kernel forgets the symbols of a module's init text with the text.
bool is_kept(const ElfImage &elf, const Place &place) {
    const ElfSection *section = section_at(elf, place.section);
    return section != nullptr && (!elf.relocatable() || !section->name.starts_with(".init"));
}

uint64_t address_of(const ElfImage &elf, const Place &place) {
    const ElfSection *section = section_at(elf, place.section);
    return section != nullptr && !elf.relocatable() ? section->address + place.offset : 0;
}

// As btf_distill_func_proto() in kernel/bpf/btf.c sees it. Nothing: its prototype is not at hand.
std::optional<FuncShape> shape_of(const ObjectView &view, uint32_t func_id) {
    const btf_blob &blob = view.locations().blob();
    const btf_type *func = btf_blob_type(&blob, func_id);
    const btf_type *proto = func != nullptr ? btf_blob_type(&blob, func->type) : nullptr;
    if (proto == nullptr || loc_kind(proto) != BTF_KIND_FUNC_PROTO)
        return {};
    FuncShape out = {.arch = loc_arch_of(view.file().machine), .fits = false, .words = 0};
    std::array<arg_place, ARG_SLOTS_PARAMS> places;
    const int count =
        arg_places_in_slots(out.arch, &blob, func_id, places.data(), ARG_SLOTS_PARAMS);
    const btf_type *result = btf_type_strip(&blob, proto->type);
    const bool structure = result != nullptr && (loc_kind(result) == BTF_KIND_STRUCT ||
                                                 loc_kind(result) == BTF_KIND_UNION);
    if (count < 0 || view.is_variadic(func_id) || structure)
        return out;
    out.fits = true;
    for (int i = 0; i < count; i++)
        out.words += places[static_cast<size_t>(i)].nr_slots;
    return out;
}

// Nothing: the BTF is not at hand.
std::optional<bool> has_func(const BtfImage &btf, std::string_view name) {
    return btf.bytes().empty() ? std::nullopt : std::optional<bool>(btf.has_func(name));
}

// /proc/kallsyms has what BPF and the tracers made, too. A name is not looked up there.
bool is_module(std::string_view name) {
    return name != "bpf" && !name.starts_with("__builtin__");
}

}  // namespace

Result<AttachNames> AttachNames::open(const SiteTables &tables, const ObjectPaths &paths) {
    AttachNames out(tables);
    const ElfImage *elf = tables.elf();
    if (tables.running()) {
        out.version_ = KernelVersion::parse(running_banner());
    } else if (elf != nullptr && elf->relocatable()) {
        auto kernel = TRY(ElfImage::open(paths.vmlinux));
        out.kernel_ = std::make_unique<ElfImage>(std::move(kernel));
        auto symbols = TRY(SymbolTable::load(*out.kernel_));
        out.kernel_symbols_ = std::make_unique<SymbolTable>(std::move(symbols));
        out.version_ = KernelVersion::parse(kernel_banner(*out.kernel_));
    } else {
        out.version_ = KernelVersion::parse(tables.banner());
    }
    return out;
}

void AttachNames::add_symbols(const Symbols &symbols, const ElfImage *elf, std::string_view object,
                              std::string_view name, NameFacts &facts) const {
    for (const Place &place : symbols.places(name)) {
        if (elf != nullptr && !is_kept(*elf, place))
            continue;
        const std::string_view module =
            elf != nullptr ? (object == kVmlinux ? "" : object) : symbols.module_of(name, place);
        // Which modules of another kernel are loaded is not known.
        if (place.section != 0 && elf == nullptr && module != object)
            continue;
        const uint64_t address = elf != nullptr       ? address_of(*elf, place)
                                 : place.section != 0 ? 0
                                                      : place.offset;
        if (module.empty())
            facts.vmlinux.push_back({kVmlinux, place, address});
        else if (is_module(module))
            facts.modules.push_back({module, place, address});
    }
}

NameFacts AttachNames::facts(const SiteObject &object, uint32_t func_id,
                             std::string_view name) const {
    NameFacts out = {};
    out.version = version_;
    out.object = object.name;
    if (tables_.symbols() == nullptr)
        return out;
    if (kernel_symbols_)
        add_symbols(*kernel_symbols_, kernel_.get(), kVmlinux, name, out);
    add_symbols(*tables_.symbols(), tables_.elf(), object.name, name, out);
    std::ranges::sort(out.vmlinux, {}, &NamedSymbol::address);
    const auto &levels = object.view->base().levels();
    out.func = has_func(*levels.front(), name);
    if (object.name != kVmlinux)
        out.module_func = levels.size() > 1 ? has_func(*levels[1], name) : std::nullopt;
    else if (out.modules.empty())
        out.module_func = false;
    if (out.func == true || out.module_func == true)
        out.shape = shape_of(*object.view, func_id);
    return out;
}

std::optional<Place> AttachNames::begin_of_body(const SiteObject &object,
                                                uint32_t site_number) const {
    const SitePosition at = position_of(object, site_number);
    const PlacedSection &section = object.sections[at.elf_section];
    if (section.elf_section == 0 && section.place.address == 0)
        return {};
    return tables_.symbols()->begin_of_body(place_of(object, site_number),
                                            loc_arch_of(object.view->file().machine));
}

std::string_view AttachNames::symbol_of_body(const Place &begin, std::string_view name) const {
    const auto names = tables_.symbols()->names(begin);
    if (std::ranges::count(names, name) != 0)
        return name;
    for (const std::string_view each : names)
        if (each.starts_with(name) && each.substr(name.size()).starts_with('.'))
            return each;
    return names.empty() ? std::string_view() : names.front();
}

}  // namespace btf_extra
