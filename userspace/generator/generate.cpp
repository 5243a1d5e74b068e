// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/generator/generate.h"

#include <fmt/format.h>

#include <elf.h>

#include <algorithm>
#include <deque>
#include <mutex>
#include <span>
#include <utility>

#include "userspace/format/base_stack.h"
#include "userspace/format/btf_image.h"
#include "userspace/format/line_table.h"
#include "userspace/format/module_base.h"
#include "userspace/format/opened_blobs.h"
#include "userspace/generator/dwarf/source_path.h"
#include "userspace/generator/model/thread_pool.h"
#include "userspace/generator/sites/defined_symbols.h"
#include "userspace/generator/sites/dwarf_reader.h"
#include "userspace/generator/write/agreed_expressions.h"
#include "userspace/generator/write/frame_writer.h"
#include "userspace/generator/write/last_values.h"
#include "userspace/generator/write/line_writer.h"
#include "userspace/generator/write/variable_merge.h"

namespace btf_extra::generator {

namespace {

constexpr uint64_t kObjectFlags = SHF_ALLOC | SHF_EXECINSTR | SHF_WRITE;

ObjectSection header_of(const ElfSection &section, const char *name) {
    return {name, section.flags & kObjectFlags, section.address, section.size};
}

// The part of the result that comes from the ELF file.
Result<ExtraFile> describe_object(const ElfImage &elf) {
    ExtraFile file;
    file.machine = elf.machine();
    file.build_id_note = elf.build_id_note();
    if (file.build_id_note.empty())
        return elf.error(kBuildIdSection, "missing: no kernel accepts tables without it");
    for (const ElfSection &section : elf.sections()) {
        if (section.size == 0 || !section.allocated())
            continue;
        if (section.name == kTypesSection && !elf.relocatable())
            file.vmlinux_btf = header_of(section, kVmlinuxBtfSection);
        if (!section.executable())
            continue;
        if (std::ranges::find(file.sections, section.name, &ObjectSection::name) !=
            file.sections.end())
            return elf.error(section.name, "two executable sections of that name: offsets would be "
                                           "ambiguous");
        file.sections.push_back(header_of(section, section.name.c_str()));
    }
    return file;
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
    TRY(check_distilled_base(elf, *options.vmlinux));
    TRY(options.btf_base.empty() ? base.add_module(elf) : base.add_file(options.btf_base));
    if (base.has_module())
        TRY(check_split_btf(base.top(), *options.vmlinux));
    return base;
}

// All that the sites are read from. It does not change, so that threads can share it.
struct Input {
    UnitSet units;
    BaseTypes base_types;
    DefinedSymbols symbols;
    std::optional<FirstSymbols> first_symbols;  // if variables are wanted
    SourceTree source_tree;
};

SourceTree find_source_tree(std::span<const Unit> units, size_t threads) {
    std::vector<UnitPaths> paths(units.size());
    run_in_threads(threads, units.size(), [&](size_t number, size_t) {
        const Unit &unit = units[number];
        paths[number] = {.name = unit.name,
                         .comp_dir = unit.comp_dir,
                         .assembly = unit.is_assembly(),
                         .trees = kernel_trees(file_table(unit.sections(), unit))};
    });
    return SourceTree(paths);
}

Result<Input> index_input(const DebugFile &file, const BaseStack &base,
                          const GenerateOptions &options) {
    Result<std::vector<UnitHeader>> headers = read_unit_headers(file.dwarf().info);
    if (!headers)
        return Error{fmt::format("{}: {}", options.input, headers.error().message)};
    if (const DebugSections *alternate = file.dwarf().alternate) {
        const auto more = read_unit_headers(alternate->info, kAlternateBase);
        if (!more)
            return Error{
                fmt::format("{}: alternate file: {}", options.input, more.error().message)};
        headers->insert(headers->end(), more->begin(), more->end());
    }
    // A module has no function of vmlinux, whatever its own are called.
    const btf_blob &top = base.top().blob();
    uint32_t first_func_id = 0;
    if (options.vmlinux)
        first_func_id = base.has_module() ? top.first_id : btf_blob_end_id(&top);
    auto [units, tables] = run_both(
        options.jobs, [&] { return UnitSet::open(file.dwarf(), *headers, options.jobs); },
        [&] {
            return std::pair(BaseTypes(&top, first_func_id, options.vmlinux_types),
                             DefinedSymbols(file));
        });
    if (!units)
        return Error{fmt::format("{}: {}", options.input, units.error().message)};
    Input input{.units = std::move(*units),
                .base_types = std::move(tables.first),
                .symbols = std::move(tables.second),
                .first_symbols = {},
                .source_tree = {}};
    if (options.variables)
        input.first_symbols.emplace(file);
    input.source_tree = find_source_tree(input.units.units(), options.jobs);
    return input;
}

Result<std::vector<UnitSites>> read_sites(DebugFile &file, const Input &input, NewTypes &new_types,
                                          const GenerateOptions &options) {
    const ProbedCode probed(file, input.symbols);
    const FlowTables flow_tables(file, input.symbols, probed);
    const ReaderInput reader_input{.file = file,
                                   .symbols = input.symbols,
                                   .first_symbols =
                                       input.first_symbols ? &*input.first_symbols : nullptr,
                                   .probed = probed,
                                   .flow_tables = flow_tables,
                                   .units = input.units,
                                   .source_tree = input.source_tree,
                                   .base = input.base_types,
                                   .new_types = new_types,
                                   .frames = options.frames};
    const std::span<const Unit> units = input.units.units();
    std::deque<UnitTools> tools;  // by thread
    do
        tools.emplace_back(reader_input, file.frame_table());
    while (tools.size() < std::min<size_t>(options.jobs, units.size()));
    std::vector<UnitSites> sites(units.size());
    std::mutex progress_mutex;
    size_t done = 0;
    run_in_threads(tools.size(), units.size(), [&](size_t unit, size_t thread) {
        sites[unit] = read_unit(tools[thread], units[unit]);
        file.release(units[unit].header.offset, units[unit].header.end);
        if (options.progress) {
            const std::lock_guard lock(progress_mutex);
            options.progress(++done, units.size());
        }
    });
    for (const UnitSites &unit : sites)
        if (!unit.error.empty())
            return Error{fmt::format("{}: {}", options.input, unit.error)};
    return sites;
}

// Instances of which none is a site are no success: something in the file was not understood.
Result<void> expect_inline_sites(const std::vector<UnitSites> &units, const std::string &path) {
    uint64_t instances = 0;
    for (const UnitSites &unit : units) {
        instances += unit.inline_instances;
        if (std::ranges::any_of(
                unit.sites, [](const Site &site) { return site.site_class == SiteClass::kInline; }))
            return {};
    }
    if (instances == 0)
        return {};
    return Error{fmt::format("{}: .debug_info: {} inlined instances, but no site: it may "
                             "describe another file",
                             path, instances)};
}

std::vector<UnitLines> read_lines(const DebugFile &file, const Input &input,
                                  const GenerateOptions &options) {
    const std::span<const Unit> units = input.units.units();
    std::vector<UnitLines> lines(units.size());
    run_in_threads(options.jobs, units.size(), [&](size_t unit, size_t) {
        const std::vector<CodeRange> code = code_of(file.dwarf(), units[unit]);
        if (!code.empty())
            lines[unit] = read_unit_lines(file.dwarf(), units[unit], code, input.source_tree);
    });
    return lines;
}

std::vector<std::string> section_names(const DebugFile &file) {
    std::vector<std::string> names;
    for (const ElfSection &section : file.sections())
        names.push_back(section.name);
    return names;
}

// The numbers that the sites will have in the index.
SiteMarkList marks_of(const std::vector<MergedSection> &sections) {
    std::vector<MarkedSite> marks;
    uint32_t number = 0;
    for (const MergedSection &section : sections)
        for (const MergedSite &site : section.sites) {
            if (site.marks != 0)
                marks.push_back({number, site.marks});
            ++number;
        }
    return SiteMarkList(marks);
}

// Notes in which sections bodies begin after the hooks of their functions.
void note_hooks(const DebugFile &file, const DefinedSymbols &symbols,
                const std::vector<UnitSites> &units, ExtraFile &result) {
    std::vector<bool> behind(file.sections().size());
    for (const UnitSites &unit : units)
        for (const Site &site : unit.sites)
            if (site.site_class == SiteClass::kBody && !behind[site.section])
                behind[site.section] = symbols.behind_hook(site.section, site.offset);
    for (size_t i = 0; i < behind.size(); i++)
        if (behind[i])
            std::ranges::find(result.sections, file.sections()[i].name, &ObjectSection::name)
                ->flags |= EXTRA_SHF_BEHIND_HOOKS;
}

// Makes the bytes that are to be written, and checks them as the kernel and every reader will.
Result<void> seal(ExtraFile &file, const BtfImage &base, const GenerateOptions &options) {
    file.container = TRY(extra_file_bytes(options.output, file));
    const std::string place = options.input + ": generated";
    extra_elf elf;
    TRY(open_container(place, file.container, elf));
    TRY(OpenedBlobs::open(place, elf, base));
    TRY(open_lines(place, file));
    return {};
}

}  // namespace

std::shared_ptr<const BaseTypes> index_types(const BtfImage &vmlinux) {
    return std::make_shared<BaseTypes>(&vmlinux.blob());
}

Result<ExtraFile> generate(const GenerateOptions &options) {
    const auto opened = TRY(DebugFile::open(options.input));
    DebugFile &file = *opened;
    auto result = TRY(describe_object(file.elf()));
    const auto base = TRY(open_base(file.elf(), options));
    const auto input = TRY(index_input(file, base, options));

    NewTypes new_types;
    auto sites = TRY(read_sites(file, input, new_types, options));
    TRY(expect_inline_sites(sites, options.input));
    note_hooks(file, input.symbols, sites, result);
    if (new_types.too_many())
        return Error{
            fmt::format("{}: base BTF of another kernel: too many types of {} are not in it",
                        base.top().place(), options.input)};

    drop_last_values(sites);
    drop_disputed_expressions(sites);
    const MergedUnits merged = merge_units(sites, options.jobs);
    if (options.no_functions && merged.functions.empty() && merged.skipped_rust_units != 0)
        options.no_functions(fmt::format("{}: only functions of {} Rust {}, which are not read",
                                         options.input, merged.skipped_rust_units,
                                         merged.skipped_rust_units == 1 ? "unit" : "units"));
    const MergedVariables variables = merge_variables(sites);
    auto [types, sections] = run_both(
        options.jobs,
        [&] {
            return write_types(merged.functions, variables.written, input.base_types, new_types);
        },
        [&] { return merge_sites(sites, merged); });
    const std::vector<uint32_t> func_ids = types.func_ids;
    auto [blobs, frames] = run_both(
        options.jobs,
        [&] {
            return write_blobs(std::move(types), merged, sections, input.base_types,
                               section_names(file), options.jobs);
        },
        [&] { return write_frames(sites, merged, func_ids, file.sections()); });
    if (options.frames)
        result.frames = std::move(frames.bytes);
    if (options.lines)
        result.lines = write_lines(read_lines(file, input, options), file.sections());
    result.types = std::move(blobs.types);
    result.func_info = std::move(blobs.func_info);
    result.expressions = std::move(blobs.expressions);
    if (options.variables && options.provenance)
        result.variables = list_variables(variables, file.sections());
    if (options.provenance)
        result.provenance = std::move(blobs.provenance);
    if (file.has_code())
        result.site_marks = marks_of(sections);
    result.base = base.identity();

    // Freeing the sites takes longer than validating the result.
    TRY(run_both(
        options.jobs, [&] { return seal(result, base.top(), options); }, [&] { sites.clear(); }));
    return result;
}

}  // namespace btf_extra::generator
