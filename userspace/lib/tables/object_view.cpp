// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/lib/tables/object_view.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "userspace/text/c_type.h"

namespace btf_extra {
namespace {

constexpr std::string_view kFileTag = "file:";
constexpr std::string_view kUnitTag = "unit:";

// Returns the number of u64, because the index needs their alignment.
size_t words(size_t bytes) {
    return (bytes + sizeof(uint64_t) - 1) / sizeof(uint64_t);
}

}  // namespace

Error ObjectView::error(std::string_view section, std::string_view reason) const {
    return Error{fmt::format("{}: {}: {}", path_, section, reason)};
}

Result<std::unique_ptr<ObjectView>> ObjectView::open(const std::string &path) {
    return open_over(path, std::nullopt);
}

Result<std::unique_ptr<ObjectView>> ObjectView::open_with_base(const std::string &path,
                                                               const std::string &base_path) {
    auto base = open_base_btf(base_path);
    if (!base)
        return base.error();
    return open_over(path, BaseStack(std::move(*base)));
}

namespace {

// Returns an error if the file was not made for that object.
Result<void> check_made_for(const std::string &path, const ExtraFile &file, const ElfImage &object,
                            std::string_view kind) {
    auto fail = [&](std::string_view where, const std::string &reason) {
        return Error{fmt::format("{}: {}: {}", path, where, reason)};
    };
    if (file.machine != object.machine())
        return fail("ELF header", fmt::format("machine {}, but {} has {}", file.machine,
                                              object.path(), object.machine()));
    std::string mine = build_id_text(file.build_id_note);
    std::string theirs = build_id_text(object.build_id_note());
    if (!mine.empty() && mine != theirs)
        return fail(kBuildIdSection,
                    fmt::format("made for another {}: build-id {}, but {} has {}", kind, mine,
                                object.path(), theirs.empty() ? "none" : theirs));
    return {};
}

}  // namespace

Result<std::unique_ptr<ObjectView>> ObjectView::open_for_kernel(const std::string &path,
                                                                const ElfImage &kernel) {
    auto file = read_extra_file(path);
    if (!file)
        return file.error();
    if (auto made = check_made_for(path, *file, kernel, "kernel"); !made)
        return made.error();
    auto base = open_elf_btf(kernel);
    if (!base)
        return base.error();
    return open_content(path, std::move(*file), BaseStack(std::move(*base)));
}

Result<std::unique_ptr<ObjectView>> ObjectView::open_for_module(const std::string &path,
                                                                const ElfImage &module,
                                                                const ElfImage &kernel) {
    auto file = read_extra_file(path);
    if (!file)
        return file.error();
    if (auto made = check_made_for(path, *file, module, "module"); !made)
        return made.error();
    auto lowest = open_elf_btf(kernel);
    if (!lowest)
        return lowest.error();
    BaseStack base(std::move(*lowest));
    if (auto added = base.add_module(module); !added)
        return added.error();
    return open_content(path, std::move(*file), std::move(base));
}

Result<std::unique_ptr<ObjectView>> ObjectView::open_over(const std::string &path,
                                                          std::optional<BaseStack> base) {
    auto file = read_extra_file(path);
    if (!file)
        return file.error();
    return open_content(path, std::move(*file), std::move(base));
}

Result<std::unique_ptr<ObjectView>>
ObjectView::open_content(const std::string &path, ExtraFile file, std::optional<BaseStack> base) {
    std::unique_ptr<ObjectView> view(new ObjectView);
    view->path_ = path;
    view->file_ = std::move(file);
    bool split = view->file_.inline_blob.empty();
    if (loc_arch_of(view->file_.machine) == nullptr)
        return view->error("ELF header",
                           fmt::format("machine {} is not supported", view->file_.machine));

    const auto &provenance = view->file_.provenance;
    if (!base && !provenance)
        return view->error(kProvenanceSection,
                           "not there: the base BTF is needed to read the file");
    if (!base)
        base.emplace(BtfImage::from_counts(provenance->base_end_id, provenance->base_end_string));
    const std::string first_blob =
        fmt::format("{}: {}", path, split ? kTypesSection : kInlineSection);
    if (auto checked = base->check(view->file_.base, first_blob); !checked)
        return checked.error();
    if (provenance) {
        auto checked = base->top().check_counts(provenance->base_end_id,
                                                provenance->base_end_string, first_blob);
        if (!checked)
            return checked.error();
    }
    view->base_ = std::move(base);

    btf_fault fault = {};
    const BtfImage *below = &view->base_->top();
    if (split) {
        auto types =
            BtfImage::open(fmt::format("{}: {}", path, kTypesSection), view->file_.types, below);
        if (!types)
            return types.error();
        if (loc_validate_types(&(*types)->blob(), &fault) != 0)
            return (*types)->error(fault);
        view->types_ = std::move(*types);
        below = view->types_.get();
    }
    auto locations =
        BtfImage::open(fmt::format("{}: {}", path, split ? kFuncInfoSection : kInlineSection),
                       split ? view->file_.func_info : view->file_.inline_blob, below);
    if (!locations)
        return locations.error();
    if (loc_validate(&(*locations)->blob(), view->file_.machine, &fault) != 0)
        return (*locations)->error(fault);
    view->locations_ = std::move(*locations);

    const btf_blob &blob = view->locations_->blob();
    std::vector<uint64_t> scratch(words(loc_index_scratch(&blob)));
    view->index_memory_.resize(words(loc_index_memory(&blob)));
    if (loc_index_build(&view->index_, &blob, view->index_memory_.data(),
                        view->index_memory_.size() * sizeof(uint64_t), scratch.data(),
                        scratch.size() * sizeof(uint64_t)) != 0)
        return view->error(split ? kFuncInfoSection : kInlineSection,
                           fmt::format("more than {} LOCSECs", LOC_INDEX_MAX_SECTIONS));
    if (const auto &marks = view->file_.site_marks)
        if (site_marks_check(marks->data(), static_cast<uint32_t>(marks->size()),
                             view->index_.nr_sites, &fault) != 0)
            return view->error(kSiteMarksSection, fmt::format("byte {:#x}: {}", fault.offset,
                                                              btf_fault_text(fault.code)));
    view->funcs_.assign(view->index_.funcs, view->index_.funcs + view->index_.nr_funcs);
    std::ranges::sort(view->funcs_);
    if (auto checked = view->check_provenance(); !checked)
        return checked.error();
    view->note_tags();
    return view;
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
    uint64_t missing = 0;
    first_reasons_.reserve(index_.nr_sites);
    for (uint32_t i = 0; i < index_.nr_sections; i++) {
        const loc_section &section = index_.sections[i];
        for (uint32_t j = 0; j < section.nr_sites; j++) {
            Located counts = count_located(section.sites[j]);
            first_reasons_.push_back(static_cast<uint32_t>(missing));
            missing += counts.params - counts.located;
        }
    }
    if (missing != provenance->reasons.size())
        return error(kProvenanceSection,
                     fmt::format("{} reasons for {} parameters without location",
                                 provenance->reasons.size(), missing));
    return {};
}

void ObjectView::note_tags() {
    file_tags_.resize(funcs_.size());
    unit_tags_.resize(funcs_.size());
    const btf_blob &blob = types_ ? types_->blob() : locations_->blob();
    for (uint32_t id = blob.first_id; id < btf_blob_end_id(&blob); id++) {
        const btf_type *type = btf_blob_type(&blob, id);
        if (loc_kind(type) != BTF_KIND_DECL_TAG)
            continue;
        auto rank = func_rank(type->type);
        if (rank && tag_text(id, kFileTag))
            file_tags_[*rank] = id;
        else if (rank && tag_text(id, kUnitTag))
            unit_tags_[*rank] = id;
    }
}

// Returns the tag's text after the prefix, or nothing for id 0 and for other tags.
std::optional<std::string> ObjectView::tag_text(uint32_t tag_id, std::string_view prefix) const {
    const btf_type *tag = btf_blob_type(&locations_->blob(), tag_id);
    const char *text =
        tag != nullptr ? btf_blob_string(&locations_->blob(), tag->name_off) : nullptr;
    if (text == nullptr || !std::string_view(text).starts_with(prefix))
        return {};
    return text + prefix.size();
}

std::optional<size_t> ObjectView::func_rank(uint32_t func_id) const {
    auto found = std::ranges::lower_bound(funcs_, func_id);
    if (found == funcs_.end() || *found != func_id)
        return {};
    return static_cast<size_t>(found - funcs_.begin());
}

std::string_view ObjectView::func_name(uint32_t func_id) const {
    const btf_type *func = btf_blob_type(&locations_->blob(), func_id);
    const char *name =
        func != nullptr ? btf_blob_string(&locations_->blob(), func->name_off) : nullptr;
    return name != nullptr ? name : "(base)";
}

std::optional<std::string> ObjectView::func_file(uint32_t func_id) const {
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

std::optional<std::string> ObjectView::func_unit(uint32_t func_id) const {
    auto rank = func_rank(func_id);
    return rank ? tag_text(unit_tags_[*rank], kUnitTag) : std::nullopt;
}

bool ObjectView::is_true_signature(uint32_t func_id) const {
    return site_marks_true_signature(&locations_->blob(), func_id);
}

std::vector<uint32_t> ObjectView::true_signatures(uint32_t site_number) const {
    std::vector<uint32_t> out;
    const loc_section *section;
    const loc_site *site = loc_index_site(&index_, site_number, &section);
    const loc_range range = loc_index_by_offset(&index_, section->elf, site->offset);
    for (uint32_t i = range.first; i < range.end; i++) {
        const loc_section *its_section;
        const loc_site *other = loc_index_site(&index_, index_.by_offset[i], &its_section);
        if (its_section->loc_class == LOC_CLASS_BODY && is_true_signature(other->func))
            out.push_back(other->func);
    }
    return out;
}

bool ObjectView::is_variadic(uint32_t func_id) const {
    auto rank = func_rank(func_id);
    return rank && variadic_[*rank];
}

uint32_t ObjectView::site_marks(uint32_t site_number) const {
    const auto &marks = file_.site_marks;
    return site_marks_of(&index_, marks ? marks->data() : nullptr,
                         marks ? static_cast<uint32_t>(marks->size()) : 0, site_number);
}

ObjectView::Located ObjectView::count_located(const loc_site &site) const {
    const btf_type *proto = btf_blob_type(&locations_->blob(), site.loc_proto);
    uint32_t count = loc_vlen(proto);
    if (count != 0 && is_variadic(site.func))
        count--;
    const uint32_t *ids = loc_proto_ids(proto);
    auto missing = static_cast<uint32_t>(std::count(ids, ids + count, 0u));
    return {count, count - missing};
}

std::vector<Parameter> ObjectView::parameters(uint32_t site_number) const {
    const btf_blob &blob = locations_->blob();
    const loc_section *section;
    const loc_site *site = loc_index_site(&index_, site_number, &section);
    const uint32_t *ids = loc_proto_ids(btf_blob_type(&blob, site->loc_proto));
    FuncParams known = func_params(blob, site->func);
    size_t reason = first_reasons_.empty() ? 0 : first_reasons_[site_number];

    std::vector<Parameter> out;
    for (uint32_t i = 0; i < count_located(*site).params; i++) {
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
        out.push_back(param);
    }
    return out;
}

}  // namespace btf_extra
