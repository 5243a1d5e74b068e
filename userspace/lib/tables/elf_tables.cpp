// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/format/kernel_release.h"
#include "userspace/format/module_name.h"
#include "userspace/lib/tables/site_tables.h"
#include "userspace/lib/tables/symbol_table.h"

namespace btf_extra {
namespace {

class ElfTables : public SiteTables {
  public:
    ElfTables(std::string file, ObjectFiles files)
        : SiteTables(Source::kElf, std::move(file)), files_(std::move(files)) {}

    Result<void> open(const std::string &object, FileParts parts);

  private:
    ObjectFiles files_;
};

Result<void> ElfTables::open(const std::string &name, FileParts parts) {
    SiteObject object = {.name = name, .id = 1};
    object.view = TRY(files_.view(name_, parts));
    elf_ = files_.object();
    banner_ = kernel_banner(files_.kernel());
    auto symbols = TRY(SymbolTable::load(*elf_));
    symbols_ = std::make_unique<SymbolTable>(std::move(symbols));
    const loc_index &index = object.view->index();
    for (uint32_t i = 0; i < index.nr_elf_sections; i++) {
        const char *section_name = index.elf_sections[i].name;
        PlacedSection placed = {};
        placed.place.freed = section_place_freed(section_name, !elf_->relocatable());
        if (const ElfSection *section = elf_->find(section_name)) {
            placed.place.address = section->address;
            placed.place.size = section->size;
            placed.elf_section = section->index;
        }
        object.sections.push_back(placed);
    }
    if (const ElfSection *text = elf_->find(".text"))
        object.text = text->address;
    objects_.push_back(std::make_shared<SiteObject>(std::move(object)));
    return {};
}

}  // namespace

Result<std::unique_ptr<SiteTables>> open_elf_tables(const std::string &file, const ObjectPaths &elf,
                                                    FileParts parts) {
    auto files = TRY(ObjectFiles::open(elf));
    auto tables = std::make_unique<ElfTables>(file, std::move(files));
    TRY(tables->open(elf.module.empty() ? "vmlinux" : module_name(elf.module), parts));
    return std::unique_ptr<SiteTables>(std::move(tables));
}

}  // namespace btf_extra
