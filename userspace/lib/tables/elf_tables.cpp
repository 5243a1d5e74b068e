// SPDX-License-Identifier: (LGPL-2.1 OR BSD-2-Clause)
#include "userspace/format/module_name.h"
#include "userspace/lib/tables/site_tables.h"
#include "userspace/lib/tables/symbol_table.h"

namespace btf_extra {
namespace {

class ElfTables : public SiteTables {
  public:
    ElfTables(std::string file, ObjectFiles files)
        : SiteTables(Source::kElf, std::move(file)), files_(std::move(files)) {}

    Result<void> open(const std::string &object);

  private:
    ObjectFiles files_;
};

Result<void> ElfTables::open(const std::string &name) {
    auto view = files_.view(name_);
    if (!view)
        return view.error();
    const ElfImage &elf = files_.object();
    elf_ = &elf;
    auto symbols = SymbolTable::load(elf);
    if (!symbols)
        return symbols.error();
    symbols_ = std::make_unique<SymbolTable>(std::move(*symbols));

    SiteObject object = {name, 1, 0, std::move(*view), {}};
    const loc_index &index = object.view->index();
    for (uint32_t i = 0; i < index.nr_elf_sections; i++) {
        const char *section_name = index.elf_sections[i].name;
        PlacedSection placed = {};
        placed.place.freed = section_place_freed(section_name, !elf.relocatable());
        if (const ElfSection *section = elf.find(section_name)) {
            placed.place.address = section->address;
            placed.place.size = section->size;
            placed.begin.section = section->index;
        }
        object.sections.push_back(placed);
    }
    if (const ElfSection *text = elf.find(".text"))
        object.text = text->address;
    objects_.push_back(std::make_shared<SiteObject>(std::move(object)));
    return {};
}

}  // namespace

Result<std::unique_ptr<SiteTables>> open_elf_tables(const std::string &file,
                                                    const ObjectPaths &elf) {
    auto files = ObjectFiles::open(elf);
    if (!files)
        return files.error();
    auto tables = std::make_unique<ElfTables>(file, std::move(*files));
    if (auto opened = tables->open(elf.module.empty() ? "vmlinux" : module_name(elf.module));
        !opened)
        return opened.error();
    return std::unique_ptr<SiteTables>(std::move(tables));
}

}  // namespace btf_extra
