// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/lib/tables/object_view.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <span>

#include <fmt/format.h>

#include "userspace/format/machine_name.h"
#include "userspace/text/c_type.h"

namespace btf_extra {
namespace {

constexpr std::string_view kFileTag = "file:";
constexpr std::string_view kUnitTag = "unit:";

// Makes the parts of blobs that were not read from a file: they have no container.
extra_elf parts_of(const ExtraFile &file) {
    const auto bytes = [](const auto &part) {
        return extra_bytes{part.data(), static_cast<uint32_t>(part.size() * sizeof(part[0]))};
    };
    extra_elf elf = {};
    elf.machine = file.machine;
    elf.types = bytes(file.types);
    elf.func_info = bytes(file.func_info);
    if (file.site_marks)
        elf.site_marks = bytes(file.site_marks->bytes());
    if (!file.expressions.empty())
        elf.expressions = bytes(file.expressions);
    if (!file.frames.empty())
        elf.frames = bytes(file.frames);
    return elf;
}

// Returns an error if the file was not made for that object.
Result<void> check_made_for(const std::string &path, const ExtraFile &file,
                            const ElfImage &object) {
    if (file.machine != object.machine())
        return Error{fmt::format("{}: ELF header: for {}, but {} is of {}", path,
                                 machine_name(file.machine), object.path(),
                                 machine_name(object.machine()))};
    const std::string mine = build_id_text(file.build_id_note);
    const std::string theirs = build_id_text(object.build_id_note());
    if (!mine.empty() && mine != theirs)
        return Error{fmt::format("{}: {}: made for another {}: build-id {}, but {} has {}", path,
                                 kBuildIdSection, object.relocatable() ? "module" : "kernel", mine,
                                 object.path(), theirs.empty() ? "none" : theirs)};
    return {};
}

}  // namespace

Error ObjectView::error(std::string_view section, std::string_view reason) const {
    return Error{fmt::format("{}: {}: {}", path_, section, reason)};
}

Result<std::unique_ptr<ObjectView>> ObjectView::open(const std::string &path) {
    auto file = TRY(read_extra_file(path));
    return open_content(path, std::move(file), std::nullopt);
}

Result<std::unique_ptr<ObjectView>> ObjectView::open_with_base(const std::string &path,
                                                               const std::string &base_path) {
    BaseStack base(TRY(open_base_btf(base_path)));
    auto file = TRY(read_extra_file(path));
    return open_content(path, std::move(file), std::move(base));
}

Result<std::unique_ptr<ObjectView>> ObjectView::open_for(const std::string &path,
                                                         const ElfImage &kernel,
                                                         const ElfImage *module, FileParts parts) {
    auto file = TRY(read_extra_file(path, parts));
    TRY(check_made_for(path, file, module != nullptr ? *module : kernel));
    BaseStack base(TRY(open_elf_btf(kernel)));
    if (module != nullptr)
        TRY(base.add_module(*module));
    return open_content(path, std::move(file), std::move(base));
}

Result<std::unique_ptr<ObjectView>>
ObjectView::open_content(const std::string &path, ExtraFile file, std::optional<BaseStack> base) {
    std::unique_ptr<ObjectView> view(new ObjectView);
    view->path_ = path;
    view->file_ = std::move(file);
    const auto &provenance = view->file_.provenance;
    if (!base && !provenance)
        return view->error(kProvenanceSection, "missing: reading the file requires the base BTF");
    if (!base)
        base.emplace(BtfImage::from_counts(provenance->base_end_id, provenance->base_end_string));
    const std::string types = fmt::format("{}: {}", path, kTypesSection);
    TRY(base->check(view->file_.base, types));
    if (provenance) {
        TRY(base->top().check_counts(provenance->base_end_id, provenance->base_end_string, types));
    }
    view->base_ = std::move(base);

    extra_elf elf = parts_of(view->file_);
    if (!view->file_.container.empty())
        TRY(open_container(path, view->file_.container, elf));
    view->opened_ = TRY(OpenedBlobs::open(path, elf, view->base_->top()));
    const extra_blobs &blobs = view->opened_->blobs();
    view->types_ = BtfImage::of(types, blobs.types);
    view->locations_ = BtfImage::of(fmt::format("{}: {}", path, kFuncInfoSection), blobs.func_info);
    if (view->file_.parts == FileParts::kPlaces)
        return view;
    view->rank_funcs();
    TRY(view->check_provenance());
    view->lines_ = TRY(open_lines(path, view->file_));
    view->note_tags();
    view->note_shared_names();
    return view;
}

// Ids lie close together: each id has room for its rank, and neither a sort nor a search is needed.
void ObjectView::rank_funcs() {
    const std::span<const uint32_t> by_name(index().funcs, index().nr_funcs);
    if (by_name.empty())
        return;
    const auto [first, last] = std::ranges::minmax(by_name);
    ranks_.assign(size_t{last - first} + 1, kNoRank);
    for (const uint32_t func : by_name)
        ranks_[func - first] = 0;
    funcs_.reserve(by_name.size());
    for (uint32_t id = first; id <= last; id++) {
        if (ranks_[id - first] == kNoRank)
            continue;
        ranks_[id - first] = static_cast<uint32_t>(funcs_.size());
        funcs_.push_back(id);
    }
}

// Takes the variadic functions from the prototypes, or from the provenance if the prototypes are
// missing. Refuses the provenance if the lengths of its lists do not fit the blobs.
Result<void> ObjectView::check_provenance() {
    const auto &provenance = file_.provenance;
    variadic_.resize(funcs_.size());
    for (size_t i = 0; i < funcs_.size(); i++) {
        FuncParams known = func_params(locations_->blob(), funcs_[i]);
        variadic_[i] =
            known.params != nullptr
                ? known.variadic
                : provenance && std::ranges::binary_search(provenance->variadic_funcs, funcs_[i]);
    }
    if (!provenance)
        return {};
    if (provenance->func_files.size() != funcs_.size())
        return error(kProvenanceSection, fmt::format("files of {} functions, where {} have sites",
                                                     provenance->func_files.size(), funcs_.size()));
    const std::vector<uint32_t> missing_of = count_missing();
    uint64_t missing = 0;
    first_reasons_.reserve(index().nr_sites);
    for (uint32_t i = 0; i < index().nr_sections; i++) {
        const loc_section &section = index().sections[i];
        bool variadic = false;
        for (uint32_t j = 0; j < section.nr_sites; j++) {
            const loc_site &site = section.sites[j];
            if (j == 0 || site.func != section.sites[j - 1].func)
                variadic = is_variadic(site.func);
            first_reasons_.push_back(static_cast<uint32_t>(missing));
            missing += missing_of[2 * (site.loc_proto - locations_->blob().first_id) + variadic];
        }
    }
    if (missing != provenance->reasons.size())
        return error(kProvenanceSection,
                     fmt::format("{} reasons for {} parameters without location",
                                 provenance->reasons.size(), missing));
    const auto &left_out = provenance->left_out_sites;
    if (left_out && !left_out->empty() && left_out->back() >= index().nr_sites)
        return error(kProvenanceSection,
                     fmt::format("site {} of {} is left out", left_out->back(), index().nr_sites));
    return {};
}

// Returns the number of parameters without a location for each LOC_PROTO, by id: first that of a
// function with a fixed number of parameters, then that of a variadic one. Many sites share them.
std::vector<uint32_t> ObjectView::count_missing() const {
    const btf_blob &blob = locations_->blob();
    std::vector<uint32_t> out(2 * size_t{blob.nr_types});
    const btf_type *type = nullptr;
    for (uint32_t i = 0; i < blob.nr_types; i++) {
        type = i != 0 ? btf_blob_next(&blob, type) : btf_blob_record(&blob, 0);
        if (loc_kind(type) != LOC_KIND_PROTO)
            continue;
        const std::span<const uint32_t> ids(loc_proto_ids(type), loc_vlen(type));
        const auto missing = static_cast<uint32_t>(std::ranges::count(ids, 0u));
        out[2 * i] = missing;
        out[2 * i + 1] = !ids.empty() && ids.back() == 0 ? missing - 1 : missing;
    }
    return out;
}

void ObjectView::note_tags() {
    file_tags_.resize(funcs_.size());
    unit_tags_.resize(funcs_.size());
    const btf_blob &blob = types_->blob();
    for (uint32_t id = blob.first_id; id < btf_blob_end_id(&blob); id++) {
        const btf_type *type = btf_blob_type(&blob, id);
        if (loc_kind(type) != BTF_KIND_DECL_TAG)
            continue;
        auto rank = func_rank(type->type);
        if (rank && tag_text(id, kFileTag))
            file_tags_[*rank] = id;
        else if (rank && unit_tags_[*rank] == 0 && tag_text(id, kUnitTag))
            unit_tags_[*rank] = id;
    }
}

// The index has the functions in order of their names.
void ObjectView::note_shared_names() {
    shares_name_.resize(funcs_.size());
    const std::span<const uint32_t> by_name(index().funcs, index().nr_funcs);
    const auto names = func_names();
    for (size_t i = 1; i < by_name.size(); i++)
        if (names[i - 1] == names[i])
            shares_name_[*func_rank(by_name[i - 1])] = shares_name_[*func_rank(by_name[i])] = true;
}

// Returns the tag's text after the prefix, or nothing for id 0 and for other tags.
std::optional<std::string_view> ObjectView::tag_text(uint32_t tag_id,
                                                     std::string_view prefix) const {
    const btf_type *tag = btf_blob_type(&locations_->blob(), tag_id);
    const char *text =
        tag != nullptr ? btf_blob_string(&locations_->blob(), tag->name_off) : nullptr;
    if (text == nullptr || !std::string_view(text).starts_with(prefix))
        return {};
    return std::string_view(text).substr(prefix.size());
}

std::optional<size_t> ObjectView::func_rank(uint32_t func_id) const {
    if (funcs_.empty() || func_id < funcs_.front() || func_id > funcs_.back())
        return {};
    const uint32_t rank = ranks_[func_id - funcs_.front()];
    return rank != kNoRank ? std::optional<size_t>(rank) : std::nullopt;
}

std::string_view ObjectView::func_name(uint32_t func_id) const {
    const btf_type *func = btf_blob_type(&locations_->blob(), func_id);
    const char *name =
        func != nullptr ? btf_blob_string(&locations_->blob(), func->name_off) : nullptr;
    return name != nullptr ? name : "(base)";
}

std::span<const std::string_view> ObjectView::func_names() const {
    if (names_.empty())
        for (uint32_t i = 0; i < index().nr_funcs; i++)
            names_.push_back(func_name(index().funcs[i]));
    return names_;
}

std::optional<std::string_view> ObjectView::func_file(uint32_t func_id) const {
    auto rank = func_rank(func_id);
    if (!rank)
        return {};
    if (file_.provenance) {
        uint32_t file = file_.provenance->func_files[*rank];
        if (file != Provenance::kNoFile)
            return file_.provenance->files[file];
    }
    return tag_text(file_tags_[*rank], kFileTag);
}

std::vector<std::string> ObjectView::func_units(uint32_t func_id) const {
    std::vector<std::string> out;
    const auto rank = func_rank(func_id);
    // The tags of a function follow each other.
    for (uint32_t tag = rank ? unit_tags_[*rank] : 0; auto unit = tag_text(tag, kUnitTag); tag++) {
        if (btf_blob_type(&locations_->blob(), tag)->type != func_id)
            break;
        out.emplace_back(*unit);
    }
    return out;
}

std::optional<std::string> ObjectView::func_unit(uint32_t func_id) const {
    constexpr size_t kNamed = 3;
    const std::vector<std::string> units = func_units(func_id);
    if (units.empty())
        return {};
    const auto named = std::span(units).first(std::min(units.size(), kNamed));
    const std::string out = fmt::format("{}", fmt::join(named, ", "));
    return units.size() > kNamed ? fmt::format("{} and {} more", out, units.size() - kNamed) : out;
}

ObjectView::PathFit ObjectView::path_fit(uint32_t func_id, const std::string &path) const {
    const std::vector<std::string> units = func_units(func_id);
    const std::optional<std::string_view> file = func_file(func_id);
    func_text wanted = {};
    wanted.file = path.c_str();
    if (std::ranges::count(units, path) != 0)
        return PathFit::kUnit;
    if (file == path)
        return PathFit::kFile;
    if (std::ranges::any_of(
            units, [&](const auto &unit) { return func_text_has_file(&wanted, unit.c_str()); }))
        return PathFit::kEndOfUnit;
    if (file && func_text_has_file(&wanted, std::string(*file).c_str()))
        return PathFit::kEndOfFile;
    return PathFit::kNone;
}

// The index has the functions in order of their names.
std::span<const uint32_t> ObjectView::funcs_named(std::string_view name) const {
    const loc_range range =
        loc_index_by_prefix(&index(), name.data(), static_cast<uint32_t>(name.size()), true);
    return {index().funcs + range.first, range.end - range.first};
}

// Returns the functions of that name that a path fits best.
std::vector<uint32_t> ObjectView::funcs_in(std::string_view name, const std::string &path) const {
    std::vector<uint32_t> out;
    PathFit best = PathFit::kNone;
    for (const uint32_t func : funcs_named(name)) {
        const PathFit fit = path_fit(func, path);
        if (fit < best)
            out.clear();
        best = std::min(best, fit);
        if (fit == best && fit != PathFit::kNone)
            out.push_back(func);
    }
    return out;
}

bool ObjectView::is_func_in(uint32_t func_id, const std::string &path) const {
    return std::ranges::count(funcs_in(func_name(func_id), path), func_id) != 0;
}

std::string ObjectView::func_label(uint32_t func_id) const {
    const std::string name(func_name(func_id));
    if (!shares_name(func_id))
        return name;
    std::vector<std::string> paths;
    if (const auto file = func_file(func_id))
        paths.emplace_back(*file);
    std::ranges::move(func_units(func_id), std::back_inserter(paths));
    for (const std::string &path : paths)
        if (funcs_in(name, path) == std::vector{func_id})
            return name + "@" + path;
    return fmt::format("#{}", func_id);
}

bool ObjectView::is_true_signature(uint32_t func_id) const {
    return site_marks_true_signature(&locations_->blob(), func_id);
}

std::vector<uint32_t> ObjectView::true_signatures(uint32_t site_number) const {
    std::vector<uint32_t> out;
    const loc_section *section;
    const loc_site *site = loc_index_site(&index(), site_number, &section);
    const loc_range range = loc_index_by_offset(&index(), section->elf, site->offset);
    for (uint32_t i = range.first; i < range.end; i++) {
        const loc_section *its_section;
        const loc_site *other = loc_index_site(&index(), index().by_offset[i], &its_section);
        if (its_section->loc_class == LOC_CLASS_BODY && is_true_signature(other->func))
            out.push_back(other->func);
    }
    return out;
}

bool ObjectView::shares_name(uint32_t func_id) const {
    auto rank = func_rank(func_id);
    return rank && shares_name_[*rank];
}

bool ObjectView::is_variadic(uint32_t func_id) const {
    auto rank = func_rank(func_id);
    return rank && variadic_[*rank];
}

uint32_t ObjectView::site_marks(uint32_t site_number) const {
    const extra_blobs &blobs = opened_->blobs();
    const loc_section *section;
    loc_index_site(&blobs.index, site_number, &section);
    return site_marks_of(&blobs.index, section, site_number - section->first_site, blobs.marks,
                         blobs.marks_size);
}

bool ObjectView::is_left_out(uint32_t site_number) const {
    return knows_left_out() &&
           std::ranges::binary_search(*file_.provenance->left_out_sites, site_number);
}

ObjectView::Located ObjectView::count_located(uint32_t loc_proto, bool variadic) const {
    const btf_type *proto = btf_blob_type(&locations_->blob(), loc_proto);
    uint32_t count = loc_vlen(proto);
    if (count != 0 && variadic)
        count--;
    const uint32_t *ids = loc_proto_ids(proto);
    auto missing = static_cast<uint32_t>(std::count(ids, ids + count, 0u));
    return {count, count - missing, static_cast<uint32_t>(expressions_of(loc_proto).size())};
}

std::span<const loc_expression_entry> ObjectView::expressions() const {
    const loc_expressions &all = opened_->blobs().expressions;
    return {all.entries, all.nr_entries};
}

std::span<const loc_expression_entry> ObjectView::expressions_of(uint32_t loc_proto) const {
    const uint32_t first = opened_->blobs().expressions.first_loc_proto;
    if (loc_proto < first)
        return {};
    const auto found = std::ranges::equal_range(expressions(), loc_proto - first, {},
                                                &loc_expression_entry::loc_proto);
    return {found.begin(), found.end()};
}

std::vector<Parameter> ObjectView::parameters(uint32_t site_number) const {
    const btf_blob &blob = locations_->blob();
    const loc_section *section;
    const loc_site *site = loc_index_site(&index(), site_number, &section);
    const uint32_t *ids = loc_proto_ids(btf_blob_type(&blob, site->loc_proto));
    FuncParams known = func_params(blob, site->func);
    size_t reason = first_reasons_.empty() ? 0 : first_reasons_[site_number];

    std::vector<Parameter> out;
    const uint32_t count = count_located(site->loc_proto, is_variadic(site->func)).params;
    for (uint32_t i = 0; i < count; i++) {
        Parameter param = {"", 0, nullptr, {}};
        if (known.params != nullptr && i < known.count) {
            const char *name = btf_blob_string(&blob, known.params[i].name_off);
            param.name = name != nullptr ? name : "";
            param.type_id = known.params[i].type;
        }
        if (ids[i] != 0)
            param.loc = btf_blob_type(&blob, ids[i]);
        else if (!first_reasons_.empty())
            param.reason = static_cast<MissingReason>(file_.provenance->reasons[reason++]);
        if (loc_expression expression;
            loc_expressions_find(&opened_->blobs().expressions, site->loc_proto, i, &expression))
            param.expression = expression;
        out.push_back(param);
    }
    return out;
}

}  // namespace btf_extra
