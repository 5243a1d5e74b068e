// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/generator/generate.h"

#include <fmt/format.h>

#include <elf.h>

#include <algorithm>
#include <mutex>
#include <optional>

#include "userspace/format/base_stack.h"
#include "userspace/format/btf_image.h"
#include "userspace/generator/model/thread_pool.h"
#include "userspace/generator/sites/defined_symbols.h"
#include "userspace/generator/sites/dwarf_reader.h"

namespace btf_extra::generator {

namespace {

// Reads all units, in as many threads as there are frame tables.
std::vector<UnitSites> read_units(const ReaderInput &input,
                                  std::vector<std::unique_ptr<FrameTable>> frames,
                                  const GenerateOptions &options) {
    const std::vector<Unit> &units = input.units.units();
    std::vector<std::unique_ptr<UnitReader>> readers;
    for (std::unique_ptr<FrameTable> &frame_table : frames)
        readers.push_back(std::make_unique<UnitReader>(input, std::move(frame_table)));
    std::vector<UnitSites> sites(units.size());
    std::mutex progress_mutex;
    size_t done = 0;
    run_in_threads(readers.size(), units.size(), [&](size_t unit, size_t thread) {
        sites[unit] = readers[thread]->read(units[unit]);
        if (options.progress) {
            const std::lock_guard lock(progress_mutex);
            options.progress(++done, units.size());
        }
    });
    return sites;
}

constexpr uint64_t kObjectFlags = SHF_ALLOC | SHF_EXECINSTR | SHF_WRITE;

ObjectSection header_of(const ElfSection &section, const char *name) {
    return {name, section.flags & kObjectFlags, section.address, section.size};
}

// The sections that sites are in, and where vmlinux has its own BTF.
Result<void> note_sections(const ElfImage &elf, ExtraFile &file) {
    for (const ElfSection &section : elf.sections()) {
        if (section.size == 0 || !section.allocated())
            continue;
        if (section.name == kTypesSection && !elf.relocatable())
            file.vmlinux_btf = header_of(section, kVmlinuxBtfSection);
        if (!section.executable())
            continue;
        if (std::ranges::find(file.sections, section.name, &ObjectSection::name) !=
            file.sections.end())
            return elf.error(section.name,
                             "two executable sections of that name: no offset would tell them "
                             "apart");
        file.sections.push_back(header_of(section, section.name.c_str()));
    }
    return {};
}

Result<BaseStack> open_base(const ElfImage &elf, const GenerateOptions &options) {
    if (!options.vmlinux) {
        Result<std::unique_ptr<BtfImage>> alone =
            options.btf_base.empty() ? open_elf_btf(elf) : open_base_btf(options.btf_base);
        if (alone)
            return BaseStack(std::move(*alone));
        if (!elf.relocatable())
            return alone.error();
        return Error{alone.error().message + " (of a kernel module: --vmlinux)"};
    }
    if (!elf.relocatable())
        return elf.error("ELF header", "not a relocatable file, as kernel modules are");
    BaseStack base(options.vmlinux);
    const Result<void> added =
        options.btf_base.empty() ? base.add_module(elf) : base.add_file(options.btf_base);
    if (!added)
        return added.error();
    return base;
}

// The numbers that the sites will have in the index.
std::vector<uint32_t> marks_of(const std::vector<MergedSection> &sections) {
    std::vector<uint32_t> marks;
    uint32_t first = 0;
    for (const MergedSection &section : sections) {
        for (const auto &[site, each] : section.marks)
            marks.push_back((first + site) << SITE_MARK_BITS | each);
        first += static_cast<uint32_t>(section.sites.size());
    }
    return marks;
}

// What the kernel and every reader of ours will check.
Result<void> validate(const ExtraFile &file, const BtfImage &base, const std::string &input) {
    const std::string place = input + ": generated ";
    const BtfImage *below = &base;
    btf_fault fault{};
    std::unique_ptr<BtfImage> types;
    const bool split = file.inline_blob.empty();
    if (split) {
        Result<std::unique_ptr<BtfImage>> opened =
            BtfImage::open(place + ".BTF", file.types, below);
        if (!opened)
            return opened.error();
        types = std::move(*opened);
        if (loc_validate_types(&types->blob(), &fault) != 0)
            return types->error(fault);
        below = types.get();
    }
    Result<std::unique_ptr<BtfImage>> locations =
        BtfImage::open(place + (split ? ".BTF.func_info" : ".BTF.inline"),
                       split ? file.func_info : file.inline_blob, below);
    if (!locations)
        return locations.error();
    if (loc_validate(&(*locations)->blob(), file.machine, &fault) != 0)
        return (*locations)->error(fault);
    return {};
}

}  // namespace

Result<ExtraFile> generate(const GenerateOptions &options) {
    Result<std::unique_ptr<DebugFile>> opened = DebugFile::open(options.input);
    if (!opened)
        return opened.error();
    DebugFile &file = **opened;
    ExtraFile result;
    if (Result<void> noted = note_sections(file.elf(), result); !noted)
        return noted.error();
    const Result<BaseStack> opened_base = open_base(file.elf(), options);
    if (!opened_base)
        return opened_base.error();
    const BaseStack &base = *opened_base;
    Result<std::vector<UnitHeader>> headers = read_unit_headers(file.dwarf().info);
    if (!headers)
        return Error{fmt::format("{}: {}", options.input, headers.error().message)};
    const size_t jobs = std::clamp<size_t>(options.jobs, 1, std::max<size_t>(headers->size(), 1));
    // The functions of vmlinux are not a module's, whatever they are called.
    const btf_blob &top = base.top().blob();
    uint32_t first_func_id = 0;
    if (options.vmlinux)
        first_func_id = base.has_module() ? top.first_id : btf_blob_end_id(&top);
    Result<UnitSet> units = Error{};
    std::optional<BaseTypes> base_types;
    std::optional<DefinedSymbols> symbols;
    run_both(
        jobs, [&] { units = UnitSet::open(file.dwarf(), *headers, jobs); },
        [&] {
            base_types.emplace(&top, first_func_id);
            symbols.emplace(file);
        });
    if (!units)
        return Error{fmt::format("{}: {}", options.input, units.error().message)};
    SourceTree source_tree;
    for (const Unit &unit : units->units())
        source_tree.add_unit(unit.name, unit.comp_dir);

    NewTypes new_types;
    const ReaderInput input{.file = file,
                            .symbols = *symbols,
                            .units = *units,
                            .source_tree = source_tree,
                            .base = *base_types,
                            .new_types = new_types};
    std::vector<std::unique_ptr<FrameTable>> frames;
    for (size_t i = 0; i < jobs; ++i)
        frames.push_back(file.frame_table());
    std::vector<UnitSites> sites = read_units(input, std::move(frames), options);
    for (const UnitSites &unit : sites)
        if (!unit.error.empty())
            return Error{fmt::format("{}: {}", options.input, unit.error)};
    if (new_types.too_many())
        return Error{
            fmt::format("{}: base BTF of another kernel: too many types of {} are not in it",
                        base.top().place(), options.input)};

    std::optional<TypesBlob> types;
    const MergedSites merged =
        merge_sites(sites, jobs, [&](const std::vector<MergedFunction> &functions) {
            types.emplace(write_types(functions, *base_types, new_types));
        });
    std::vector<std::string> section_names;
    for (const ElfSection &section : file.sections())
        section_names.push_back(section.name);
    WrittenBlobs blobs =
        write_blobs(std::move(*types), merged, *base_types, section_names, options.layout, jobs);
    if (file.has_code())
        result.site_marks = marks_of(merged.sections);
    result.machine = file.elf().machine();
    result.types = std::move(blobs.types);
    result.func_info = std::move(blobs.func_info);
    result.inline_blob = std::move(blobs.inline_blob);
    result.build_id_note = file.elf().build_id_note();
    result.provenance = std::move(blobs.provenance);
    result.base = base.identity();
    Result<void> valid;
    // To free them takes longer.
    run_both(
        jobs, [&] { valid = validate(result, base.top(), options.input); }, [&] { sites.clear(); });
    if (!valid)
        return valid.error();
    return result;
}

}  // namespace btf_extra::generator
