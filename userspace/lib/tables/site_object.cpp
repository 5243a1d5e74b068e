// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/lib/tables/site_object.h"

#include <algorithm>
#include <string>
#include <utility>

namespace btf_extra {
namespace {

// The object as the engine of the core sees it.
class Search : public site_tables {
  public:
    Search(const SharedObject &object, const Symbols *symbols, std::string path = "")
        : site_tables{}, object_(object), path_(std::move(path)), symbols_(symbols) {
        static constexpr site_tables_ops kOps = {place, symbol_begins, func_file};
        index = &object->view->index();
        if (const auto &known = object->view->file().site_marks) {
            marks = known->data();
            marks_size = known->size();
        }
        ops = &kOps;
    }

  protected:
    btf_extra_site describe(const found_site &found) const {
        btf_extra_site site = site_describe(this, &found);
        site.object = object_->id;
        return site;
    }

    SharedObject object_;

  private:
    static const Search &self(const site_tables *tables) {
        return *static_cast<const Search *>(tables);
    }
    static section_place place(const site_tables *tables, uint32_t elf) {
        return self(tables).object_->sections[elf].place;
    }
    static bool symbol_begins(const site_tables *tables, uint32_t elf, uint32_t offset,
                              const char *name, uint32_t size) {
        const Search &search = self(tables);
        const Place begin = search.object_->sections[elf].begin();
        const bool known = begin.section != 0 || begin.offset != 0;
        const loc_arch *arch = loc_arch_of(search.object_->view->file().machine);
        if (search.symbols_ == nullptr || !known || arch == nullptr)
            return false;
        const auto names =
            search.symbols_->names_of_body({begin.section, begin.offset + offset}, *arch);
        return std::ranges::count(names, std::string_view(name, size)) != 0;
    }
    // The core compares one path. The meaning of "foo@path" depends on the units, too.
    static const char *func_file(const site_tables *tables, uint32_t func) {
        const Search &search = self(tables);
        return search.object_->view->is_func_in(func, search.path_) ? search.path_.c_str()
                                                                    : nullptr;
    }

    std::string path_;  // in the text
    const Symbols *symbols_;
};

// The sites of a function follow each other.
class VisitingSearch : public Search {
  public:
    VisitingSearch(const SharedObject &object, const Symbols *symbols, const FuncText &text,
                   const FoundVisitor &visit)
        : Search(object, symbols, text.file), visit_(visit), found_{object, 0, {}, true} {}

    void run(const func_text &wanted) {
        site_query_text(this, &wanted, 0, add, this);
        finish();
    }

  private:
    static int add(const found_site *found, void *data) {
        static_cast<VisitingSearch *>(data)->add_site(*found);
        return 0;
    }

    void add_site(const found_site &found) {
        const btf_extra_site site = describe(found);
        if (site.func_id != found_.id || found.by_symbol == found_.all_sites)
            finish();
        found_.id = site.func_id;
        found_.all_sites = !found.by_symbol;
        found_.sites.push_back(site);
    }

    void finish() {
        if (!found_.sites.empty())
            visit_(found_);
        found_.sites.clear();
    }

    const FoundVisitor &visit_;
    FoundFunc found_;
};

// The sites of several functions come in any order. They are few.
class CollectingSearch : public Search {
  public:
    CollectingSearch(const SharedObject &object, std::vector<FoundFunc> &found)
        : Search(object, nullptr), found_(found), first_(static_cast<ptrdiff_t>(found.size())) {}

    static int add(const found_site *found, void *data) {
        static_cast<CollectingSearch *>(data)->add_site(*found);
        return 0;
    }

  private:
    void add_site(const found_site &found) {
        const btf_extra_site site = describe(found);
        auto func = std::find_if(found_.begin() + first_, found_.end(), [&](const FoundFunc &each) {
            return each.id == site.func_id && each.all_sites != found.by_symbol;
        });
        if (func == found_.end()) {
            found_.push_back({object_, site.func_id, {}, !found.by_symbol});
            func = found_.end() - 1;
        }
        func->sites.push_back(site);
    }

    std::vector<FoundFunc> &found_;
    ptrdiff_t first_;  // of this object's in found_
};

}  // namespace

void visit_by_text(const SharedObject &object, const Symbols *symbols, const FuncText &text,
                   const FoundVisitor &visit) {
    VisitingSearch(object, symbols, text, visit).run(text.core());
}

void find_by_address(const SharedObject &object, uint64_t address, std::vector<FoundFunc> &found) {
    CollectingSearch search(object, found);
    site_query_address(&search, address, 0, CollectingSearch::add, &search);
}

void find_by_place(const SharedObject &object, uint32_t elf_section, uint64_t offset,
                   std::vector<FoundFunc> &found) {
    CollectingSearch search(object, found);
    if (offset <= UINT32_MAX)
        site_query_place(&search, elf_section, static_cast<uint32_t>(offset), 0,
                         CollectingSearch::add, &search);
}

SitePosition position_of(const SiteObject &object, uint32_t site_number) {
    const loc_section *section;
    const loc_site *site = loc_index_site(&object.view->index(), site_number, &section);
    return {section->elf, object.view->index().elf_sections[section->elf].name, site->offset};
}

Place place_of(const SiteObject &object, uint32_t site_number) {
    const SitePosition at = position_of(object, site_number);
    Place place = object.sections[at.elf_section].begin();
    place.offset += at.offset;
    return place;
}

uint64_t located_params(const ObjectView &view, const btf_extra_site &site) {
    const btf_blob &blob = view.locations().blob();
    const btf_type *proto = btf_blob_type(&blob, site.loc_proto);
    if (proto == nullptr || loc_kind(proto) != LOC_KIND_PROTO)
        return 0;
    uint64_t out = 0;
    for (uint32_t i = 0; i < std::min(loc_vlen(proto), 64u); i++)
        if (loc_proto_ids(proto)[i] != 0)
            out |= uint64_t{1} << i;
    for (const loc_expression_entry &entry : view.expressions_of(site.loc_proto))
        if (entry.param < 64)
            out |= uint64_t{1} << entry.param;
    return out;
}

}  // namespace btf_extra
